/// The type of a column as given by a heading (`price:double`) or `--types`.
package struct ColumnType: Sendable, Equatable {
  package let type: Column.ValueType
  /// The order of dates; nil for the default.
  package private(set) var dateOrder: DateOrder?

  private static let names: [(name: String, type: Column.ValueType)] = [
    ("string", .string), ("text", .string), ("integer", .integer), ("int", .integer), ("double", .double),
    ("number", .double), ("boolean", .boolean), ("bool", .boolean), ("timestamp", .timestamp),
    ("date", .timestamp), ("array", .array), ("reference", .reference), ("geopoint", .geopoint),
    ("point", .geopoint),
    ("bytes", .bytes), ("any", .any),
  ]

  /// The names, for messages.
  package static let description =
    "\(names.map(\.name).joined(separator: ", ")), or the pattern of a date (dd/MM/yyyy)"

  package init(_ type: Column.ValueType, dateOrder: DateOrder? = nil) {
    self.type = type
    self.dateOrder = dateOrder
  }

  /// Parses the name of a type, or a date pattern; nil for any other text.
  package init?(named name: String) {
    if let found = Self.names.first(where: { $0.name.isIdentical(to: name) }) {
      self.init(found.type)
    } else if let order = DateOrder(pattern: name) {
      self.init(.timestamp, dateOrder: order)
    } else {
      return nil
    }
  }

  /// The name as used in a heading.
  package var name: String { dateOrder?.rawValue ?? type.rawValue }
}

extension ColumnType: HeadingValue {
  package init?(typed text: String) { self.init(named: text) }
  package var typed: String { name }
}
