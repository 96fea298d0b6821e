// The typed values that contain other values: arrays, maps and vectors.

/// An array of typed values: `{"arrayValue": {"values": […]}}`; an empty one is `{"arrayValue": {}}`.
///
/// Use `ArrayValue<Value>` for elements of several types.
public struct ArrayValue<Element: TypedValue>: TypedValue, ExpressibleByArrayLiteral {
  /// The typed elements.
  public var values: [Element]

  /// Creates an array from typed elements.
  public init(values: [Element]) { self.values = values }

  /// Creates an array from plain elements.
  public init(_ plain: [Element.Plain]) { values = plain.map { Element($0) } }

  /// Creates an array from typed elements.
  public init(arrayLiteral elements: Element...) { values = elements }

  /// The plain elements: `[String]` for an `ArrayValue<StringValue>`.
  public var plain: [Element.Plain] {
    get { values.map(\.plain) }
    set { values = newValue.map { Element($0) } }
  }
}

extension ArrayValue: Decodable where Element: Decodable {
  /// Decodes the REST JSON, or the value in a ``FirestoreDecoder``.
  public init(from decoder: any Decoder) throws {
    let decoder = try ValueDecoder.of(decoder)
    guard decoder.value.array != nil else {
      throw decoder.mismatch(Self.self, expected: "an array")
    }
    values = try decoder.unbox([Element].self)
  }
}

extension ArrayValue: Encodable where Element: Encodable {
  /// Encodes the REST JSON, or the value itself in a ``FirestoreEncoder``.
  public func encode(to encoder: any Encoder) throws {
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
public struct MapValue<Fields>: TypedValue, MutableFieldAccess {
  /// The members.
  public var fields: Fields

  /// Creates a map from its members.
  public init(fields: Fields) { self.fields = fields }

  /// Copies a map.
  public init(_ plain: MapValue) { self = plain }

  /// The map itself, so that its members are accessible through it.
  public var plain: MapValue {
    get { self }
    set { self = newValue }
  }
}

extension MapValue: Decodable where Fields: Decodable {
  /// Decodes the REST JSON, or the value in a ``FirestoreDecoder``.
  public init(from decoder: any Decoder) throws {
    let decoder = try ValueDecoder.of(decoder)
    guard case .map = decoder.value else { throw decoder.mismatch(Self.self, expected: "a map") }
    fields = try decoder.unbox(Fields.self)
  }
}

extension MapValue: Encodable where Fields: Encodable {
  /// Encodes the REST JSON, or the value itself in a ``FirestoreEncoder``.
  ///
  /// - Throws: `EncodingError` if `Fields` does not encode members.
  public func encode(to encoder: any Encoder) throws {
    try Value.map(ValueEncoder.fields(of: fields, for: encoder)).encode(to: encoder)
  }
}

extension MapValue: Equatable where Fields: Equatable {}
extension MapValue: Sendable where Fields: Sendable {}

/// A vector of doubles: a `mapValue` with the members `__type__` (`"__vector__"`) and `value`.
///
/// See ``DocumentLimits`` for the maximum number of components.
public struct VectorValue: ScalarValue, ExpressibleByArrayLiteral {
  /// The components.
  public var vectorValue: [Double]

  /// Creates a vector from its components.
  public init(_ plain: [Double]) { vectorValue = plain }

  /// Creates a vector from its components.
  public init(arrayLiteral elements: Double...) { self.init(elements) }

  /// Converts a vector whose components are all doubles; an integer would not be restored as one.
  public init?(value: Value) {
    guard case .map(let fields) = value, fields.vector != nil, let elements = fields["value"]?.array else {
      return nil
    }
    let components = elements.compactMap { DoubleValue(value: $0)?.doubleValue }
    guard components.count == elements.count else { return nil }
    self.init(components)
  }

  /// The map that represents the vector.
  public var value: Value {
    .map(["__type__": .string("__vector__"), "value": .array(vectorValue.map { .double($0) })])
  }

  /// The components.
  public var plain: [Double] {
    get { vectorValue }
    set { vectorValue = newValue }
  }

  /// The expected type, for error messages.
  public static var expectation: String { "a vector of doubles" }
}
