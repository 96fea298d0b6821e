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
    var query = StructuredQuery(from: .init(nil))
    var selectors = 0
    for (name, value) in try members(of: json, "a structuredQuery") where !value.isNull {
      do throws(WireError) {
        switch name {
        case "select": query.select = try projection(value)
        case "from":
          for selector in try elements(of: value) {
            query.from = try collectionSelector(selector)
            selectors += 1
          }
        case "where": query.where = try filter(value, depth: 0)
        case "orderBy":
          for order in try elements(of: value) { query.orderBy.append(try self.order(order)) }
        case "startAt": query.startAt = try cursor(value)
        case "endAt": query.endAt = try cursor(value)
        case "offset": query.offset = Int(try int32(value))
        case "limit": query.limit = Int(try int32(value))
        default: try refuse(name)
        }
      } catch {
        throw error.inside(name)
      }
    }
    if selectors > 1 { throw WireError("a query searches one collection or collection group", at: ["from"]) }
    return query
  }

  /// Decodes an aggregation query.
  ///
  /// - Throws: ``WireError`` for anything but the documented message.
  package mutating func structuredAggregationQuery(
    _ json: JSONCursor
  ) throws(WireError) -> StructuredAggregationQuery {
    var result = StructuredAggregationQuery(StructuredQuery(from: .init(nil)), [])
    for (name, value) in try members(of: json, "a structuredAggregationQuery") where !value.isNull {
      do throws(WireError) {
        switch name {
        case "structuredQuery": result.query = try structuredQuery(value)
        case "aggregations":
          for item in try elements(of: value) { result.aggregations.append(try aggregation(item)) }
        default: try refuse(name)
        }
      } catch {
        throw error.inside(name)
      }
    }
    return result
  }

  // MARK: Parts

  private func projection(_ json: JSONCursor) throws(WireError) -> [FieldPath]? {
    var fields: [FieldPath] = []
    for (name, value) in try members(of: json, "select") where !value.isNull {
      guard name == "fields" else {
        try refuse(name)
        continue
      }
      for field in try elements(of: value) { fields.append(try fieldReference(field)) }
    }
    // An empty projection selects all fields (query.proto).
    return fields.isEmpty ? nil : fields
  }

  private func collectionSelector(_ json: JSONCursor) throws(WireError) -> StructuredQuery.CollectionSelector
  {
    var selector = StructuredQuery.CollectionSelector(nil)
    for (name, value) in try members(of: json, "from") where !value.isNull {
      switch name {
      case "collectionId":
        let id = try text(value, name)
        selector.collectionID = id.isEmpty ? nil : id
      case "allDescendants":
        selector.allDescendants = try boolean(value, name)
      default: try refuse(name)
      }
    }
    return selector
  }

  private mutating func filter(_ json: JSONCursor, depth: Int) throws(WireError) -> StructuredQuery.Filter {
    guard depth < Self.maximumFilterDepth else { throw WireError("filters are nested too deeply") }
    var filter: StructuredQuery.Filter?
    for (name, value) in try members(of: json, "a filter") where !value.isNull {
      if filter != nil { throw WireError("a filter has one type, not two") }
      switch name {
      case "compositeFilter": filter = try compositeFilter(value, depth: depth)
      case "fieldFilter": filter = try fieldFilter(value)
      case "unaryFilter": filter = try unaryFilter(value)
      default: try refuse(name)
      }
    }
    guard let filter else { throw WireError("a filter has none of the known types") }
    return filter
  }

  private mutating func compositeFilter(
    _ json: JSONCursor,
    depth: Int
  ) throws(WireError) -> StructuredQuery.Filter {
    var isOr: Bool?
    var filters: [StructuredQuery.Filter] = []
    for (name, value) in try members(of: json, "a compositeFilter") where !value.isNull {
      switch name {
      case "op":
        switch (value.string, value.integer) {
        case ("AND"?, _), (_, 1?): isOr = false
        case ("OR"?, _), (_, 2?): isOr = true
        default: throw WireError("the op of a compositeFilter must be AND or OR")
        }
      case "filters":
        for element in try elements(of: value) { filters.append(try filter(element, depth: depth + 1)) }
      default: try refuse(name)
      }
    }
    guard let isOr else { throw WireError("a compositeFilter has an op, AND or OR") }
    if filters.isEmpty { throw WireError("a compositeFilter has at least one filter") }
    return isOr ? .or(filters) : .and(filters)
  }

  private mutating func fieldFilter(_ json: JSONCursor) throws(WireError) -> StructuredQuery.Filter {
    var field: FieldPath?
    var comparison: StructuredQuery.FieldOperator?
    var operand: Value?
    for (name, value) in try members(of: json, "a fieldFilter") where !value.isNull {
      switch name {
      case "field": field = try fieldReference(value)
      case "op":
        comparison = Self.named(value, from: 1)
        if comparison == nil { throw WireError("there is no such op of a fieldFilter") }
      case "value": operand = try self.value(value)
      default: try refuse(name)
      }
    }
    guard let field, let comparison, let operand else {
      throw WireError("a fieldFilter has a field, an op and a value")
    }
    return .field(field, comparison, operand)
  }

  private func unaryFilter(_ json: JSONCursor) throws(WireError) -> StructuredQuery.Filter {
    var field: FieldPath?
    var kind: StructuredQuery.UnaryOperator?
    for (name, value) in try members(of: json, "a unaryFilter") where !value.isNull {
      switch name {
      case "field": field = try fieldReference(value)
      case "op":
        kind = Self.named(value, from: 2)
        if kind == nil { throw WireError("there is no such op of a unaryFilter") }
      default: try refuse(name)
      }
    }
    guard let field, let kind else { throw WireError("a unaryFilter has a field and an op") }
    return .unary(field, kind)
  }

  private func order(_ json: JSONCursor) throws(WireError) -> StructuredQuery.Order {
    var field: FieldPath?
    var direction = StructuredQuery.Direction.ascending
    for (name, value) in try members(of: json, "an order") where !value.isNull {
      switch name {
      case "field": field = try fieldReference(value)
      case "direction":
        switch (value.string, value.integer) {
        case ("ASCENDING"?, _), (_, 1?), ("DIRECTION_UNSPECIFIED"?, _), (_, 0?): direction = .ascending
        case ("DESCENDING"?, _), (_, 2?): direction = .descending
        default: throw WireError("a direction must be ASCENDING or DESCENDING")
        }
      default: try refuse(name)
      }
    }
    guard let field else { throw WireError("an order has a field") }
    return StructuredQuery.Order(field, direction)
  }

  private mutating func cursor(_ json: JSONCursor) throws(WireError) -> StructuredQuery.Cursor {
    var cursor = StructuredQuery.Cursor([], before: false)
    for (name, value) in try members(of: json, "a cursor") where !value.isNull {
      switch name {
      case "values":
        for element in try elements(of: value) { cursor.values.append(try self.value(element)) }
      case "before": cursor.before = try boolean(value, name)
      default: try refuse(name)
      }
    }
    return cursor
  }

  private func aggregation(_ json: JSONCursor) throws(WireError) -> StructuredAggregationQuery.Aggregation {
    var alias: String?
    var operation: StructuredAggregationQuery.Aggregation.Operation?
    for (name, value) in try members(of: json, "an aggregation") where !value.isNull {
      if name == "alias" {
        let text = try text(value, name)
        alias = text.isEmpty ? nil : text
        continue
      }
      if operation != nil { throw WireError("an aggregation has one type, not two") }
      switch name {
      case "count":
        var upTo: Int64?
        for (name, value) in try members(of: value, "count") where !value.isNull {
          guard name == "upTo" else {
            try refuse(name)
            continue
          }
          guard let number = Self.integer(value) else { throw WireError("upTo must be an integer") }
          upTo = number
        }
        operation = .count(upTo: upTo)
      case "sum": operation = .sum(try aggregatedField(value))
      case "avg": operation = .average(try aggregatedField(value))
      default: try refuse(name)
      }
    }
    guard let operation else { throw WireError("an aggregation has none of the known types") }
    return StructuredAggregationQuery.Aggregation(operation, alias: alias)
  }

  private func aggregatedField(_ json: JSONCursor) throws(WireError) -> FieldPath {
    var field: FieldPath?
    for (name, value) in try members(of: json, "an aggregation") where !value.isNull {
      if name == "field" { field = try fieldReference(value) } else { try refuse(name) }
    }
    guard let field else { throw WireError("the field is missing") }
    return field
  }

  private func fieldReference(_ json: JSONCursor) throws(WireError) -> FieldPath {
    var path: FieldPath?
    for (name, value) in try members(of: json, "a field") where !value.isNull {
      guard name == "fieldPath" else {
        try refuse(name)
        continue
      }
      let text = try text(value, name)
      do throws(FieldPathError) {
        path = try FieldPath(parsing: text)
      } catch {
        throw WireError(error.description)
      }
    }
    guard let path else { throw WireError("a field has a fieldPath") }
    return path
  }

  // MARK: Members

  private func text(_ json: JSONCursor, _ name: String) throws(WireError) -> String {
    guard let text = json.string else { throw WireError("\(name) must be a string") }
    return text
  }

  private func boolean(_ json: JSONCursor, _ name: String) throws(WireError) -> Bool {
    guard let flag = json.boolean else { throw WireError("\(name) must be true or false") }
    return flag
  }

  /// Finds a case by its name in JSON or by its number in the proto.
  private static func named<Case: CaseIterable & RawRepresentable<String>>(
    _ json: JSONCursor,
    from firstNumber: Int64
  ) -> Case? {
    zip(firstNumber..., Case.allCases).first { json.integer == $0 || json.string == $1.rawValue }?.1
  }

  // MARK: Messages

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
