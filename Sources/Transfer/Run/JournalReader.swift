public import Models

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads a ``Journal`` line by line, in constant memory; a last line that was cut off by a crash is left out.
public struct JournalReader: ~Copyable {
  /// The first line.
  public struct Head: Sendable, Equatable {
    /// The database that was written.
    public var database: DatabaseName
    /// The run.
    public var run: String
    /// A moment by the service's clock before the first write.
    public var serverTime: Timestamp?
  }

  /// What a line says.
  public enum Line: Sendable, Equatable {
    case head(Head)
    /// It was about to be written.
    case change(Change)
    /// What became of the last change of this document: by its name (`written`), with the update time that it has by it.
    case settled(DocumentPath, result: String, updateTime: Timestamp?)
  }

  private var lines: LineReader
  private let parser = JSONParser(maximumBytes: (64 << 20) + 64)
  private var decoder = WireDecoder()
  /// Bytes of the whole lines that were read.
  public private(set) var length = 0

  /// Opens a journal.
  ///
  /// - Throws: `.inputMissing`.
  public init(_ path: String) throws(Failure) {
    lines = try LineReader(path)
  }

  /// The next line, nil at the end.
  ///
  /// - Throws: `.inputMalformed`, `.inputMissing`.
  public mutating func next() throws(Failure) -> Line? {
    guard try lines.advance(), lines.isEnded else { return nil }
    do throws(WireError) {
      return try lines.withLine { bytes throws(WireError) in
        length += bytes.count + 1
        return try parser.parse(bytes) { json throws(WireError) in try Self.line(json, &decoder) }
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

  /// The change whose line begins at an offset.
  ///
  /// - Throws: `.inputMissing`; `.inputMalformed` where there is none.
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
      guard count > 0 else { throw damaged("there is no line") }
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
      let time = json["updateTime"]?.string.flatMap { Timestamp($0) }
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
    return .change(try decoder.change(json))
  }
}

/// The writes of a journal that no checkpoint of a run has counted yet, by a hash of their paths.
struct JournalTail: Sendable {
  private var writes: [UInt64: Journal.OwnWrite] = [:]
  private var deleted: [DocumentPath] = []

  var isEmpty: Bool { writes.isEmpty }

  /// The deletions among them.
  var deletions: [DocumentPath] { deleted.filter { writes[Self.hash($0)]?.kind == .deletion } }

  mutating func take(_ path: DocumentPath) -> Journal.OwnWrite? {
    writes.isEmpty ? nil : writes.removeValue(forKey: Self.hash(path))
  }

  private mutating func add(_ change: Change, at offset: Int) {
    let kind: Journal.OwnWrite.Kind =
      change.after == nil ? .deletion : change.before == nil ? .creation : .update
    writes[Self.hash(change.path)] = Journal.OwnWrite(kind: kind, offset: offset)
    if kind == .deletion { deleted.append(change.path) }
  }

  /// Reads what a checkpoint (nil for none) has not counted, the first line, and the length of all whole lines.
  ///
  /// A change behind the checkpoint, or in the tail that it keeps, is added. A line between the two is of a document that was
  /// met again and counted, so what stands before it of that document is taken away; so is a change that came to
  /// nothing.
  static func read(
    _ path: String,
    since checkpoint: Checkpoint?
  ) throws(Failure) -> (JournalTail, JournalReader.Head?, headLength: Int, length: Int) {
    let end = checkpoint?.journal ?? 0
    let ranges = checkpoint?.tail ?? []
    var tail = JournalTail()
    var headLength = 0
    var head: JournalReader.Head?
    var reader = try JournalReader(path)
    var meetsEnd = end == 0
    while true {
      let offset = reader.length
      if offset == end { meetsEnd = true }
      guard let line = try reader.next() else { break }
      let isOpen = offset >= end || ranges.contains { $0.contains(offset) }
      switch line {
      case .head(let it):
        guard offset == 0 else { throw Resumption.damaged(path, "it has a second head at byte \(offset)") }
        head = it
        headLength = reader.length
      case .change(let change):
        if isOpen { tail.add(change, at: offset) } else { _ = tail.take(change.path) }
      case .settled(let path, let result, _):
        if !isOpen || result != "written" { _ = tail.take(path) }
      }
    }
    if !meetsEnd, reader.length >= end {
      throw Resumption.damaged(path, "no line ends at byte \(end), where checkpoint.json goes on")
    }
    return (tail, head, headLength, reader.length)
  }

  /// FNV-1a over the path's bytes: the same in every process; two paths that meet would count one write as none.
  private static func hash(_ path: DocumentPath) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in path.string.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash
  }
}
