package import Schema

/// Options of a CSV file.
package struct CSVOptions: Sendable {
  package var delimiter = CSVDelimiter.comma
  package var header = Column.HeaderLanguage.fieldNames
  package var nullText = "null"
  /// The time zone of timestamps; UTC if nil.
  package var timeZone: LocalTimeZone?
  /// Whether to write a byte order mark and neutralize formulas, for spreadsheets.
  package var isForExcel = false
  /// Whether cells are written as ``ShownText``, without the types of values.
  package var isPlain = false
  /// Whether the decimal separator of doubles in such cells is a comma.
  package var usesDecimalComma = false
  package var schema = DatabaseSchema.none
  /// Whether it is a part of a file: rows without a byte order mark and header.
  package var isPart = false

  package init() {}
}
