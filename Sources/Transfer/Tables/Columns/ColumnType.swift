package import Schema

/// The type of a column as a heading (`price:double`) or `--types` names it.
package struct ColumnType: Sendable, Equatable {
  package let type: Column.ValueType
  /// The order of its dates; nil for the usual one.
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

  /// Parses the name of a type, or the pattern of dates; nil for any other text.
  package init?(named name: String) {
    if let found = Self.names.first(where: { $0.name.isIdentical(to: name) }) {
      self.init(found.type)
    } else if let order = DateOrder(pattern: name) {
      self.init(.timestamp, dateOrder: order)
    } else {
      return nil
    }
  }

  /// The name as a heading has it.
  package var name: String { dateOrder?.rawValue ?? type.rawValue }
}

/// The type that `--types` gives to the column of a heading.
package struct HeadingType: Sendable, Equatable {
  package let heading: String
  package let type: ColumnType

  /// Parses `HEADING=TYPE,…`, where a heading may contain commas and equals signs; nil for any other text.
  package static func list(parsing text: String) -> [HeadingType]? {
    var list: [HeadingType] = []
    var pending: String?
    for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
      let part = pending.map { "\($0),\(piece)" } ?? String(piece)
      pending = part
      guard let sign = part.utf8.lastIndex(of: UInt8(ascii: "=")),
        let type = ColumnType(named: String(part[part.utf8.index(after: sign)...]))
      else { continue }
      list.append(HeadingType(heading: String(part[..<sign]), type: type))
      pending = nil
    }
    return pending == nil ? list : nil
  }
}
