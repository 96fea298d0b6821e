import Files
import FirestoreModels
package import Schema

/// Options of a CSV file.
package struct CSVOptions: Sendable {
  /// A character between cells: a tab, or a punctuation mark or symbol of ASCII other than quotes.
  package struct Delimiter: RawRepresentable, Codable, Sendable, Hashable {
    package let rawValue: String
    package let byte: UInt8

    package static let comma = Delimiter(UInt8(ascii: ","))
    package static let semicolon = Delimiter(UInt8(ascii: ";"))
    package static let tab = Delimiter(0x09)
    package static let pipe = Delimiter(UInt8(ascii: "|"))
    /// Those that are looked for in a header.
    static let usual = [comma, semicolon, tab, pipe]

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

    /// The delimiter that the name of a file says (`.tsv`, `.psv`); nil for any other.
    init?(ofFile path: String) {
      switch FileName(path).kind {
      case .tsv: self = .tab
      case .psv: self = .pipe
      default: return nil
      }
    }
  }

  package var delimiter = Delimiter.comma
  package var header = Column.HeaderLanguage.fieldNames
  package var nullText = "null"
  /// The time zone of timestamps; UTC if nil.
  package var timeZone: LocalTimeZone?
  /// Whether to write a byte order mark and neutralize formulas, for spreadsheets.
  package var isForExcel = false
  /// Whether cells are as ``ShownText``, without the types of values.
  package var isPlain = false
  package var schema = DatabaseSchema.none
  /// Whether it is a part of a file: rows without byte order mark and header.
  package var isPart = false

  package init() {}
}
