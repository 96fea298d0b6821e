/// What an option says of one sheet of workbooks: `SHEET=VALUE`.
package struct SheetOption<Value: Codable & Sendable & Equatable>: Codable, Sendable, Equatable {
  package let sheet: String
  package let value: Value

  package init(sheet: String, value: Value) { (self.sheet, self.value) = (sheet, value) }
}
