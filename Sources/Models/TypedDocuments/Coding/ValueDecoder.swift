/// A decoder of one Firestore value.
struct ValueDecoder: Decoder {
  let value: Value
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any]
  /// The document that contains the value, for a ``DocumentID``.
  let documentPath: DocumentPath?
  /// Whether it decodes a ``JSONRecord``.
  var isRecord = false

  /// Returns the decoder itself, or one for the REST JSON of a foreign decoder.
  static func of(_ decoder: any Decoder) throws -> ValueDecoder {
    if let decoder = decoder as? ValueDecoder { return decoder }
    return ValueDecoder(
      value: try Value(from: decoder),
      codingPath: decoder.codingPath,
      userInfo: decoder.userInfo,
      documentPath: nil
    )
  }

  func child(_ value: Value, _ key: any CodingKey) -> ValueDecoder {
    ValueDecoder(
      value: value,
      codingPath: codingPath + [key],
      userInfo: userInfo,
      documentPath: documentPath,
      isRecord: isRecord
    )
  }

  /// Decodes a type, including Foundation types that correspond to a Firestore type.
  func unbox<T: Decodable>(_ type: T.Type) throws -> T {
    if let special = try foundationValue(type) { return special }
    let content = try T(from: self)
    switch value {
    case .map(let fields) where T.self is any NamedByKeys.Type:
      guard let names = (content as? any NamedByKeys)?.names else { break }
      guard names.count == fields.count, names.allSatisfy({ fields[$0] != nil }) else {
        throw DecodingError.fault(
          "the keys of \(T.self) would change or merge some of the names; use UTF8Key or FieldMap",
          at: codingPath
        )
      }
    case .string(let text) where T.self is any RawRepresentable.Type:
      // A type may replace a text that it does not know; one that Swift takes for equal is not such a text.
      guard let raw = (content as? any RawRepresentable<String>)?.rawValue, raw == text else { break }
      guard raw.isIdentical(to: text) else {
        throw DecodingError.fault(
          "the text differs from a value of \(T.self) by its Unicode composition",
          at: codingPath
        )
      }
    default: break
    }
    return content
  }

  // MARK: Errors

  func mismatch(_ type: Any.Type, expected: String) -> DecodingError {
    if value.isNull, !(type is NullValue.Type) {
      return .valueNotFound(type, .fault("\(expected) is expected, and the value is null", at: codingPath))
    }
    return .typeMismatch(
      type,
      .fault("\(expected) is expected, and the value is of the type \(value.typeName)", at: codingPath)
    )
  }

  // MARK: Decoder

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .map(let fields) = value else { throw mismatch([String: Value].self, expected: "a map") }
    return KeyedDecodingContainer(KeyedValueContainer<Key>(decoder: self, fields: fields))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let values) = value else { throw mismatch([Value].self, expected: "an array") }
    return UnkeyedValueContainer(decoder: self, values: values)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer { self }
}

/// A dictionary.
protocol NamedByKeys {
  /// The names of the members in the map as which it is written.
  var names: [String] { get }
}

extension Dictionary: NamedByKeys {
  var names: [String] {
    keys.compactMap { ($0 as? any CodingKeyRepresentable)?.codingKey.stringValue }
  }
}

// MARK: - Single values

extension ValueDecoder: SingleValueDecodingContainer {
  func decodeNil() -> Bool { value.isNull }

  func decode(_ type: Bool.Type) throws -> Bool {
    guard case .boolean(let flag) = value else { throw mismatch(type, expected: "a boolean") }
    return flag
  }

  func decode(_ type: String.Type) throws -> String {
    guard case .string(let text) = value else { throw mismatch(type, expected: "a string") }
    return text
  }

  func decode(_ type: Double.Type) throws -> Double {
    switch value {
    case .double(let number): return number
    case .integer(let number):
      guard let exact = Double(exactly: number) else {
        throw DecodingError.fault("a Double cannot represent the integer exactly", at: codingPath)
      }
      return exact
    default: throw mismatch(type, expected: "a number")
    }
  }

  func decode(_ type: Float.Type) throws -> Float {
    let number: Double
    switch value {
    case .double(let double): number = double
    case .integer(let integer): number = Double(integer)
    default: throw mismatch(type, expected: "a number")
    }
    let float = Float(number)
    guard float.isFinite || !number.isFinite else {
      throw DecodingError.fault("the number is beyond the range of Float", at: codingPath)
    }
    return float
  }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try unbox(type) }

  func decode<T: FixedWidthInteger & Decodable>(_ type: T.Type) throws -> T {
    let number: T?
    switch value {
    case .integer(let integer): number = T(exactly: integer)
    case .double(let double): number = T(exactly: double)
    default: throw mismatch(type, expected: "an integer")
    }
    guard let number else { throw DecodingError.fault("the number does not fit \(type)", at: codingPath) }
    if isRecord, !(0...T(clamping: Int.maximumCount)).contains(number) {
      throw DecodingError.fault("the number is not a count", at: codingPath)
    }
    return number
  }
}

// MARK: - Maps

private struct KeyedValueContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: ValueDecoder
  let fields: FieldMap

  var codingPath: [any CodingKey] { decoder.codingPath }
  var allKeys: [Key] { fields.entries.compactMap { Key(stringValue: $0.name) } }

  func contains(_ key: Key) -> Bool { fields[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool { try child(key).value.isNull }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    if type == DocumentID.self, let id = try documentID(key) as? T { return id }
    return try child(key).unbox(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try child(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try child(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try child(FieldKey("super")) }

  func superDecoder(forKey key: Key) throws -> any Decoder { try child(key) }

  private func child(_ key: any CodingKey) throws -> ValueDecoder {
    guard let value = fields[key.stringValue] else {
      throw DecodingError.keyNotFound(key, .fault("the field is missing", at: codingPath + [key]))
    }
    return decoder.child(value, key)
  }

  private func documentID(_ key: Key) throws -> DocumentID {
    if contains(key) {
      throw DecodingError.fault(
        "the document has a field with the name of its @DocumentID property",
        at: codingPath + [key]
      )
    }
    return DocumentID(wrappedValue: decoder.documentPath?.id)
  }
}

// MARK: - Arrays

private struct UnkeyedValueContainer: UnkeyedDecodingContainer {
  let decoder: ValueDecoder
  let values: [Value]
  var currentIndex = 0

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { values.count }
  var isAtEnd: Bool { currentIndex >= values.count }

  mutating func decodeNil() throws -> Bool {
    let isNull = try current(Value?.self).value.isNull
    if isNull { currentIndex += 1 }
    return isNull
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try next(type) { try $0.unbox(type) }
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try next([String: Value].self) { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next([Value].self) { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next(Value.self) { $0 } }

  /// Reads an element, and goes to the one after it.
  @inline(__always)
  private mutating func next<Read>(_ type: Any.Type, _ read: (ValueDecoder) throws -> Read) throws -> Read {
    let element = try read(current(type))
    currentIndex += 1
    return element
  }

  private func current(_ type: Any.Type) throws -> ValueDecoder {
    let key = FieldKey(intValue: currentIndex)
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        .fault("the array has no further element", at: codingPath + [key])
      )
    }
    return decoder.child(values[currentIndex], key)
  }
}
