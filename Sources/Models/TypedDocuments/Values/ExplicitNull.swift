import FirestoreModels

/// Marks an optional property that is written as null where it is nil, instead of being left out.
///
/// Absent and null both read as nil.
@propertyWrapper
package struct ExplicitNull<Wrapped> {
  /// The value.
  package var wrappedValue: Wrapped?

  /// Makes a property that holds a value or null.
  package init(wrappedValue: Wrapped?) { self.wrappedValue = wrappedValue }
}

extension ExplicitNull: Decodable where Wrapped: Decodable {
  /// Reads a value or null.
  package init(from decoder: any Decoder) throws {
    // Elsewhere than in a FirestoreDecoder a typed value's null is `{"nullValue": null}`.
    if Wrapped.self is any TypedValue.Type {
      let own = try ValueDecoder.of(decoder)
      wrappedValue = own.value.isNull ? nil : try own.unbox(Wrapped.self)
    } else {
      wrappedValue = try Wrapped?(from: decoder)
    }
  }
}

extension ExplicitNull: Encodable where Wrapped: Encodable {
  /// Writes the value or null.
  package func encode(to encoder: any Encoder) throws {
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
  /// Reads a property that may be absent.
  package func decode<Wrapped: Decodable>(
    _ type: ExplicitNull<Wrapped>.Type,
    forKey key: Key
  ) throws -> ExplicitNull<Wrapped> {
    try decodeIfPresent(type, forKey: key) ?? ExplicitNull(wrappedValue: nil)
  }
}
