// Decodes the JSON of google.firestore.v1. Responses are read leniently (unknown members are skipped, keys of
// empty values may be missing); a value with two types or none is always refused.

/// Decodes the service's JSON.
///
/// Not `Sendable`: use a decoder in one task at a time.
package struct WireDecoder {
  /// How to treat members that the documented message does not have.
  package enum UnknownMembers: Sendable {
    /// Skip them, as is appropriate for responses of a newer service.
    case ignored
    /// Refuse them, as the service does in requests.
    case refused
  }

  /// The maximum nesting of maps and arrays.
  ///
  /// The service stores 20 levels; a deeper value is a defect or an attack, and destroying a deep enum would
  /// overflow the stack.
  package static let maximumValueDepth = 100

  package var unknownMembers: UnknownMembers
  /// Whether document names must be full, as in all responses.
  package var wantsFullNames = false
  private var names = NameCache()

  package init(unknownMembers: UnknownMembers = .ignored) {
    self.unknownMembers = unknownMembers
  }

  // MARK: Documents

  /// Decodes a document.
  ///
  /// Its name is relative to the database, or full and in `database` (any if nil).
  package mutating func document(
    _ json: JSONCursor,
    in database: DatabaseName? = nil
  ) throws(WireError) -> RawDocument {
    try document(json, prefix: database.map { $0.documents + "/" })
  }

  /// Decodes a document whose full name begins with `prefix` (`projects/P/databases/D/documents/`).
  package mutating func document(_ json: JSONCursor, prefix: String?) throws(WireError) -> RawDocument {
    guard json.isObject else { throw WireError("a document is a JSON object") }
    var path: DocumentPath?
    var fields = FieldMap()
    var createTime: Timestamp?
    var updateTime: Timestamp?
    for (name, value) in json.members {
      if name == "name" {
        path = try documentPath(value, prefix: prefix)
      } else if name == "fields" {
        do throws(WireError) {
          fields = try self.fields(value, depth: 0)
        } catch {
          throw error.inside("fields")
        }
      } else if name == "createTime" {
        createTime = try Self.timestamp(value, member: "createTime")
      } else if name == "updateTime" {
        updateTime = try Self.timestamp(value, member: "updateTime")
      } else if unknownMembers == .refused {
        throw WireError("a document has no member '\(name.string)'")
      }
    }
    guard let path else { throw WireError("the document has no 'name'") }
    return RawDocument(path: path, fields: fields, createTime: createTime, updateTime: updateTime)
  }

  /// Reads the path of a document and leaves its fields on the tape.
  ///
  /// - Throws: ``WireError`` as ``document(_:prefix:)`` for the document and its name; its fields are checked when
  ///   they are looked at.
  package func wireDocument(_ json: JSONCursor, prefix: String?) throws(WireError) -> WireDocument {
    guard json.isObject else { throw WireError("a document is a JSON object") }
    var path: DocumentPath?
    var fields: JSONCursor?
    for (name, value) in json.members {
      if name == "name" {
        path = try documentPath(value, prefix: prefix)
      } else if name == "fields" {
        fields = value
      }
    }
    guard let path else { throw WireError("the document has no 'name'") }
    do throws(WireError) {
      return WireDocument(path: path, fields: try WireFields(fields, depth: 0), json: json)
    } catch {
      throw error.inside("fields")
    }
  }

  /// Decodes a document of which the path was read.
  mutating func document(_ wire: WireDocument) throws(WireError) -> RawDocument {
    var document = RawDocument(path: wire.path, fields: FieldMap())
    for (name, value) in wire.json.members {
      if name == "fields" {
        do throws(WireError) {
          document.fields = try fields(value, depth: 0)
        } catch {
          throw error.inside("fields")
        }
      } else if name == "createTime" {
        document.createTime = try Self.timestamp(value, member: "createTime")
      } else if name == "updateTime" {
        document.updateTime = try Self.timestamp(value, member: "updateTime")
      }
    }
    return document
  }

  private func documentPath(_ json: JSONCursor, prefix: String?) throws(WireError) -> DocumentPath {
    guard let utf8 = json.utf8 else { throw WireError("it is not a string", at: ["name"]) }
    if var prefix, prefix.withUTF8({ utf8.count >= $0.count && $0.isPrefix(of: utf8) }) {
      let relative = String(
        decoding: UnsafeBufferPointer(rebasing: utf8[prefix.utf8.count...]),
        as: UTF8.self
      )
      guard let path = DocumentPath(relative) else {
        throw WireError("'\(relative)' is not a document name", at: ["name"])
      }
      return path
    }
    let name = String(decoding: utf8, as: UTF8.self)
    if name.hasPrefix("projects/"), let (_, path) = DatabaseName.split(name) {
      if prefix == nil { return path }
      throw WireError("'\(name)' is in another database", at: ["name"])
    }
    guard !wantsFullNames, let path = DocumentPath(name) else {
      throw WireError("'\(name)' is not a document name", at: ["name"])
    }
    return path
  }

  // MARK: Values

  /// Decodes the members of a map: `{"a": {"stringValue": "…"}, …}`.
  package mutating func fields(_ json: JSONCursor) throws(WireError) -> FieldMap {
    try fields(json, depth: 0)
  }

  /// Decodes a value: an object with exactly one of the documented members.
  package mutating func value(_ json: JSONCursor) throws(WireError) -> Value {
    try value(json, depth: 0)
  }

  mutating func fields(_ json: JSONCursor, depth: Int) throws(WireError) -> FieldMap {
    if json.isNull { return FieldMap() }
    guard json.isObject else { throw WireError("it is not a JSON object") }
    var members: [FieldMap.Entry] = []
    members.reserveCapacity(json.childCount)
    // The service sends members in order, so checking is cheaper than sorting.
    var isOrdered = true
    var last: UnsafeBufferPointer<UInt8>?
    for (name, value) in json.members {
      if let last, isOrdered { isOrdered = last.precedes(name.utf8) }
      last = name.utf8
      do throws(WireError) {
        members.append(
          FieldMap.Entry(name: names.string(name.utf8), value: try self.value(value, depth: depth))
        )
      } catch {
        throw error.inside(name.string)
      }
    }
    return isOrdered ? FieldMap(ordered: members) : FieldMap(members)
  }

  mutating func value(_ json: JSONCursor, depth: Int) throws(WireError) -> Value {
    let (type, content) = try Self.typeAndContent(of: json, unknownMembers)
    switch type {
    case .string:
      guard let text = content.string else { throw WireError("stringValue must be a string") }
      return .string(text)
    case .reference:
      guard let name = content.string else { throw WireError("referenceValue must be a document name") }
      return .reference(name)
    case .array: return .array(try values(content, depth: depth + 1))
    case .map:
      guard depth < Self.maximumValueDepth else { throw WireError("it is nested too deeply") }
      guard let members = try Self.members(of: content, unknownMembers) else { return .map(FieldMap()) }
      return .map(try fields(members, depth: depth + 1))
    case .null, .boolean, .integer, .double, .timestamp, .bytes, .geoPoint:
      return try Self.scalar(content, of: type, unknownMembers)
    }
  }

  /// Returns the type of a value and what its only member holds.
  ///
  /// - Throws: ``WireError`` if it does not have exactly one of the documented members.
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
        if unknownMembers == .refused { throw WireError("there is no value type '\(name.string)'") }
        continue
      }
      if result != nil { throw WireError("a value has one type, not two") }
      result = (type, content)
    }
    guard let result else { throw WireError("a value has none of the known types") }
    return result
  }

  /// Returns the `fields` of a `mapValue`; nil if it has none.
  static func members(
    of json: JSONCursor,
    _ unknownMembers: UnknownMembers = .ignored
  ) throws(WireError) -> JSONCursor? {
    guard json.isObject else { throw WireError("mapValue is a JSON object") }
    return try only("fields", of: json, in: "mapValue", unknownMembers)
  }

  /// Returns the list of `values` of an `arrayValue`; nil if it has none.
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

  /// Returns the only known member of a message; of duplicates the last, as everywhere.
  private static func only(
    _ known: StaticString,
    of json: JSONCursor,
    in message: String,
    _ unknownMembers: UnknownMembers
  ) throws(WireError) -> JSONCursor? {
    var result: JSONCursor?
    for (name, member) in json.members {
      if name == known {
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
      // An enum with a single value, which clients may send by name or number.
      guard json.isNull || json.string == "NULL_VALUE" || json.integer == 0 else {
        throw WireError("nullValue must be null")
      }
      return .null
    case .boolean:
      guard let flag = json.boolean else { throw WireError("booleanValue must be true or false") }
      return .boolean(flag)
    case .integer:
      guard let number = Self.integer(json) else {
        throw WireError("integerValue must be a 64-bit integer as a string")
      }
      return .integer(number)
    case .double:
      guard let number = Self.double(json) else {
        throw WireError("doubleValue must be a number, \"NaN\", \"Infinity\" or \"-Infinity\"")
      }
      return .double(number)
    case .timestamp:
      return .timestamp(try Self.timestamp(json, member: "timestampValue"))
    case .bytes:
      guard let utf8 = json.utf8, let bytes = Base64.decode(utf8) else {
        throw WireError("bytesValue must be a Base64 string")
      }
      return .bytes(bytes)
    case .geoPoint:
      return .geoPoint(try geoPoint(json, unknownMembers))
    case .string, .reference, .array, .map:
      throw WireError("it is not a scalar")
    }
  }

  private mutating func values(_ json: JSONCursor, depth: Int) throws(WireError) -> [Value] {
    guard json.isObject else { throw WireError("arrayValue is a JSON object") }
    guard depth <= Self.maximumValueDepth else { throw WireError("it is nested too deeply") }
    guard let list = try Self.elements(of: json, unknownMembers) else { return [] }
    var values: [Value] = []
    values.reserveCapacity(list.childCount)
    for (index, element) in list.elements.enumerated() {
      do throws(WireError) {
        values.append(try value(element, depth: depth))
      } catch {
        throw error.inside("[\(index)]")
      }
    }
    return values
  }

  private static func geoPoint(
    _ json: JSONCursor,
    _ unknownMembers: UnknownMembers
  ) throws(WireError) -> GeoPoint {
    guard json.isObject else { throw WireError("geoPointValue is a JSON object") }
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

  // MARK: Scalars

  /// Decodes an RFC 3339 timestamp.
  package static func timestamp(_ json: JSONCursor, member: String) throws(WireError) -> Timestamp {
    guard let utf8 = json.utf8, let time = Timestamp(rfc3339: utf8) else {
      throw WireError("\(member) must be an RFC 3339 time in the years 1 to 9999 with an offset")
    }
    return time
  }

  /// Decodes an int64 from a string or a number without a fraction (protobuf's JSON mapping accepts 5, 5.0
  /// and 1e3).
  package static func integer(_ json: JSONCursor) -> Int64? {
    switch json.kind {
    case .integer: json.integer
    case .double: json.double.flatMap { Int64(exactly: $0) }
    case .string: json.utf8.flatMap { Self.integer($0) }
    default: nil
    }
  }

  /// Decodes a count or a size of 0 to `Int.maximumCount`; nil for anything else.
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
    case 11:
      if name == "stringValue" {
        self = .string
      } else if name == "doubleValue" {
        self = .double
      } else {
        return nil
      }
    case 14:
      if name == "timestampValue" {
        self = .timestamp
      } else if name == "referenceValue" {
        self = .reference
      } else {
        return nil
      }
    case 12:
      if name == "integerValue" {
        self = .integer
      } else if name == "booleanValue" {
        self = .boolean
      } else {
        return nil
      }
    case 8:
      if name == "mapValue" { self = .map } else { return nil }
    case 10:
      if name == "arrayValue" {
        self = .array
      } else if name == "bytesValue" {
        self = .bytes
      } else {
        return nil
      }
    case 9:
      if name == "nullValue" { self = .null } else { return nil }
    case 13:
      if name == "geoPointValue" { self = .geoPoint } else { return nil }
    default: return nil
    }
  }
}

extension JSONCursor {
  /// The number of members or elements, up to the 24 bits on the tape; 0 for other kinds.
  var childCount: Int {
    switch tag {
    case UInt8(ascii: "{"), UInt8(ascii: "["): Int(tape[index] >> 32 & 0xFF_FFFF)
    default: 0
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether `other`, which is not shorter, begins with these bytes.
  fileprivate func isPrefix(of other: UnsafeBufferPointer<UInt8>) -> Bool {
    other.baseAddress.map { hasSameBytes(as: $0) } ?? isEmpty
  }
}
