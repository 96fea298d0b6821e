import Models

extension Manifest {
  /// Whether one export takes the place of the other: both were asked for in the same way, or one of them is an
  /// increment to such a one.
  func isOfSameSeries(as other: Manifest) -> Bool {
    guard var mine = scope, var others = other.scope else { return false }
    if isIncrement || other.isIncrement {
      // Increments are without what is below.
      mine.subcollections = false
      others.subcollections = false
    }
    return mine == others
  }
}

extension Manifest.Scope {
  /// Writes `collections`, `subcollections`, `where`, `limit`, and `fields` and `group` where they are set.
  func writeMembers(to json: inout JSONWriter) {
    func list(_ texts: [String]) {
      json.array { list in for text in texts { list.string(text) } }
    }
    json.key("collections")
    if let collections { list(collections) } else { json.null() }
    json.key("subcollections")
    json.boolean(subcollections)
    json.key("where")
    list(filters)
    json.key("limit")
    if let limit { json.integer(limit) } else { json.null() }
    if let fields {
      json.key("fields")
      list(fields)
    }
    if isGroup {
      json.key("group")
      json.boolean(true)
    }
  }

  init(_ json: JSONCursor) throws(WireError) {
    guard json.kind == .object else { throw WireError("it is not an object", at: ["scope"]) }
    func texts(_ name: StaticString) throws(WireError) -> [String]? {
      guard let list = json[name], !list.isNull else { return nil }
      guard list.kind == .array else { throw WireError("it is not a list", at: ["scope", "\(name)"]) }
      var texts: [String] = []
      for element in list.elements {
        guard let text = element.string else {
          throw WireError("it holds more than texts", at: ["scope", "\(name)"])
        }
        texts.append(text)
      }
      return texts
    }
    func boolean(_ name: StaticString) throws(WireError) -> Bool {
      guard let value = json[name], !value.isNull else { return false }
      guard let boolean = value.boolean else {
        throw WireError("it is not true or false", at: ["scope", "\(name)"])
      }
      return boolean
    }
    var limit: Int?
    if let value = json["limit"], !value.isNull {
      guard value.integer != nil, let number = WireDecoder.count(value) else {
        throw WireError("it is not a count", at: ["scope", "limit"])
      }
      limit = number
    }
    self.init(
      collections: try texts("collections"),
      subcollections: try boolean("subcollections"),
      filters: try texts("where") ?? [],
      limit: limit,
      fields: try texts("fields"),
      isGroup: try boolean("group")
    )
  }
}
