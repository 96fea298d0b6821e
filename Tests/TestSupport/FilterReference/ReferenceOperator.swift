/// The operators of a filter that compares a field with a value, under their names on the wire.
package enum ReferenceOperator: String, Sendable, CaseIterable {
  /// `<`
  case lessThan = "LESS_THAN"
  /// `<=`
  case lessThanOrEqual = "LESS_THAN_OR_EQUAL"
  /// `>`
  case greaterThan = "GREATER_THAN"
  /// `>=`
  case greaterThanOrEqual = "GREATER_THAN_OR_EQUAL"
  /// `==`
  case equal = "EQUAL"
  /// `!=`
  case notEqual = "NOT_EQUAL"
  /// `array-contains`
  case arrayContains = "ARRAY_CONTAINS"
  /// `in`
  case `in` = "IN"
  /// `array-contains-any`
  case arrayContainsAny = "ARRAY_CONTAINS_ANY"
  /// `not-in`
  case notIn = "NOT_IN"

  /// Whether the operand is a list of values.
  package var takesList: Bool {
    self == .in || self == .notIn || self == .arrayContainsAny
  }

  /// Whether the operator is one of `<`, `<=`, `>` and `>=`.
  package var isRange: Bool {
    switch self {
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: true
    default: false
    }
  }

  /// Whether the service orders the query by the field of this operator.
  package var isInequality: Bool {
    isRange || self == .notEqual || self == .notIn
  }
}

/// The tests of a field that have no operand, under their names on the wire.
package enum ReferenceTest: String, Sendable, CaseIterable {
  /// The field is null.
  case isNull = "IS_NULL"
  /// The field exists and is not null.
  case isNotNull = "IS_NOT_NULL"
  /// The field is the double NaN.
  case isNaN = "IS_NAN"
  /// The field exists and is neither null nor NaN; it need not be a number.
  case isNotNaN = "IS_NOT_NAN"

  /// Whether the service orders the query by the field of this test.
  package var isInequality: Bool {
    self == .isNotNull || self == .isNotNaN
  }
}
