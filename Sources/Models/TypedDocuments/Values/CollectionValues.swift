// The typed values with elements: arrays, maps and vectors.

package import FirestoreModels

/// An array of typed values: `{"arrayValue": {"values": […]}}`; an empty one is `{"arrayValue": {}}`.
///
/// Use `ArrayValue<Value>` for elements of several types.
package struct ArrayValue<Element: TypedValue>: TypedValue, ExpressibleByArrayLiteral {
  package var values: [Element]

  package init(values: [Element]) { self.values = values }

  package init(_ plain: [Element.Plain]) { values = plain.map { Element($0) } }

  package init(arrayLiteral elements: Element...) { values = elements }

  /// The plain elements: `[String]` for an `ArrayValue<StringValue>`.
  package var plain: [Element.Plain] {
    get { values.map(\.plain) }
    set { values = newValue.map { Element($0) } }
  }
}

extension ArrayValue: Decodable where Element: Decodable {
  /// Decodes the REST JSON, or the value in a ``FirestoreDecoder``.
  package init(from decoder: any Decoder) throws {
    let decoder = try ValueDecoder.of(decoder)
    guard decoder.value.array != nil else {
      throw decoder.mismatch(Self.self, expected: "an array")
    }
    values = try decoder.unbox([Element].self)
  }
}

extension ArrayValue: Encodable where Element: Encodable {
  /// Encodes the REST JSON, or the value itself in a ``FirestoreEncoder``.
  package func encode(to encoder: any Encoder) throws {
    try ValueEncoder.value(of: values, for: encoder).encode(to: encoder)
  }
}

extension ArrayValue: Equatable where Element: Equatable {}
extension ArrayValue: Sendable where Element: Sendable {}

/// A map whose members are the properties of `Fields`: `{"mapValue": {"fields": {…}}}`; an empty one is
/// `{"mapValue": {}}`.
///
/// The members are accessible like those of a document: `customer.address?.city` is a `String`. Use
/// `MapValue<FieldMap>` for members with any names.
@dynamicMemberLookup
package struct MapValue<Fields>: TypedValue, MutableFieldAccess {
  package var fields: Fields

  package init(fields: Fields) { self.fields = fields }

  package init(_ plain: MapValue) { self = plain }

  /// The map itself, so that its members are accessible through it.
  package var plain: MapValue {
    get { self }
    set { self = newValue }
  }
}

extension MapValue: Decodable where Fields: Decodable {
  /// Decodes the REST JSON, or the value in a ``FirestoreDecoder``.
  package init(from decoder: any Decoder) throws {
    let decoder = try ValueDecoder.of(decoder)
    guard case .map = decoder.value else { throw decoder.mismatch(Self.self, expected: "a map") }
    fields = try decoder.unbox(Fields.self)
  }
}

extension MapValue: Encodable where Fields: Encodable {
  /// Encodes the REST JSON, or the value itself in a ``FirestoreEncoder``.
  ///
  /// - Throws: `EncodingError` if `Fields` does not encode members.
  package func encode(to encoder: any Encoder) throws {
    try Value.map(ValueEncoder.fields(of: fields, for: encoder)).encode(to: encoder)
  }
}

extension MapValue: Equatable where Fields: Equatable {}
extension MapValue: Sendable where Fields: Sendable {}

/// A vector of doubles: a `mapValue` with the members `__type__` (`"__vector__"`) and `value`.
///
/// See ``DocumentLimits`` for the maximum number of components.
package struct VectorValue: ScalarValue, ExpressibleByArrayLiteral {
  package var vectorValue: [Double]

  package init(_ plain: [Double]) { vectorValue = plain }

  package init(arrayLiteral elements: Double...) { self.init(elements) }

  /// Converts a vector whose components are all doubles; an integer would not be restored as one.
  package init?(value: Value) {
    guard case .map(let fields) = value, fields.vector != nil, let elements = fields["value"]?.array
    else {
      return nil
    }
    var components: [Double] = []
    for element in elements {
      guard case .double(let component) = element else { return nil }
      components.append(component)
    }
    self.init(components)
  }

  package var value: Value {
    .map(["__type__": .string("__vector__"), "value": .array(vectorValue.map { .double($0) })])
  }

  package var plain: [Double] {
    get { vectorValue }
    set { vectorValue = newValue }
  }

  package static var expectation: String { "a vector of doubles" }
}
