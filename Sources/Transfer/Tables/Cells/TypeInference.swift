package import Schema

/// Infers the type of a column from all of its values.
package struct TypeInference: Sendable {
  private var types: Set<Column.ValueType> = []

  package init() {}

  /// Larger numbers are IDs rather than amounts, and spreadsheets round them.
  private static let largestInteger: UInt64 = 1 << 53

  package mutating func look(at row: CellRow, _ index: Int, _ reading: CellValues) {
    switch row.kind(index) {
    case .missing, .blankText, .error, .formula, .impossibleDate: return
    case .boolean: types.insert(.boolean)
    case .date: types.insert(.timestamp)
    case .time, .duration, .padded: types.insert(.string)
    case .number, .double, .integer:
      let number = Double(row[index]) ?? .nan
      types.insert(Int64(exactly: number) == nil ? .double : .integer)
    case .bare, .text:
      let isText = row.kind(index) == .text && reading.isSheet
      if let type = row.withUTF8(of: index, { Self.type(of: $0, isText: isText, reading) }) {
        types.insert(type)
      }
    }
  }

  /// The type that fits all values; text if they differ.
  package var type: Column.ValueType {
    switch types {
    case []: .any
    case [.integer, .double]: .double
    default: types.count == 1 ? types.first ?? .any : .string
    }
  }

  private static func type(
    of text: UnsafeBufferPointer<UInt8>,
    isText: Bool,
    _ reading: CellValues
  ) -> Column.ValueType? {
    guard let first = text.first, !reading.isNull(text) else { return nil }
    if first == UInt8(ascii: "{") { return reading.isREST(text) ? nil : .string }
    if first == UInt8(ascii: "[") { return reading.isArray(text) ? .array : .string }
    if DateText(text) != nil { return .timestamp }
    // Text in a sheet is intentional, except for dates, which people type.
    if isText { return .string }
    switch CellForm(text) {
    case .integer:
      let number = Int64(String(decoding: text, as: UTF8.self)) ?? .max
      return number.magnitude <= largestInteger ? .integer : .string
    case .double: return .double
    case .boolean: return .boolean
    case .timestamp: return .timestamp
    case .text:
      return CellValues.boolean(text, words: ["verdadero": true, "falso": false]) == nil ? .string : .boolean
    }
  }
}
