// The rules of google.firestore.v1's JSON for one value, shared by decoding and by views of parsed JSON.

extension WireDecoder {
  /// Returns the type of a value and the content of its only member.
  ///
  /// - Throws: ``WireError`` unless the value has exactly one of the documented members.
  @inline(__always)
  static func typeAndContent(
    of json: JSONCursor,
    _ unknownMembers: UnknownMembers = .ignored
  ) throws(WireError) -> (ValueType, JSONCursor) {
    guard json.isObject else { throw WireError("a value is a JSON object with one member, its type") }
    // Fast path: nearly every value is an object with one known member.
    var members = json.members
    if let (name, content) = members.next(), members.isAtEnd, let type = ValueType(name) {
      return (type, content)
    }
    return try onlyKnownMember(of: json, unknownMembers)
  }

  private static func onlyKnownMember(
    of json: JSONCursor,
    _ unknownMembers: UnknownMembers
  ) throws(WireError) -> (ValueType, JSONCursor) {
    var result: (ValueType, JSONCursor)?
    for (name, content) in json.members {
      guard let type = ValueType(name) else {
        if unknownMembers == .refused { throw noType(name.string) }
        continue
      }
      if result != nil { throw WireError("a value has one type, not two") }
      result = (type, content)
    }
    guard let result else { throw WireError("a value has none of the known types") }
    return result
  }

  private static func noType(_ name: String) -> WireError {
    let known = [
      "nullValue", "booleanValue", "integerValue", "doubleValue", "timestampValue", "stringValue",
      "bytesValue",
      "referenceValue", "geoPointValue", "arrayValue", "mapValue",
    ]
    let meant = name.nearest(of: known).map { "; did you mean '\($0)'?" } ?? ""
    return WireError("there is no value type '\(name)'\(meant)")
  }

  /// Returns the `fields` of a `mapValue`; nil if absent.
  static func members(
    of json: JSONCursor,
    _ unknownMembers: UnknownMembers = .ignored
  ) throws(WireError) -> JSONCursor? {
    guard json.isObject else { throw WireError("mapValue is a JSON object") }
    return try only("fields", of: json, in: "mapValue", unknownMembers)
  }

  /// Returns the `values` of an `arrayValue`; nil if absent.
  static func elements(
    of json: JSONCursor,
    _ unknownMembers: UnknownMembers = .ignored
  ) throws(WireError) -> JSONCursor? {
    guard json.isObject else { throw WireError("arrayValue is a JSON object") }
    guard let values = try only("values", of: json, in: "arrayValue", unknownMembers), !values.isNull else {
      return nil
    }
    guard values.isArray else { throw WireError("the values of arrayValue are a JSON array") }
    return values
  }

  /// Returns the only known member of a message.
  private static func only(
    _ known: StaticString,
    of json: JSONCursor,
    in message: String,
    _ unknownMembers: UnknownMembers
  ) throws(WireError) -> JSONCursor? {
    var result: JSONCursor?
    for (name, member) in json.members {
      if name == known {
        if result != nil { throw .repeated(name.string) }
        result = member
      } else if unknownMembers == .refused {
        throw WireError("\(message) has no member '\(name.string)'")
      }
    }
    return result
  }

  /// Decodes a value that is neither text nor a container.
  static func scalar(
    _ json: JSONCursor,
    of type: ValueType,
    _ unknownMembers: UnknownMembers = .ignored
  ) throws(WireError) -> Value {
    switch type {
    case .null:
      try assertNull(json)
      return .null
    case .boolean: return .boolean(try booleanValue(json))
    case .integer: return .integer(try integerValue(json))
    case .double: return .double(try doubleValue(json))
    case .timestamp: return .timestamp(try Self.timestamp(json, member: "timestampValue"))
    case .bytes: return .bytes(try bytesValue(json))
    case .geoPoint: return .geoPoint(try geoPoint(json, unknownMembers))
    case .string, .reference, .array, .map: throw WireError("it is not a scalar")
    }
  }

  static func assertNull(_ json: JSONCursor) throws(WireError) {
    // An enum with a single value, which clients may send by name or number.
    guard json.isNull || json.string == "NULL_VALUE" || json.integer == 0 else {
      throw WireError("nullValue must be null")
    }
  }

  @inline(__always)
  static func booleanValue(_ json: JSONCursor) throws(WireError) -> Bool {
    guard let flag = json.boolean else { throw WireError("booleanValue must be true or false") }
    return flag
  }

  @inline(__always)
  static func integerValue(_ json: JSONCursor) throws(WireError) -> Int64 {
    guard let number = integer(json) else {
      throw WireError("integerValue must be a 64-bit integer as a string")
    }
    return number
  }

  @inline(__always)
  static func doubleValue(_ json: JSONCursor) throws(WireError) -> Double {
    guard let number = double(json) else {
      throw WireError("doubleValue must be a number, \"NaN\", \"Infinity\" or \"-Infinity\"")
    }
    return number
  }

  static func bytesValue(_ json: JSONCursor) throws(WireError) -> [UInt8] {
    guard let utf8 = json.utf8, let bytes = Base64.decode(utf8) else {
      throw WireError("bytesValue must be a Base64 string")
    }
    return bytes
  }

  package static func geoPoint(
    _ json: JSONCursor,
    _ unknownMembers: UnknownMembers = .ignored
  ) throws(WireError) -> GeoPoint {
    guard json.isObject else { throw WireError("geoPointValue is a JSON object") }
    try json.assertUniqueOwnMembers()
    var point = GeoPoint(latitude: 0, longitude: 0)
    for (name, member) in json.members {
      let number = Self.double(member)
      if name == "latitude", let number {
        point.latitude = number
      } else if name == "longitude", let number {
        point.longitude = number
      } else if name == "latitude" || name == "longitude" {
        throw WireError("a coordinate is a number")
      } else if unknownMembers == .refused {
        throw WireError("geoPointValue has no member '\(name.string)'")
      }
    }
    return point
  }

  /// Decodes an RFC 3339 timestamp.
  package static func timestamp(_ json: JSONCursor, member: String) throws(WireError) -> Timestamp {
    guard let utf8 = json.utf8, let time = Timestamp(rfc3339: utf8) else {
      throw WireError("\(member) must be an RFC 3339 time in the years 1 to 9999 with an offset")
    }
    return time
  }

  /// Decodes an int64 from a string or a number without a fraction (protobuf's JSON mapping accepts 5, 5.0 and 1e3).
  ///
  /// Returns nil for a number with a point or an exponent that may have lost digits.
  package static func integer(_ json: JSONCursor) -> Int64? {
    switch json.kind {
    case .integer: json.integer
    case .double:
      json.double.flatMap { $0.magnitude < .firstAmbiguousInteger ? Int64(exactly: $0) : nil }
    case .string: json.utf8.flatMap { Self.integer($0) }
    default: nil
    }
  }

  /// Decodes a count or a size from 0 to `Int.maximumCount`; nil for anything else.
  package static func count(_ json: JSONCursor) -> Int? {
    guard let number = integer(json), number >= 0 else { return nil }
    return Int(exactly: number).flatMap { $0 <= Int.maximumCount ? $0 : nil }
  }

  private static func integer(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    let negative = text.first == UInt8(ascii: "-")
    let digits = negative ? text.dropFirst() : text[...]
    if digits.isEmpty || digits.count > 19 { return nil }
    var magnitude: UInt64 = 0
    for byte in digits {
      let digit = byte &- UInt8(ascii: "0")
      if digit > 9 { return nil }
      magnitude = magnitude * 10 + UInt64(digit)
    }
    if negative { return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
    return Int64(exactly: magnitude)
  }

  /// Decodes a double from a number or a string of protobuf's JSON mapping.
  package static func double(_ json: JSONCursor) -> Double? {
    if let number = json.double { return number }
    switch json.string {
    case "NaN"?: return .nan
    case "Infinity"?: return .infinity
    case "-Infinity"?: return -.infinity
    case let text?:
      guard text.utf8.allSatisfy({ "+-.eE0123456789".utf8.contains($0) }), let number = Double(text),
        number.isFinite
      else { return nil }
      return number
    case nil: return nil
    }
  }
}

/// The members that identify the type of a value.
enum ValueType {
  case null, boolean, integer, double, timestamp, string, bytes, reference, geoPoint, array, map

  @inline(__always)
  init?(_ name: JSONCursor.Name) {
    // The length identifies nearly every name, so that few comparisons suffice.
    switch name.utf8.count {
    case 11 where name == "stringValue": self = .string
    case 11 where name == "doubleValue": self = .double
    case 14 where name == "timestampValue": self = .timestamp
    case 14 where name == "referenceValue": self = .reference
    case 12 where name == "integerValue": self = .integer
    case 12 where name == "booleanValue": self = .boolean
    case 8 where name == "mapValue": self = .map
    case 10 where name == "arrayValue": self = .array
    case 10 where name == "bytesValue": self = .bytes
    case 9 where name == "nullValue": self = .null
    case 13 where name == "geoPointValue": self = .geoPoint
    default: return nil
    }
  }
}
