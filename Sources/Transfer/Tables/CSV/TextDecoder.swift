package import Schema

extension TextEncoding {
  /// The encoding indicated by the first bytes of a file, with the length of this mark in bytes; nil if there is none.
  package init?(markedBy bytes: some Sequence<UInt8>, _ length: inout Int) {
    let marks: [(TextEncoding, [UInt8])] = [
      (.utf8, CSVLineWriter.byteOrderMark), (.utf16LittleEndian, [0xFF, 0xFE]),
      (.utf16BigEndian, [0xFE, 0xFF]),
    ]
    guard let (encoding, mark) = marks.first(where: { bytes.starts(with: $0.1) }) else { return nil }
    self = encoding
    length = mark.count
  }
}

/// Decodes bytes, piece by piece, to UTF-8 of at most three times the size.
///
/// Invalid sequences become a byte that cannot occur in UTF-8, and are refused as such.
package struct TextDecoder {
  package let encoding: TextEncoding
  /// The first byte of a UTF-16 code unit.
  private var half: UInt8?
  /// The first unit of a surrogate pair.
  private var high: UInt16?

  private static let invalid: UInt8 = 0xFF
  /// U+0080 to U+009F in Windows-1252.
  private static let windows = Array(
    "€\u{FFFF}‚ƒ„…†‡ˆ‰Š‹Œ\u{FFFF}Ž\u{FFFF}\u{FFFF}‘’“”•–—˜™š›œ\u{FFFF}žŸ".unicodeScalars
  )
  /// The characters in which ISO-8859-15 differs from ISO-8859-1.
  private static let latin9: [UInt8: Unicode.Scalar] = [
    0xA4: "€", 0xA6: "Š", 0xA8: "š", 0xB4: "Ž", 0xB8: "ž", 0xBC: "Œ", 0xBD: "œ", 0xBE: "Ÿ",
  ]

  package init(_ encoding: TextEncoding) { self.encoding = encoding }

  /// Appends the UTF-8 of the next bytes.
  package mutating func decode(_ bytes: some Sequence<UInt8>, to out: inout [UInt8]) {
    for byte in bytes {
      switch encoding {
      case .utf8: out.append(byte)
      case .windows1252:
        append(0x80..<0xA0 ~= byte ? Self.windows[Int(byte) - 0x80] : Unicode.Scalar(byte), &out)
      case .latin1, .latin9:
        // Control characters that nobody types; Windows has other characters in their place.
        let isControl = 0x80..<0xA0 ~= byte
        let sign = encoding == .latin9 ? Self.latin9[byte] : nil
        append(isControl ? nil : sign ?? Unicode.Scalar(byte), &out)
      case .utf16LittleEndian, .utf16BigEndian: append(byte, &out)
      }
    }
  }

  /// Appends what remains of an incomplete character at the end of the file.
  mutating func end(_ out: inout [UInt8]) {
    if half != nil || high != nil { out.append(Self.invalid) }
    (half, high) = (nil, nil)
  }

  private mutating func append(_ byte: UInt8, _ out: inout [UInt8]) {
    guard let first = half.take() else {
      half = byte
      return
    }
    let isLittle = encoding == .utf16LittleEndian
    let unit = UInt16(isLittle ? byte : first) << 8 | UInt16(isLittle ? first : byte)
    if let high = high.take() {
      if 0xDC00..<0xE000 ~= unit {
        return append(Unicode.Scalar(0x10000 + UInt32(high - 0xD800) << 10 + UInt32(unit - 0xDC00)), &out)
      }
      out.append(Self.invalid)
    }
    if 0xD800..<0xDC00 ~= unit { high = unit } else { append(Unicode.Scalar(unit), &out) }
  }

  private func append(_ scalar: Unicode.Scalar?, _ out: inout [UInt8]) {
    guard let scalar, scalar != "\u{FFFF}" else { return out.append(Self.invalid) }
    if scalar.isASCII { out.append(UInt8(scalar.value)) } else { out.append(contentsOf: String(scalar).utf8) }
  }
}
