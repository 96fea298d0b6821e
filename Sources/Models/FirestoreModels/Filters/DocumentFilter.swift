// Evaluates filters on documents as the service does
// (https://firebase.google.com/docs/firestore/query-data/queries).

extension StructuredQuery.FieldOperator {
  /// Whether the operator accepts the order of a value and its operand: negative, zero or positive.
  ///
  /// False for operators that do not compare by order.
  package func holds(forOrder order: Int) -> Bool {
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

  /// Whether a field value satisfies the operator with an operand.
  ///
  /// Range operators match only values of the operand's type. Null satisfies no operator and is never a valid operand (use
  /// `IS_NULL`; Google's client tests assert this for lists). NaN sorts below every number, but no comparison matches it: `a < 5`
  /// does not match NaN (as in Google's client tests, "multiple inequality on special values"). A missing field satisfies no
  /// operator.
  package func holds(of value: Value, _ operand: Value) -> Bool {
    switch self {
    case .equal:
      return Self.areEqual(value, operand)
    case .notEqual:
      return !value.isNull && !operand.isNull && !Self.areEqual(value, operand)
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      return ValueOrder.typeRank(value) == ValueOrder.typeRank(operand)
        && !value.isNull && !value.isNaN && !operand.isNaN
        && holds(forOrder: ValueOrder.compare(value, operand))
    case .arrayContains:
      return Self.contains(value.array, operand)
    case .in:
      return Self.contains(operand.array, value)
    case .arrayContainsAny:
      return operand.array?.contains { Self.contains(value.array, $0) } ?? false
    case .notIn:
      return !value.isNull && !Self.contains(operand.array, value)
        && operand.array?.contains(where: \.isNull) != true
    }
  }

  private static func contains(_ values: [Value]?, _ value: Value) -> Bool {
    values?.contains { areEqual($0, value) } ?? false
  }

  private static func areEqual(_ a: Value, _ b: Value) -> Bool {
    ValueOrder.compare(a, b) == 0 && !a.isNaN && !a.isNull
  }
}

extension StructuredQuery.UnaryOperator {
  /// Whether a field value satisfies the operator; null is neither NaN nor "not NaN".
  package func holds(of value: Value) -> Bool {
    switch self {
    case .isNaN: value.isNaN
    case .isNull: value.isNull
    case .isNotNaN: !value.isNaN && !value.isNull
    case .isNotNull: !value.isNull
    }
  }
}

/// A filter that matches documents exactly as the service does.
///
/// The service orders a query by its inequality fields and omits documents that lack one of them, even if
/// another branch of an OR matches: `a > 1 or b == 1` does not select `{b: 1}`. Such fields are therefore
/// required in addition to the filter itself.
///
///     let filter = DocumentFilter(try FilterExpression.parse("a > 1 or b == 1", in: context))
///     filter.requiredFields    // [a]
///     filter.matches(RawDocument(path: path, fields: ["b": .integer(1)]))    // false
package struct DocumentFilter: Sendable, Equatable {
  package let filter: StructuredQuery.Filter
  /// The fields that must exist although the filter alone could match without them, ordered by name.
  package let requiredFields: [FieldPath]

  package init(_ filter: StructuredQuery.Filter) {
    self.filter = filter
    requiredFields = filter.impliedOrder.filter { !filter.guaranteedFields.contains($0) }
  }

  /// Whether the document matches.
  ///
  /// ``FieldPath/documentName`` is compared with the paths of references, whatever their database.
  package func matches(_ document: RawDocument) -> Bool {
    filter.holds(for: document) && requiredFields.allSatisfy { document.fields[$0] != nil }
  }
}

extension StructuredQuery.Filter {
  /// The fields that are compared or tested.
  package var fields: Set<FieldPath> {
    switch self {
    case .and(let filters), .or(let filters): filters.reduce([]) { $0.union($1.fields) }
    case .field(let field, _, _), .unary(let field, _): [field]
    }
  }

  /// The inequality fields that the service adds to the order, without the document name.
  ///
  /// They are sorted by name, but fields of `!=` and similar operators come first, as query.proto requires.
  package var impliedOrder: [FieldPath] {
    var fields: [(field: FieldPath, isFirst: Bool)] = []
    func add(_ field: FieldPath, isFirst: Bool) {
      if field == .documentName { return }
      if let index = fields.firstIndex(where: { $0.field == field }) {
        if isFirst { fields[index].isFirst = true }
      } else {
        fields.append((field, isFirst))
      }
    }
    func walk(_ filter: StructuredQuery.Filter) {
      switch filter {
      case .and(let filters), .or(let filters): filters.forEach(walk)
      case .field(let field, let operation, _):
        if operation.isInequality { add(field, isFirst: operation == .notEqual || operation == .notIn) }
      case .unary(let field, let test): if test.isInequality { add(field, isFirst: true) }
      }
    }
    walk(self)
    return fields.sorted { a, b in
      a.isFirst == b.isFirst ? a.field.description.compareUTF8(b.field.description) < 0 : a.isFirst
    }.map(\.field)
  }

  /// The fields that every matching document has.
  fileprivate var guaranteedFields: Set<FieldPath> {
    switch self {
    case .and(let filters): filters.reduce([]) { $0.union($1.guaranteedFields) }
    case .or(let filters):
      filters.dropFirst().reduce(filters.first?.guaranteedFields ?? []) {
        $0.intersection($1.guaranteedFields)
      }
    case .field(let field, _, _), .unary(let field, _): [field]
    }
  }

  /// Whether the filter matches, regardless of the fields that the query order requires.
  package func holds(for document: RawDocument) -> Bool {
    switch self {
    case .and(let filters): filters.allSatisfy { $0.holds(for: document) }
    case .or(let filters): filters.contains { $0.holds(for: document) }
    case .field(.documentName, let comparison, let operand):
      Self.holds(for: document.path, comparison, operand)
    case .field(let field, let comparison, let operand):
      document.fields[field].map { comparison.holds(of: $0, operand) } ?? false
    case .unary(let field, let kind):
      document.fields[field].map { kind.holds(of: $0) } ?? false
    }
  }

  private static func holds(
    for path: DocumentPath,
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

  /// The document path of a reference.
  private static func path(of value: Value) -> DocumentPath? {
    guard case .reference(let name) = value else { return nil }
    return DatabaseName.split(name)?.path
  }

  /// The paths that `__name__` is compared with.
  package var names: [DocumentPath] {
    switch self {
    case .and(let filters), .or(let filters): filters.flatMap(\.names)
    case .field(.documentName, _, .array(let values)): values.compactMap(Self.path)
    case .field(.documentName, _, let value): Self.path(of: value).map { [$0] } ?? []
    case .field, .unary: []
    }
  }
}

extension Value {
  fileprivate var isNaN: Bool { if case .double(let number) = self { number.isNaN } else { false } }
}
