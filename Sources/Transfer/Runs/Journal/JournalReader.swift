import Files
import FirestoreREST
import Platform

/// Reads a ``Journal`` line by line in constant memory.
///
/// One line that was torn by a crash or a full disk is skipped: the last line, or a line that the next one directly
/// follows. A torn change was never sent, and a torn result is determined by reading the document. Any other damage is an
/// error.
package struct JournalReader: ~Copyable {
  /// The first line of a journal.
  package struct Head: Sendable, Equatable {
    /// The database that the run writes to.
    package var database: DatabaseName
    /// The run ID.
    package var run: String
    /// A time by the service's clock before the first write.
    package var serverTime: Timestamp?
  }

  /// One line of a journal.
  package enum Line: Sendable, Equatable {
    case head(Head)
    /// A change that is about to be sent, with the number of the transaction that combines it with others.
    case change(Change, transaction: Int? = nil)
    /// The result of a document's last change, by name (`written`), with the update time that the write set.
    case settled(DocumentPath, result: String, updateTime: Timestamp?)
  }

  private var lines: LineReader
  private let parser = JSONParser(maximumBytes: (64 << 20) + 64)
  private var decoder = WireDecoder()
  /// The length of the lines read so far, in bytes.
  package private(set) var length = 0
  /// The offset of the line returned last, in bytes.
  private(set) var offset = 0
  /// The number of the torn line, from 1; nil if there was none.
  package private(set) var tornLine: Int?

  /// Opens a journal.
  ///
  /// - Throws: `.inputMissing`; `.inputMalformed` for a pipe.
  package init(_ path: String) throws(Failure) {
    try FileCheck.assertNoPipe(path)
    lines = try LineReader(path)
  }

  /// Whether there is a journal with its head, which precedes the first write.
  ///
  /// - Throws: `.inputMalformed` if its first line is damaged; the errors of ``init(_:)``.
  package static func hasHead(_ path: String) throws(Failure) -> Bool {
    guard FileCheck.exists(path) else { return false }
    var reader = try JournalReader(path)
    return try reader.next() != nil
  }

  /// Whether a journal has a write, including one without a result; a damaged journal may have one.
  package static func hasWrite(_ path: String) -> Bool {
    guard FileCheck.exists(path) else { return false }
    // By document, because a transaction that decides to write nothing has a result without a change.
    var open: [DocumentPath: Int] = [:]
    do throws(Failure) {
      var reader = try JournalReader(path)
      while let line = try reader.next() {
        switch line {
        case .head: break
        case .change(let change, _): open[change.path, default: 0] += 1
        case .settled(_, "written", _): return true
        case .settled(let path, _, _): open[path] = open[path].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
      }
    } catch {
      return true
    }
    return !open.isEmpty
  }

  /// Calls `body` with each change of a journal that is confirmed to be written, and the update time that it set, in the
  /// order of their results.
  ///
  /// - Returns: The changes without a result.
  /// - Throws: `.inputMissing`, `.inputMalformed`, and the errors of `body`.
  @discardableResult
  package static func forEachWritten(
    in path: String,
    _ body: (Change, Timestamp?) throws(Failure) -> Void
  ) throws(Failure) -> [Change] {
    var reader = try JournalReader(path)
    var open: [DocumentPath: Change] = [:]
    while let line = try reader.next() {
      switch line {
      case .head: continue
      case .change(let change, _): open[change.path] = change
      case .settled(let path, let result, let time):
        if let change = open.removeValue(forKey: path), result == "written" { try body(change, time) }
      }
    }
    return Array(open.values)
  }

  /// Returns how many documents a journal was about to create, up to where it is damaged.
  package static func creations(in path: String) -> Int {
    guard var reader = try? JournalReader(path) else { return 0 }
    var count = 0
    while let line = try? reader.next() {
      if case .change(let change, _) = line, change.kind == .create { count += 1 }
    }
    return count
  }

  /// Returns the next line, or nil at the end.
  ///
  /// - Throws: `.inputMalformed`, `.inputMissing`.
  package mutating func next() throws(Failure) -> Line? {
    guard try lines.advance() else { return nil }
    guard lines.isEnded else {
      tornLine = tornLine ?? lines.number
      return nil
    }
    offset = length
    do throws(WireError) {
      return try lines.withLine { bytes throws(WireError) in
        length += bytes.count + 1
        do throws(WireError) {
          return try Self.parse(bytes, parser, &decoder)
        } catch {
          // A journal without its head belongs to no run, and a full disk tears at most one line.
          guard lines.number > 1, tornLine == nil, let start = TornLine.restart(in: bytes) else {
            throw error
          }
          tornLine = lines.number
          offset += start
          return try Self.parse(UnsafeRawBufferPointer(rebasing: bytes[start...]), parser, &decoder)
        }
      }
    } catch {
      throw Failure(
        .inputMalformed,
        "read the journal",
        path: lines.path,
        cause: "line \(lines.number): \(error)"
      )
    }
  }

  private static func parse(
    _ bytes: UnsafeRawBufferPointer,
    _ parser: JSONParser,
    _ decoder: inout WireDecoder
  ) throws(WireError) -> Line {
    try parser.parse(bytes) { json throws(WireError) in try line(json, &decoder) }
  }

  /// Reads the change whose line starts at an offset.
  ///
  /// - Throws: `.inputMissing`; `.inputMalformed` if there is no change at the offset.
  static func change(at offset: Int, in path: String) throws(Failure) -> Change {
    func damaged(_ cause: String) -> Failure {
      Failure(.inputMalformed, "read the journal", path: path, cause: "byte \(offset): \(cause)")
    }
    let (descriptor, error) = SystemCall.open(path, O_RDONLY)
    if error != 0 {
      throw Failure(.inputMissing, "read the journal", path: path, cause: String(cString: strerror(error)))
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      let count = pread(descriptor, &buffer, buffer.count, off_t(offset + bytes.count))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw damaged("no line begins there") }
      if let end = buffer[..<count].firstIndex(of: UInt8(ascii: "\n")) {
        bytes += buffer[..<end]
        break
      }
      bytes += buffer[..<count]
    }
    var decoder = WireDecoder()
    do throws(WireError) {
      return try JSONParser(maximumBytes: (64 << 20) + 64).parse(bytes) { json throws(WireError) in
        try decoder.change(json)
      }
    } catch {
      throw damaged(error.description)
    }
  }

  private static func line(_ json: JSONCursor, _ decoder: inout WireDecoder) throws(WireError) -> Line {
    if let result = json["result"]?.string {
      guard let path = json["path"]?.string.flatMap({ DocumentPath($0) }) else {
        throw WireError("path is the path of a document")
      }
      // A write whose result is misread would not be undone.
      guard WriteResult.names.contains(where: { $0.isIdentical(to: result) }) else {
        throw WireError("result is unknown")
      }
      var time: Timestamp?
      if let text = json["updateTime"] {
        time = text.string.flatMap { Timestamp($0) }
        if time == nil { throw WireError("updateTime is a timestamp") }
      }
      return .settled(path, result: result, updateTime: time)
    }
    if let name = json["database"]?.string {
      guard let database = DatabaseName(parsing: name) else { throw WireError("database is no database") }
      return .head(
        Head(
          database: database,
          run: json["run"]?.string ?? "",
          serverTime: json["serverTime"]?.string.flatMap { Timestamp($0) }
        )
      )
    }
    return .change(try decoder.change(json), transaction: try WireDecoder.transaction(json))
  }
}

/// The journal tail: the writes of the current stage that no checkpoint has counted, by hashes of their paths.
struct JournalTail: Sendable {
  /// The ranges of the tail in the journal, in bytes.
  fileprivate(set) var ranges: [Range<Int>] = []
  private var writes: [UInt64: Journal.OwnWrite] = [:]
  /// Confirmed writes of documents that have a later change without a result.
  private var earlier: [UInt64: Journal.OwnWrite] = [:]
  private var deleted: [DocumentPath] = []
  /// Times by the service's clock, each with the offset after which changes were sent later than that.
  private var times: [(offset: Int, time: Timestamp)] = []

  var isEmpty: Bool { writes.isEmpty }

  /// The paths of the deletions in the tail.
  var deletions: [DocumentPath] { deleted.filter { writes[Self.hash($0)]?.kind == .delete } }

  /// The writes in the tail, in the order of the journal.
  var unmetWrites: [Journal.OwnWrite] { writes.values.sorted { $0.offset < $1.offset } }

  /// The write of a document, without claiming it.
  subscript(path: DocumentPath) -> Journal.OwnWrite? { writes.isEmpty ? nil : writes[Self.hash(path)] }

  /// The confirmed write of a document before its last one, which has no result; nil if there is none.
  func confirmedWrite(before last: DocumentPath) -> Journal.OwnWrite? { earlier[Self.hash(last)] }

  mutating func take(_ path: DocumentPath) -> Journal.OwnWrite? {
    if writes.isEmpty { return nil }
    let hash = Self.hash(path)
    earlier[hash] = nil
    return writes.removeValue(forKey: hash)
  }

  /// Removes a write whose document was counted without a result, so that no later resume meets it.
  mutating func drop(_ write: Journal.OwnWrite, of path: DocumentPath) {
    _ = take(path)
    ranges = ranges.flatMap { range in
      guard range.contains(write.offset) else { return [range] }
      return [range.lowerBound..<write.offset, write.offset + 1..<range.upperBound].filter { !$0.isEmpty }
    }
  }

  /// Returns a time before a change was sent at which the run had counted all its earlier writes.
  func time(before write: Journal.OwnWrite) -> Timestamp? {
    times.last { $0.offset <= write.offset }?.time
  }

  private mutating func add(_ change: Change, in transaction: Int?, at offset: Int) {
    let hash = Self.hash(change.path)
    if let known = writes[hash], known.isConfirmed { earlier[hash] = known }
    writes[hash] = Journal.OwnWrite(kind: change.kind, offset: offset, transaction: transaction)
    if change.isDeletion { deleted.append(change.path) }
  }

  /// Records the result of a change; if it was not written, an earlier confirmed write becomes the last one.
  private mutating func settle(_ path: DocumentPath, isWritten: Bool, at time: Timestamp?) {
    let hash = Self.hash(path)
    let known = earlier.removeValue(forKey: hash)
    if isWritten {
      writes[hash]?.isConfirmed = true
      writes[hash]?.updateTime = time
    } else if writes[hash]?.isConfirmed == false {
      writes[hash] = known
    }
  }

  /// Adds a line that no checkpoint has counted.
  fileprivate mutating func add(_ line: JournalReader.Line, at offset: Int, after time: Timestamp?) {
    switch line {
    case .head: break
    case .change(let change, let transaction):
      if let time, times.last?.time != time { times.append((offset, time)) }
      add(change, in: transaction, at: offset)
    case .settled(let path, let result, let time): settle(path, isWritten: result == "written", at: time)
    }
  }

  /// Removes the writes of a document that was read again and counted.
  fileprivate mutating func close(_ line: JournalReader.Line, _ latest: inout Timestamp?) {
    switch line {
    case .head: break
    case .change(let change, _): _ = take(change.path)
    case .settled(let path, _, let time):
      _ = take(path)
      if let time { latest = max(latest ?? time, time) }
    }
  }

  /// If two paths have the same hash, one write is not counted.
  private static func hash(_ path: DocumentPath) -> UInt64 { FNV.hash(path.string.utf8) }
}

extension Resumption {
  /// Reads the tail of the journal after the checkpoint, its head, and the length of all complete lines.
  ///
  /// Changes after the checkpoint, or in the tail that it records, are added. A line between these belongs to a document
  /// that was read again and counted, so its earlier changes are removed, as are changes that were not written. Anything
  /// sent after such a line was applied after the time in that line. Lines before the current stage are those of others.
  mutating func readJournal(_ path: String) throws(Failure) {
    let (start, end) = (checkpoint?.beginning?.journal ?? 0, checkpoint?.journal ?? 0)
    tail.ranges = (checkpoint?.tail ?? []) + [end..<Int.max]
    var reader = try JournalReader(path)
    var meetsEnd = end == 0
    var latest: Timestamp?
    while true {
      if reader.length == end { meetsEnd = true }
      guard let line = try reader.next() else { break }
      let offset = reader.offset
      switch line {
      case .head(let it):
        guard offset == 0 else { throw Self.damaged(path, "it has a second head at byte \(offset)") }
        head = it
        headLength = reader.length
      case .change, .settled:
        if offset < start { continue }
        if tail.ranges.contains(where: { $0.contains(offset) }) {
          tail.add(line, at: offset, after: latest)
        } else {
          tail.close(line, &latest)
        }
      }
    }
    if !meetsEnd, reader.length >= end {
      throw Self.damaged(path, "no line ends at byte \(end), where checkpoint.json continues")
    }
    tail.ranges = tail.ranges.compactMap { range in
      range.lowerBound < reader.length ? range.clamped(to: 0..<reader.length) : nil
    }
    (length, tornLine) = (reader.length, reader.tornLine)
  }
}
