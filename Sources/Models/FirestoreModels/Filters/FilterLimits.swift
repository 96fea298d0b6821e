// The service's limits on filters
// (https://firebase.google.com/docs/firestore/query-data/queries#limits_and_considerations,
// https://firebase.google.com/docs/firestore/query-data/multiple-range-fields, and the comments of
// `StructuredQuery` in google/firestore/v1/query.proto).

extension StructuredQuery {
  /// The maximum number of disjunctions in disjunctive normal form.
  package static let maximumDisjunctions = 30
  package static let maximumNotIn = 10
  package static let maximumInequalityFields = 10
  /// The maximum number of filters (in disjunctive normal form), orders and parents of a query.
  package static let maximumParts = 100
}

extension StructuredQuery.Filter {
  /// Why the service would refuse the filter; nil if it is valid.
  package var violation: String? {
    var parts = FilterParts()
    if let violation = parts.add(self) ?? parts.violation { return violation }
    let form = normalForm
    if form.disjunctions > StructuredQuery.maximumDisjunctions {
      return
        "it has \(form.disjunctions) disjunctions, and the service accepts \(StructuredQuery.maximumDisjunctions) (each value of a list counts as one)"
    }
    if form.memberships > 1 {
      return "only one array-contains or array-contains-any is allowed in a disjunction"
    }
    if form.comparisons > StructuredQuery.maximumParts {
      return
        "it has \(form.comparisons) comparisons in disjunctive normal form, and the service accepts \(StructuredQuery.maximumParts)"
    }
    return nil
  }

  /// The size of the filter in disjunctive normal form; lists of IN and ARRAY_CONTAINS_ANY are disjunctions.
  package var normalForm: NormalForm {
    switch self {
    case .and(let filters): return filters.map(\.normalForm).reduce(.all) { $0.and($1) }
    case .or(let filters): return filters.map(\.normalForm).reduce(.none) { $0.or($1) }
    case .unary: return NormalForm(disjunctions: 1, comparisons: 1, memberships: 0)
    case .field(_, let comparison, let value):
      let isList = comparison == .in || comparison == .arrayContainsAny
      let count = isList ? max(1, min(value.array?.count ?? 1, NormalForm.cap)) : 1
      let isMembership = comparison == .arrayContains || comparison == .arrayContainsAny
      return NormalForm(disjunctions: count, comparisons: count, memberships: isMembership ? 1 : 0)
    }
  }

  /// The size of a filter in disjunctive normal form, capped to avoid overflow.
  package struct NormalForm: Sendable, Equatable {
    package var disjunctions: Int
    /// The number of comparisons in all disjunctions.
    package var comparisons: Int
    /// The maximum number of ARRAY_CONTAINS and ARRAY_CONTAINS_ANY in one disjunction.
    var memberships: Int

    fileprivate static let cap = 1_000_000
    fileprivate static let none = NormalForm(disjunctions: 0, comparisons: 0, memberships: 0)
    fileprivate static let all = NormalForm(disjunctions: 1, comparisons: 0, memberships: 0)

    fileprivate func or(_ other: NormalForm) -> NormalForm {
      NormalForm(
        disjunctions: min(disjunctions + other.disjunctions, Self.cap),
        comparisons: min(comparisons + other.comparisons, Self.cap),
        memberships: max(memberships, other.memberships)
      )
    }

    fileprivate func and(_ other: NormalForm) -> NormalForm {
      NormalForm(
        disjunctions: min(disjunctions * other.disjunctions, Self.cap),
        comparisons: min(comparisons * other.disjunctions + other.comparisons * disjunctions, Self.cap),
        memberships: min(memberships + other.memberships, Self.cap)
      )
    }
  }
}

/// Collects the parts of a filter that exclude each other.
private struct FilterParts {
  private var hasNotIn = false
  private var negations = 0
  private var hasAlternatives = false
  private var equalsName = false
  private var ordersByName = false
  private var fields: Set<FieldPath> = []

  /// Adds a filter and returns why the service would refuse one of its comparisons.
  mutating func add(_ filter: StructuredQuery.Filter) -> String? {
    switch filter {
    case .and(let filters), .or(let filters):
      if case .or = filter, filters.count > 1 { hasAlternatives = true }
      for filter in filters {
        if let violation = add(filter) { return violation }
      }
    case .field(let field, let comparison, let value):
      if field == .documentName {
        if [.arrayContains, .arrayContainsAny].contains(comparison) { return "__name__ is not an array" }
        if comparison.isInequality { ordersByName = true }
        if comparison == .equal || comparison == .in { equalsName = true }
      } else if comparison.isInequality {
        fields.insert(field)
      }
      return add(comparison, value)
    case .unary(let field, let kind):
      if field == .documentName { return "__name__ is compared with paths, and \(kind.rawValue) has none" }
      if kind.isInequality {
        negations += 1
        fields.insert(field)
      }
    }
    return nil
  }

  private mutating func add(_ comparison: StructuredQuery.FieldOperator, _ value: Value) -> String? {
    switch comparison {
    case .in, .arrayContainsAny, .notIn:
      guard case .array(let values) = value, !values.isEmpty else {
        return "\(comparison.rawValue) requires a list that is not empty"
      }
      let maximum = comparison == .notIn ? StructuredQuery.maximumNotIn : StructuredQuery.maximumDisjunctions
      if values.count > maximum {
        return "\(comparison.rawValue) accepts at most \(maximum) values, and there are \(values.count)"
      }
      if comparison == .notIn {
        hasNotIn = true
        negations += 1
      } else {
        hasAlternatives = true
      }
    case .notEqual: negations += 1
    default: break
    }
    return nil
  }

  /// Why the service would refuse the combination.
  var violation: String? {
    if negations > 1 { return "only one of !=, not-in, is-not-null and is-not-nan is allowed" }
    if hasNotIn, hasAlternatives {
      return "not-in cannot be combined with or, in or array-contains-any"
    }
    if fields.count + (ordersByName ? 1 : 0) > StructuredQuery.maximumInequalityFields {
      return "it has inequalities on more than \(StructuredQuery.maximumInequalityFields) fields"
    }
    if equalsName, !ordersByName, !fields.isEmpty {
      return "__name__ with == or in cannot be combined with inequalities on other fields"
    }
    return nil
  }
}
