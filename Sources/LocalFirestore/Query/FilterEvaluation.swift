import Models

/// A filter with its names made keys, as the documents of a scan are asked.
indirect enum CompiledFilter {
  case and([CompiledFilter])
  case or([CompiledFilter])
  case name(StructuredQuery.FieldOperator, [[UInt8]])
  case field(FieldPath, StructuredQuery.FieldOperator, Value)
  case unary(FieldPath, StructuredQuery.UnaryOperator)

  /// Whether the fields of a document must be known to tell.
  var needsFields: Bool {
    switch self {
    case .and(let filters), .or(let filters): filters.contains { $0.needsFields }
    case .name: false
    case .field, .unary: true
    }
  }

  /// Whether a document satisfies the filter; `fields` are its own where ``needsFields``.
  func matches(key: [UInt8], fields: FieldMap) -> Bool {
    switch self {
    case .and(let filters): filters.allSatisfy { $0.matches(key: key, fields: fields) }
    case .or(let filters): filters.contains { $0.matches(key: key, fields: fields) }
    case .name(let comparison, let keys): Self.matches(key, comparison, keys)
    case .field(let path, let comparison, let operand):
      fields[path].map { Self.matches($0, comparison, operand) } ?? false
    case .unary(let path, let kind):
      fields[path].map { Self.matches($0, kind) } ?? false
    }
  }

  private static func matches(
    _ key: [UInt8],
    _ comparison: StructuredQuery.FieldOperator,
    _ keys: [[UInt8]]
  ) -> Bool {
    switch comparison {
    case .in: return keys.contains { $0 == key }
    case .notIn: return !keys.contains { $0 == key }
    default:
      guard let other = keys.first else { return false }
      return holds(comparison, NameKey.compare(key, other))
    }
  }

  private static func holds(_ comparison: StructuredQuery.FieldOperator, _ order: Int) -> Bool {
    switch comparison {
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
  /// Ranges stay within the operand's type; null is
  /// unequal to nothing (https://firebase.google.com/docs/firestore/query-data/queries).
  private static func matches(
    _ value: Value,
    _ comparison: StructuredQuery.FieldOperator,
    _ operand: Value
  ) -> Bool {
    switch comparison {
    case .equal:
      return ValueOrder.compare(value, operand) == 0
    case .notEqual:
      return !value.isNull && ValueOrder.compare(value, operand) != 0
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      return ValueOrder.typeRank(value) == ValueOrder.typeRank(operand)
        && holds(comparison, ValueOrder.compare(value, operand))
    case .arrayContains:
      return contains(value.array, operand)
    case .in:
      return contains(operand.array, value)
    case .arrayContainsAny:
      return operand.array?.contains { contains(value.array, $0) } ?? false
    case .notIn:
      return !value.isNull && !contains(operand.array, value) && !contains(operand.array, .null)
    }
  }

  private static func contains(_ values: [Value]?, _ value: Value) -> Bool {
    values?.contains { ValueOrder.compare($0, value) == 0 } ?? false
  }

  private static func matches(_ value: Value, _ kind: StructuredQuery.UnaryOperator) -> Bool {
    let isNaN = if case .double(let number) = value { number.isNaN } else { false }
    return switch kind {
    case .isNaN: isNaN
    case .isNull: value.isNull
    case .isNotNaN: !isNaN && !value.isNull
    case .isNotNull: !value.isNull
    }
  }
}
