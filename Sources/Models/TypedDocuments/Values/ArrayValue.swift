import FirestoreModels

/// An array of typed values: `{"arrayValue": {"values": […]}}`; without elements `{"arrayValue": {}}`.
///
/// Elements of several types are an `ArrayValue<Value>`.
package struct ArrayValue<Element: TypedValue>: TypedValue {
  /// The elements.
  package var values: [Element]

  /// Makes an array of typed elements.
  package init(values: [Element]) { self.values = values }

  /// Makes an array of plain elements.
  package init(_ plain: [Element.Plain]) { values = plain.map { Element($0) } }

  /// The plain elements: `[String]` of an `ArrayValue<StringValue>`.
  package var plain: [Element.Plain] {
    get { values.map(\.plain) }
    set { values = newValue.map { Element($0) } }
  }
}

extension ArrayValue: Decodable where Element: Decodable {
  /// Reads the wire's own JSON, or what a ``FirestoreDecoder`` holds.
  package init(from decoder: any Decoder) throws {
    let own = try ValueDecoder.of(decoder)
    guard own.value.array != nil else { throw own.mismatch(Self.self, expected: "an array") }
    values = try own.unbox([Element].self)
  }
}

extension ArrayValue: Encodable where Element: Encodable {
  /// Writes the wire's own JSON, or to a ``FirestoreEncoder`` the value itself.
  package func encode(to encoder: any Encoder) throws {
    try ValueEncoder.value(of: values, for: encoder).encode(to: encoder)
  }
}

extension ArrayValue: Equatable where Element: Equatable {}
extension ArrayValue: Sendable where Element: Sendable {}

extension ArrayValue: ExpressibleByArrayLiteral {
  /// Makes an array of a literal of typed elements.
  package init(arrayLiteral elements: Element...) { values = elements }
}
