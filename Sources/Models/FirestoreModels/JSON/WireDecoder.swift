// Decodes the JSON of google.firestore.v1. Responses are read leniently (unknown members are skipped, keys of empty values may be
// missing); a value with two types or none, and a repeated member, are always refused.

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

  package init(unknownMembers: UnknownMembers = .ignored) { self.unknownMembers = unknownMembers }

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
    try json.assertUniqueOwnMembers()
    var path: DocumentPath?
    var fields = FieldMap()
    var createTime: Timestamp?
    var updateTime: Timestamp?
    for (name, value) in json.members {
      if name == "name" {
        path = try documentPath(value, prefix: prefix)
      } else if name == "fields" {
        fields = try WireError.locating(in: "fields", try self.fields(value, depth: 0))
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

  /// Reads the path of a document and leaves its fields undecoded.
  ///
  /// - Throws: ``WireError`` as ``document(_:prefix:)`` for the document and its name; its fields are checked when
  ///   they are looked at.
  package func wireDocument(_ json: JSONCursor, prefix: String?) throws(WireError) -> WireDocument {
    guard json.isObject else { throw WireError("a document is a JSON object") }
    try json.assertUniqueOwnMembers()
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
    if let fields, !fields.isNull, !fields.isObject {
      throw WireError("it is not a JSON object", at: ["fields"])
    }
    return WireDocument(path: path, json: json, content: fields)
  }

  /// Decodes a document whose path is already read, and which is already known to have no repeated members.
  mutating func document(_ wire: WireDocument) throws(WireError) -> RawDocument {
    var document = RawDocument(path: wire.path, fields: FieldMap())
    for (name, value) in wire.json.members {
      if name == "fields" {
        document.fields = try WireError.locating(in: "fields", try fields(value, depth: 0))
      } else if name == "createTime" {
        document.createTime = try Self.timestamp(value, member: "createTime")
      } else if name == "updateTime" {
        document.updateTime = try Self.timestamp(value, member: "updateTime")
      }
    }
    return document
  }

  /// Decodes a document's name, relative or full; a full name must begin with `prefix`, if given.
  func documentPath(_ json: JSONCursor, prefix: String?) throws(WireError) -> DocumentPath {
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
    if let (_, path) = DatabaseName.split(name) {
      if prefix == nil { return path }
      throw WireError("'\(name)' is in another database", at: ["name"])
    }
    guard !wantsFullNames, let path = DocumentPath(name), !DatabaseName.beginsName(name) else {
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
    if isOrdered { return FieldMap(ordered: members) }
    try json.assertUniqueOwnMembers()
    return FieldMap(members)
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
