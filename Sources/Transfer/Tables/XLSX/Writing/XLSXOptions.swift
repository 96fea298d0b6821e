package import GymModels

/// How a workbook is written.
package struct XLSXOptions: Sendable {
  /// The zone in which dates are shown; a cell's date has no zone of its own.
  package var timeZone: LocalTimeZone
  /// The headings; field paths by default.
  package var header = Column.HeaderLanguage.fieldNames
  /// What stands for null.
  package var nullText = "null"
  /// Where temporary files lie.
  ///
  /// They need about as much as the rows take twice, uncompressed. The output's folder where nil.
  package var temporaryFolder: String?
  /// Whether the receipt has the file's SHA-256.
  package var digest = false

  /// The defaults, with dates in a zone (see ``LocalTimeZone/gym``).
  package init(timeZone: LocalTimeZone) {
    self.timeZone = timeZone
  }
}
