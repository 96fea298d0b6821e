import FirestoreModels
import Schema

/// A column of a BigQuery table for a field that the schema declares.
///
/// Source: https://cloud.google.com/bigquery/docs/schemas
struct BigQueryColumn {
  enum Kind: String {
    case string = "STRING"
    case integer = "INTEGER"
    case double = "FLOAT"
    case boolean = "BOOLEAN"
    case timestamp = "TIMESTAMP"
    case bytes = "BYTES"
    case geography = "GEOGRAPHY"
    case record = "RECORD"
    /// Any value, as plain JSON.
    case json = "JSON"
  }

  /// The name in BigQuery.
  let name: String
  /// The name in Firestore.
  let field: String
  let kind: Kind
  let isRepeated: Bool
  /// The columns of a record.
  let columns: [BigQueryColumn]

  /// Returns the columns for a collection's fields.
  static func columns(of fields: [FieldSchema]) -> [BigQueryColumn] { columns(of: fields, below: []) }

  private static func columns(of fields: [FieldSchema], below path: [String]) -> [BigQueryColumn] {
    var names = BigQueryNames()
    return fields.compactMap { field in
      let segments = field.path.segments
      guard segments.count == path.count + 1, zip(path, segments).allSatisfy({ $0.isIdentical(to: $1) }),
        let last = segments.last
      else { return nil }
      return BigQueryColumn(field, named: last, as: names.unique(last), among: fields)
    }
  }

  private init(_ field: FieldSchema, named name: String, as own: String, among fields: [FieldSchema]) {
    self.field = name
    self.name = own
    let isArray = field.types == [.array]
    let elements = isArray ? field.elements : fields
    let value = isArray ? field.elements.first : field
    let columns =
      value?.types == [.map] ? Self.columns(of: elements, below: value?.path.segments ?? []) : []
    // Arrays in arrays, maps with undeclared fields, and values of several types have no kind of their own.
    let kind = field.types == [.vector] ? .double : value.flatMap { Self.kind(of: $0.types, columns) }
    self.kind = kind ?? .json
    self.columns = self.kind == .record ? columns : []
    isRepeated = kind != nil && (isArray || field.types == [.vector])
  }

  private static func kind(of types: [FieldType], _ columns: [BigQueryColumn]) -> Kind? {
    switch types {
    case [.string], [.reference]: .string
    case [.integer]: .integer
    case [.double], [.integer, .double], [.double, .integer]: .double
    case [.boolean]: .boolean
    case [.timestamp]: .timestamp
    case [.bytes]: .bytes
    case [.geopoint]: .geography
    case [.map] where !columns.isEmpty: .record
    default: nil
    }
  }

  // MARK: Schema file

  private static func declare(_ columns: [BigQueryColumn], in json: inout JSONWriter) {
    json.array { json in for column in columns { column.declare(in: &json) } }
  }

  /// Writes the column as an element of the schema.
  func declare(in json: inout JSONWriter) {
    json.object { json in
      Self.members(name, kind, isRepeated, to: &json)
      if !name.isIdentical(to: field) { json.member("description", field) }
      if columns.isEmpty { return }
      json.key("fields")
      Self.declare(columns, in: &json)
    }
  }

  static func members(_ name: String, _ kind: Kind, _ isRepeated: Bool, to json: inout JSONWriter) {
    json.member("name", name)
    json.member("type", kind.rawValue)
    json.member("mode", isRepeated ? "REPEATED" : "NULLABLE")
  }
}

/// Assigns the names of columns, which BigQuery compares without regard to case.
struct BigQueryNames {
  private static let maximumBytes = 300
  private static let reserved = [
    "_table_", "_file_", "_partition", "_row_timestamp", "__root__", "_colidentifier",
    "_change_sequence_number", "_change_type", "_change_timestamp",
  ]
  private var taken: Set<String> = []

  /// Returns a name that BigQuery accepts and that is unique in the record: letters, digits and `_`, without a leading
  /// digit.
  mutating func unique(_ field: String) -> String {
    var name = String(
      decoding: field.unicodeScalars.map { scalar in
        let byte = UInt8(exactly: scalar.value) ?? 0
        return byte.isASCIILetterOrDigit ? byte : UInt8(ascii: "_")
      },
      as: UTF8.self
    )
    let lowercased = name.lowercased()
    let isReserved = Self.reserved.contains { lowercased.hasPrefix($0) }
    if isReserved || name.utf8.first.map({ (0x30..<0x3A).contains($0) }) ?? true { name = "f_\(name)" }
    let stem = String(name.prefix(Self.maximumBytes - 10))
    name = stem
    var number = 1
    while !taken.insert(name.lowercased()).inserted {
      number += 1
      name = "\(stem)_\(number)"
    }
    return name
  }
}
