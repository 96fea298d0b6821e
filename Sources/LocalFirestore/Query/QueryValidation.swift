/// Validates queries as the service does
/// (https://firebase.google.com/docs/firestore/query-data/queries#limits_and_considerations).
enum QueryValidation {
  /// Throws for a query that the service refuses.
  static func check(_ query: StructuredQuery) throws(FirestoreError) {
    if let id = query.from.collectionID,
      let violation = PathLimits.violation(ofID: id, isDocument: false)
    {
      throw .invalid("Invalid collection id: \(violation.message)")
    }
    for path in query.orderBy.map(\.field) + (query.where?.fields ?? []) where path != .documentName {
      try WriteValidation.check(path)
    }
    var orders: Set<FieldPath> = []
    for order in query.orderBy {
      if orders.contains(.documentName) {
        throw .invalid("order by clause cannot contain more fields after the key")
      }
      if !orders.insert(order.field).inserted {
        throw .invalid("order by clause cannot contain duplicate fields \(order.field)")
      }
    }
    if orders.contains(.documentName),
      query.where?.impliedOrder.contains(where: { !orders.contains($0) }) == true
    {
      throw .invalid("order by clause cannot contain more fields after the key")
    }
    if query.from.collectionID == nil {
      if let filter = query.where, Self.hasFields(filter) {
        throw .invalid("kind is required for non-__key__ filters")
      }
      if query.orderBy.contains(where: { $0.field != .documentName || $0.direction != .ascending }) {
        throw .invalid("kind is required for all orders except __key__ ascending")
      }
    }
    if let filter = query.where, filter.hasNotIn, filter.hasOr {
      throw .invalid("NOT_IN cannot be used in a query with OR.")
    }
    if let violation = query.where?.violation { throw .invalid("The filter is refused: \(violation).") }
    if (query.where?.normalForm.comparisons ?? 0) + query.orderBy.count > StructuredQuery.maximumParts {
      throw .invalid(
        "The query has too many filters and orders: at most \(StructuredQuery.maximumParts) are allowed."
      )
    }
  }

  /// Throws for a filter value that no document can have, although filters may have larger values and nested arrays.
  static func check(_ value: Value) throws(FirestoreError) {
    try WriteValidation.check(value, refused: WriteValidation.malformed.union([.longFieldName]))
  }

  private static func hasFields(_ filter: StructuredQuery.Filter) -> Bool {
    switch filter {
    case .and(let filters), .or(let filters): filters.contains(where: hasFields)
    case .field(let field, _, _), .unary(let field, _): field != .documentName
    }
  }

  /// Throws for aggregated fields that would have to be ordered after the document name.
  static func check(_ aggregated: [FieldPath], of query: StructuredQuery) throws(FirestoreError) {
    let ordersByName =
      query.orderBy.contains { $0.field == .documentName } || query.where?.comparesNames == true
    let ordered = Set(query.orderBy.map(\.field) + (query.where?.impliedOrder ?? []))
    if ordersByName, let field = aggregated.first(where: { !ordered.contains($0) }) {
      throw .invalid(
        "This query requires an index that has fields [\(field)] after __name__ and Firestore does not currently support such an index. Please try the query again with additional ordering on those fields."
      )
    }
  }

  /// The complete order: the requested fields, the inequality fields by name, the aggregated fields by name, then the
  /// document name.
  ///
  /// Added fields have the last requested direction (`order_by` in google/firestore/v1/query.proto).
  static func completeOrder(
    of query: StructuredQuery,
    aggregated: [FieldPath] = []
  ) -> [StructuredQuery.Order] {
    var order = query.orderBy
    let direction = order.last?.direction ?? .ascending
    if let name = order.firstIndex(where: { $0.field == .documentName }) {
      // Names are unique, so nothing remains to be ordered.
      return Array(order[...name])
    }
    let byName = { (a: FieldPath, b: FieldPath) in a.description.compareUTF8(b.description) < 0 }
    let added = (query.where?.impliedOrder ?? []).sorted(by: byName) + aggregated.sorted(by: byName)
    for field in added where !order.contains(where: { $0.field == field }) {
      order.append(.init(field, direction))
    }
    order.append(.init(.documentName, direction))
    return order
  }
}

extension StructuredQuery.Filter {
  /// Whether the filter has NOT_IN, which must not be combined with an OR, even one of a single filter (query.proto).
  fileprivate var hasNotIn: Bool {
    switch self {
    case .and(let filters), .or(let filters): filters.contains(where: \.hasNotIn)
    case .field(_, let comparison, _): comparison == .notIn
    case .unary: false
    }
  }

  fileprivate var hasOr: Bool {
    switch self {
    case .and(let filters): filters.contains(where: \.hasOr)
    case .or: true
    case .field, .unary: false
    }
  }

  /// Whether an inequality on the document name orders the query by name.
  fileprivate var comparesNames: Bool {
    switch self {
    case .and(let filters), .or(let filters): filters.contains(where: \.comparesNames)
    case .field(.documentName, let comparison, _): comparison.isInequality
    case .field, .unary: false
    }
  }
}
