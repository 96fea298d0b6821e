public import Models

/// How a CSV file is written.
public struct CSVOptions: Sendable {
  /// What stands between two cells.
  public enum Delimiter: String, Sendable, CaseIterable {
    case comma = ","
    case semicolon = ";"
    case tab = "\t"
    case pipe = "|"

    /// The byte.
    public var byte: UInt8 {
      switch self {
      case .comma: UInt8(ascii: ",")
      case .semicolon: UInt8(ascii: ";")
      case .tab: 0x09
      case .pipe: UInt8(ascii: "|")
      }
    }
  }

  /// What stands between two cells; a comma by default.
  public var delimiter = Delimiter.comma
  /// The headings; field paths by default.
  public var header = Column.HeaderLanguage.fieldNames
  /// What stands for null.
  public var nullText = "null"
  /// The zone of timestamps; UTC where nil.
  public var timeZone: LocalTimeZone?
  /// For spreadsheets: a byte order mark first, and formulas neutralised.
  public var isForExcel = false
  /// Whether the receipt has the file's SHA-256.
  public var digest = false

  /// The defaults.
  public init() {}
}
