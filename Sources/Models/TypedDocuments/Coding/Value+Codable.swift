// The REST JSON through any Codable coder. `JSONDecoder.decodeGetResult` and `WireDecoder` bypass this path: they are faster, and
// they distinguish names that Foundation's coders treat as equal.

/// A coding key with any name.
package struct FieldKey: CodingKey {
  package let stringValue: String
  package let intValue: Int?

  package init(stringValue: String) {
    self.stringValue = stringValue
    intValue = nil
  }

  package init(intValue: Int) {
    stringValue = "[\(intValue)]"
    self.intValue = intValue
  }

  package init(_ name: String) {
    self.init(stringValue: name)
  }
}

/// JSON as seen through a foreign coder: a tree of ``Value`` without Firestore types.
private struct PlainJSON: Codable {
  let value: Value

  init(_ value: Value) { self.value = value }

  init(from decoder: any Decoder) throws {
    // Each level of a value adds three keys to the path; destroying a deep enum would overflow the stack.
    guard decoder.codingPath.count <= 3 * WireDecoder.maximumValueDepth else {
      throw DecodingError.fault("it is nested too deeply", at: decoder.codingPath)
    }
    if (try? decoder.container(keyedBy: FieldKey.self)) != nil {
      // Foundation's coders apply a key strategy to a keyed container, but not to a dictionary.
      let members = try decoder.singleValueContainer().decode([String: PlainJSON].self)
      value = .map(FieldMap(members.map { FieldMap.Entry(name: $0.key, value: $0.value.value) }))
    } else if var elements = try? decoder.unkeyedContainer() {
      var values: [Value] = []
      while !elements.isAtEnd { values.append(try elements.decode(PlainJSON.self).value) }
      value = .array(values)
    } else {
      value = try Self.scalar(in: decoder.singleValueContainer())
    }
  }

  private static func scalar(in container: any SingleValueDecodingContainer) throws -> Value {
    if container.decodeNil() { return .null }
    if let flag = try? container.decode(Bool.self) { return .boolean(flag) }
    if let text = try? container.decode(String.self) { return .string(text) }
    let double = try? container.decode(Double.self)
    // A coder may return -0.0 as the integer 0.
    if double?.sign != .minus || double != 0, let number = try? container.decode(Int64.self) {
      return .integer(number)
    }
    if let double { return .double(double) }
    throw DecodingError.fault("it is not a value of JSON", at: container.codingPath)
  }

  /// - Throws: `EncodingError` if two names are canonically equivalent ("é"), because Foundation's encoders would drop one.
  ///   ``JSONWriter`` writes both.
  func encode(to encoder: any Encoder) throws {
    switch value {
    case .map(let fields):
      let members = Dictionary(fields.entries.map { ($0.name, PlainJSON($0.value)) }) { $1 }
      guard members.count == fields.count else {
        throw EncodingError.fault(
          FieldMap.self,
          "two names differ by their Unicode composition only",
          at: encoder.codingPath
        )
      }
      var container = encoder.singleValueContainer()
      try container.encode(members)
    case .array(let values):
      var container = encoder.unkeyedContainer()
      for value in values { try container.encode(PlainJSON(value)) }
    default:
      var container = encoder.singleValueContainer()
      switch value {
      case .boolean(let flag): try container.encode(flag)
      case .integer(let number): try container.encode(number)
      case .double(let number): try container.encode(number)
      case .string(let text): try container.encode(text)
      default: try container.encodeNil()
      }
    }
  }
}

extension Decoder {
  /// Reads JSON through a foreign decoder.
  ///
  /// - Throws: `DecodingError` at the location in the JSON that `read` refuses.
  func readJSON<Result>(
    _ read: (JSONCursor, inout WireDecoder) throws(WireError) -> Result
  ) throws -> Result {
    let value = try PlainJSON(from: self).value
    do throws(WireError) {
      return try JSONParser.decode(JSONWriter.bytes { $0.plain(value) }, read)
    } catch {
      throw DecodingError.fault(error.reason, at: codingPath + error.location.map { FieldKey($0) })
    }
  }
}

extension Encoder {
  /// Writes a value; to a foreign encoder, its JSON, whose names no key strategy changes.
  func write(_ value: Value, asJSON write: (inout JSONWriter) -> Void) throws {
    if let encoder = self as? ValueEncoder { return encoder.set(value) }
    let value = try JSONParser.decode(JSONWriter.bytes(write)) { root, _ throws(WireError) in
      Value(plain: root)
    }
    try PlainJSON(value).encode(to: self)
  }
}

extension Value: Codable {
  /// Decodes the REST JSON as leniently as ``WireDecoder``; a value with two types or none is refused.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? ValueDecoder {
      self = decoder.value
    } else {
      self = try decoder.readJSON { json, wire throws(WireError) in try wire.value(json) }
    }
  }

  /// Encodes the REST JSON, or the value itself in a ``FirestoreEncoder``.
  ///
  /// - Throws: `EncodingError` if the encoder would merge canonically equivalent names.
  public func encode(to encoder: any Encoder) throws {
    try encoder.write(self) { $0.value(self) }
  }
}

extension FieldMap: Codable {
  /// Decodes the members of a map in REST JSON: `{"a": {"stringValue": "…"}, …}`.
  public init(from decoder: any Decoder) throws {
    guard let decoder = decoder as? ValueDecoder else {
      self = try decoder.readJSON { json, wire throws(WireError) in try wire.fields(json) }
      return
    }
    guard case .map(let fields) = decoder.value else {
      throw decoder.mismatch(Self.self, expected: "a map")
    }
    self = fields
  }

  /// Encodes the members of a map in REST JSON, or the map itself in a ``FirestoreEncoder``.
  ///
  /// - Throws: `EncodingError` if the encoder would merge canonically equivalent names.
  public func encode(to encoder: any Encoder) throws {
    try encoder.write(.map(self)) { $0.fields(self) }
  }
}

extension Timestamp: Codable {
  /// Decodes an RFC 3339 string with an offset and up to 9 fractional digits, or a timestamp in a
  /// ``FirestoreDecoder``.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? ValueDecoder, !decoder.isRecord {
      guard case .timestamp(let time) = decoder.value else {
        throw decoder.mismatch(Self.self, expected: "a timestamp")
      }
      self = time
      return
    }
    guard let time = Timestamp(try decoder.singleValueContainer().decode(String.self)) else {
      throw DecodingError.fault(
        "a timestamp must be an RFC 3339 time in the years 1 to 9999 with an offset",
        at: decoder.codingPath
      )
    }
    self = time
  }

  /// Encodes an RFC 3339 string in UTC, or the timestamp itself in a ``FirestoreEncoder``.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? ValueEncoder {
      encoder.set(.timestamp(self))
      return
    }
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension GeoPoint: Codable {
  /// Decodes `{"latitude": 1.5, "longitude": -2}`, where a missing coordinate is 0, or a geo point in a
  /// ``FirestoreDecoder``.
  public init(from decoder: any Decoder) throws {
    guard let decoder = decoder as? ValueDecoder else {
      self = try decoder.readJSON { json, _ throws(WireError) in try WireDecoder.geoPoint(json) }
      return
    }
    guard case .geoPoint(let point) = decoder.value else {
      throw decoder.mismatch(Self.self, expected: "a geo point")
    }
    self = point
  }

  /// Encodes the coordinates other than 0, or the geo point itself in a ``FirestoreEncoder``.
  public func encode(to encoder: any Encoder) throws {
    try encoder.write(.geoPoint(self)) { $0.geoPoint(self) }
  }
}

extension UTF8Key: Codable, CodingKeyRepresentable {
  /// Decodes a string.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the string.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(string)
  }

  /// The text as a coding key, so that a dictionary with these keys is encoded as a map.
  public var codingKey: any CodingKey { FieldKey(string) }

  /// Creates a key of the name of a coding key.
  public init?(codingKey: some CodingKey) {
    self.init(codingKey.stringValue)
  }
}
