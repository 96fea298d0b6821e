import Foundation

/// Reads values out of request bodies, and refuses what the service refuses.
enum MiniDecoder {
  static let largestValue = 1_048_487
  static let deepest = 20

  /// The members of an object, refused if there is one that is not in the list.
  static func members(_ json: JSON, _ what: String, allowed: Set<ByteString>) throws -> [ByteString: JSON] {
    guard case .object(let members) = json else {
      throw ServiceError.invalidArgument("\(what) must be an object")
    }
    for member in members where !allowed.contains(member.name) {
      throw ServiceError.invalidArgument(
        "Invalid JSON payload received. Unknown name \"\(member.name)\" at '\(what)': Cannot find field."
      )
    }
    return Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value) })
  }

  static func fields(_ json: JSON?, depth: Int = 0) throws -> MiniFields {
    guard let json else { return [:] }
    guard case .object(let members) = json else {
      throw ServiceError.invalidArgument("fields: not an object")
    }
    var fields: MiniFields = [:]
    for member in members {
      guard !member.name.isEmpty, member.name.bytes.count <= 1500 else {
        throw ServiceError.invalidArgument("field name of \(member.name.bytes.count) bytes")
      }
      fields[member.name] = try value(member.value, depth: depth + 1)
    }
    let isVector = fields["__type__"] == .string("__vector__")
    for name in fields.keys where name.isReserved && !(isVector && name == "__type__") {
      throw ServiceError.invalidArgument("field name \"\(name)\" is reserved")
    }
    return fields
  }

  static func value(_ json: JSON, depth: Int) throws -> MiniValue {
    guard case .object(let members) = json, members.count == 1 else {
      throw ServiceError.invalidArgument("a Value must have exactly one member")
    }
    let member = members[0]
    switch (member.name, member.value) {
    case ("nullValue", .null), ("nullValue", .string("NULL_VALUE")): return .null
    case ("booleanValue", .bool(let flag)): return .bool(flag)
    case ("integerValue", .string(let digits)), ("integerValue", .number(let digits)):
      return .integer(try integer(digits))
    case ("doubleValue", .string(let digits)), ("doubleValue", .number(let digits)):
      return .number(try double(digits, quoted: member.value == .string(digits)))
    case ("timestampValue", .string(let text)):
      guard let time = MiniTime(text) else { throw ServiceError.invalidArgument("timestampValue \(text)") }
      return .timestamp(time)
    case ("stringValue", .string(let text)):
      guard text.bytes.count <= largestValue else { throw ServiceError.invalidArgument("string too long") }
      return .string(text)
    case ("bytesValue", .string(let text)): return .bytes(try base64(text))
    case ("referenceValue", .string(let name)):
      guard MiniPath.isDocumentName(name) else {
        throw ServiceError.invalidArgument("referenceValue \"\(name)\"")
      }
      return .reference(name)
    case ("geoPointValue", let point): return try geoPoint(point)
    case ("arrayValue", let array): return .array(try self.array(array, depth: depth))
    case ("mapValue", let map):
      guard depth <= deepest else { throw ServiceError.invalidArgument("nested too deeply") }
      let parts = try Self.members(map, "mapValue", allowed: ["fields"])
      return .map(try fields(parts["fields"], depth: depth))
    default: throw ServiceError.invalidArgument("Value with \"\(member.name)\"")
    }
  }

  static func array(_ json: JSON, depth: Int) throws -> [MiniValue] {
    guard depth <= deepest else { throw ServiceError.invalidArgument("nested too deeply") }
    let values = try members(json, "arrayValue", allowed: ["values"])["values"] ?? .array([])
    guard case .array(let values) = values else { throw ServiceError.invalidArgument("values: not an array") }
    return try values.map { element in
      guard element["arrayValue"] == nil else {
        throw ServiceError.invalidArgument("Cannot convert an array value in an array value.")
      }
      return try value(element, depth: depth + 1)
    }
  }

  static func integer(_ digits: ByteString) throws -> Int64 {
    if let number = Int64(digits.string) { return number }
    if let number = Double(digits.string), let whole = Int64(exactly: number) { return whole }
    throw ServiceError.invalidArgument("integerValue \(digits)")
  }

  private static func double(_ digits: ByteString, quoted: Bool) throws -> Double {
    if quoted {
      switch digits {
      case "NaN": return .nan
      case "Infinity": return .infinity
      case "-Infinity": return -.infinity
      default: break
      }
    }
    guard let first = digits.bytes.first, first == 0x2D || (first >= 0x30 && first <= 0x39),
      let number = Double(digits.string), number.isFinite
    else { throw ServiceError.invalidArgument("doubleValue \(digits)") }
    return number
  }

  static func base64(_ text: ByteString) throws -> [UInt8] {
    var standard = text.bytes.map { byte in
      byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
    }
    while standard.count % 4 != 0, standard.last != UInt8(ascii: "=") { standard.append(UInt8(ascii: "=")) }
    guard let data = Data(base64Encoded: Data(standard)), data.count <= largestValue else {
      throw ServiceError.invalidArgument("bytesValue")
    }
    return Array(data)
  }

  private static func geoPoint(_ json: JSON) throws -> MiniValue {
    let members = try members(json, "geoPointValue", allowed: ["latitude", "longitude"])
    func coordinate(_ name: ByteString, _ limit: Double) throws -> UInt64 {
      guard let value = members[name] else { return (0.0).bitPattern }
      guard case .number(let digits) = value else { throw ServiceError.invalidArgument("\(name)") }
      let number = try double(digits, quoted: false)
      guard abs(number) <= limit else { throw ServiceError.invalidArgument("\(name) \(digits)") }
      return number.bitPattern
    }
    return .geoPoint(latitude: try coordinate("latitude", 90), longitude: try coordinate("longitude", 180))
  }

  // MARK: Parts of requests

  static func text(_ json: JSON?, _ what: String) throws -> ByteString? {
    switch json {
    case nil, .null: return nil
    case .string(let text): return text
    default: throw ServiceError.invalidArgument("\(what) must be a string")
    }
  }

  static func flag(_ json: JSON?, _ what: String) throws -> Bool? {
    switch json {
    case nil, .null: return nil
    case .bool(let flag): return flag
    default: throw ServiceError.invalidArgument("\(what) must be true or false")
    }
  }

  static func list(_ json: JSON?, _ what: String) throws -> [JSON] {
    switch json {
    case nil, .null: return []
    case .array(let values): return values
    default: throw ServiceError.invalidArgument("\(what) must be an array")
    }
  }

  static func int32(_ json: JSON?, _ what: String) throws -> Int? {
    switch json {
    case nil, .null: return nil
    case .number(let digits), .string(let digits):
      guard let number = Int32(digits.string), number >= 0 else {
        throw ServiceError.invalidArgument("\(what) \(digits)")
      }
      return Int(number)
    default: throw ServiceError.invalidArgument("\(what) must be a number")
    }
  }
}
