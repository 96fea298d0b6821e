public import FirestoreModels

// The REST JSON through any Codable coder. `JSONDecoder.decodeGetResult` and `WireDecoder` bypass it: they
// are faster and distinguish names that Foundation's coders consider equal.

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

/// The members that identify the type of a value; others are ignored.
private enum ValueKey: String, CodingKey {
  case nullValue, booleanValue, integerValue, doubleValue, timestampValue, stringValue, bytesValue
  case referenceValue, geoPointValue, arrayValue, mapValue
}

private enum ContentKey: String, CodingKey {
  case values, fields, latitude, longitude
}

extension Value: Codable {
  /// Decodes the REST JSON as leniently as ``WireDecoder``; a value with two types or none is refused.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? ValueDecoder {
      self = decoder.value
      return
    }
    // Each level adds three keys to the path; destroying a deep enum would overflow the stack.
    guard decoder.codingPath.count <= 3 * WireDecoder.maximumValueDepth else {
      throw DecodingError.fault("it is nested too deeply", at: decoder.codingPath)
    }
    let container = try decoder.container(keyedBy: ValueKey.self)
    guard let type = container.allKeys.first else {
      throw DecodingError.fault("a value has none of the known types", at: decoder.codingPath)
    }
    guard container.allKeys.count == 1 else {
      throw DecodingError.fault("a value has one type, not two", at: decoder.codingPath)
    }
    self = try Self.value(of: type, in: container)
  }

  private static func value(of key: ValueKey, in container: KeyedDecodingContainer<ValueKey>) throws -> Value
  {
    func refuse(_ reason: String) -> DecodingError {
      .fault(reason, at: container.codingPath + [key])
    }
    switch key {
    case .nullValue:
      let isNull =
        try container.decodeNil(forKey: key)
        || (try? container.decode(String.self, forKey: key)) == "NULL_VALUE"
        || (try? container.decode(Int.self, forKey: key)) == 0
      guard isNull else { throw refuse("nullValue must be null") }
      return .null
    case .booleanValue: return .boolean(try container.decode(Bool.self, forKey: key))
    case .integerValue:
      guard let number = integer(in: container, key) else {
        throw refuse("integerValue must be a 64-bit integer as a string")
      }
      return .integer(number)
    case .doubleValue:
      guard let number = double(in: container, key) else {
        throw refuse("doubleValue must be a number, \"NaN\", \"Infinity\" or \"-Infinity\"")
      }
      return .double(number)
    case .timestampValue: return .timestamp(try container.decode(Timestamp.self, forKey: key))
    case .stringValue: return .string(try container.decode(String.self, forKey: key))
    case .bytesValue:
      guard let bytes = Base64.decode(try container.decode(String.self, forKey: key)) else {
        throw refuse("bytesValue must be a Base64 string")
      }
      return .bytes(bytes)
    case .referenceValue: return .reference(try container.decode(String.self, forKey: key))
    case .geoPointValue: return .geoPoint(try container.decode(GeoPoint.self, forKey: key))
    case .arrayValue:
      let content = try container.nestedContainer(keyedBy: ContentKey.self, forKey: key)
      return .array(try content.decodeIfPresent([Value].self, forKey: .values) ?? [])
    case .mapValue:
      let content = try container.nestedContainer(keyedBy: ContentKey.self, forKey: key)
      return .map(try content.decodeIfPresent(FieldMap.self, forKey: .fields) ?? FieldMap())
    }
  }

  private static func integer(in container: KeyedDecodingContainer<ValueKey>, _ key: ValueKey) -> Int64? {
    if let text = try? container.decode(String.self, forKey: key) {
      // `Int64` accepts a plus sign; protobuf's JSON does not.
      return text.utf8.first == UInt8(ascii: "+") || text.utf8.count > 20 ? nil : Int64(text)
    }
    if let number = try? container.decode(Int64.self, forKey: key) { return number }
    return (try? container.decode(Double.self, forKey: key)).flatMap { Int64(exactly: $0) }
  }

  fileprivate static func double<Key>(in container: KeyedDecodingContainer<Key>, _ key: Key) -> Double? {
    if let number = try? container.decode(Double.self, forKey: key) { return number }
    switch try? container.decode(String.self, forKey: key) {
    case "NaN"?: return .nan
    case "Infinity"?: return .infinity
    case "-Infinity"?: return -.infinity
    case let text?:
      guard text.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) }) else { return nil }
      return Double(text).flatMap { $0.isFinite ? $0 : nil }
    case nil: return nil
    }
  }

  /// Encodes the REST JSON, or the value itself in a ``FirestoreEncoder``.
  ///
  /// - Throws: `EncodingError` if the encoder would merge canonically equivalent names.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? ValueEncoder {
      encoder.set(self)
      return
    }
    var container = encoder.container(keyedBy: ValueKey.self)
    switch self {
    case .null: try container.encodeNil(forKey: .nullValue)
    case .boolean(let flag): try container.encode(flag, forKey: .booleanValue)
    case .integer(let number): try container.encode(String(number), forKey: .integerValue)
    case .double(let number):
      if let text = Self.text(ofNonFinite: number) {
        try container.encode(text, forKey: .doubleValue)
      } else {
        try container.encode(number, forKey: .doubleValue)
      }
    case .timestamp(let time): try container.encode(time, forKey: .timestampValue)
    case .string(let text): try container.encode(text, forKey: .stringValue)
    case .bytes(let bytes):
      var text: [UInt8] = []
      Base64.append(bytes, to: &text)
      try container.encode(String(decoding: text, as: UTF8.self), forKey: .bytesValue)
    case .reference(let name): try container.encode(name, forKey: .referenceValue)
    case .geoPoint(let point): try container.encode(point, forKey: .geoPointValue)
    case .array(let values):
      var content = container.nestedContainer(keyedBy: ContentKey.self, forKey: .arrayValue)
      if !values.isEmpty { try content.encode(values, forKey: .values) }
    case .map(let fields):
      var content = container.nestedContainer(keyedBy: ContentKey.self, forKey: .mapValue)
      if !fields.isEmpty { try content.encode(fields, forKey: .fields) }
    }
  }

  fileprivate static func text(ofNonFinite number: Double) -> String? {
    if number.isFinite { return nil }
    return number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
  }
}

extension FieldMap: Codable {
  /// Decodes the members of a map in REST JSON: `{"a": {"stringValue": "…"}, …}`.
  public init(from decoder: any Decoder) throws {
    if let decoder = decoder as? ValueDecoder {
      guard case .map(let fields) = decoder.value else {
        throw decoder.mismatch(Self.self, expected: "a map")
      }
      self = fields
      return
    }
    let container = try decoder.container(keyedBy: FieldKey.self)
    self.init(
      try container.allKeys.map {
        Entry(name: $0.stringValue, value: try container.decode(Value.self, forKey: $0))
      }
    )
  }

  /// Encodes the members of a map in REST JSON, or the map itself in a ``FirestoreEncoder``.
  ///
  /// - Throws: `EncodingError` if two names are canonically equivalent ("é"), because Foundation's encoders
  ///   would drop one. ``JSONWriter`` writes both.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? ValueEncoder {
      encoder.set(.map(self))
      return
    }
    guard Set(entries.map(\.name)).count == count else {
      throw EncodingError.fault(
        Self.self,
        "two names differ by their Unicode composition only",
        at: encoder.codingPath
      )
    }
    var container = encoder.container(keyedBy: FieldKey.self)
    for entry in entries { try container.encode(entry.value, forKey: FieldKey(entry.name)) }
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
    if let decoder = decoder as? ValueDecoder {
      guard case .geoPoint(let point) = decoder.value else {
        throw decoder.mismatch(Self.self, expected: "a geo point")
      }
      self = point
      return
    }
    let container = try decoder.container(keyedBy: ContentKey.self)
    func coordinate(_ key: ContentKey) throws -> Double {
      guard container.contains(key) else { return 0 }
      guard let number = Value.double(in: container, key) else {
        throw DecodingError.fault("a coordinate must be a number", at: container.codingPath + [key])
      }
      return number
    }
    self.init(latitude: try coordinate(.latitude), longitude: try coordinate(.longitude))
  }

  /// Encodes the coordinates other than 0, or the geo point itself in a ``FirestoreEncoder``.
  public func encode(to encoder: any Encoder) throws {
    if let encoder = encoder as? ValueEncoder {
      encoder.set(.geoPoint(self))
      return
    }
    var container = encoder.container(keyedBy: ContentKey.self)
    for (key, number) in [(ContentKey.latitude, latitude), (.longitude, longitude)]
    where number.bitPattern != 0 {
      if let text = Value.text(ofNonFinite: number) {
        try container.encode(text, forKey: key)
      } else {
        try container.encode(number, forKey: key)
      }
    }
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

  /// Makes a key of the name of a coding key.
  public init?(codingKey: some CodingKey) {
    self.init(codingKey.stringValue)
  }
}
