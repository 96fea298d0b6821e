/// Text in the cells of a workbook.
enum SheetText {
  /// Excel's limit for a cell, in UTF-16 units.
  static let maximumLength = 32_767

  /// Returns the number of UTF-16 units of UTF-8 text.
  static func length(_ utf8: some Sequence<UInt8>) -> Int {
    var units = 0
    for byte in utf8 where byte & 0xC0 != 0x80 { units += byte >= 0xF0 ? 2 : 1 }
    return units
  }

  /// Whether UTF-8 text fits into a cell.
  static func fits(_ utf8: [UInt8]) -> Bool {
    // The number of bytes is sufficient for nearly every text.
    utf8.count <= maximumLength || length(utf8) <= maximumLength
  }

  /// Appends text escaped for Office Open XML (ST_Xstring).
  ///
  /// A character that is invalid in XML becomes `_x0001_`; an underscore that would start such an escape
  /// becomes `_x005F_`.
  static func append(_ utf8: UnsafeBufferPointer<UInt8>, to out: inout [UInt8]) {
    var start = 0
    var at = 0
    while at < utf8.count {
      let byte = utf8[at]
      var escape: (code: UInt32, length: Int)?
      if byte < 0x20, byte != 0x09, byte != 0x0A {
        escape = (UInt32(byte), 1)
      } else if byte == UInt8(ascii: "_"), looksEscaped(utf8, at) {
        escape = (0x5F, 1)
      } else if byte == 0xEF, at + 2 < utf8.count, utf8[at + 1] == 0xBF, utf8[at + 2] >= 0xBE {
        escape = (utf8[at + 2] == 0xBE ? 0xFFFE : 0xFFFF, 3)
      }
      guard let escape else {
        at += 1
        continue
      }
      out.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start..<at]))
      append(escape.code, to: &out)
      at += escape.length
      start = at
    }
    out.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[start...]))
  }

  /// Whether text certainly needs no escape.
  static func isPlain(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    var suspicious = false
    // Without an early exit, so that several bytes are checked together.
    for byte in utf8 { suspicious = suspicious || byte < 0x20 || byte == 0xEF || byte == UInt8(ascii: "_") }
    if !suspicious { return true }
    for (index, byte) in utf8.enumerated() {
      if byte < 0x20, byte != 0x09, byte != 0x0A { return false }
      if byte == UInt8(ascii: "_"), looksEscaped(utf8, index) { return false }
      if byte == 0xEF { return false }
    }
    return true
  }

  private static func append(_ code: UInt32, to out: inout [UInt8]) {
    let digits = Array("0123456789ABCDEF".utf8)
    out.append(contentsOf: "_x".utf8)
    for shift: UInt32 in [12, 8, 4, 0] { out.append(digits[Int(code >> shift & 15)]) }
    out.append(UInt8(ascii: "_"))
  }

  private static func looksEscaped(_ utf8: UnsafeBufferPointer<UInt8>, _ at: Int) -> Bool {
    guard at + 6 < utf8.count, utf8[at + 1] == UInt8(ascii: "x"), utf8[at + 6] == UInt8(ascii: "_") else {
      return false
    }
    return utf8[(at + 2)..<(at + 6)].allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
  }

  /// More than the UTF-8 text of any real cell, including escapes.
  static let maximumCellBytes = 8 * maximumLength

  /// Returns a value without surrounding XML white space.
  static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
    let rest = value.drop(while: isSpace)
    return rest[...(rest.lastIndex { !isSpace($0) } ?? rest.startIndex - 1)]
  }

  /// Decodes `_x0001_` escapes, as written by ``append(_:to:)`` and Excel.
  static func unescape(_ text: inout [UInt8]) {
    guard text.contains(UInt8(ascii: "_")) else { return }
    var out: [UInt8] = []
    text.withUnsafeBufferPointer { utf8 in
      var at = 0
      while at < utf8.count {
        if utf8[at] == UInt8(ascii: "_"), looksEscaped(utf8, at),
          let code = UInt32(String(decoding: utf8[(at + 2)..<(at + 6)], as: UTF8.self), radix: 16),
          let scalar = Unicode.Scalar(code)
        {
          out.append(contentsOf: Array(String(scalar).utf8))
          at += 7
        } else {
          out.append(utf8[at])
          at += 1
        }
      }
    }
    text = out
  }

  /// Calls `body` with a text that is escaped and shortened for a cell.
  static func withCell(
    _ text: String,
    _ body: (UnsafePointer<CChar>?) throws(Failure) -> Void
  ) throws(Failure) {
    var bytes: [UInt8] = []
    text.withBytes { utf8 in
      // Escapes multiply a text by at most seven.
      let shown = prefix(utf8, length: maximumLength / 7)
      append(UnsafeBufferPointer(rebasing: utf8[..<shown]), to: &bytes)
    }
    bytes.append(0)
    try bytes.map { CChar(bitPattern: $0) }.withUnsafeBufferPointer { text throws(Failure) in
      try body(text.baseAddress)
    }
  }

  /// Returns the length in bytes of the longest prefix with at most `length` UTF-16 units.
  static func prefix(_ utf8: UnsafeBufferPointer<UInt8>, length: Int) -> Int {
    var units = 0
    var at = 0
    while at < utf8.count {
      let byte = utf8[at]
      let size = byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
      units += size == 4 ? 2 : 1
      if units > length { break }
      at += size
    }
    return min(at, utf8.count)
  }
}
