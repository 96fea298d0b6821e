/// An option for all tables, or for one sheet of workbooks: `VALUE` or `SHEET=VALUE`.
package struct SheetOption<Value: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
  /// The name of the sheet; nil for all tables.
  package let sheet: String?
  package let value: Value

  package init(sheet: String?, value: Value) { (self.sheet, self.value) = (sheet, value) }

  /// Whether the option is for this sheet alone, however the accents of its name are composed.
  package func isOf(_ name: String?) -> Bool {
    guard let sheet, let name else { return false }
    return sheet == name
  }
}
