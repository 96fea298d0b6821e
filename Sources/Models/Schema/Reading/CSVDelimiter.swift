/// The character between cells of a CSV file: a tab, or an ASCII punctuation mark or symbol other than quotes.
package struct CSVDelimiter: RawRepresentable, Codable, Sendable, Hashable {
  package let rawValue: String
  package let byte: UInt8

  package static let comma = CSVDelimiter(UInt8(ascii: ","))
  package static let semicolon = CSVDelimiter(UInt8(ascii: ";"))
  package static let tab = CSVDelimiter(0x09)
  package static let pipe = CSVDelimiter(UInt8(ascii: "|"))
  /// The delimiters that are looked for in a header.
  package static let usual = [comma, semicolon, tab, pipe]

  private init(_ byte: UInt8) {
    self.byte = byte
    rawValue = String(UnicodeScalar(byte))
  }

  package init?(rawValue: String) {
    guard rawValue.utf8.count == 1, let byte = rawValue.utf8.first, byte == 0x09 || (0x21..<0x7F) ~= byte,
      !byte.isASCIILetterOrDigit, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "'")
    else { return nil }
    self.init(byte)
  }

  /// Whether numbers, times or the heading `__name__` contain the character, which an export does not quote.
  package var isWithinCells: Bool { ".+-:_".utf8.contains(byte) }

  private static let names: [String: Self] = [
    "comma": .comma, "semicolon": .semicolon, "tab": .tab, "pipe": .pipe, "\\t": .tab,
  ]

  /// What ``init(typed:)`` accepts, for messages.
  package static let expectation =
    "comma, semicolon, tab, pipe, or one other punctuation mark or symbol of ASCII but for quotes"

  /// Parses the name of a delimiter (`semicolon`) or the character itself.
  package init?(typed text: String) {
    guard let found = Self.names[text] ?? Self(rawValue: text) else { return nil }
    self = found
  }

  /// The text that ``init(typed:)`` reads: the name, if there is one.
  package var typed: String { Self.names.first { $0.value == self && $0.key != "\\t" }?.key ?? rawValue }
}
