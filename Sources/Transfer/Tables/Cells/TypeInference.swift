package import Schema

/// Infers the type of a column from all of its values.
package struct TypeInference: Sendable {
  private var forms: Set<Form> = []

  package init() {}

  private enum Form {
    case text, integer, double, boolean, timestamp, array
  }

  /// Larger numbers are IDs rather than amounts, and spreadsheets round them.
  private static let largestInteger: UInt64 = 1 << 53

  /// Adds a cell.
  package mutating func look(at row: CellRow, _ index: Int, _ reading: CellValues) {
    switch row.kind(index) {
    case .missing, .blankText, .error: return
    case .boolean: forms.insert(.boolean)
    case .date: forms.insert(.timestamp)
    case .time: forms.insert(.text)
    case .number, .double, .integer:
      let number = Double(row[index]) ?? .nan
      forms.insert(Int64(exactly: number) == nil ? .double : .integer)
    case .bare, .text:
      let isText = row.kind(index) == .text && reading.isSheet
      if let form = row.withUTF8(of: index, { Self.form(of: $0, isText: isText, reading) }) {
        forms.insert(form)
      }
    }
  }

  /// The type that fits all values; text if they differ.
  package var type: Column.ValueType {
    switch forms {
    case []: .any
    case [.integer]: .integer
    case [.double], [.integer, .double]: .double
    case [.boolean]: .boolean
    case [.timestamp]: .timestamp
    case [.array]: .array
    default: .string
    }
  }

  private static func form(
    of text: UnsafeBufferPointer<UInt8>,
    isText: Bool,
    _ reading: CellValues
  ) -> Form? {
    guard let first = text.first, !reading.isNull(text) else { return nil }
    if first == UInt8(ascii: "{") { return reading.isREST(text) ? nil : .text }
    if first == UInt8(ascii: "[") { return reading.isArray(text) ? .array : .text }
    if DateText(text) != nil { return .timestamp }
    // Text in a sheet is intentional, except for dates, which people type.
    if isText { return .text }
    switch CellForm(text) {
    case .integer:
      let number = Int64(String(decoding: text, as: UTF8.self)) ?? .max
      return number.magnitude <= largestInteger ? .integer : .text
    case .double: return .double
    case .boolean: return .boolean
    case .timestamp: return .timestamp
    case .text:
      return CellValues.boolean(text, words: ["verdadero": true, "falso": false]) == nil ? .text : .boolean
    }
  }
}
