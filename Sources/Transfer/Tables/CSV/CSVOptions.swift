import Files
package import Schema

/// Options of a CSV file.
package struct CSVOptions: Sendable {
  package enum Delimiter: String, Codable, Sendable, CaseIterable {
    case comma = ","
    case semicolon = ";"
    case tab = "\t"
    case pipe = "|"

    package var byte: UInt8 {
      switch self {
      case .comma: UInt8(ascii: ",")
      case .semicolon: UInt8(ascii: ";")
      case .tab: 0x09
      case .pipe: UInt8(ascii: "|")
      }
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
