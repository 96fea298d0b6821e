package import GymModels

/// How a CSV file is written.
package struct CSVOptions: Sendable {
  /// What stands between two cells.
  package enum Delimiter: String, Sendable, CaseIterable {
    case comma = ","
    case semicolon = ";"
    case tab = "\t"
    case pipe = "|"

    /// The byte.
    package var byte: UInt8 {
      switch self {
      case .comma: UInt8(ascii: ",")
      case .semicolon: UInt8(ascii: ";")
      case .tab: 0x09
      case .pipe: UInt8(ascii: "|")
      }
    }
  }

  /// What stands between two cells; a comma by default.
  package var delimiter = Delimiter.comma
  /// The headings; field paths by default.
  package var header = Column.HeaderLanguage.fieldNames
  /// What stands for null.
  package var nullText = "null"
  /// The zone of timestamps; UTC where nil.
  package var timeZone: LocalTimeZone?
  /// For spreadsheets: a byte order mark first, and formulas neutralised.
  package var isForExcel = false
  /// Whether the receipt has the file's SHA-256.
  package var digest = false

  /// The defaults.
  package init() {}
}
