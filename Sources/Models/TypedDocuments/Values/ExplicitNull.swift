/// Marks an optional property that is encoded as null instead of being omitted when it is nil.
///
/// Absent and null both decode as nil.
@propertyWrapper
public struct ExplicitNull<Wrapped> {
  /// The value; nil is encoded as null.
  public var wrappedValue: Wrapped?

  /// Wraps a value or nil.
  public init(wrappedValue: Wrapped?) { self.wrappedValue = wrappedValue }
}

extension ExplicitNull: Decodable where Wrapped: Decodable {
  /// Decodes a value or null.
  public init(from decoder: any Decoder) throws {
    // Outside of a FirestoreDecoder, null of a typed value is `{"nullValue": null}`.
    if Wrapped.self is any TypedValue.Type {
      let decoder = try ValueDecoder.of(decoder)
      wrappedValue = decoder.value.isNull ? nil : try decoder.unbox(Wrapped.self)
    } else {
      wrappedValue = try Wrapped?(from: decoder)
    }
  }
}

extension ExplicitNull: Encodable where Wrapped: Encodable {
  /// Encodes the value or null.
  public func encode(to encoder: any Encoder) throws {
    if wrappedValue == nil, Wrapped.self is any TypedValue.Type {
      try Value.null.encode(to: encoder)
    } else {
      var container = encoder.singleValueContainer()
      try container.encode(wrappedValue)
    }
  }
}

extension ExplicitNull: Equatable where Wrapped: Equatable {}
extension ExplicitNull: Hashable where Wrapped: Hashable {}
extension ExplicitNull: Sendable where Wrapped: Sendable {}

extension KeyedDecodingContainer {
  /// Decodes a property that may be absent.
  public func decode<Wrapped: Decodable>(
    _ type: ExplicitNull<Wrapped>.Type,
    forKey key: Key
  ) throws -> ExplicitNull<Wrapped> {
    try decodeIfPresent(type, forKey: key) ?? ExplicitNull(wrappedValue: nil)
  }
}
