// Decodes queries as a server does: unknown members are refused if so configured, enums are accepted as names
// or numbers, and field names as `lowerCamelCase` or `snake_case`.

extension WireDecoder {
  /// The maximum nesting of filters; the service limits their number to 100.
  private static var maximumFilterDepth: Int { 100 }

  /// Decodes a query.
  ///
  /// - Throws: ``WireError`` for anything but the documented message. Invalid values, such as a negative
  ///   limit, are for the service to refuse.
  package mutating func structuredQuery(_ json: JSONCursor) throws(WireError) -> StructuredQuery {
    let names = ["select", "from", "where", "orderBy", "startAt", "endAt", "offset", "limit"]
    let query = try message(json, "a structuredQuery", names, locatesUnknown: true)
    let selectors = try query.read("from") { json throws(WireError) in
      try elements(of: json).map { element throws(WireError) in try collectionSelector(element) }
    }
    if let selectors, selectors.count > 1 {
      throw WireError("a query searches one collection or collection group", at: ["from"])
    }
    var wire = self
    defer { self = wire }
    return StructuredQuery(
      from: selectors?.first ?? .init(nil),
      where: try query.read("where") { json throws(WireError) in try wire.filter(json, depth: 0) },
      orderBy: try query.read("orderBy") { json throws(WireError) in
        try wire.elements(of: json).map { element throws(WireError) in try wire.order(element) }
      } ?? [],
      startAt: try query.read("startAt") { json throws(WireError) in try wire.cursor(json) },
      endAt: try query.read("endAt") { json throws(WireError) in try wire.cursor(json) },
      offset: try query.read("offset") { json throws(WireError) in Int(try wire.int32(json)) } ?? 0,
      limit: try query.read("limit") { json throws(WireError) in Int(try wire.int32(json)) },
      select: try query.read("select") { json throws(WireError) in try wire.projection(json) } ?? nil
    )
  }

  /// Decodes an aggregation query.
  ///
  /// - Throws: ``WireError`` for anything but the documented message.
  package mutating func structuredAggregationQuery(
    _ json: JSONCursor
  ) throws(WireError) -> StructuredAggregationQuery {
    let names = ["structuredQuery", "aggregations"]
    let message = try message(json, "a structuredAggregationQuery", names, locatesUnknown: true)
    let query = try message.read("structuredQuery") { json throws(WireError) in try structuredQuery(json) }
    let aggregations = try message.read("aggregations") { json throws(WireError) in
      try elements(of: json).map { element throws(WireError) in try aggregation(element) }
    }
    return StructuredAggregationQuery(query ?? StructuredQuery(from: .init(nil)), aggregations ?? [])
  }

  // MARK: Parts

  private func projection(_ json: JSONCursor) throws(WireError) -> [FieldPath]? {
    guard let list = try message(json, "select", ["fields"])["fields"] else { return nil }
    let fields = try elements(of: list).map { field throws(WireError) in try fieldReference(field) }
    // An empty projection selects all fields (query.proto).
    return fields.isEmpty ? nil : fields
  }

  private func collectionSelector(_ json: JSONCursor) throws(WireError) -> StructuredQuery.CollectionSelector
  {
    let selector = try message(json, "from", ["collectionId", "allDescendants"])
    let id = try selector.text("collectionId") ?? ""
    return .init(id.isEmpty ? nil : id, allDescendants: try selector.boolean("allDescendants") ?? false)
  }

  private mutating func filter(_ json: JSONCursor, depth: Int) throws(WireError) -> StructuredQuery.Filter {
    guard depth < Self.maximumFilterDepth else { throw WireError("filters are nested too deeply") }
    let message = try message(json, "a filter", ["compositeFilter", "fieldFilter", "unaryFilter"])
    switch try message.only("a filter") {
    case ("compositeFilter", let json): return try compositeFilter(json, depth: depth)
    case ("fieldFilter", let json): return try fieldFilter(json)
    case (_, let json): return try unaryFilter(json)
    }
  }

  private mutating func compositeFilter(
    _ json: JSONCursor,
    depth: Int
  ) throws(WireError) -> StructuredQuery.Filter {
    let message = try message(json, "a compositeFilter", ["op", "filters"])
    guard let op = message["op"] else { throw WireError("a compositeFilter has an op, AND or OR") }
    let isOr: Bool
    switch (op.string, op.integer) {
    case ("AND"?, _), (_, 1?): isOr = false
    case ("OR"?, _), (_, 2?): isOr = true
    default: throw WireError("the op of a compositeFilter must be AND or OR")
    }
    var filters: [StructuredQuery.Filter] = []
    if let list = message["filters"] {
      for element in try elements(of: list) { filters.append(try filter(element, depth: depth + 1)) }
    }
    if filters.isEmpty { throw WireError("a compositeFilter has at least one filter") }
    return isOr ? .or(filters) : .and(filters)
  }

  private mutating func fieldFilter(_ json: JSONCursor) throws(WireError) -> StructuredQuery.Filter {
    let message = try message(json, "a fieldFilter", ["field", "op", "value"])
    guard let field = message["field"], let op = message["op"], let operand = message["value"] else {
      throw WireError("a fieldFilter has a field, an op and a value")
    }
    guard let comparison: StructuredQuery.FieldOperator = Self.named(op, from: 1) else {
      throw WireError("there is no such op of a fieldFilter")
    }
    return .field(try fieldReference(field), comparison, try value(operand))
  }

  private func unaryFilter(_ json: JSONCursor) throws(WireError) -> StructuredQuery.Filter {
    let message = try message(json, "a unaryFilter", ["field", "op"])
    guard let field = message["field"], let op = message["op"] else {
      throw WireError("a unaryFilter has a field and an op")
    }
    guard let kind: StructuredQuery.UnaryOperator = Self.named(op, from: 2) else {
      throw WireError("there is no such op of a unaryFilter")
    }
    return .unary(try fieldReference(field), kind)
  }

  private func order(_ json: JSONCursor) throws(WireError) -> StructuredQuery.Order {
    let message = try message(json, "an order", ["field", "direction"])
    guard let field = message["field"] else { throw WireError("an order has a field") }
    let direction = message["direction"]
    switch (direction?.string, direction?.integer) {
    case ("DESCENDING"?, _), (_, 2?): return .init(try fieldReference(field), .descending)
    case ("ASCENDING"?, _), (_, 1?), ("DIRECTION_UNSPECIFIED"?, _), (_, 0?): break
    default: if direction != nil { throw WireError("a direction must be ASCENDING or DESCENDING") }
    }
    return .init(try fieldReference(field))
  }

  private mutating func cursor(_ json: JSONCursor) throws(WireError) -> StructuredQuery.Cursor {
    let message = try message(json, "a cursor", ["values", "before"])
    var cursor = StructuredQuery.Cursor([], before: try message.boolean("before") ?? false)
    guard let list = message["values"] else { return cursor }
    for element in try elements(of: list) { cursor.values.append(try value(element)) }
    return cursor
  }

  private func aggregation(_ json: JSONCursor) throws(WireError) -> StructuredAggregationQuery.Aggregation {
    let message = try message(json, "an aggregation", ["alias", "count", "sum", "avg"])
    let alias = try message.text("alias") ?? ""
    let operation: StructuredAggregationQuery.Aggregation.Operation
    switch try message.without("alias").only("an aggregation") {
    case ("count", let json):
      let upTo = try self.message(json, "count", ["upTo"])["upTo"]
      let number = upTo.flatMap(Self.integer)
      if upTo != nil, number == nil { throw WireError("upTo must be an integer") }
      operation = .count(upTo: number)
    case ("sum", let json): operation = .sum(try aggregatedField(json))
    case (_, let json): operation = .average(try aggregatedField(json))
    }
    return .init(operation, alias: alias.isEmpty ? nil : alias)
  }

  private func aggregatedField(_ json: JSONCursor) throws(WireError) -> FieldPath {
    guard let field = try message(json, "an aggregation", ["field"])["field"] else {
      throw WireError("the field is missing")
    }
    return try fieldReference(field)
  }

  private func fieldReference(_ json: JSONCursor) throws(WireError) -> FieldPath {
    guard let text = try message(json, "a field", ["fieldPath"]).text("fieldPath") else {
      throw WireError("a field has a fieldPath")
    }
    return try FieldPath(wire: text)
  }

  /// Finds a case by its name in JSON or by its number in the proto.
  private static func named<Case: CaseIterable & RawRepresentable<String>>(
    _ json: JSONCursor,
    from firstNumber: Int64
  ) -> Case? {
    zip(firstNumber..., Case.allCases).first { json.integer == $0 || json.string == $1.rawValue }?.1
  }

  // MARK: Messages

  /// The members of a message that are not null.
  private struct Message {
    fileprivate var members: [(name: String, value: JSONCursor)]

    subscript(name: String) -> JSONCursor? { members.last { $0.name == name }?.value }

    func without(_ name: String) -> Message { Message(members: members.filter { $0.name != name }) }

    /// Returns the only member of a message that has exactly one of several.
    func only(_ what: String) throws(WireError) -> (name: String, value: JSONCursor) {
      if members.count > 1 { throw WireError("\(what) has one type, not two") }
      guard let member = members.first else { throw WireError("\(what) has none of the known types") }
      return member
    }

    func text(_ name: String) throws(WireError) -> String? {
      guard let json = self[name] else { return nil }
      guard let text = json.string else { throw WireError("\(name) must be a string") }
      return text
    }

    func boolean(_ name: String) throws(WireError) -> Bool? {
      guard let json = self[name] else { return nil }
      guard let flag = json.boolean else { throw WireError("\(name) must be true or false") }
      return flag
    }

    /// Decodes a member if present, and adds its name to the location of errors.
    func read<Result>(
      _ name: String,
      _ body: (JSONCursor) throws(WireError) -> Result
    ) throws(WireError) -> Result? {
      guard let json = self[name] else { return nil }
      return try WireError.locating(in: name, try body(json))
    }
  }

  /// - Parameters:
  ///   - known: The names of the message's members.
  ///   - locatesUnknown: Whether the error for an unknown member has that member's name as its location.
  private func message(
    _ json: JSONCursor,
    _ what: String,
    _ known: [String],
    locatesUnknown: Bool = false
  ) throws(WireError) -> Message {
    let members = try members(of: json, what).filter { !$0.value.isNull }
    for (name, _) in members where !known.contains(name) {
      do throws(WireError) {
        try refuse(name)
      } catch {
        throw locatesUnknown ? error.inside(name) : error
      }
    }
    return Message(members: members.filter { known.contains($0.name) })
  }

  /// The members of a message with names in `lowerCamelCase`; protobuf's JSON mapping accepts `snake_case`
  /// too.
  package func members(
    of json: JSONCursor,
    _ message: String
  ) throws(WireError) -> [(name: String, value: JSONCursor)] {
    guard json.kind == .object else { throw WireError("\(message) is a JSON object") }
    return json.members.map { (Self.lowerCamelCase($0.name.string), $0.value) }
  }

  package func elements(of json: JSONCursor) throws(WireError) -> JSONCursor.Elements {
    guard json.kind == .array else { throw WireError("it is not a JSON array") }
    return json.elements
  }

  /// Refuses an unknown member if the decoder is so configured.
  package func refuse(_ name: String) throws(WireError) {
    if unknownMembers == .refused { throw WireError("there is no member '\(name)'") }
  }

  /// Decodes an int32 from a number or a string.
  package func int32(_ json: JSONCursor) throws(WireError) -> Int32 {
    guard let number = Self.integer(json).flatMap({ Int32(exactly: $0) }) else {
      throw WireError("it is not a 32-bit integer")
    }
    return number
  }

  /// Converts `snake_case` to `lowerCamelCase`.
  package static func lowerCamelCase(_ name: String) -> String {
    guard name.utf8.contains(UInt8(ascii: "_")) else { return name }
    var out: [UInt8] = []
    var upper = false
    for byte in name.utf8 {
      if byte == UInt8(ascii: "_") {
        upper = true
      } else {
        out.append(upper && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte)
        upper = false
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
