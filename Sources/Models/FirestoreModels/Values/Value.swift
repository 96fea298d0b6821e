/// One Firestore value, of any type that the REST API knows.
///
/// Equality is exact: strings by their bytes, doubles by their bits but for NaN (all NaNs are one, as the service
/// normalises them), integers and doubles apart. The service's own order, in which 1 equals 1.0, is ``ValueOrder``.
package enum Value: Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case timestamp(Timestamp)
  case string(String)
  case bytes([UInt8])
  /// A full document name: `projects/p/databases/d/documents/…`.
  case reference(String)
  case geoPoint(GeoPoint)
  case array([Value])
  case map(FieldMap)
}

/// A point on earth: latitude -90 to 90, longitude -180 to 180, in degrees.
package struct GeoPoint: Hashable, Sendable {
  /// Degrees north of the equator.
  package var latitude: Double
  /// Degrees east of Greenwich.
  package var longitude: Double

  /// Makes a point; ranges are the service's to check (see ``DocumentLimits``).
  package init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

extension Value: Equatable {
  /// Whether both are the same.
  package static func == (a: Value, b: Value) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.boolean(let x), .boolean(let y)): x == y
    case (.integer(let x), .integer(let y)): x == y
    case (.double(let x), .double(let y)): x.isIdentical(to: y)
    case (.timestamp(let x), .timestamp(let y)): x == y
    case (.string(let x), .string(let y)): x.isIdentical(to: y)
    case (.bytes(let x), .bytes(let y)): x == y
    case (.reference(let x), .reference(let y)): x.isIdentical(to: y)
    case (.geoPoint(let x), .geoPoint(let y)):
      x.latitude.isIdentical(to: y.latitude) && x.longitude.isIdentical(to: y.longitude)
    case (.array(let x), .array(let y)): x == y
    case (.map(let x), .map(let y)): x == y
    default: false
    }
  }
}

extension Double {
  /// Whether two doubles are the same value to the last bit, with all NaNs taken for one.
  package func isIdentical(to other: Double) -> Bool {
    bitPattern == other.bitPattern || (isNaN && other.isNaN)
  }
}

extension Value {
  /// The type's name as the documentation has it: `string`, `integer`, `map` and so on.
  package var typeName: String {
    switch self {
    case .null: "null"
    case .boolean: "boolean"
    case .integer: "integer"
    case .double: "double"
    case .timestamp: "timestamp"
    case .string: "string"
    case .bytes: "bytes"
    case .reference: "reference"
    case .geoPoint: "geo point"
    case .array: "array"
    case .map(let fields): fields.vector == nil ? "map" : "vector"
    }
  }

  /// The text of a string value.
  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The truth of a boolean value.
  package var boolean: Bool? {
    if case .boolean(let truth) = self { truth } else { nil }
  }

  /// The number of an integer value.
  package var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  /// The moment of a timestamp value.
  package var timestamp: Timestamp? {
    if case .timestamp(let moment) = self { moment } else { nil }
  }

  /// The members of a map value.
  package var map: FieldMap? {
    if case .map(let fields) = self { fields } else { nil }
  }

  /// The elements of an array value.
  package var array: [Value]? {
    if case .array(let values) = self { values } else { nil }
  }

  /// Whether this is the null value.
  package var isNull: Bool {
    if case .null = self { true } else { false }
  }
}
