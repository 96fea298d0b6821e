// What a filter says of one document, as the service would judge it
// (https://firebase.google.com/docs/firestore/query-data/queries).

extension StructuredQuery.FieldOperator {
  /// Whether an order fits: that of a value to the operand, negative, zero or positive.
  ///
  /// False for the operators that do not compare by order.
  public func holds(forOrder order: Int) -> Bool {
    switch self {
    case .lessThan: order < 0
    case .lessThanOrEqual: order <= 0
    case .greaterThan: order > 0
    case .greaterThanOrEqual: order >= 0
    case .equal: order == 0
    case .notEqual: order != 0
    case .arrayContains, .in, .arrayContainsAny, .notIn: false
    }
  }

  /// Whether a field's value compares with an operand as it should.
  ///
  /// Ranges stay within the operand's type; null is unequal to nothing. A field that is absent satisfies no operator, so
  /// there is no value to ask for.
  public func holds(of value: Value, _ operand: Value) -> Bool {
    switch self {
    case .equal:
      return ValueOrder.compare(value, operand) == 0
    case .notEqual:
      return !value.isNull && ValueOrder.compare(value, operand) != 0
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      return ValueOrder.typeRank(value) == ValueOrder.typeRank(operand)
        && holds(forOrder: ValueOrder.compare(value, operand))
    case .arrayContains:
      return Self.contains(value.array, operand)
    case .in:
      return Self.contains(operand.array, value)
    case .arrayContainsAny:
      return operand.array?.contains { Self.contains(value.array, $0) } ?? false
    case .notIn:
      return !value.isNull && !Self.contains(operand.array, value) && !Self.contains(operand.array, .null)
    }
  }

  private static func contains(_ values: [Value]?, _ value: Value) -> Bool {
    values?.contains { ValueOrder.compare($0, value) == 0 } ?? false
  }
}

extension StructuredQuery.UnaryOperator {
  /// Whether a field's value is of the kind; null is neither a NaN nor a value that is none.
  public func holds(of value: Value) -> Bool {
    let isNaN = if case .double(let number) = value { number.isNaN } else { false }
    return switch self {
    case .isNaN: isNaN
    case .isNull: value.isNull
    case .isNotNaN: !isNaN && !value.isNull
    case .isNotNull: !value.isNull
    }
  }
}

extension StructuredQuery.Filter {
  /// Whether a document satisfies the filter.
  ///
  /// ``FieldPath/documentName`` is compared with references by their paths below the database, whichever that is.
  public func matches(_ document: RawDocument) -> Bool {
    switch self {
    case .and(let filters): filters.allSatisfy { $0.matches(document) }
    case .or(let filters): filters.contains { $0.matches(document) }
    case .field(.documentName, let comparison, let operand):
      Self.matches(document.path, comparison, operand)
    case .field(let field, let comparison, let operand):
      document.fields[field].map { comparison.holds(of: $0, operand) } ?? false
    case .unary(let field, let kind):
      document.fields[field].map { kind.holds(of: $0) } ?? false
    }
  }

  private static func matches(
    _ path: DocumentPath,
    _ comparison: StructuredQuery.FieldOperator,
    _ operand: Value
  ) -> Bool {
    switch comparison {
    case .in: operand.array?.contains { Self.path(of: $0) == path } ?? false
    case .notIn: operand.array.map { !$0.contains { Self.path(of: $0) == path } } ?? false
    default:
      Self.path(of: operand).map { comparison.holds(forOrder: compareSegments(path.string, $0.string)) }
        ?? false
    }
  }

  private static func path(of value: Value) -> DocumentPath? {
    guard case .reference(let name) = value else { return nil }
    return DatabaseName.split(name)?.path
  }
}
