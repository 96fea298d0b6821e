/// An encoder that produces one ``Value``.
struct ValueEncoder: Encoder {
  let node: Node
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any]
  /// Whether it encodes a ``JSONRecord``.
  var isRecord = false

  /// The content written so far, shared with the containers that write to it.
  final class Node {
    enum Content {
      case nothing
      case value(Value)
      case map([(name: String, node: Node)])
      case array([Node])
    }

    var content: Content = .nothing
    /// The names of optional members that are nil and therefore not written.
    var omitted: [String] = []

    /// The complete value; a type that writes nothing is an empty map.
    var value: Value {
      switch content {
      case .nothing: .map(FieldMap())
      case .value(let value): value
      case .map(let members):
        .map(FieldMap(members.map { FieldMap.Entry(name: $0.name, value: $0.node.value) }))
      case .array(let elements): .array(elements.map(\.value))
      }
    }
  }

  /// Encodes the content with the settings of another encoder.
  static func value(of content: some Encodable, for other: any Encoder) throws -> Value {
    let encoder = ValueEncoder(node: Node(), codingPath: other.codingPath, userInfo: other.userInfo)
    try encoder.box(content)
    return encoder.node.value
  }

  /// Encodes the content as the members of a map.
  static func fields(of content: some Encodable, for encoder: any Encoder) throws -> FieldMap {
    try fields(of: content, codingPath: encoder.codingPath, userInfo: encoder.userInfo)
  }

  static func fields<T: Encodable>(
    of content: T,
    codingPath: [any CodingKey],
    userInfo: [CodingUserInfoKey: Any]
  ) throws -> FieldMap {
    try ValueEncoder(node: Node(), codingPath: codingPath, userInfo: userInfo).fields(of: content)
  }

  private func fields<T: Encodable>(of content: T) throws -> FieldMap {
    try box(content)
    guard case .map(let fields) = node.value else {
      throw EncodingError.fault(
        T.self,
        "fields must be a map, and this is a value of the type \(node.value.typeName)",
        at: codingPath
      )
    }
    return fields
  }

  /// Encodes the content as fields, and returns the names of its optional properties that are nil.
  static func update(
    of content: some Encodable,
    userInfo: [CodingUserInfoKey: Any]
  ) throws -> (fields: FieldMap, omitted: [String]) {
    let encoder = ValueEncoder(node: Node(), codingPath: [], userInfo: userInfo)
    return (try encoder.fields(of: content), encoder.node.omitted)
  }

  func set(_ value: Value) { node.content = .value(value) }

  /// Encodes a value, including Foundation types that correspond to a Firestore type.
  func box<T: Encodable>(_ content: T) throws {
    // Destroying a deep enum would overflow the stack, and so would a type that contains itself.
    guard codingPath.count <= WireDecoder.maximumValueDepth else {
      throw EncodingError.fault(T.self, "it is nested too deeply", at: codingPath)
    }
    if let special = try foundationValue(of: content) {
      set(special)
    } else {
      try content.encode(to: self)
      if isRecord, T.self is any NamedByKeys.Type { node.sortMembers() }
    }
  }

  func child(_ node: Node, _ key: any CodingKey) -> ValueEncoder {
    ValueEncoder(node: node, codingPath: codingPath + [key], userInfo: userInfo, isRecord: isRecord)
  }

  // MARK: Encoder

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    switch node.content {
    case .nothing: node.content = .map([])
    case .value(.map(let fields)):
      // A type may request a second container and add members to a map it has already written.
      node.content = .map(
        fields.entries.map { entry in
          let member = Node()
          member.content = .value(entry.value)
          return (entry.name, member)
        }
      )
    case .map: break
    case .value, .array: preconditionFailure("a type requested a map after writing something else")
    }
    return KeyedEncodingContainer(KeyedNodeContainer<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    switch node.content {
    case .nothing: node.content = .array([])
    case .array: break
    case .value, .map: preconditionFailure("a type requested an array after writing something else")
    }
    return UnkeyedNodeContainer(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }
}

// MARK: - Single values

extension ValueEncoder: SingleValueEncodingContainer {
  func encodeNil() throws { set(.null) }
  func encode(_ value: Bool) throws { set(.boolean(value)) }
  func encode(_ value: String) throws { set(.string(value)) }
  func encode(_ value: Double) throws { set(.double(value)) }
  func encode(_ value: Float) throws { set(.double(Double(value))) }

  func encode<T: Encodable>(_ value: T) throws {
    let before = (node.content, node.omitted)
    do {
      try box(value)
    } catch {
      // The type may write something else instead.
      (node.content, node.omitted) = before
      throw error
    }
  }

  func encode<T: FixedWidthInteger & Encodable>(_ number: T) throws {
    guard let exact = Int64(exactly: number) else {
      throw EncodingError.fault(
        T.self,
        "the number does not fit a Firestore integer (64 bits, signed)",
        at: codingPath
      )
    }
    set(.integer(exact))
  }
}

// MARK: - Maps

private struct KeyedNodeContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) throws { member(key).set(.null) }

  func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    if value is DocumentID { return }
    let member = encoder.child(ValueEncoder.Node(), key)
    try member.box(value)
    append(member.node, key)
  }

  // One overload per type, because synthesized code calls the overload for the property's type.
  func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: String?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try optional(value, key) }
  func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try optional(value, key) }

  private func optional<T: Encodable>(_ value: T?, _ key: Key) throws {
    if let value { try encode(value, forKey: key) } else { encoder.node.omitted.append(key.stringValue) }
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    member(key, keepingExisting: true).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    member(key, keepingExisting: true).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { member(FieldKey("super")) }

  func superEncoder(forKey key: Key) -> any Encoder { member(key) }

  /// Adds a member; a later duplicate replaces the earlier one, but nested containers continue it.
  private func member(_ key: any CodingKey, keepingExisting: Bool = false) -> ValueEncoder {
    if keepingExisting, let existing = members.last(where: { $0.name.isIdentical(to: key.stringValue) }) {
      return encoder.child(existing.node, key)
    }
    let node = ValueEncoder.Node()
    append(node, key)
    return encoder.child(node, key)
  }

  private func append(_ node: ValueEncoder.Node, _ key: any CodingKey) {
    var members = members
    encoder.node.content = .nothing  // keeps the array unshared while it grows
    members.append((key.stringValue, node))
    encoder.node.content = .map(members)
  }

  private var members: [(name: String, node: ValueEncoder.Node)] {
    guard case .map(let members) = encoder.node.content else {
      preconditionFailure("a type continued a map after writing something else")
    }
    return members
  }
}

// MARK: - Arrays

private struct UnkeyedNodeContainer: UnkeyedEncodingContainer {
  let encoder: ValueEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  var count: Int { elements.count }

  func encodeNil() throws { element().set(.null) }

  func encode<T: Encodable>(_ value: T) throws {
    let element = next
    try element.box(value)
    append(element.node)
  }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
    element().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }

  func superEncoder() -> any Encoder { element() }

  private func element() -> ValueEncoder {
    let element = next
    append(element.node)
    return element
  }

  /// An encoder of the next element, which is not appended yet.
  private var next: ValueEncoder { encoder.child(ValueEncoder.Node(), FieldKey(intValue: count)) }

  private func append(_ node: ValueEncoder.Node) {
    var elements = elements
    encoder.node.content = .nothing  // keeps the array unshared while it grows
    elements.append(node)
    encoder.node.content = .array(elements)
  }

  private var elements: [ValueEncoder.Node] {
    guard case .array(let elements) = encoder.node.content else {
      preconditionFailure("a type continued an array after writing something else")
    }
    return elements
  }
}
