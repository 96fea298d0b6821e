import FirestoreModels

/// Values with their types beside them, as firestore-backup-restore writes them: `{"value": "Ana", "type": "string"}`.
extension PlainJSON {
  private static let typeNames = [
    "string", "number", "boolean", "object", "array", "null", "timestamp", "geopoint", "documentReference",
  ]

  /// Whether every member of a document is such a value.
  static func isTyped(_ json: JSONCursor) -> Bool {
    var count = 0
    for (_, value) in json.members {
      count += 1
      guard value.kind == .object, value["value"] != nil, let type = value["type"]?.string,
        typeNames.contains(where: { $0.isIdentical(to: type) })
      else { return false }
      guard value.hasMembers(2) else { return false }
    }
    return count > 0
  }

  /// Returns the fields of an object whose members are such values.
  func typedFields(_ json: JSONCursor, below path: [String]) throws(WireError) -> FieldMap {
    var entries: [FieldMap.Entry] = []
    for (name, value) in json.members {
      let name = name.string
      do throws(WireError) {
        entries.append(FieldMap.Entry(name: name, value: try typed(value, at: path + [name])))
      } catch {
        throw error.inside(name)
      }
    }
    return FieldMap(entries)
  }

  private func typed(_ json: JSONCursor, at path: [String]) throws(WireError) -> Value {
    guard json.kind == .object, let type = json["type"]?.string, let content = json["value"] else {
      throw WireError("expected a value and its type")
    }
    switch type {
    case "object": return .map(try typedFields(content, below: path))
    case "array":
      var values: [Value] = []
      for element in content.elements { values.append(try typed(element, at: path + ["[]"])) }
      return .array(values)
    case "timestamp": return try named(type, content)
    case "geopoint", "documentReference": return try named(type, content)
    default:
      let kinds: [JSONCursor.Kind]? =
        switch type {
        case "string": [.string]
        case "number": [.integer, .double]
        case "boolean": [.boolean]
        default: nil
        }
      if let kinds, content.kind != .null, !kinds.contains(content.kind) {
        throw WireError("it is no \(type), which its type says")
      }
      return try value(content, at: path)
    }
  }
}

extension JSONCursor {
  /// Whether an object has so many members.
  func hasMembers(_ count: Int) -> Bool {
    var members = members
    for _ in 0..<count where members.next() == nil { return false }
    return members.isAtEnd
  }

  /// The document that Google's library for Node writes for a reference, and the project and the database where it says them.
  ///
  /// All members are the library's own; nil for any other object.
  var reference: (path: DocumentPath, project: String?, database: String?)? {
    guard kind == .object, members.allSatisfy({ $0.name.utf8.first == UInt8(ascii: "_") }),
      let place = self["_path"] ?? self["_referencePath"], let list = place["segments"], list.kind == .array
    else { return nil }
    var names: [String] = []
    for element in list.elements {
      guard let name = element.string, !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
      names.append(name)
    }
    guard let path = DocumentPath(names.joined(separator: "/")) else { return nil }
    let project = place["_projectId"] ?? self["_firestore"]?["projectId"]
    return (path, project?.string, place["_databaseId"]?.string)
  }
}
