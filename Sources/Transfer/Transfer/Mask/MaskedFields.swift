import Schema

/// Masks the fields of one document, and keeps which of them no rule covers.
struct MaskedFields {
  private let mask: Mask
  private let text: MaskedText
  private let collection: CollectionSchema
  /// What decides on numbers and times: the document.
  private let seed: [UInt8]
  private(set) var gaps: [MaskGap] = []

  init(mask: Mask, text: MaskedText, _ collection: CollectionSchema, seed: [UInt8]) {
    (self.mask, self.text, self.collection, self.seed) = (mask, text, collection, seed)
  }

  mutating func masked(_ fields: FieldMap) throws(Failure) -> FieldMap {
    try masked(fields, below: nil, collection.fields)
  }

  private mutating func masked(
    _ fields: FieldMap,
    below parent: FieldPath?,
    _ declared: [FieldSchema]
  ) throws(Failure) -> FieldMap {
    var entries: [FieldMap.Entry] = []
    for entry in fields.entries {
      let path = parent?.appending(entry.name) ?? FieldPath(field: entry.name)
      guard let field = declared.first(where: { $0.path == path }) else {
        gaps.append(.field(collection.pattern, path, MaskGap.type(of: entry.value)))
        continue
      }
      if let value = try masked(entry.value, field, declared) {
        entries.append(.init(name: entry.name, value: value))
      }
    }
    return FieldMap(entries)
  }

  private mutating func masked(
    _ value: Value,
    _ field: FieldSchema,
    _ declared: [FieldSchema]
  ) throws(Failure) -> Value? {
    if field.mask == MaskRule("drop") { return nil }
    if case .map(let fields) = value,
      declared.contains(where: { $0.path != field.path && field.path.isPrefix(of: $0.path) })
    {
      return .map(try masked(fields, below: field.path, declared))
    }
    if case .array(let values) = value, let element = field.elements.first {
      var elements: [Value] = []
      for value in values { elements.append(try masked(value, element, field.elements) ?? .null) }
      return .array(elements)
    }
    guard let rule = collection.maskRule(of: field) else {
      if !collection.isStructure(field) {
        gaps.append(.field(collection.pattern, field.path, field.typeNames))
      }
      return .null
    }
    return try apply(isKept(value, field, rule) ? rule : .pseudonym, to: value, field)
  }

  /// Whether a rule that keeps holds for a value: people type anything into a field of another type, or of a few values.
  private func isKept(_ value: Value, _ field: FieldSchema, _ rule: MaskRule) -> Bool {
    guard rule.kind == .keep, collection.personalData != .free else { return true }
    return field.accepts(value) && (field.values?.contains(value) ?? true)
  }

  /// Returns nil for a value that is dropped.
  private func apply(_ rule: MaskRule, to value: Value, _ field: FieldSchema) throws(Failure) -> Value? {
    switch rule.kind {
    case .drop: return nil
    case .null: return .null
    case .constant(let constant): return .string(constant)
    default: break
    }
    switch value {
    case .reference(let name): return try mask.reference(name)
    case .array(let values):
      var elements: [Value] = []
      for value in values { if let value = try apply(rule, to: value, field) { elements.append(value) } }
      return .array(elements)
    case .map(let fields): return try map(fields, rule, field)
    case .string(let string): return try self.string(string, rule, field)
    default: return rule.kind == .keep ? value : try scalar(value, rule)
    }
  }

  /// A map whose keys nobody declared stays only where it is kept, or where its keys have a rule.
  private func map(_ fields: FieldMap, _ rule: MaskRule, _ field: FieldSchema) throws(Failure) -> Value {
    if field.keyMask == nil, rule.kind != .keep { return .null }
    var entries: [FieldMap.Entry] = []
    for entry in fields.entries {
      guard let value = try apply(rule, to: entry.value, field) else { continue }
      let name = try field.keyMask.map { key throws(Failure) in try mask.id(entry.name, key) } ?? entry.name
      entries.append(.init(name: name, value: value))
    }
    return .map(FieldMap(entries))
  }

  private func string(_ value: String, _ rule: MaskRule, _ field: FieldSchema) throws(Failure) -> Value {
    switch rule.kind {
    case .keep: .string(value)
    case .hash: .string(value.isEmpty ? value : try text.hash(value.utf8))
    case .digits: .string(try text.digits(value))
    case .email: .string(try text.email(value, isID: false))
    case .name: .string(try text.name(value))
    case .text: .string(try text.lorem(value))
    case .url: .string(try text.url(value))
    case .pseudonym(let keeping, let prefixes):
      .string(try text.pseudonym(value, keeping: keeping, prefixes: prefixes))
    case .reference(let target): .string(try id(value, target ?? field.reference?.collection))
    default: .null
    }
  }

  /// The ID of a document of another collection, or of this one.
  private func id(_ id: String, _ target: CollectionPath?) throws(Failure) -> String {
    let target = target ?? collection.pattern
    guard let rule = mask.schema.idRule(of: target) else { throw MaskGaps.failure([.id(target)]) }
    return id.isEmpty ? id : try mask.id(id, rule)
  }

  private func scalar(_ value: Value, _ rule: MaskRule) throws(Failure) -> Value {
    switch (rule.kind, value) {
    case (.number(let percent), .double(let number)):
      .double(try text.number(number, percent: percent, seed: seed))
    case (.number(let percent), .integer(let number)):
      .integer(Int64(Int(clamping: try text.number(Double(number), percent: percent, seed: seed).rounded())))
    case (.date(let days), .timestamp(let time)):
      try text.time(time, days: days, seed: seed).map { .timestamp($0) } ?? .null
    case (.year, .timestamp(let time)): MaskedText.year(time).map { .timestamp($0) } ?? .null
    case (.hash, .bytes(let bytes)): .bytes(Array(try text.hash(bytes).utf8))
    default: .null
    }
  }
}
