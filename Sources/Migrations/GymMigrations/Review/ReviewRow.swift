/// A row of a list that people have edited, as text, whatever the file's format.
package struct ReviewRow: Sendable, Equatable {
  /// The position, for errors: `line 3` of CSV, `row 3` of a sheet.
  package var label: String
  /// The cells, in order; those omitted at the end are empty.
  package var cells: [String]
}
