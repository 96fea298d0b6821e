import FirestoreModels

/// Values with their types beside them, as firestore-backup-restore writes them: `{"value": "Ana", "type": "string"}`.
extension PlainJSON {
  /// The types and the kinds of JSON of their values; nil for types whose values have to be converted.
  private static let types: [String: [JSONCursor.Kind]?] = [
    "string": [.string], "number": [.integer, .double], "boolean": [.boolean], "object": [.object],
    "array": [.array], "null": [], "timestamp": nil, "geopoint": nil, "documentReference": nil,
  ]

  /// Whether every member of a document is such a value.
  ///
  /// - Parameter anyType: Whether a value of an unknown type counts, too; ``typedFields(_:below:_:)`` refuses it.
  static func isTyped(_ json: JSONCursor, anyType: Bool) -> Bool {
    var count = 0
    for (_, value) in json.members {
      count += 1
      guard let type = value.typeBeside, anyType || types.keys.contains(where: { $0.isIdentical(to: type) })
      else { return false }
    }
    return count > 0
  }

  /// Returns the fields of an object whose members are such values, as ``fields(_:unread:)``.
  func typedFields(
    _ json: JSONCursor,
    below path: [String],
    _ unread: inout [UnreadField]
  ) throws(WireError) -> FieldMap {
    var entries: [FieldMap.Entry] = []
    for (name, value) in json.members {
      let name = name.string
      do throws(WireError) {
        let known = unread.count
        let value = try typed(value, at: path + [name], &unread)
        if unread.count > known, value.map?.isEmpty ?? false { continue }
        entries.append(FieldMap.Entry(name: name, value: value))
      } catch {
        try note(error.inside(name), FieldPath(segments: path + [name]), below: path, &unread)
      }
    }
    return FieldMap(entries)
  }

  private func typed(
    _ json: JSONCursor,
    at path: [String],
    _ unread: inout [UnreadField]
  ) throws(WireError) -> Value {
    guard let type = json.typeBeside, let content = json["value"] else {
      throw WireError("expected a value and its type, and nothing else")
    }
    guard let known = Self.types.first(where: { $0.key.isIdentical(to: type) }) else {
      throw WireError("its type \(PathLimits.shortened(type)) is not known")
    }
    guard let kinds = known.value else { return try named(type, content) }
    guard content.kind == .null || kinds.contains(content.kind) else {
      throw WireError("it is no \(type), which its type says")
    }
    switch content.kind {
    case .object: return .map(try typedFields(content, below: path, &unread))
    case .array:
      var values: [Value] = []
      for element in content.elements { values.append(try typed(element, at: path + ["[]"], &unread)) }
      return .array(values)
    default: return try value(content, at: path)
    }
  }
}

extension JSONCursor {
  /// The type of an object that consists of a value and its type; nil for anything else.
  fileprivate var typeBeside: String? {
    kind == .object && hasMembers(2) && self["value"] != nil ? self["type"]?.string : nil
  }

  /// Whether an object has exactly that many members.
  func hasMembers(_ count: Int) -> Bool {
    var members = members
    for _ in 0..<count where members.next() == nil { return false }
    return members.isAtEnd
  }

  /// The members of a reference in all versions of Google's library for Node.
  private static let referenceMembers: [StaticString] = [
    "_firestore", "_path", "_referencePath", "_converter", "_validator",
  ]

  /// The document in a reference as Google's library for Node writes it, with the project and database if it names them.
  ///
  /// All members are the library's own; nil for any other object.
  var reference: (path: DocumentPath, project: String?, database: String?)? {
    guard kind == .object,
      members.allSatisfy({ member in Self.referenceMembers.contains { member.name == $0 } }),
      let place = self["_path"] ?? self["_referencePath"], let list = place["segments"], list.kind == .array
    else { return nil }
    var names: [String] = []
    for element in list.elements {
      guard let name = element.string, !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
      names.append(name)
    }
    guard let path = DocumentPath(names.joined(separator: "/")) else { return nil }
    let owners = [place, self["_firestore"]].compactMap { $0 }
    let project = owners.lazy.compactMap { $0["_projectId"] ?? $0["projectId"] }.first
    let database = owners.lazy.compactMap { $0["_databaseId"] ?? $0["databaseId"] }.first
    return (path, project?.string, database?.string)
  }
}
