/// A filter, and what it selects.
///
/// Written from Firestore's documentation as plainly as possible.
package indirect enum ReferenceFilter: Sendable, Equatable {
  /// All of these hold.
  case and([ReferenceFilter])
  /// One of these holds.
  case or([ReferenceFilter])
  /// The field of a path, compared with a value. The operand of an operator that takes a list is an array.
  case compare([[UInt8]], ReferenceOperator, ReferenceDatum)
  /// A test of the field of a path.
  case test([[UInt8]], ReferenceTest)
  /// `__name__`, compared with the paths of documents: one, or for `in` and `not-in` several.
  case name(ReferenceOperator, [[[UInt8]]])

  /// The segments of a field path of simple names, such as `a.b`.
  package static func field(_ path: String) -> [[UInt8]] {
    path.utf8.split(separator: UInt8(ascii: ".")).map { Array($0) }
  }

  /// Whether the service selects the document: the filter holds, and the document has every field that the
  /// query is ordered by.
  ///
  /// To be asked only where `refusal` is nil. The fields of inequalities are ordered by, wherever in the
  /// filter they stand: `a > 1 or b == 1` does not select a document without `a`. A null there is enough.
  package func selects(_ document: ReferenceDocument, nan: ReferenceNaN = .ordered) -> Bool {
    orderedFields.allSatisfy { document.value(at: $0) != nil } && holds(for: document, nan: nan)
  }

  /// The field paths that the query is ordered by because of this filter, without `__name__`, each once.
  package var orderedFields: [[[UInt8]]] {
    switch self {
    case .and(let filters), .or(let filters):
      var fields: [[[UInt8]]] = []
      for field in filters.flatMap(\.orderedFields) where !fields.contains(field) {
        fields.append(field)
      }
      return fields
    case .compare(let path, let comparison, _):
      return comparison.isInequality ? [path] : []
    case .test(let path, let test):
      return test.isInequality ? [path] : []
    case .name:
      return []
    }
  }

  /// Whether the filter holds for a document, the order of the query left aside.
  func holds(for document: ReferenceDocument, nan: ReferenceNaN) -> Bool {
    switch self {
    case .and(let filters):
      return filters.allSatisfy { $0.holds(for: document, nan: nan) }
    case .or(let filters):
      return filters.contains { $0.holds(for: document, nan: nan) }
    case .compare(let path, let comparison, let operand):
      guard let value = document.value(at: path) else {
        return false
      }
      return comparison.holds(value, operand, nan: nan)
    case .test(let path, let test):
      guard let value = document.value(at: path) else {
        return false
      }
      return test.holds(value)
    case .name(let comparison, let paths):
      return comparison.holds(document.path, paths)
    }
  }
}

/// What a comparison makes of a stored NaN.
package enum ReferenceNaN: Sendable {
  /// NaN is below every number and equals NaN: `< 5` selects it.
  case ordered
  /// NaN is neither below, above nor equal to anything: no `<`, `<=`, `>`, `>=`, `==`, `in` or
  /// `array-contains` selects it, and `!=` and `not-in` do. Google's own client tests expect this of ranges.
  case unordered
}

extension ReferenceTest {
  /// Whether a field of this value passes the test.
  func holds(_ value: ReferenceDatum) -> Bool {
    switch self {
    case .isNull: value.isNull
    case .isNotNull: !value.isNull
    case .isNaN: value.isNaN
    case .isNotNaN: !value.isNull && !value.isNaN
    }
  }
}

extension ReferenceOperator {
  /// Whether a field of this value compares so with the operand.
  func holds(_ value: ReferenceDatum, _ operand: ReferenceDatum, nan: ReferenceNaN) -> Bool {
    switch self {
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      if operand.isNull || ReferenceOrder.typeRank(value) != ReferenceOrder.typeRank(operand) {
        return false
      }
      if nan == .unordered && (value.isNaN || operand.isNaN) {
        return false
      }
      return accepts(ReferenceOrder.values(value, operand))
    case .equal:
      return Self.equals(value, operand, nan: nan)
    case .notEqual:
      return !value.isNull && !operand.isNull && !Self.equals(value, operand, nan: nan)
    case .in:
      return Self.list(operand).contains { Self.equals(value, $0, nan: nan) }
    case .notIn:
      let list = Self.list(operand)
      return !value.isNull && !list.contains { $0.isNull || Self.equals(value, $0, nan: nan) }
    case .arrayContains:
      return Self.list(value).contains { Self.equals($0, operand, nan: nan) }
    case .arrayContainsAny:
      let list = Self.list(operand)
      return Self.list(value).contains { element in
        list.contains { Self.equals(element, $0, nan: nan) }
      }
    }
  }

  /// Whether a document of this path compares so with the paths.
  func holds(_ path: [[UInt8]], _ operands: [[[UInt8]]]) -> Bool {
    switch self {
    case .in, .equal:
      operands.contains { ReferenceOrder.paths(path, $0) == .same }
    case .notIn, .notEqual:
      !operands.contains { ReferenceOrder.paths(path, $0) == .same }
    case .arrayContains, .arrayContainsAny:
      false
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      operands.allSatisfy { accepts(ReferenceOrder.paths(path, $0)) }
    }
  }

  private func accepts(_ order: ReferenceOrder) -> Bool {
    switch self {
    case .lessThan: order == .before
    case .lessThanOrEqual: order != .after
    case .greaterThan: order == .after
    case .greaterThanOrEqual: order != .before
    default: false
    }
  }

  /// Equality as a filter knows it: by the order of values, and null only ever by the test for it.
  private static func equals(_ left: ReferenceDatum, _ right: ReferenceDatum, nan: ReferenceNaN) -> Bool {
    if left.isNull || right.isNull || nan == .unordered && (left.isNaN || right.isNaN) {
      return false
    }
    return ReferenceOrder.values(left, right) == .same
  }

  /// The elements of an array, and none for any other type; a vector is no array.
  private static func list(_ value: ReferenceDatum) -> [ReferenceDatum] {
    if case .array(let elements) = value { elements } else { [] }
  }
}
