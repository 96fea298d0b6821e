import Models

/// What the service demands of a query beyond its form
/// (https://firebase.google.com/docs/firestore/query-data/queries#limits_and_considerations).
enum QueryRules {
  /// The most alternatives that a filter may come to when it is written as one OR of ANDs.
  static let maximumDisjunctions = 30
  /// The most values of a NOT_IN.
  static let maximumNotIn = 10
  /// The most filters, orders and parents of a query.
  static let maximumParts = 100

  /// Refuses a query that the service would refuse.
  static func check(_ query: StructuredQuery) throws(FirestoreError) {
    if let id = query.from.collectionID {
      if let violation = PathLimits.violation(ofID: id, isDocument: false) {
        throw .invalid("Invalid collection id: \(violation.message)")
      }
    }
    var orders: Set<FieldPath> = []
    for order in query.orderBy {
      if !orders.insert(order.field).inserted {
        throw .invalid("order by clause cannot contain duplicate fields \(order.field)")
      }
    }
    var tally = Tally()
    if let filter = query.where { try tally.add(filter, underOr: false) }
    if query.from.collectionID == nil, query.from.allDescendants {
      if tally.hasFields { throw .invalid("kind is required for non-__key__ filters") }
      if query.orderBy.contains(where: { $0.field != .documentName || $0.direction != .ascending }) {
        throw .invalid("kind is required for all orders except __key__ ascending")
      }
    }
    if let filter = query.where, disjunctions(filter) > maximumDisjunctions {
      throw .invalid(
        "The query has too many disjunctions: at most \(maximumDisjunctions) are allowed in disjunctive normal form."
      )
    }
    if tally.filters + query.orderBy.count > maximumParts {
      throw .invalid("The query has too many filters and orders: at most \(maximumParts) are allowed.")
    }
  }

  /// The order of the results: what is asked for, then the fields of inequalities by their names, then the name; what
  /// is added has the last direction (`order_by` in google/firestore/v1/query.proto).
  static func completeOrder(of query: StructuredQuery) -> [StructuredQuery.Order] {
    var order = query.orderBy
    let direction = order.last?.direction ?? .ascending
    var fields: [FieldPath] = []
    if let filter = query.where { inequalities(filter, &fields) }
    let added = fields.filter { $0 != .documentName }.sorted {
      $0.description.compareUTF8($1.description) < 0
    }
    if let name = order.firstIndex(where: { $0.field == .documentName }) {
      // Nothing is left to order behind the name.
      return Array(order[...name])
    }
    for field in added where !order.contains(where: { $0.field == field }) {
      order.append(.init(field, direction))
    }
    order.append(.init(.documentName, direction))
    return order
  }

  private static func inequalities(_ filter: StructuredQuery.Filter, _ fields: inout [FieldPath]) {
    switch filter {
    case .and(let filters), .or(let filters): for filter in filters { inequalities(filter, &fields) }
    case .field(let field, let comparison, _): if comparison.isInequality { fields.append(field) }
    case .unary(let field, let kind): if kind.isInequality { fields.append(field) }
    }
  }

  /// The number of alternatives in disjunctive normal form.
  private static func disjunctions(_ filter: StructuredQuery.Filter) -> Int {
    switch filter {
    case .and(let filters):
      // Bounded, so that a product of many cannot overflow.
      return filters.reduce(1) { min($0 * disjunctions($1), 1_000_000) }
    case .or(let filters): return filters.reduce(0) { min($0 + disjunctions($1), 1_000_000) }
    case .field(_, .in, let value), .field(_, .arrayContainsAny, let value):
      return max(1, min(value.array?.count ?? 1, 1_000_000))
    case .field, .unary: return 1
    }
  }

  /// What a filter is made of.
  private struct Tally {
    var filters = 0
    var hasFields = false
    private var hasNotIn = false
    private var notEquals = 0
    private var hasDisjunction = false

    mutating func add(_ filter: StructuredQuery.Filter, underOr: Bool) throws(FirestoreError) {
      switch filter {
      case .and(let filters):
        for filter in filters { try add(filter, underOr: underOr) }
      case .or(let filters):
        if filters.count > 1 { hasDisjunction = true }
        for filter in filters { try add(filter, underOr: underOr || filters.count > 1) }
      case .field(let field, let comparison, let value):
        filters += 1
        if field != .documentName { hasFields = true }
        try add(field, comparison, value)
      case .unary(let field, let kind):
        filters += 1
        if field != .documentName { hasFields = true }
        if kind.isInequality { notEquals += 1 }
      }
      if hasNotIn, hasDisjunction {
        throw .invalid("NOT_IN cannot be combined with OR, IN or ARRAY_CONTAINS_ANY in one query.")
      }
      if hasNotIn && notEquals > 0 || notEquals > 1 {
        throw .invalid(
          "Only a single NOT_EQUAL, NOT_IN, IS_NOT_NAN, or IS_NOT_NULL filter allowed per query."
        )
      }
    }

    private mutating func add(
      _ field: FieldPath,
      _ comparison: StructuredQuery.FieldOperator,
      _ value: Value
    ) throws(FirestoreError) {
      switch comparison {
      case .in, .arrayContainsAny, .notIn:
        guard case .array(let values) = value else {
          throw .invalid("'\(comparison.name)' requires an ArrayValue.")
        }
        if values.isEmpty { throw .invalid("'\(comparison.name)' requires a non-empty ArrayValue.") }
        if comparison == .notIn {
          if values.count > QueryRules.maximumNotIn {
            throw .invalid("'NOT_IN' supports up to \(QueryRules.maximumNotIn) comparison values.")
          }
          if hasNotIn { throw .invalid("Only a single NOT_EQUAL, NOT_IN filter allowed per query.") }
          hasNotIn = true
        } else {
          if values.count > QueryRules.maximumDisjunctions {
            throw .invalid(
              "'\(comparison.name)' supports up to \(QueryRules.maximumDisjunctions) comparison values."
            )
          }
          if values.count > 1 { hasDisjunction = true }
        }
      case .notEqual: notEquals += 1
      default: break
      }
    }
  }
}
