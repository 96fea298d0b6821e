import FirestoreModels

extension Manifest {
  /// Returns whether two full exports have the same scope, so that one replaces the other.
  func isOfSameSeries(as other: Manifest) -> Bool {
    guard let scope, let others = other.scope else { return false }
    return scope == others
  }

  /// Returns whether this full export can be the base of an increment: it has the same scope, with or without subcollections,
  /// which no increment has.
  func isBase(of increment: Manifest) -> Bool {
    guard !isIncrement, var scope, var others = increment.scope else { return false }
    scope.subcollections = false
    others.subcollections = false
    return scope == others
  }
}

extension Manifest.Scope {
  /// Writes `collections`, `subcollections`, `where`, `limit`, and `orderBy`, `fields` and `group` where they are set.
  func writeMembers(to json: inout JSONWriter) {
    func list(_ texts: [String]) {
      json.array { list in for text in texts { list.string(text) } }
    }
    json.key("collections")
    if let collections { list(collections) } else { json.null() }
    json.member("subcollections", subcollections)
    json.key("where")
    list(filters)
    json.key("limit")
    if let limit { json.integer(limit) } else { json.null() }
    json.member("orderBy", orderBy)
    if let fields {
      json.key("fields")
      list(fields)
    }
    if isGroup {
      json.member("group", true)
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
    var orderBy: String?
    if let value = json["orderBy"], !value.isNull {
      guard let text = value.string else { throw WireError("it is not a text", at: ["scope", "orderBy"]) }
      orderBy = text
    }
    self.init(
      collections: try texts("collections"),
      subcollections: try boolean("subcollections"),
      filters: try texts("where") ?? [],
      limit: limit,
      orderBy: orderBy,
      fields: try texts("fields"),
      isGroup: try boolean("group")
    )
  }
}
