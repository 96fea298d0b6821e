/// A document that a query looks at.
struct MiniCandidate {
  var path: MiniPath
  var document: MiniStored
  /// The full name.
  var name: ByteString

  func value(_ path: MiniFieldPath) -> MiniValue? {
    path.isName ? .reference(name) : path.get(from: document.fields)
  }
}

/// A structured query, read strictly.
struct MiniQuery {
  /// One key of the order.
  struct Order {
    var path: MiniFieldPath
    var isDescending: Bool
  }

  /// A place in the order, and whether it is before or after the documents that stand right there.
  struct Cursor {
    var values: [MiniValue]
    var isBefore: Bool
  }

  var collection: ByteString?
  var allDescendants = false
  var mask = MiniMask()
  var filter: MiniFilter?
  var orders: [Order] = []
  var start: Cursor?
  var end: Cursor?
  var offset = 0
  var limit: Int?

  init(_ json: JSON) throws {
    let members = try MiniDecoder.members(
      json,
      "structuredQuery",
      allowed: ["from", "select", "where", "orderBy", "startAt", "endAt", "offset", "limit"]
    )
    let from = try MiniDecoder.list(members["from"], "from")
    guard from.count == 1 else { throw ServiceError.invalidArgument("from must have one element") }
    let selector = try MiniDecoder.members(from[0], "from", allowed: ["collectionId", "allDescendants"])
    collection = try MiniDecoder.text(selector["collectionId"], "collectionId").flatMap {
      $0.isEmpty ? nil : $0
    }
    allDescendants = try MiniDecoder.flag(selector["allDescendants"], "allDescendants") ?? false
    filter = try members["where"].map { try MiniFilter($0) }
    mask = try Self.select(members["select"])
    offset = try MiniDecoder.int32(members["offset"], "offset") ?? 0
    limit = try MiniDecoder.int32(members["limit"], "limit")
    orders = try MiniDecoder.list(members["orderBy"], "orderBy").map { try Self.order($0) }
    completeOrders()
    start = try cursor(members["startAt"], "startAt")
    end = try cursor(members["endAt"], "endAt")
    if collection == nil {
      guard allDescendants else { throw ServiceError.invalidArgument("from without collectionId") }
      let paths = (filter?.paths ?? []) + orders.map(\.path)
      guard paths.allSatisfy(\.isName) else {
        throw ServiceError.invalidArgument("kind is required for filters and orders other than __name__")
      }
    }
  }

  private static func select(_ json: JSON?) throws -> MiniMask {
    guard let json else { return MiniMask() }
    let fields = try MiniDecoder.list(
      MiniDecoder.members(json, "select", allowed: ["fields"])["fields"],
      "fields"
    )
    return MiniMask(paths: fields.isEmpty ? nil : try fields.map { try MiniFilter.path($0) })
  }

  private static func order(_ json: JSON) throws -> Order {
    let members = try MiniDecoder.members(json, "orderBy", allowed: ["field", "direction"])
    let path = try MiniFilter.path(members["field"])
    switch try MiniDecoder.text(members["direction"], "direction") {
    case nil, "ASCENDING", "DIRECTION_UNSPECIFIED": return Order(path: path, isDescending: false)
    case "DESCENDING": return Order(path: path, isDescending: true)
    case .some(let word): throw ServiceError.invalidArgument("direction \(word)")
    }
  }

  /// Adds what the service adds by itself: the fields of inequalities, and the name.
  private mutating func completeOrders() {
    let isDescending = orders.last?.isDescending ?? false
    let names = Set(orders.map(\.path))
    let added = Set(filter?.inequalityPaths ?? []).subtracting(names).filter { !$0.isName }
    orders += added.sorted { $0.names.lexicographicallyPrecedes($1.names) }
      .map { Order(path: $0, isDescending: isDescending) }
    if !orders.contains(where: \.path.isName), let name = try? MiniFieldPath("__name__", allowsReserved: true)
    {
      orders.append(Order(path: name, isDescending: isDescending))
    }
  }

  private func cursor(_ json: JSON?, _ what: String) throws -> Cursor? {
    guard let json else { return nil }
    let members = try MiniDecoder.members(json, what, allowed: ["values", "before"])
    let values = try MiniDecoder.list(members["values"], "values").map { try MiniDecoder.value($0, depth: 1) }
    guard values.count <= orders.count, !values.isEmpty else {
      throw ServiceError.invalidArgument("\(what) has \(values.count) values for \(orders.count) orders")
    }
    for (value, order) in zip(values, orders) where order.path.isName {
      guard case .reference = value else {
        throw ServiceError.invalidArgument("\(what) needs a referenceValue for __name__")
      }
    }
    return Cursor(values: values, isBefore: try MiniDecoder.flag(members["before"], "before") ?? false)
  }

  // MARK: Running

  /// The documents of the response in order, and how many were skipped before them.
  func run(_ candidates: [MiniCandidate]) -> (found: [MiniCandidate], skipped: Int) {
    var found = candidates.filter { candidate in
      orders.allSatisfy { candidate.value($0.path) != nil } && filter?.matches(candidate) ?? true
    }
    let isByName = orders.count == 1 && !orders[0].isDescending
    if !isByName { found.sort { compare($0, $1) < 0 } }
    if let start {
      found.removeAll { start.isBefore ? compare($0, start) < 0 : compare($0, start) <= 0 }
    }
    if let end {
      found.removeAll { end.isBefore ? compare($0, end) >= 0 : compare($0, end) > 0 }
    }
    let skipped = min(offset, found.count)
    return (Array(found.dropFirst(skipped).prefix(limit ?? .max)), skipped)
  }

  private func compare(_ left: MiniCandidate, _ right: MiniCandidate) -> Int {
    for order in orders {
      guard let first = left.value(order.path), let second = right.value(order.path) else { continue }
      let result = first.compare(second)
      if result != 0 { return order.isDescending ? -result : result }
    }
    return 0
  }

  private func compare(_ candidate: MiniCandidate, _ cursor: Cursor) -> Int {
    for (order, value) in zip(orders, cursor.values) {
      let result = candidate.value(order.path)?.compare(value) ?? 0
      if result != 0 { return order.isDescending ? -result : result }
    }
    return 0
  }
}
