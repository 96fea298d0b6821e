import Files
import FirestoreModels
import Platform

/// Sorts documents on disk by scope and name: runs of some MiB are sorted in memory, then merged.
///
/// The temporary file has no name and disappears with the process. No document may be added twice.
struct DocumentSort {
  private struct Entry {
    var scope: Int
    var path: DocumentPath
    var json: [UInt8]
  }

  private let runBytes: Int
  private var entries: [Entry] = []
  private var bytes = 0
  private var file: SortFile?
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
    guard let file else { return SortedDocuments(file: try SortFile(), runs: []) }
    return SortedDocuments(file: file, runs: runs)
  }

  private mutating func writeRun() throws(Failure) {
    if entries.isEmpty { return }
    if self.file == nil { self.file = try SortFile() }
    guard let file else { return }
    entries.sort { a, b in a.scope == b.scope ? a.path < b.path : a.scope < b.scope }
    let start = file.length
    var buffer: [UInt8] = []
    for entry in entries {
      for number in [entry.scope, entry.json.count] {
        for shift in stride(from: 24, through: 0, by: -8) {
          buffer.append(UInt8(truncatingIfNeeded: number >> shift))
        }
      }
      buffer += entry.json
      if buffer.count >= 256 << 10 {
        try file.append(buffer)
        buffer.removeAll(keepingCapacity: true)
      }
    }
    try file.append(buffer)
    runs.append(start..<file.length)
    entries = []
    bytes = 0
  }
}

/// The sorted documents, one after another.
final class SortedDocuments {
  private struct Head {
    var scope: Int
    var document: RawDocument
    var run: Int

    func precedes(_ other: Head) -> Bool {
      scope == other.scope ? document.path < other.document.path : scope < other.scope
    }
  }

  private var readers: [RunReader]
  private let parser = JSONParser(maximumBytes: 64 << 20)
  private var decoder = WireDecoder()
  /// A binary heap with the least head first.
  private var heap: [Head] = []
  private var isPrimed = false

  fileprivate init(file: SortFile, runs: [Range<Int>]) {
    // All buffers together take a few MiB, however many runs there are.
    let buffer = max(4 << 10, min(64 << 10, (4 << 20) / max(1, runs.count)))
    readers = runs.map { RunReader(file: file, range: $0, bufferSize: buffer) }
  }

  /// Returns the next document and its scope, or nil at the end.
  ///
  /// - Throws: `.cannotWrite` if the temporary file cannot be read.
  func next() throws(Failure) -> (scope: Int, document: RawDocument)? {
    if !isPrimed {
      isPrimed = true
      for run in readers.indices { try pull(run) }
    }
    guard let head = heap.first else { return nil }
    try advance()
    return (head.scope, head.document)
  }

  /// Removes the least head and reads the next one of its run.
  private func advance() throws(Failure) {
    let run = heap[0].run
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      sink(0)
    }
    try pull(run)
  }

  private func pull(_ run: Int) throws(Failure) {
    guard let (scope, json) = try readers[run].next() else { return }
    let document: RawDocument
    do throws(WireError) {
      document = try parser.parse(json) { root throws(WireError) in try decoder.document(root) }
    } catch {
      throw Failure(.internal, "sort the documents", cause: "\(error)")
    }
    heap.append(Head(scope: scope, document: document, run: run))
    var child = heap.count - 1
    while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private func sink(_ start: Int) {
    var parent = start
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if heap[child].precedes(heap[least]) { least = child }
      }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}

/// One sorted run of the file.
private struct RunReader {
  let file: SortFile
  var range: Range<Int>
  let bufferSize: Int
  var buffer: [UInt8] = []
  var at = 0

  mutating func next() throws(Failure) -> (scope: Int, json: [UInt8])? {
    if at == buffer.count, range.isEmpty { return nil }
    try need(8)
    let scope = number(at)
    let count = number(at + 4)
    try need(8 + count)
    let json = Array(buffer[(at + 8)..<(at + 8 + count)])
    at += 8 + count
    return (scope, json)
  }

  private func number(_ index: Int) -> Int {
    buffer[index..<(index + 4)].reduce(0) { $0 << 8 | Int($1) }
  }

  /// Fills the buffer until it holds at least `count` unread bytes.
  private mutating func need(_ count: Int) throws(Failure) {
    guard buffer.count - at < count else { return }
    buffer.removeFirst(at)
    at = 0
    let wanted = min(range.count, max(count - buffer.count, bufferSize - buffer.count))
    buffer += try file.read(range.lowerBound..<(range.lowerBound + wanted))
    range = (range.lowerBound + wanted)..<range.upperBound
  }
}

/// A temporary file without a name, for appending and random access.
private final class SortFile {
  private let folder = FilePaths.temporaryFolder(for: "-")
  private let descriptor: Int32
  private(set) var length = 0
  /// The failure after which nothing can be appended.
  private var failure: Failure?

  init() throws(Failure) {
    let (name, descriptor) = try FilePaths.createTemporary(
      beside: "\(folder)/gymmigrate-sort",
      reporting: folder
    )
    unlink(name)
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  func append(_ bytes: [UInt8]) throws(Failure) {
    if let failure { throw failure }
    let code = bytes.withUnsafeBytes { SystemCall.write(descriptor, $0) }
    if code != 0 {
      let failed = Failure.cannotWrite(folder, errno: code)
      failure = failed
      throw failed
    }
    length += bytes.count
  }

  func read(_ range: Range<Int>) throws(Failure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    var done = 0
    while done < range.count {
      let got = bytes.withUnsafeMutableBytes { buffer in
        pread(
          descriptor,
          buffer.baseAddress.map { $0 + done },
          range.count - done,
          off_t(range.lowerBound + done)
        )
      }
      if got < 0, errno == EINTR { continue }
      if got < 0 { throw Failure.cannotWrite(folder, errno: errno) }
      if got == 0 { throw Failure.cannotWrite(folder, "a temporary file there was truncated") }
      done += got
    }
    return bytes
  }
}
