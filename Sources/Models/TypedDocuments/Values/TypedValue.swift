/// A value whose Firestore type is part of its Swift type, such as ``IntegerValue`` or ``ArrayValue``.
///
/// Typed values decode and encode exactly one type: an ``IntegerValue`` never accepts `{"doubleValue": 1}`.
/// Plain Swift types (`Int`, `Double`, `Date`) in a `Codable` struct are more lenient; see
/// ``FirestoreDecoder``.
public protocol TypedValue {
  /// The Swift type of dynamic members: `Int` for an ``IntegerValue``.
  associatedtype Plain

  init(_ plain: Plain)

  var plain: Plain { get set }

  /// Whether null is a value of this type, so that an optional field keeps it instead of becoming nil.
  static var acceptsNull: Bool { get }
}

extension TypedValue {
  /// Only ``NullValue`` and ``Value`` accept null.
  public static var acceptsNull: Bool { false }
}

/// A typed value that contains no other typed values.
///
/// Equality is that of ``Value``: strings by their bytes, doubles by their bits (all NaNs are equal).
public protocol ScalarValue: TypedValue, Codable, Sendable, Equatable {
  /// Converts a value of exactly this type; nil for any other.
  init?(value: Value)

  /// The value, untyped.
  var value: Value { get }

  /// The expected type in error messages: "an integer".
  static var expectation: String { get }
}

extension ScalarValue {
  /// Decodes the REST JSON (`{"integerValue": "4"}`), or the value in a ``FirestoreDecoder``.
  ///
  /// - Throws: `DecodingError` with the coding path if the value has another type.
  public init(from decoder: any Decoder) throws {
    let decoder = try ValueDecoder.of(decoder)
    guard let typed = Self(value: decoder.value) else {
      throw decoder.mismatch(Self.self, expected: Self.expectation)
    }
    self = typed
  }

  /// Encodes the REST JSON, or the value itself in a ``FirestoreEncoder``.
  public func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }

  /// Whether both are the same ``Value``.
  public static func == (a: Self, b: Self) -> Bool { a.value == b.value }
}

extension KeyedDecodingContainer {
  /// Decodes an optional typed value: nil if absent or null, unless the type accepts null.
  ///
  /// Synthesized initializers prefer this overload to the general one, which does not treat `{"nullValue": null}` as nil.
  public func decodeIfPresent<Typed: TypedValue & Decodable>(
    _ type: Typed.Type,
    forKey key: Key
  ) throws -> Typed? {
    guard contains(key) else { return nil }
    if !Typed.acceptsNull, try decode(Value.self, forKey: key).isNull { return nil }
    return try decode(type, forKey: key)
  }
}

extension Value: TypedValue {
  /// Copies a value.
  public init(_ plain: Value) { self = plain }

  /// The value itself: a field of type `Value` can hold any type.
  public var plain: Value {
    get { self }
    set { self = newValue }
  }

  /// True, because null is a value.
  public static var acceptsNull: Bool { true }
}
