/// A planned query: the key range to scan and the conditions to check on each document.
struct QueryPlan {
  private(set) var scope: StoreSnapshot.Scope
  private(set) var range: KeyRange
  /// The filter to check on each document; nil if the range suffices.
  private(set) var filter: CompiledFilter?
  /// The complete order; its last field is the document name.
  private(set) var order: [StructuredQuery.Order]
  private(set) var startAt: StructuredQuery.Cursor?
  private(set) var endAt: StructuredQuery.Cursor?
  /// The number of results to skip, and the maximum number to return.
  let offset: Int
  let limit: Int?
  /// The fields to return; nil for all.
  let mask: [FieldPath]?

  private let database: DatabaseName

  /// Whether the scan yields the results in order.
  var isNameOrdered: Bool { order.first?.field == .documentName }
  /// Whether the scan is in descending order.
  var isDescending: Bool { order.first?.direction == .descending }
  /// Whether filter or order depend on the fields of a document.
  var needsFields: Bool { !isNameOrdered || filter?.needsFields ?? false }

  /// Plans a query below a document, or below the root if `parent` is empty.
  ///
  /// Documents that lack an aggregated field are not results, and if the query has no order of its own, limit and offset count in
  /// the order of the aggregated fields (Google's system tests assert both).
  ///
  /// - Throws: ``FirestoreError`` `.invalidArgument` for a query that the service refuses.
  init(
    _ query: StructuredQuery,
    aggregated: [FieldPath] = [],
    parent: String,
    in database: DatabaseName
  ) throws(FirestoreError) {
    self.database = database
    offset = query.offset
    limit = query.limit
    mask = query.select
    if query.offset < 0 { throw .invalid("offset is negative") }
    if let limit = query.limit, limit < 0 { throw .invalid("limit is negative") }

    try QueryValidation.check(query)
    try QueryValidation.check(aggregated, of: query)
    let isCut = query.limit != nil || query.offset > 0
    order = QueryValidation.completeOrder(of: query, aggregated: isCut ? aggregated : [])

    let parentKey = NameKey.key(parent)
    range = KeyRange(below: parentKey)
    scope = StoreSnapshot.Scope(group: query.from.collectionID, depth: nil)
    if !query.from.allDescendants {
      scope.depth = parent.isEmpty ? 1 : NameKey.depth(of: parent) + 1
      if let id = query.from.collectionID {
        var key = parentKey
        NameKey.append(id[...], to: &key)
        range = KeyRange(below: key)
      }
    }
    if let filter = query.where {
      let compiled = try compile(filter)
      narrow(compiled)
      self.filter = Self.residual(compiled)
    }
    // Sorting requires the order fields anyway; a scan in name order does not.
    let implied = isNameOrdered ? query.where.map { DocumentFilter($0).requiredFields } ?? [] : []
    let required = (implied + aggregated).map(CompiledFilter.exists)
    if !required.isEmpty { self.filter = .and([self.filter].compactMap { $0 } + required) }
    startAt = try checked(query.startAt, query)
    endAt = try checked(query.endAt, query)
    narrowByCursors()
  }

  // MARK: Filters

  private func compile(_ filter: StructuredQuery.Filter) throws(FirestoreError) -> CompiledFilter {
    switch filter {
    case .and(let filters): return .and(try filters.map(compile))
    case .or(let filters): return .or(try filters.map(compile))
    case .field(.documentName, let comparison, let value):
      var keys: [[UInt8]] = []
      switch comparison {
      case .in, .notIn:
        for element in value.array ?? [] { keys.append(try key(of: element)) }
      case .arrayContains, .arrayContainsAny: keys = []
      default: keys = [try key(of: value)]
      }
      return .name(comparison, keys)
    case .field(let field, let comparison, let value):
      try QueryValidation.check(value)
      return .field(field, comparison, value.asStored)
    case .unary(let field, let kind): return .unary(field, kind)
    }
  }

  private func key(of value: Value) throws(FirestoreError) -> [UInt8] {
    guard case .reference(let name) = value else {
      throw .invalid("__key__ filter value must be a Key")
    }
    guard let path = database.path(ofName: name) else {
      throw .invalid("'\(name)' is not the name of a document in \(database.description)")
    }
    return NameKey.key(path.string)
  }

  /// Excludes keys that no result can have.
  private mutating func narrow(_ filter: CompiledFilter) {
    switch filter {
    case .and(let filters): for filter in filters { narrow(filter) }
    case .name(let comparison, let keys):
      guard let least = keys.min(by: { ValueOrder.compare($0, $1) < 0 }),
        let greatest = keys.max(by: { ValueOrder.compare($0, $1) < 0 })
      else { return }
      switch comparison {
      case .equal, .in:
        range.raiseLowerBound(to: least)
        range.lowerUpperBound(to: NameKey.successor(greatest))
      case .lessThan: range.lowerUpperBound(to: least)
      case .lessThanOrEqual: range.lowerUpperBound(to: NameKey.successor(least))
      case .greaterThan: range.raiseLowerBound(to: NameKey.successor(greatest))
      case .greaterThanOrEqual: range.raiseLowerBound(to: greatest)
      case .notEqual, .notIn, .arrayContains, .arrayContainsAny: break
      }
    case .or, .field, .unary, .exists: break
    }
  }

  /// The part of a filter that the key range does not cover.
  private static func residual(_ filter: CompiledFilter) -> CompiledFilter? {
    switch filter {
    case .and(let filters):
      let remaining = filters.compactMap { residual($0) }
      return remaining.isEmpty ? nil : .and(remaining)
    case .name(.equal, _), .name(.lessThan, _), .name(.lessThanOrEqual, _), .name(.greaterThan, _),
      .name(.greaterThanOrEqual, _):
      return nil
    case .name, .or, .field, .unary, .exists: return filter
    }
  }

  // MARK: Cursors

  private func checked(
    _ cursor: StructuredQuery.Cursor?,
    _ query: StructuredQuery
  ) throws(FirestoreError) -> StructuredQuery.Cursor? {
    // A cursor without values has no effect.
    guard var cursor, !cursor.values.isEmpty else { return nil }
    if cursor.values.count > query.orderBy.count { throw .invalid("Cursor has too many values.") }
    for value in cursor.values { try WriteValidation.check(value) }
    cursor.values = cursor.values.map(\.asStored)
    for (order, value) in zip(order, cursor.values) where order.field == .documentName {
      _ = try key(of: value)
    }
    return cursor
  }

  private mutating func narrowByCursors() {
    guard isNameOrdered else { return }
    for (cursor, isStart) in [(startAt, true), (endAt, false)] {
      guard let cursor, let value = cursor.values.first, let key = try? key(of: value) else { continue }
      let bound = cursor.before == isDescending ? NameKey.successor(key) : key
      if isStart == isDescending {
        range.lowerUpperBound(to: bound)
      } else {
        range.raiseLowerBound(to: bound)
      }
    }
    startAt = nil
    endAt = nil
  }

  /// Whether a document with these order values lies between the cursors.
  func isWithinCursors(_ values: [Value]) -> Bool {
    if let startAt {
      let order = compare(values, startAt.values)
      if startAt.before ? order < 0 : order <= 0 { return false }
    }
    if let endAt {
      let order = compare(values, endAt.values)
      if endAt.before ? order >= 0 : order > 0 { return false }
    }
    return true
  }

  /// Compares the order values of two documents, or those of a document with a cursor, which may have fewer.
  func compare(_ a: [Value], _ b: [Value]) -> Int {
    for index in b.indices {
      let result = ValueOrder.compare(a[index], b[index])
      if result != 0 { return order[index].direction == .ascending ? result : -result }
    }
    return 0
  }

  /// The order values of a document; nil if it lacks one of the fields.
  func orderValues(path: String, fields: FieldMap) -> [Value]? {
    var values: [Value] = []
    values.reserveCapacity(order.count)
    for item in order {
      if item.field == .documentName {
        values.append(.reference("\(database.documents)/\(path)"))
      } else if let value = fields[item.field] {
        values.append(value)
      } else {
        return nil
      }
    }
    return values
  }
}

extension FirestoreError {
  static func invalid(_ message: String) -> FirestoreError { FirestoreError(.invalidArgument, message) }
}
