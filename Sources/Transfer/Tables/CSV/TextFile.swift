import Files
import FirestoreModels
import Schema

/// A text file that is read as UTF-8, whatever its encoding.
struct TextFile: ~Copyable {
  private var file: InputFile
  private let files: FileAccess
  /// The encoding of a file without a byte order mark.
  private let given: TextEncoding
  private var decoder: TextDecoder?
  /// Whether it begins with a byte order mark; false before ``begin(_:)``.
  private(set) var hasByteOrderMark = false

  /// - Throws: ``Failure`` of kind `inputMissing`.
  init(_ path: String, _ encoding: TextEncoding?, via files: FileAccess) throws(Failure) {
    file = try InputFile(path, via: files)
    self.files = files
    given = encoding ?? .utf8
  }

  var path: String { file.path }

  /// Returns the first bytes of the file, however much of it was read; none of a pipe.
  ///
  /// - Throws: The errors of ``FileHead/init(_:via:)``.
  func head() throws(Failure) -> FileHead { try FileHead(file.path, via: files) }

  /// The offset in the file as stored.
  var position: Int { file.position }

  /// The encoding, after ``begin(_:)``.
  var encoding: TextEncoding { decoder?.encoding ?? .utf8 }

  /// Reads the first bytes without a byte order mark, and determines the encoding; returns their number as UTF-8.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` for UTF-8 if another encoding is given, and read errors.
  mutating func begin(_ buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
    // Some encodings grow to three times their size.
    let head = UnsafeMutableRawBufferPointer(
      rebasing: buffer[..<min(buffer.count, max(3, buffer.count / 3))]
    )
    var count = 0
    while count < min(3, head.count) {
      let more = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: head[count...]))
      count += more
      if more == 0 { break }
    }
    var markLength = 0
    let marked = TextEncoding(markedBy: head[..<count], &markLength)
    hasByteOrderMark = marked != nil
    let bytes = Array(head[markLength..<count])
    let encoding = marked ?? given
    if encoding == .utf8 {
      head.copyBytes(from: bytes)
      return bytes.count
    }
    if marked == nil, Self.isUTF8(bytes) {
      throw Failure.malformed(
        file.path,
        "it is UTF-8, and was to be read as \(encoding.rawValue)",
        remedy: "Use --encoding utf-8."
      )
    }
    decoder = TextDecoder(encoding)
    return decode(bytes, into: buffer)
  }

  /// Reads the next bytes and returns their number as UTF-8; in another encoding, the buffer must have room for four bytes.
  ///
  /// - Throws: ``Failure`` for a read error.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(Failure) -> Int {
    if decoder == nil { return try file.read(into: buffer) }
    if buffer.count < 4 { return 0 }
    while true {
      // The bytes are read into the end of the buffer and decoded to its beginning.
      let piece = UnsafeMutableRawBufferPointer(
        rebasing: buffer[(buffer.count - max(1, buffer.count / 3 - 1))...]
      )
      let count = try file.read(into: piece)
      let found = decode(piece[..<count], into: buffer)
      if found > 0 || count == 0 { return found }
    }
  }

  private mutating func decode(
    _ bytes: some Collection<UInt8>,
    into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count * 3)
    decoder?.decode(bytes, to: &out)
    if bytes.isEmpty { decoder?.end(&out) }
    buffer.copyBytes(from: out)
    return out.count
  }

  /// Whether bytes are UTF-8 but not ASCII, apart from an incomplete last character.
  private static func isUTF8(_ bytes: [UInt8]) -> Bool {
    var whole = bytes[...]
    if let lead = bytes.suffix(3).lastIndex(where: { $0 >= 0xC0 }) {
      let length = bytes[lead] >= 0xF0 ? 4 : bytes[lead] >= 0xE0 ? 3 : 2
      if bytes.count - lead < length { whole = bytes[..<lead] }
    }
    return whole.contains { $0 >= 0x80 } && String(validating: whole, as: UTF8.self) != nil
  }
}
