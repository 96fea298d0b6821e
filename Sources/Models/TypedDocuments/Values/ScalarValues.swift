// The typed values that contain no other values, one struct for each type of the REST API. The stored property is named like the
// REST member.

/// An explicit null: `{"nullValue": null}`.
///
/// A field of type `NullValue?` distinguishes null from an absent field.
public struct NullValue: ScalarValue {
  /// Creates a null.
  public init() {}

  /// Creates a null.
  public init(_ plain: Void) {}

  /// Converts null; nil for any other value.
  public init?(value: Value) {
    guard value.isNull else { return nil }
  }

  /// The value, untyped.
  public var value: Value { .null }

  /// Nothing.
  public var plain: Void {
    get { () }
    set {}
  }

  /// True, because null is the value.
  public static var acceptsNull: Bool { true }

  /// The expected type, for error messages.
  public static var expectation: String { "null" }
}

/// A boolean: `{"booleanValue": false}`.
public struct BooleanValue: ScalarValue, ExpressibleByBooleanLiteral {
  /// The boolean.
  public var booleanValue: Bool

  /// Creates a value from its plain type.
  public init(_ plain: Bool) { booleanValue = plain }

  /// Creates a value from a literal.
  public init(booleanLiteral value: Bool) { self.init(value) }

  /// Converts a boolean; nil for any other value.
  public init?(value: Value) {
    guard let plain = value.boolean else { return nil }
    self.init(plain)
  }

  /// The value, untyped.
  public var value: Value { .boolean(booleanValue) }

  /// The boolean.
  public var plain: Bool {
    get { booleanValue }
    set { booleanValue = newValue }
  }

  /// The expected type, for error messages.
  public static var expectation: String { "a boolean" }
}

/// A 64-bit integer: `{"integerValue": "4"}`.
///
/// The Swift type is `Int`, as in Firebase's Swift SDK. Where `Int` is narrower, a number that does not fit is an error, never
/// truncated.
public struct IntegerValue: ScalarValue, ExpressibleByIntegerLiteral {
  /// The integer.
  public var integerValue: Int

  /// Creates a value from its plain type.
  public init(_ plain: Int) { integerValue = plain }

  /// Creates a value from a literal.
  public init(integerLiteral value: Int) { self.init(value) }

  /// Converts an integer that fits `Int`; nil for any other value.
  public init?(value: Value) {
    guard let number = value.integer, let plain = Int(exactly: number) else { return nil }
    self.init(plain)
  }

  /// The value, untyped.
  public var value: Value { .integer(Int64(integerValue)) }

  /// The integer.
  public var plain: Int {
    get { integerValue }
    set { integerValue = newValue }
  }

  /// The expected type, for error messages.
  public static var expectation: String { "an integer" }
}

/// A double: `{"doubleValue": 1.5}`; the strings `"NaN"`, `"Infinity"` and `"-Infinity"` for what JSON lacks.
///
/// The sign of -0.0 is preserved. An integer value is refused, even if the double would be integral.
public struct DoubleValue: ScalarValue, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  /// The double.
  public var doubleValue: Double

  /// Creates a value from its plain type.
  public init(_ plain: Double) { doubleValue = plain }

  /// Creates a value from a literal.
  public init(floatLiteral value: Double) { self.init(value) }

  /// Creates a value from a literal.
  public init(integerLiteral value: Int64) { self.init(Double(value)) }

  /// Converts a double; nil for any other value.
  public init?(value: Value) {
    guard case .double(let plain) = value else { return nil }
    self.init(plain)
  }

  /// The value, untyped.
  public var value: Value { .double(doubleValue) }

  /// The double.
  public var plain: Double {
    get { doubleValue }
    set { doubleValue = newValue }
  }

  /// The expected type, for error messages.
  public static var expectation: String { "a double" }
}

/// A string: `{"stringValue": "…"}`; equality compares UTF-8 bytes.
public struct StringValue: ScalarValue, ExpressibleByStringInterpolation {
  /// The string.
  public var stringValue: String

  /// Creates a value from its plain type.
  public init(_ plain: String) { stringValue = plain }

  /// Creates a value from a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// Converts a string; nil for any other value.
  public init?(value: Value) {
    guard let plain = value.string else { return nil }
    self.init(plain)
  }

  /// The value, untyped.
  public var value: Value { .string(stringValue) }

  /// The string.
  public var plain: String {
    get { stringValue }
    set { stringValue = newValue }
  }

  /// The expected type, for error messages.
  public static var expectation: String { "a string" }
}

/// Bytes: `{"bytesValue": "AAE="}`.
///
/// Decoding accepts both Base64 alphabets, padded or not; encoding uses the standard one.
public struct BytesValue: ScalarValue {
  /// The bytes.
  public var bytesValue: [UInt8]

  /// Creates a value from bytes.
  public init(_ plain: [UInt8]) { bytesValue = plain }

  /// Converts bytes; nil for any other value.
  public init?(value: Value) {
    guard case .bytes(let plain) = value else { return nil }
    self.init(plain)
  }

  /// The value, untyped.
  public var value: Value { .bytes(bytesValue) }

  /// The bytes.
  public var plain: [UInt8] {
    get { bytesValue }
    set { bytesValue = newValue }
  }

  /// The expected type, for error messages.
  public static var expectation: String { "bytes" }
}

/// A timestamp with its nanoseconds: `{"timestampValue": "2026-01-02T03:04:05.000001Z"}`.
///
/// It is not rounded. The conversion to `Date` is explicit (`date`), because `Date` has no nanoseconds.
public struct TimestampValue: ScalarValue {
  /// The timestamp.
  public var timestampValue: Timestamp

  /// Creates a value from its plain type.
  public init(_ plain: Timestamp) { timestampValue = plain }

  /// Converts a timestamp; nil for any other value.
  public init?(value: Value) {
    guard let plain = value.timestamp else { return nil }
    self.init(plain)
  }

  /// The value, untyped.
  public var value: Value { .timestamp(timestampValue) }

  /// The timestamp.
  public var plain: Timestamp {
    get { timestampValue }
    set { timestampValue = newValue }
  }

  /// The expected type, for error messages.
  public static var expectation: String { "a timestamp" }
}

/// A reference: `{"referenceValue": "projects/P/databases/D/documents/users/u1"}`.
///
/// The text is stored unchanged even if it is not a full document name; ``DocumentLimits`` reports those.
public struct ReferenceValue: ScalarValue, ExpressibleByStringInterpolation {
  /// The full name of the document.
  public var referenceValue: String

  /// Creates a value from a full document name, which is not checked.
  public init(_ plain: String) { referenceValue = plain }

  /// Creates a value from a literal.
  public init(stringLiteral value: String) { self.init(value) }

  /// Creates a reference to a document in a database.
  public init(_ path: DocumentPath, in database: DatabaseName) {
    self.init(database.name(of: path))
  }

  /// Converts a reference; nil for any other value.
  public init?(value: Value) {
    guard case .reference(let plain) = value else { return nil }
    self.init(plain)
  }

  /// The value, untyped.
  public var value: Value { .reference(referenceValue) }

  /// The full name of the document.
  public var plain: String {
    get { referenceValue }
    set { referenceValue = newValue }
  }

  /// The expected type, for error messages.
  public static var expectation: String { "a reference" }

  /// The path of the document; nil if the text is not a full document name.
  public var path: DocumentPath? { DatabaseName.split(referenceValue)?.path }

  /// The database of the document; nil if the text is not a full document name.
  public var database: DatabaseName? { DatabaseName.split(referenceValue)?.database }
}

/// A geographic point: `{"geoPointValue": {"latitude": 1.5, "longitude": -2}}`; omitted coordinates are 0.
public struct GeoPointValue: ScalarValue {
  /// The geo point.
  public var geoPointValue: GeoPoint

  /// Creates a value from its plain type.
  public init(_ plain: GeoPoint) { geoPointValue = plain }

  /// Creates a point from coordinates in degrees.
  public init(latitude: Double, longitude: Double) {
    self.init(GeoPoint(latitude: latitude, longitude: longitude))
  }

  /// Converts a geo point; nil for any other value.
  public init?(value: Value) {
    guard case .geoPoint(let plain) = value else { return nil }
    self.init(plain)
  }

  /// The value, untyped.
  public var value: Value { .geoPoint(geoPointValue) }

  /// The geo point.
  public var plain: GeoPoint {
    get { geoPointValue }
    set { geoPointValue = newValue }
  }

  /// The expected type, for error messages.
  public static var expectation: String { "a geo point" }
}
