import Files

/// Sorts documents on disk by scope and name: runs of some MiB are sorted in memory, then merged.
///
/// The temporary file has no name and disappears with the process. No document may be added twice.
struct DocumentSort: ~Copyable {
  private struct Entry {
    var scope: Int
    var path: DocumentPath
    var json: [UInt8]
  }

  private let runBytes: Int
  private var entries: [Entry] = []
  private var bytes = 0
  private var spool: SpoolFile?
  private var runs: [Range<Int>] = []

  /// Makes a sort.
  ///
  /// - Parameter runBytes: The number of bytes that are sorted in memory at once.
  init(runBytes: Int = 4 << 20) {
    self.runBytes = runBytes
  }

  /// Adds a document.
  ///
  /// - Throws: `.cannotWrite`.
  mutating func add(_ document: RawDocument, scope: Int) throws(Failure) {
    var json = JSONWriter()
    json.document(document, times: false)
    entries.append(Entry(scope: scope, path: document.path, json: json.bytes))
    bytes += json.bytes.count + document.path.string.utf8.count + 100
    if bytes >= runBytes { try writeRun() }
  }

  /// Returns the documents in order.
  ///
  /// - Throws: `.cannotWrite`.
  consuming func finish() throws(Failure) -> SortedDocuments {
    try writeRun()
    return SortedDocuments(spool, runs: runs)
  }

  private mutating func writeRun() throws(Failure) {
    if entries.isEmpty { return }
    if spool == nil { spool = try SpoolFile(in: FilePaths.temporaryFolder(for: "-")) }
    entries.sort { a, b in a.scope == b.scope ? a.path < b.path : a.scope < b.scope }
    let start = spool?.count ?? 0
    var buffer: [UInt8] = []
    for entry in entries {
      for number in [entry.scope, entry.json.count] {
        for shift in stride(from: 24, through: 0, by: -8) {
          buffer.append(UInt8(truncatingIfNeeded: number >> shift))
        }
      }
      buffer += entry.json
      if buffer.count >= 256 << 10 {
        try spool?.append(buffer)
        buffer.removeAll(keepingCapacity: true)
      }
    }
    try spool?.append(buffer)
    runs.append(start..<(spool?.count ?? 0))
    entries = []
    bytes = 0
  }
}

/// The sorted documents, one after another.
final class SortedDocuments {
  private struct Head: Comparable {
    var scope: Int
    var document: RawDocument
    var run: Int

    static func < (a: Head, b: Head) -> Bool {
      a.scope == b.scope ? a.document.path < b.document.path : a.scope < b.scope
    }
  }

  private var spool: SpoolFile?
  private var readers: [RunReader]
  private let parser = JSONParser(maximumBytes: 64 << 20)
  private var decoder = WireDecoder()
  private var heap = MinHeap<Head>()
  private var isPrimed = false

  fileprivate init(_ spool: consuming SpoolFile?, runs: [Range<Int>]) {
    // All buffers together take a few MiB, however many runs there are.
    let buffer = max(4 << 10, min(64 << 10, (4 << 20) / max(1, runs.count)))
    readers = runs.map { RunReader(range: $0, bufferSize: buffer) }
    self.spool = spool
  }

  /// Returns the next document and its scope, or nil at the end.
  ///
  /// - Throws: `.cannotWrite` if the temporary file cannot be read.
  func next() throws(Failure) -> (scope: Int, document: RawDocument)? {
    if !isPrimed {
      isPrimed = true
      for run in readers.indices {
        if let head = try head(of: run) { heap.insert(head) }
      }
    }
    guard let head = heap.first else { return nil }
    heap.replaceFirst(by: try self.head(of: head.run))
    return (head.scope, head.document)
  }

  /// Reads the next document of a run; nil at its end.
  private func head(of run: Int) throws(Failure) -> Head? {
    guard let (scope, json) = try readers[run].next(&spool) else { return nil }
    do throws(WireError) {
      let document = try parser.parse(json) { root throws(WireError) in try decoder.document(root) }
      return Head(scope: scope, document: document, run: run)
    } catch {
      throw Failure(.internal, "sort the documents", cause: "\(error)")
    }
  }
}

/// One sorted run of the file.
private struct RunReader {
  var range: Range<Int>
  let bufferSize: Int
  var buffer: [UInt8] = []
  var at = 0

  mutating func next(_ spool: inout SpoolFile?) throws(Failure) -> (scope: Int, json: [UInt8])? {
    if at == buffer.count, range.isEmpty { return nil }
    try need(8, &spool)
    let scope = number(at)
    let count = number(at + 4)
    try need(8 + count, &spool)
    let json = Array(buffer[(at + 8)..<(at + 8 + count)])
    at += 8 + count
    return (scope, json)
  }

  private func number(_ index: Int) -> Int {
    buffer[index..<(index + 4)].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Fills the buffer until it holds at least `count` unread bytes.
  private mutating func need(_ count: Int, _ spool: inout SpoolFile?) throws(Failure) {
    guard buffer.count - at < count else { return }
    buffer.removeFirst(at)
    at = 0
    let wanted = min(range.count, max(count - buffer.count, bufferSize - buffer.count))
    if let piece = try spool?.bytes(wanted, at: range.lowerBound) { buffer += piece }
    range = (range.lowerBound + wanted)..<range.upperBound
  }
}
