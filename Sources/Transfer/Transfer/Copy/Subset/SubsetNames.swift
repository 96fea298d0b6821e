import Synchronization
import TypedDocuments

/// The names of the documents in a subset, sorted, on disk.
package final class SubsetNames: Sendable, Equatable {
  /// The file in which a run keeps them, one per line; a masked run has none, because names are personal data.
  static let fileName = "part.jsonl"
  private static let longestLine = 64 << 10

  /// A line of the file.
  private struct Entry: JSONRecord {
    @Text var path: DocumentPath
  }

  let count: Int
  /// The number of documents in each collection, in the order of collections.
  let collections: [(pattern: CollectionPath, count: Int)]
  private let spool: Mutex<NameSpool>

  private init(_ spool: sending NameSpool, _ counts: [CollectionPath: Int]) {
    count = spool.count
    collections = counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    self.spool = Mutex(spool)
  }

  /// Stores sorted names.
  ///
  /// - Parameter file: The file that keeps them for a resumed run; nil for none.
  /// - Throws: `.cannotWrite`.
  convenience init(_ sorted: consuming SortedRecords<ScopedDocument>, file: String?) throws(Failure) {
    let spool = try NameSpool()
    var counts: [CollectionPath: Int] = [:]
    var output: OutputFile? = nil
    if let file { output = try OutputFile(file) }
    while let record = try sorted.next() {
      try spool.append(record.path)
      counts[record.path.collection.pattern, default: 0] += 1
      try output?.write(Entry(path: record.path).line)
    }
    if let output = output.take() { _ = try output.finish() }
    self.init(spool, counts)
  }

  /// Reads the file of a resumed run.
  ///
  /// - Throws: `.inputMalformed`; `.inputMissing`.
  convenience init(file: String) throws(Failure) {
    let spool = try NameSpool()
    var counts: [CollectionPath: Int] = [:]
    var lines = try LineReader(file, maximumLineBytes: Self.longestLine)
    let parser = JSONParser()
    while try lines.advance() {
      let path = try lines.withJSON(parser) { json throws(WireError) in try Entry(json).path }
      try spool.append(path)
      counts[path.collection.pattern, default: 0] += 1
    }
    self.init(spool, counts)
  }

  /// - Throws: `.cannotWrite` if the file cannot be read.
  func names(_ positions: Range<Int>) throws(Failure) -> [DocumentPath] {
    try spool.withLock { spool throws(Failure) in
      var names: [DocumentPath] = []
      for position in positions { names.append(try spool.name(at: position)) }
      return names
    }
  }

  package static func == (a: SubsetNames, b: SubsetNames) -> Bool { a === b }
}
