package import FirestoreModels

/// A value whose Firestore type is part of its Swift type, as ``IntegerValue`` or ``ArrayValue``.
///
/// Typed values read and write exactly one type: an ``IntegerValue`` is never made of `{"doubleValue": 1}`. Plain
/// Swift types (`Int`, `Double`, `Date`) in a `Codable` struct are the looser way; see ``FirestoreDecoder``.
package protocol TypedValue {
  /// The Swift type that dynamic member look-up shows: `Int` of an ``IntegerValue``.
  associatedtype Plain

  /// Wraps a plain value.
  init(_ plain: Plain)

  /// The plain value.
  var plain: Plain { get set }

  /// Whether the null value is one of this type's own, so that an optional field keeps it instead of reading nil.
  static var acceptsNull: Bool { get }
}

extension TypedValue {
  /// No type but ``NullValue`` and ``Value`` holds null.
  package static var acceptsNull: Bool { false }
}

/// A typed value that holds no further typed values.
///
/// Equality is that of ``Value``: strings by their bytes, doubles by their bits (all NaNs are one).
package protocol ScalarValue: TypedValue, Codable, Sendable, Equatable {
  /// Takes a value of exactly this type; nil for any other.
  init?(value: Value)

  /// The value.
  var value: Value { get }

  /// What is expected, for errors: "an integer".
  static var expectation: String { get }
}

extension ScalarValue {
  /// Reads the wire's own JSON (`{"integerValue": "4"}`), or what a ``FirestoreDecoder`` holds.
  ///
  /// - Throws: `DecodingError` with the coding path where the value is of another type.
  package init(from decoder: any Decoder) throws {
    let own = try ValueDecoder.of(decoder)
    guard let typed = Self(value: own.value) else {
      throw own.mismatch(Self.self, expected: Self.expectation)
    }
    self = typed
  }

  /// Writes the wire's own JSON, or to a ``FirestoreEncoder`` the value itself.
  package func encode(to encoder: any Encoder) throws {
    try value.encode(to: encoder)
  }

  /// Whether both are the same value.
  package static func == (a: Self, b: Self) -> Bool { a.value == b.value }
}

extension KeyedDecodingContainer {
  /// Reads a typed value that may be absent or null: nil for both, but null itself for a type that accepts null.
  ///
  /// The compiler's own `init(from:)` picks this over the general one, for which `{"nullValue": null}` is no nil.
  package func decodeIfPresent<Typed: TypedValue & Decodable>(
    _ type: Typed.Type,
    forKey key: Key
  ) throws -> Typed? {
    guard contains(key) else { return nil }
    if !Typed.acceptsNull, try decode(Value.self, forKey: key).isNull { return nil }
    return try decode(type, forKey: key)
  }
}

extension Value: TypedValue {
  /// Takes a value as it is.
  package init(_ plain: Value) { self = plain }

  /// The value itself: a field declared as `Value` may hold any type.
  package var plain: Value {
    get { self }
    set { self = newValue }
  }

  /// Null is one of its types.
  package static var acceptsNull: Bool { true }
}
