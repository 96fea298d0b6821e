import Synchronization
import TypedDocuments

/// The names of the documents of a part, in their order, on disk.
package final class SubsetNames: Sendable, Equatable {
  /// The file of a run that has them, a line each; of a masked one there is none, because names are people's.
  static let fileName = "part.jsonl"
  private static let longestLine = 64 << 10

  /// A line of the file.
  private struct Entry: JSONRecord {
    @Text var path: DocumentPath
  }

  let count: Int
  /// How many there are of each collection, in their order.
  let collections: [(pattern: CollectionPath, count: Int)]
  private let spool: Mutex<NameSpool>

  private init(_ spool: sending NameSpool, _ counts: [CollectionPath: Int]) {
    count = spool.count
    collections = counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    self.spool = Mutex(spool)
  }

  /// Keeps sorted names.
  ///
  /// - Parameter file: The file that keeps them for a run that is resumed; nil for none.
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

  /// Reads the file of a run that is resumed.
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

  /// - Throws: `.cannotWrite` where the file cannot be read.
  func names(_ positions: Range<Int>) throws(Failure) -> [DocumentPath] {
    try spool.withLock { spool throws(Failure) in
      var names: [DocumentPath] = []
      for position in positions { names.append(try spool.name(at: position)) }
      return names
    }
  }

  package static func == (a: SubsetNames, b: SubsetNames) -> Bool { a === b }
}
