/// How many bytes of documents each stage may hold, so that the process stays within 64 MiB however large the documents are.
///
/// A stage exceeds its share by at most one document: a document larger than the share passes alone. The code that applies a
/// share does no I/O: ``BatchFill``, and the schedulers of reads and commits.
package enum ByteBudget {
  /// A response with several documents, when pages are requested one after another.
  package static let response = 2 << 20
  /// All responses that are requested concurrently or wait to be consumed.
  package static let responses = 5 << 20
  /// Documents that are processed or passed on together.
  package static let batch = 1 << 20
  /// Writes that are sent together, with everything that is kept about them.
  package static let commit = 1 << 20
  /// Writes that are sent but not yet settled.
  package static let commits = 4 << 20
  /// Writes that wait to be sent.
  package static let writes = 1 << 20
}

/// Tracks how full a batch is, by number of documents and by bytes.
package struct BatchFill: Sendable {
  private let count: Int
  private let bytes: Int
  private var taken = (count: 0, bytes: 0)

  package init(count: Int, bytes: Int = ByteBudget.batch) {
    (self.count, self.bytes) = (count, bytes)
  }

  /// Whether the batch accepts no more documents.
  package var isFull: Bool { taken.count >= count || taken.bytes >= bytes }

  /// Counts one more document.
  package mutating func add(bytes: Int) { taken = (taken.count + 1, taken.bytes.addingClamped(bytes)) }

  /// Starts a new batch.
  package mutating func empty() { taken = (0, 0) }
}
