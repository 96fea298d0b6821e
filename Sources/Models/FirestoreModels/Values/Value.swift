/// A Firestore value of any type in the REST API.
///
/// Equality is exact: strings are compared by their bytes and doubles by their bits (all NaNs are equal, as the service
/// normalizes them), and an integer never equals a double. Firestore's own order, in which 1 equals 1.0, is ``ValueOrder``.
///
///     let tags: Value = .array([.string("yoga"), .string("spin")])
///     let plan: Value = .map(["name": .string("Gold"), "price": .double(499.5)])
///     plan.map?["name"]?.string              // "Gold"
///     Value.integer(1) == Value.double(1)    // false
public enum Value: Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case timestamp(Timestamp)
  case string(String)
  case bytes([UInt8])
  /// A full document name: `projects/P/databases/D/documents/…`.
  case reference(String)
  case geoPoint(GeoPoint)
  case array([Value])
  case map(FieldMap)
}

/// A geographic point in degrees: latitude -90 to 90, longitude -180 to 180.
public struct GeoPoint: Hashable, Sendable {
  /// Degrees north of the equator.
  public var latitude: Double
  /// Degrees east of Greenwich.
  public var longitude: Double

  /// Creates a point without checking the ranges (see ``DocumentLimits``).
  public init(latitude: Double, longitude: Double) {
    self.latitude = latitude
    self.longitude = longitude
  }
}

extension Value: Equatable {
  /// Whether both have the same type and content, comparing strings by bytes and doubles by bits.
  public static func == (a: Value, b: Value) -> Bool {
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
  /// Whether two doubles have the same bits; all NaNs are identical.
  package func isIdentical(to other: Double) -> Bool {
    bitPattern == other.bitPattern || (isNaN && other.isNaN)
  }
}

extension Value {
  /// The type's name in Firestore's documentation: `string`, `integer`, `map` and so on.
  public var typeName: String {
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

  /// The string, if the value is one.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The boolean, if the value is one.
  public var boolean: Bool? { if case .boolean(let flag) = self { flag } else { nil } }

  /// The integer, if the value is one.
  public var integer: Int64? { if case .integer(let number) = self { number } else { nil } }

  /// The timestamp, if the value is one.
  public var timestamp: Timestamp? { if case .timestamp(let time) = self { time } else { nil } }

  /// The members, if the value is a map.
  public var map: FieldMap? { if case .map(let fields) = self { fields } else { nil } }

  /// The elements, if the value is an array.
  public var array: [Value]? { if case .array(let values) = self { values } else { nil } }

  /// Whether the value is null.
  public var isNull: Bool { if case .null = self { true } else { false } }

  /// Whether the value is an integer or a double.
  package var isNumber: Bool {
    switch self {
    case .integer, .double: true
    default: false
    }
  }
}
