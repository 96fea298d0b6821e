/// A filter whose document names are storage keys, so that it can be evaluated on rows of a scan.
indirect enum CompiledFilter {
  case and([CompiledFilter])
  case or([CompiledFilter])
  case name(StructuredQuery.FieldOperator, [[UInt8]])
  case field(FieldPath, StructuredQuery.FieldOperator, Value)
  case unary(FieldPath, StructuredQuery.UnaryOperator)
  /// The document has the field.
  case exists(FieldPath)

  /// Whether the filter depends on the fields of a document.
  var needsFields: Bool {
    switch self {
    case .and(let filters), .or(let filters): filters.contains { $0.needsFields }
    case .name: false
    case .field, .unary, .exists: true
    }
  }

  /// Whether a document matches; `fields` may be empty unless ``needsFields``.
  func matches(key: [UInt8], fields: FieldMap) -> Bool {
    switch self {
    case .and(let filters): filters.allSatisfy { $0.matches(key: key, fields: fields) }
    case .or(let filters): filters.contains { $0.matches(key: key, fields: fields) }
    case .name(let comparison, let keys): Self.matches(key, comparison, keys)
    case .field(let path, let comparison, let operand):
      fields[path].map { comparison.holds(of: $0, operand) } ?? false
    case .unary(let path, let kind): fields[path].map { kind.holds(of: $0) } ?? false
    case .exists(let path): fields[path] != nil
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
      return comparison.holds(forOrder: ValueOrder.compare(key, other))
    }
  }
}
