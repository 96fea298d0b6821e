/// How many bytes of documents may be held at the places where they wait, so that a process stays within 64 MiB whatever their size is.
///
/// Each place has a share, and goes beyond it by one document at most: a document that is larger than a share passes alone. What
/// decides by a share is pure: ``BatchFill``, and the schedulers of reads and of commits.
package enum ByteBudget {
  /// A response with several documents, where one is requested after the other.
  package static let response = 2 << 20
  /// All responses that are requested side by side, or wait for their turn.
  package static let responses = 5 << 20
  /// Documents that are decided, or handed on, together.
  package static let batch = 1 << 20
  /// Writes that are sent together, with all that is kept of them.
  package static let commit = 1 << 20
  /// Writes that are sent and not settled.
  package static let commits = 4 << 20
  /// Writes that wait to be sent.
  package static let writes = 1 << 20
}

/// Documents that are gathered until they are as many, or as large, as they may be.
package struct BatchFill: Sendable {
  private let count: Int
  private let bytes: Int
  private var taken = (count: 0, bytes: 0)

  package init(count: Int, bytes: Int = ByteBudget.batch) {
    (self.count, self.bytes) = (count, bytes)
  }

  /// Whether nothing more may come.
  package var isFull: Bool { taken.count >= count || taken.bytes >= bytes }

  /// Counts one more.
  package mutating func add(bytes: Int) { taken = (taken.count + 1, taken.bytes.addingClamped(bytes)) }

  /// Begins again with nothing.
  package mutating func empty() { taken = (0, 0) }
}
