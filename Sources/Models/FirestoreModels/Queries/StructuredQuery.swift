/// A query (`google.firestore.v1.StructuredQuery`).
///
/// The stages apply in this order: from, where, select, orderBy with startAt and endAt, offset, limit.
///
///     let query = StructuredQuery(
///       from: .init("users"),
///       where: .field(FieldPath(field: "visits"), .greaterThan, .integer(3)),
///       orderBy: [.init(FieldPath(field: "visits"), .descending)],
///       limit: 10
///     )
package struct StructuredQuery: Sendable, Equatable {
  package var from: CollectionSelector
  /// The filter; nil matches all documents.
  package var `where`: Filter?
  /// The order; the service appends the inequality fields and the document name.
  package var orderBy: [Order]
  package var startAt: Cursor?
  package var endAt: Cursor?
  package var offset: Int
  /// The maximum number of results; nil for no limit.
  package var limit: Int?
  /// The fields to return: nil for all, `__name__` alone for none.
  package var select: [FieldPath]?

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

  /// The collections to query below the parent.
  package struct CollectionSelector: Sendable, Equatable {
    /// The collection ID; nil for every collection, with `allDescendants` only.
    ///
    /// Queries without an ID are undocumented; Google's clients use them to delete below a document.
    package var collectionID: String?
    /// Whether to query the collection group at any depth, not only children of the parent.
    package var allDescendants: Bool

    package init(_ collectionID: String?, allDescendants: Bool = false) {
      self.collectionID = collectionID
      self.allDescendants = allDescendants
    }

    package static func == (a: CollectionSelector, b: CollectionSelector) -> Bool {
      a.collectionID.map(UTF8Key.init) == b.collectionID.map(UTF8Key.init)
        && a.allDescendants == b.allDescendants
    }
  }

  package indirect enum Filter: Sendable, Equatable {
    /// All filters match.
    case and([Filter])
    /// At least one filter matches.
    case or([Filter])
    /// Compares a field with a value.
    case field(FieldPath, FieldOperator, Value)
    /// Tests the kind of a field's value.
    case unary(FieldPath, UnaryOperator)
  }

  /// The comparison operators (`FieldFilter.Operator`), named as in JSON and in the order of their numbers in the proto, from 1.
  package enum FieldOperator: String, Sendable, CaseIterable {
    case lessThan = "LESS_THAN"
    case lessThanOrEqual = "LESS_THAN_OR_EQUAL"
    case greaterThan = "GREATER_THAN"
    case greaterThanOrEqual = "GREATER_THAN_OR_EQUAL"
    case equal = "EQUAL"
    case notEqual = "NOT_EQUAL"
    case arrayContains = "ARRAY_CONTAINS"
    case `in` = "IN"
    case arrayContainsAny = "ARRAY_CONTAINS_ANY"
    case notIn = "NOT_IN"

    /// Whether the field becomes part of the order (`order_by` in query.proto).
    package var isInequality: Bool {
      switch self {
      case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual, .notEqual, .notIn: true
      case .equal, .arrayContains, .in, .arrayContainsAny: false
      }
    }
  }

  /// The unary operators (`UnaryFilter.Operator`), named as in JSON and in the order of their numbers in the proto, from 2.
  package enum UnaryOperator: String, Sendable, CaseIterable {
    case isNaN = "IS_NAN"
    case isNull = "IS_NULL"
    case isNotNaN = "IS_NOT_NAN"
    case isNotNull = "IS_NOT_NULL"

    /// Whether the field becomes part of the order.
    package var isInequality: Bool { self == .isNotNaN || self == .isNotNull }
  }

  /// The directions, named as in JSON.
  package enum Direction: String, Sendable, CaseIterable {
    case ascending = "ASCENDING"
    case descending = "DESCENDING"
  }

  /// The order by one field; documents without the field are omitted.
  package struct Order: Sendable, Equatable {
    /// The field; ``FieldPath/documentName`` for the document name.
    package var field: FieldPath
    package var direction: Direction

    package init(_ field: FieldPath, _ direction: Direction = .ascending) {
      self.field = field
      self.direction = direction
    }
  }

  /// A position in the ordered results, given by values of the first order fields.
  package struct Cursor: Sendable, Equatable {
    /// The values, at most one for each order field; a document name is a reference value.
    package var values: [Value]
    /// Whether the position is just before the results that equal the values, or just after them.
    package var before: Bool

    /// Creates a cursor: with `before`, `startAt` includes equal results and `endAt` excludes them.
    package init(_ values: [Value], before: Bool) {
      self.values = values
      self.before = before
    }
  }
}
