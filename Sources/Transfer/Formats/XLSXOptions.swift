public import Models

/// How a workbook is written.
public struct XLSXOptions: Sendable {
  /// The zone in which dates are shown; a cell's date has no zone of its own.
  public var timeZone: LocalTimeZone
  /// The headings; field paths by default.
  public var header = Column.HeaderLanguage.fieldNames
  /// What stands for null.
  public var nullText = "null"
  /// Where temporary files lie.
  ///
  /// They need about as much as the rows take twice, uncompressed. The output's folder where nil.
  public var temporaryFolder: String?
  /// Whether the receipt has the file's SHA-256.
  public var digest = false

  /// The defaults, with dates in a zone (see ``LocalTimeZone/gym``).
  public init(timeZone: LocalTimeZone) {
    self.timeZone = timeZone
  }
}
