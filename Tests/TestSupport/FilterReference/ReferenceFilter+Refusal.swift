extension ReferenceFilter {
  /// Why the filter is refused before anything is read, or nil if it is accepted.
  ///
  /// The limits of the service's Standard edition, and what the filter language refuses beyond them: null
  /// beside an operator. Whether a path is of the collection that is read is not judged here.
  package var refusal: String? {
    let comparisons = comparisons
    let negations = comparisons.filter(\.isNegation)
    if let reason = comparisons.compactMap(\.ownRefusal).first ?? emptyComposite {
      return reason
    }
    if negations.count > 1 {
      return "only one of NOT_EQUAL, NOT_IN, IS_NOT_NULL and IS_NOT_NAN is allowed in a query"
    }
    if comparisons.contains(where: { $0.comparison == .notIn }) {
      let others = comparisons.contains { $0.comparison == .in || $0.comparison == .arrayContainsAny }
      if others || holdsOr {
        return "NOT_IN cannot be used beside IN, ARRAY_CONTAINS_ANY or OR"
      }
    }
    let form = normalForm
    if form.disjunctions > 30 {
      return "\(form.disjunctions) disjunctions are more than 30"
    }
    if form.arrayMemberships > 1 {
      return "only one ARRAY_CONTAINS or ARRAY_CONTAINS_ANY is allowed in a disjunction"
    }
    if form.comparisons > 100 {
      return "\(form.comparisons) comparisons in disjunctive normal form are more than 100"
    }
    return inequalityRefusal
  }

  /// What counts when the filter is written as an OR of ANDs; lists of IN and ARRAY_CONTAINS_ANY are ORs.
  package var normalForm: ReferenceNormalForm {
    switch self {
    case .or(let filters):
      return filters.map(\.normalForm).reduce(.none) { $0.or($1) }
    case .and(let filters):
      return filters.map(\.normalForm).reduce(.all) { $0.and($1) }
    case .compare(_, let comparison, let operand):
      var count = 1
      if comparison == .in || comparison == .arrayContainsAny, case .array(let values) = operand {
        count = values.count
      }
      let isMembership = comparison == .arrayContains || comparison == .arrayContainsAny
      return ReferenceNormalForm(
        disjunctions: count,
        comparisons: count,
        arrayMemberships: isMembership ? 1 : 0
      )
    case .name(let comparison, let paths):
      let count = comparison == .in ? paths.count : 1
      return ReferenceNormalForm(disjunctions: count, comparisons: count, arrayMemberships: 0)
    case .test:
      return ReferenceNormalForm(disjunctions: 1, comparisons: 1, arrayMemberships: 0)
    }
  }

  /// The comparisons and tests, without the ANDs and ORs around them.
  package var comparisons: [ReferenceFilter] {
    switch self {
    case .and(let filters), .or(let filters): filters.flatMap(\.comparisons)
    case .compare, .test, .name: [self]
    }
  }

  private var emptyComposite: String? {
    switch self {
    case .and(let filters), .or(let filters):
      filters.isEmpty ? "an empty AND or OR" : filters.compactMap(\.emptyComposite).first
    case .compare, .test, .name:
      nil
    }
  }

  private var holdsOr: Bool {
    switch self {
    case .or: true
    case .and(let filters): filters.contains(where: \.holdsOr)
    case .compare, .test, .name: false
    }
  }

  private var comparison: ReferenceOperator? {
    switch self {
    case .compare(_, let comparison, _), .name(let comparison, _): comparison
    case .and, .or, .test: nil
    }
  }

  private var isNegation: Bool {
    if case .test(_, let test) = self {
      return test.isInequality
    }
    return comparison == .notEqual || comparison == .notIn
  }

  /// Why a single comparison is refused, whatever stands beside it.
  private var ownRefusal: String? {
    switch self {
    case .and, .or:
      return nil
    case .test(let path, _):
      return path == Self.field("__name__") ? "__name__ is only compared with the paths of documents" : nil
    case .name(let comparison, let paths):
      if comparison == .arrayContains || comparison == .arrayContainsAny {
        return "__name__ is no array"
      }
      if comparison.takesList ? paths.isEmpty : paths.count != 1 {
        return "\(comparison.rawValue) with \(paths.count) paths"
      }
      return comparison == .notIn && paths.count > 10 ? "more than 10 values in NOT_IN" : nil
    case .compare(let path, let comparison, let operand):
      if path == Self.field("__name__") {
        return "__name__ is only compared with the paths of documents"
      }
      guard comparison.takesList else {
        return operand.isNull ? "null beside \(comparison.rawValue)" : nil
      }
      guard case .array(let values) = operand, !values.isEmpty else {
        return "\(comparison.rawValue) requires a non-empty list"
      }
      if values.contains(where: \.isNull) {
        return "null in a list"
      }
      return comparison == .notIn && values.count > 10 ? "more than 10 values in NOT_IN" : nil
    }
  }

  /// The rules for the fields of inequalities: at most 10 of them, and none where `__name__` has to equal
  /// something and is in no inequality itself.
  private var inequalityRefusal: String? {
    let nameOperators = comparisons.compactMap { filter in
      if case .name(let comparison, _) = filter { comparison } else { nil }
    }
    let ordersByName = nameOperators.contains(where: \.isInequality)
    let fields = orderedFields.count
    if fields + (ordersByName ? 1 : 0) > 10 {
      return "inequalities on more than 10 fields"
    }
    let equalsName = nameOperators.contains { $0 == .equal || $0 == .in }
    if equalsName && !ordersByName && fields > 0 {
      return "an equality on __name__ beside inequalities on other fields only"
    }
    return nil
  }
}

/// What counts of a filter in disjunctive normal form.
package struct ReferenceNormalForm: Sendable, Equatable {
  /// The number of ANDs that are ORed.
  package var disjunctions: Int
  /// The number of comparisons in all of them together.
  package var comparisons: Int
  /// The largest number of ARRAY_CONTAINS and ARRAY_CONTAINS_ANY in one of them.
  package var arrayMemberships: Int

  static let none = ReferenceNormalForm(disjunctions: 0, comparisons: 0, arrayMemberships: 0)
  static let all = ReferenceNormalForm(disjunctions: 1, comparisons: 0, arrayMemberships: 0)

  func or(_ other: ReferenceNormalForm) -> ReferenceNormalForm {
    ReferenceNormalForm(
      disjunctions: disjunctions + other.disjunctions,
      comparisons: comparisons + other.comparisons,
      arrayMemberships: max(arrayMemberships, other.arrayMemberships)
    )
  }

  func and(_ other: ReferenceNormalForm) -> ReferenceNormalForm {
    let cap = 1_000_000
    return ReferenceNormalForm(
      disjunctions: min(disjunctions * other.disjunctions, cap),
      comparisons: min(comparisons * other.disjunctions + other.comparisons * disjunctions, cap),
      arrayMemberships: arrayMemberships + other.arrayMemberships
    )
  }
}
