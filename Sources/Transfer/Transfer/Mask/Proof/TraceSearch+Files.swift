import Schema
import Tables

/// Calls `body` with the bytes of each value in a file.
///
/// It throws `.inputMalformed` if the file is not of its kind, or damaged.
package typealias FileValues = (
  _ path: String, _ body: (UnsafeRawBufferPointer) -> Void
) throws(Failure) -> Void

extension TraceSearch {
  /// The number of bytes that are searched twice, so that nothing is cut in two.
  private static let overlap = 4 << 10

  /// Searches a file, decompressed, and the contents in forms specific to its kind.
  ///
  /// These are the parts of a workbook, the messages of a managed export, the cells of a database, and texts in other
  /// encodings.
  ///
  /// - Returns: The reason why not all of it could be searched; nil if it was.
  /// - Throws: The errors of ``InputFile/read(into:)``.
  mutating func look(atFile path: String, values: FileValues) throws(Failure) -> String? {
    let head = try FileHead(path)
    if head.content == .workbook, let parts = try? Self.parts(of: path) {
      for part in parts { try look(atPart: part, of: path) }
      return nil
    }
    // An intact log has everything in its messages, whereas a database also contains deleted rows.
    let logged = LogTexts.isLog(head.bytes)
    let damage = logged ? try look(at: path, by: LogTexts.forEach(in:_:)) : nil
    if logged, damage == nil { return nil }
    let wide = TextEncoding(wideIn: head.bytes)
    try look(atText: path, in: wide)
    switch head.content {
    case .database: return try look(at: path, by: values)
    case .workbook, .openDocument, .oldWorkbook, .foreign: return "it is compressed, or in a form of its own"
    default: return damage ?? (wide == nil && head.bytes.contains(0) ? "it is no text" : nil)
    }
  }

  /// Searches the bytes of a value.
  private mutating func look(at bytes: UnsafeRawBufferPointer) {
    if !bytes.isEmpty { look(at: Array(bytes)) }
  }

  private mutating func look(at path: String, by values: FileValues) throws(Failure) -> String? {
    do throws(Failure) {
      var search = self
      defer { self = search }
      try values(path) { search.look(at: $0) }
      return nil
    } catch  where error.kind == .inputMalformed {
      return error.cause
    }
  }

  private mutating func look(atText path: String, in encoding: TextEncoding?) throws(Failure) {
    var file = try InputFile(path)
    var decoder = encoding.map { TextDecoder($0) }
    var rest: [UInt8] = []
    try file.forEachPiece { piece throws(Failure) in
      guard var text = decoder else { return look(at: piece, after: &rest) }
      var decoded: [UInt8] = []
      text.decode(piece, to: &decoded)
      decoder = text
      decoded.withUnsafeBytes { look(at: $0, after: &rest) }
    }
  }
  private static func parts(of path: String) throws(Failure) -> [String] {
    let package = try XLSXPackage(path)
    return package.sheets.map(\.part) + (package.sharedStrings.map { [$0] } ?? [])
  }

  private mutating func look(atPart part: String, of path: String) throws(Failure) {
    guard var entry = try ZIPEntry.open(part, in: path) else { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
    defer { buffer.deallocate() }
    var rest: [UInt8] = []
    while true {
      let count = try entry.read(into: buffer)
      if count == 0 { return }
      look(at: UnsafeRawBufferPointer(rebasing: buffer[..<count]), after: &rest)
    }
  }

  /// Searches a piece of a file together with the end of the piece before it.
  private mutating func look(at piece: UnsafeRawBufferPointer, after rest: inout [UInt8]) {
    let step = 64 << 10
    for start in stride(from: 0, to: piece.count, by: step) {
      let bytes = rest + piece[start..<min(piece.count, start + step)]
      look(at: String(decoding: bytes, as: UTF8.self))
      if !bytes.contains(0), EncodingGuess(bytes) != .utf8 {
        var (decoder, decoded) = (TextDecoder(.windows1252), [UInt8]())
        decoder.decode(bytes, to: &decoded)
        look(at: String(decoding: decoded, as: UTF8.self))
      }
      rest = Array(bytes.suffix(Self.overlap).drop { $0.isASCIILetterOrDigit || $0 >= 0x80 })
    }
  }
}

extension TextEncoding {
  /// UTF-16, recognized by its mark or by the zeros in Western letters; nil for anything else.
  fileprivate init?(wideIn head: [UInt8]) {
    var length = 0
    if let marked = TextEncoding(markedBy: head, &length) {
      if marked == .utf8 { return nil }
      self = marked
      return
    }
    let zeros = head.indices.filter { head[$0] == 0 }
    let (even, odd) = (zeros.count { $0 % 2 == 0 }, zeros.count { $0 % 2 == 1 })
    guard max(even, odd) * 4 > head.count, min(even, odd) * 20 <= max(even, odd) else { return nil }
    self = even > odd ? .utf16BigEndian : .utf16LittleEndian
  }
}
