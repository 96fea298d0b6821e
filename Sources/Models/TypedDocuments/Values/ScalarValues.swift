// The typed values without elements, one struct for each type of the REST API. The stored property has the name of
// the REST member.

package import FirestoreModels

/// Null as a value of its own: `{"nullValue": null}`.
///
/// A field of type `NullValue?` distinguishes null from an absent field.
package struct NullValue: ScalarValue {
  package init() {}

  package init(_ plain: Void) {}

  package init?(value: Value) {
    guard value.isNull else { return nil }
  }

  package var value: Value { .null }

  package var plain: Void {
    get { () }
    set {}
  }

  package static var acceptsNull: Bool { true }

  package static var expectation: String { "null" }
}

/// A boolean: `{"booleanValue": false}`.
package struct BooleanValue: ScalarValue, ExpressibleByBooleanLiteral {
  package var booleanValue: Bool

  package init(_ plain: Bool) { booleanValue = plain }

  package init(booleanLiteral value: Bool) { self.init(value) }

  package init?(value: Value) {
    guard let plain = value.boolean else { return nil }
    self.init(plain)
  }

  package var value: Value { .boolean(booleanValue) }

  package var plain: Bool {
    get { booleanValue }
    set { booleanValue = newValue }
  }

  package static var expectation: String { "a boolean" }
}

/// A 64-bit integer: `{"integerValue": "4"}`.
///
/// `Int` is the Swift type, as in Firebase's Swift SDK. Where `Int` has fewer bits, a number that does not fit is an
/// error and never truncated.
package struct IntegerValue: ScalarValue, ExpressibleByIntegerLiteral {
  package var integerValue: Int

  package init(_ plain: Int) { integerValue = plain }

  package init(integerLiteral value: Int) { self.init(value) }

  package init?(value: Value) {
    guard let number = value.integer, let plain = Int(exactly: number) else { return nil }
    self.init(plain)
  }

  package var value: Value { .integer(Int64(integerValue)) }

  package var plain: Int {
    get { integerValue }
    set { integerValue = newValue }
  }

  package static var expectation: String { "an integer" }
}

/// A double: `{"doubleValue": 1.5}`; the strings `"NaN"`, `"Infinity"` and `"-Infinity"` for what JSON lacks.
///
/// The sign of -0.0 is preserved. An integer value is refused, even if the double would be integral.
package struct DoubleValue: ScalarValue, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  package var doubleValue: Double

  package init(_ plain: Double) { doubleValue = plain }

  package init(floatLiteral value: Double) { self.init(value) }

  package init(integerLiteral value: Int64) { self.init(Double(value)) }

  package init?(value: Value) {
    guard case .double(let plain) = value else { return nil }
    self.init(plain)
  }

  package var value: Value { .double(doubleValue) }

  package var plain: Double {
    get { doubleValue }
    set { doubleValue = newValue }
  }

  package static var expectation: String { "a double" }
}

/// A string: `{"stringValue": "…"}`; equality compares UTF-8 bytes.
package struct StringValue: ScalarValue, ExpressibleByStringInterpolation {
  package var stringValue: String

  package init(_ plain: String) { stringValue = plain }

  package init(stringLiteral value: String) { self.init(value) }

  package init?(value: Value) {
    guard let plain = value.string else { return nil }
    self.init(plain)
  }

  package var value: Value { .string(stringValue) }

  package var plain: String {
    get { stringValue }
    set { stringValue = newValue }
  }

  package static var expectation: String { "a string" }
}

/// Bytes: `{"bytesValue": "AAE="}`.
///
/// Both Base64 alphabets are decoded, padded or not; the standard one is encoded.
package struct BytesValue: ScalarValue {
  package var bytesValue: [UInt8]

  package init(_ plain: [UInt8]) { bytesValue = plain }

  package init?(value: Value) {
    guard case .bytes(let plain) = value else { return nil }
    self.init(plain)
  }

  package var value: Value { .bytes(bytesValue) }

  package var plain: [UInt8] {
    get { bytesValue }
    set { bytesValue = newValue }
  }

  package static var expectation: String { "bytes" }
}

/// A timestamp with its nanoseconds: `{"timestampValue": "2026-01-02T03:04:05.000001Z"}`.
///
/// It is not rounded. The conversion to `Date` is explicit (`date`), because `Date` has no nanoseconds.
package struct TimestampValue: ScalarValue {
  package var timestampValue: Timestamp

  package init(_ plain: Timestamp) { timestampValue = plain }

  package init?(value: Value) {
    guard let plain = value.timestamp else { return nil }
    self.init(plain)
  }

  package var value: Value { .timestamp(timestampValue) }

  package var plain: Timestamp {
    get { timestampValue }
    set { timestampValue = newValue }
  }

  package static var expectation: String { "a timestamp" }
}

/// A reference: `{"referenceValue": "projects/P/databases/D/documents/users/u1"}`.
///
/// The text is stored unchanged even if it is not a full document name; ``DocumentLimits`` reports those.
package struct ReferenceValue: ScalarValue, ExpressibleByStringInterpolation {
  package var referenceValue: String

  package init(_ plain: String) { referenceValue = plain }

  package init(stringLiteral value: String) { self.init(value) }

  /// A reference to a document in a database.
  package init(_ path: DocumentPath, in database: DatabaseName) {
    self.init(database.name(of: path))
  }

  package init?(value: Value) {
    guard case .reference(let plain) = value else { return nil }
    self.init(plain)
  }

  package var value: Value { .reference(referenceValue) }

  package var plain: String {
    get { referenceValue }
    set { referenceValue = newValue }
  }

  package static var expectation: String { "a reference" }

  /// The path of the document; nil if the text is not a full document name.
  package var path: DocumentPath? { DatabaseName.split(referenceValue)?.path }

  /// The database of the document; nil if the text is not a full document name.
  package var database: DatabaseName? { DatabaseName.split(referenceValue)?.database }
}

/// A geographic point: `{"geoPointValue": {"latitude": 1.5, "longitude": -2}}`; omitted coordinates are 0.
package struct GeoPointValue: ScalarValue {
  package var geoPointValue: GeoPoint

  package init(_ plain: GeoPoint) { geoPointValue = plain }

  /// Makes a point from coordinates in degrees.
  package init(latitude: Double, longitude: Double) {
    self.init(GeoPoint(latitude: latitude, longitude: longitude))
  }

  package init?(value: Value) {
    guard case .geoPoint(let plain) = value else { return nil }
    self.init(plain)
  }

  package var value: Value { .geoPoint(geoPointValue) }

  package var plain: GeoPoint {
    get { geoPointValue }
    set { geoPointValue = newValue }
  }

  package static var expectation: String { "a geo point" }
}
