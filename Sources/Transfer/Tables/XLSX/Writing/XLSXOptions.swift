package import Schema

/// Options of a workbook.
package struct XLSXOptions: Sendable {
  /// The time zone of dates, which have none in a cell.
  package var timeZone: LocalTimeZone
  package var header = Column.HeaderLanguage.fieldNames
  package var nullText = "null"
  /// Whether references to documents of the same workbook are links to their rows.
  package var links = false
  /// The folder for temporary files; the output's folder if nil.
  ///
  /// They need about twice the uncompressed size of the rows.
  package var temporaryFolder: String?
  package var schema = DatabaseSchema.none
  /// Whether it shows documents differently from how they are stored, and is therefore not imported.
  package var isView = false

  package init(timeZone: LocalTimeZone) {
    self.timeZone = timeZone
  }
}
