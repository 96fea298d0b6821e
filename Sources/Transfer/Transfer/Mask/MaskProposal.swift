import Schema

/// Proposes rules for fields and IDs whose masked values satisfy the schema.
struct MaskProposal {
  let schema: DatabaseSchema
  /// Judges rules; the masked values are never shown, so any key will do.
  private let mask = Mask(by: .none, key: MaskKey(MaskKey.random()))

  /// The length of a pseudonym.
  private static let pseudonymLength: Int64 = 20

  func ids(of collection: CollectionPath) -> String {
    schema.collection(collection)?.documentID == .email ? "email" : "pseudonym"
  }

  /// Returns a rule that a masked run takes; `keep` if there is no other.
  func rule(of field: MaskGap.Field) -> String {
    let collection = schema.collection(field.collection)
    let declared = collection?.field(throughElements: field.path)
    let rule = rule(of: field, declared)
    guard !field.isReference, let collection, let declared else { return rule }
    let isUnique = collection.unique.contains { $0.contains(field.path) }
    // What has to be unique is worth keeping.
    let first = isUnique && rule == "drop" ? "pseudonym" : rule
    return [first, "pseudonym", "drop"].first { isTaken($0, by: declared, isUnique) } ?? "keep"
  }

  private func isTaken(_ rule: String, by field: FieldSchema, _ isUnique: Bool) -> Bool {
    // What is more than a rule has been made for its field.
    guard let rule = MaskRule(rule) else { return true }
    return mask.loss(of: field, under: rule) == nil && !(isUnique && rule.isMerging(in: field))
  }

  private func rule(of field: MaskGap.Field, _ declared: FieldSchema?) -> String {
    if field.isReference { return "drop" }
    guard let declared else { return Self.rule(of: field.types) ?? "drop" }
    if declared.values != nil { return "keep" }
    if field.types == [.string] { return Self.text(declared) }
    return Self.rule(of: field.types) ?? (declared.isRequired ? Self.required(field.types) : "drop")
  }

  /// The rule for a field whose values have to stay distinct.
  func rule(ofUnique path: FieldPath, in collection: CollectionPath) -> String {
    let types = schema.collection(collection)?.field(path)?.types ?? []
    return rule(of: .init(collection: collection, path: path, types: types, isDeclared: true))
  }

  private static func rule(of types: [FieldType]) -> String? {
    switch types {
    case [.string]: "pseudonym"
    case [.timestamp]: "date(±30)"
    case [.integer], [.double], [.integer, .double]: "number(±10%)"
    default: nil
    }
  }

  private static func text(_ field: FieldSchema) -> String {
    switch field.format {
    case .email: return "email"
    case .phone, .digits: return "digits"
    case .url: return "url"
    case .time: return "constant(00:00)"
    case .date: return "constant(2000-01-01)"
    case .uuid, .pattern: return "pseudonym"
    case nil: break
    }
    if field.range.contains(.string(String(repeating: "x", count: Int(pseudonymLength)))) {
      return "pseudonym"
    }
    let bound = field.range.maximum?.integer.map { min($0, pseudonymLength) } ?? field.range.minimum?.integer
    return "constant(\(String(repeating: "x", count: Int(clamping: max(1, min(bound ?? 1, 100))))))"
  }

  /// A rule that leaves a value, whatever the original is.
  private static func required(_ types: [FieldType]) -> String {
    switch types {
    case [.array], [.reference]: "pseudonym"
    case [.map]: "pseudonym, keys: { mask: pseudonym }"
    case [.bytes]: "hash"
    default: types.isEmpty || types.contains(.string) ? "constant(x)" : "drop"
    }
  }
}
