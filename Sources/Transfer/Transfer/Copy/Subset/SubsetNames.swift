import Synchronization

/// The names of the documents of a part, in their order, on disk.
package final class SubsetNames: Sendable, Equatable {
  /// The file of a run that has them, a line each; of a masked one there is none, because names are people's.
  static let fileName = "part.jsonl"
  private static let longestLine = 64 << 10

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
    var json = JSONWriter()
    var output: OutputFile? = nil
    if let file { output = try OutputFile(file) }
    while let record = try sorted.next() {
      try spool.append(record.path)
      counts[record.path.collection.pattern, default: 0] += 1
      json.removeAll()
      json.object { $0.member("path", record.path.string) }
      json.bytes.append(UInt8(ascii: "\n"))
      try output?.write(json.bytes)
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
      let path = try Self.path(lines, parser)
      try spool.append(path)
      counts[path.collection.pattern, default: 0] += 1
    }
    self.init(spool, counts)
  }

  private static func path(
    _ lines: borrowing LineReader,
    _ parser: JSONParser
  ) throws(Failure) -> DocumentPath {
    do throws(WireError) {
      return try lines.withLine { bytes throws(WireError) in
        try parser.parse(bytes) { json throws(WireError) in
          guard let path = json["path"]?.string.flatMap({ DocumentPath($0) }) else {
            throw WireError("it is no name of a document")
          }
          return path
        }
      }
    } catch {
      throw Failure(.inputMalformed, "read", path: lines.path, cause: "line \(lines.number): \(error)")
    }
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
