/// A query (`google.firestore.v1.StructuredQuery`): which documents, in which order, and what of them.
///
/// The stages run in the order from, where, select, orderBy with startAt and endAt, offset, limit.
package struct StructuredQuery: Sendable, Equatable {
  /// The collections that are searched.
  package var from: CollectionSelector
  /// What a document must satisfy; nil takes every one.
  package var `where`: Filter?
  /// The order of the results; the service completes it with the fields of inequalities and the name.
  package var orderBy: [Order]
  /// Where the results begin.
  package var startAt: Cursor?
  /// Where the results end.
  package var endAt: Cursor?
  /// How many results are skipped.
  package var offset: Int
  /// How many results are given at most; nil is no bound.
  package var limit: Int?
  /// The fields that are given of each document: nil is all, `__name__` alone is none.
  package var select: [FieldPath]?

  /// Makes a query.
  package init(
    from: CollectionSelector,
    where filter: Filter? = nil,
    orderBy: [Order] = [],
    startAt: Cursor? = nil,
    endAt: Cursor? = nil,
    offset: Int = 0,
    limit: Int? = nil,
    select: [FieldPath]? = nil
  ) {
    self.from = from
    self.where = filter
    self.orderBy = orderBy
    self.startAt = startAt
    self.endAt = endAt
    self.offset = offset
    self.limit = limit
    self.select = select
  }

  /// Which collections below the query's parent are searched.
  package struct CollectionSelector: Sendable, Equatable {
    /// The collections' id; nil, which goes with `allDescendants` only, is every collection.
    ///
    /// Queries without an id are not documented; Google's own clients use them to delete below a document.
    package var collectionID: String?
    /// Whether collections at any depth are searched, not only those of the parent itself.
    package var allDescendants: Bool

    /// Makes a selector.
    package init(_ collectionID: String?, allDescendants: Bool = false) {
      self.collectionID = collectionID
      self.allDescendants = allDescendants
    }

    /// Whether two selectors are the same, ids by their bytes.
    package static func == (a: CollectionSelector, b: CollectionSelector) -> Bool {
      a.collectionID.map(UTF8Key.init) == b.collectionID.map(UTF8Key.init)
        && a.allDescendants == b.allDescendants
    }
  }

  /// A condition on a document.
  package indirect enum Filter: Sendable, Equatable {
    /// All of the conditions hold.
    case and([Filter])
    /// One of the conditions holds.
    case or([Filter])
    /// A field compares with a value.
    case field(FieldPath, FieldOperator, Value)
    /// A field is of a kind.
    case unary(FieldPath, UnaryOperator)
  }

  /// How a field compares with a value (`FieldFilter.Operator`), by the numbers of the proto.
  package enum FieldOperator: Int, Sendable, CaseIterable {
    case lessThan = 1
    case lessThanOrEqual = 2
    case greaterThan = 3
    case greaterThanOrEqual = 4
    case equal = 5
    case notEqual = 6
    case arrayContains = 7
    case `in` = 8
    case arrayContainsAny = 9
    case notIn = 10

    /// The name on the wire: `LESS_THAN`.
    package var name: String {
      switch self {
      case .lessThan: "LESS_THAN"
      case .lessThanOrEqual: "LESS_THAN_OR_EQUAL"
      case .greaterThan: "GREATER_THAN"
      case .greaterThanOrEqual: "GREATER_THAN_OR_EQUAL"
      case .equal: "EQUAL"
      case .notEqual: "NOT_EQUAL"
      case .arrayContains: "ARRAY_CONTAINS"
      case .in: "IN"
      case .arrayContainsAny: "ARRAY_CONTAINS_ANY"
      case .notIn: "NOT_IN"
      }
    }

    /// Whether the field takes part in the order of the results (`order_by` in query.proto).
    package var isInequality: Bool {
      switch self {
      case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .notIn: true
      case .equal, .arrayContains, .in, .arrayContainsAny: false
      }
    }
  }

  /// What kind a field is of (`UnaryFilter.Operator`), by the numbers of the proto.
  package enum UnaryOperator: Int, Sendable, CaseIterable {
    case isNaN = 2
    case isNull = 3
    case isNotNaN = 4
    case isNotNull = 5

    /// The name on the wire: `IS_NAN`.
    package var name: String {
      switch self {
      case .isNaN: "IS_NAN"
      case .isNull: "IS_NULL"
      case .isNotNaN: "IS_NOT_NAN"
      case .isNotNull: "IS_NOT_NULL"
      }
    }

    /// Whether the field takes part in the order of the results.
    package var isInequality: Bool { self == .isNotNaN || self == .isNotNull }
  }

  /// A direction of order, by the numbers of the proto.
  package enum Direction: Int, Sendable, CaseIterable {
    case ascending = 1
    case descending = 2

    /// The name on the wire: `ASCENDING`.
    package var name: String { self == .ascending ? "ASCENDING" : "DESCENDING" }
  }

  /// An order by one field; documents without the field are left out.
  package struct Order: Sendable, Equatable {
    /// The field; ``FieldPath/documentName`` for the name.
    package var field: FieldPath
    /// The direction.
    package var direction: Direction

    /// Makes an order.
    package init(_ field: FieldPath, _ direction: Direction = .ascending) {
      self.field = field
      self.direction = direction
    }
  }

  /// A place among the ordered results, given by values of the first fields of the order.
  package struct Cursor: Sendable, Equatable {
    /// The values, at most as many as the order has fields; a name is a reference value.
    package var values: [Value]
    /// Whether the place is just before the results that equal the values, not just after them.
    package var before: Bool

    /// Makes a cursor: `startAt` with `before` includes what equals it, `endAt` with `before` does not.
    package init(_ values: [Value], before: Bool) {
      self.values = values
      self.before = before
    }
  }
}
