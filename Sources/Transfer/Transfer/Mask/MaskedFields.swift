import Schema

/// Masks the fields of one document, and records which of them no rule covers.
struct MaskedFields {
  private let mask: Mask
  private let text: MaskedText
  private let collection: MaskedCollection
  /// The document path, which determines how numbers and times are changed.
  private let seed: [UInt8]
  private(set) var gaps: [MaskGap] = []
  /// The values with their rules, if these are only collected and not applied.
  private var decisions: [MaskDecision]?
  /// The array whose elements are being masked.
  private var array: FieldPath?

  init(mask: Mask, text: MaskedText, _ collection: MaskedCollection, seed: [UInt8]) {
    (self.mask, self.text, self.collection, self.seed) = (mask, text, collection, seed)
  }

  mutating func masked(_ fields: FieldMap) throws(Failure) -> FieldMap {
    try masked(fields, below: nil, collection.fields)
  }

  /// Returns the values that rules apply to, without applying the rules.
  mutating func decisions(on fields: FieldMap) -> [MaskDecision] {
    decisions = []
    _ = try? masked(fields)
    return decisions ?? []
  }

  private mutating func masked(
    _ fields: FieldMap,
    below parent: FieldPath?,
    _ declared: [UTF8Key: MaskedCollection.Field]
  ) throws(Failure) -> FieldMap {
    var entries: [FieldMap.Entry] = []
    entries.reserveCapacity(fields.entries.count)
    for entry in fields.entries {
      guard let field = declared[UTF8Key(entry.name)] else {
        let types = FieldType(of: entry.value).map { [$0] } ?? []
        let path = parent?.appending(entry.name) ?? FieldPath(field: entry.name)
        gaps.append(.field(gap(of: path, types, isDeclared: false)))
        continue
      }
      if let value = try masked(entry.value, field) {
        entries.append(.init(name: entry.name, value: value))
      }
    }
    return FieldMap(entries)
  }

  private mutating func masked(
    _ value: Value,
    _ field: MaskedCollection.Field
  ) throws(Failure) -> Value? {
    if field.isDropped, let rule = field.rule {
      decide(rule, on: value, field.schema)
      return nil
    }
    if field.isParent, case .map(let fields) = value {
      return .map(try masked(fields, below: field.schema.path, field.fields))
    }
    if case .array(let values) = value, let element = field.element {
      let outer = array
      array = field.schema.path.inside(outer)
      defer { array = outer }
      var elements: [Value] = []
      for value in values { elements.append(try masked(value, element) ?? .null) }
      return .array(elements)
    }
    // People type texts in place of fields or elements that have their own rules, and such a text has none.
    guard let rule = field.rule ?? (field.isStructure ? .pseudonym : nil) else {
      gaps.append(.field(gap(of: field.schema.path, field.schema.types)))
      return .null
    }
    let decided = isKept(value, field, rule) ? rule : .pseudonym
    if decisions == nil { return try apply(decided, to: value, field) }
    decide(decided, on: value, field.schema)
    return nil
  }

  /// Records a decision if these are collected; a rule for references is that of the IDs.
  private mutating func decide(_ rule: MaskRule, on value: Value, _ field: FieldSchema) {
    let decision = MaskDecision(
      field: name(of: field),
      rule: resolved(rule, field.reference?.collection),
      isIdentity: rule.isOfOnePerson,
      keys: field.keyMask.map { resolved($0) },
      value: value
    )
    decisions?.append(decision)
  }

  /// Returns the rule of the IDs that a rule for references names; any other rule as it is.
  private func resolved(_ rule: MaskRule, _ collection: CollectionPath? = nil) -> MaskRule {
    guard case .reference(let target) = rule.kind else { return rule }
    return mask.idRule(of: target ?? collection ?? self.collection.schema.pattern) ?? rule
  }

  /// The name of a field, or that of an element together with its array.
  private func name(of field: FieldSchema) -> String {
    let path = field.path.segments
    guard let array, path.first == FieldSchema.elementName else { return field.path.description }
    return "\(array)\(path.joined(separator: "."))"
  }

  private func gap(of path: FieldPath, _ types: [FieldType], isDeclared: Bool = true) -> MaskGap.Field {
    MaskGap.Field(
      collection: collection.schema.pattern,
      path: path.inside(array),
      types: types,
      isDeclared: isDeclared
    )
  }

  /// Whether a rule that keeps values may keep this one; people type anything into fields of other types or of a few
  /// values.
  private func isKept(_ value: Value, _ field: MaskedCollection.Field, _ rule: MaskRule) -> Bool {
    guard rule.kind == .keep else { return true }
    if collection.schema.personalData == .free {
      if case .map = value, field.schema.keyMask != nil { return true }
      return field.schema.mask != nil || !masksWithin(field)
    }
    return field.schema.accepts(value) && (field.schema.values?.lists(value) ?? true)
  }

  /// Whether the keys, fields or elements of a field are masked, so that a value in place of them may be one of these.
  private func masksWithin(_ field: MaskedCollection.Field) -> Bool {
    if let rule = field.schema.keyMask, resolved(rule).kind != .keep { return true }
    return field.inner.contains { inner in
      let rule = inner.rule.map { resolved($0, inner.schema.reference?.collection) }
      return rule.map { $0.kind != .keep } ?? false || masksWithin(inner)
    }
  }

  /// Returns nil for a value that is dropped.
  private mutating func apply(
    _ rule: MaskRule,
    to value: Value,
    _ field: MaskedCollection.Field
  ) throws(Failure) -> Value? {
    switch rule.kind {
    case .drop: return nil
    case .null: return .null
    default: break
    }
    switch value {
    case .reference(let name): return try reference(name, field.schema)
    case .array(let values):
      var elements: [Value] = []
      let field = field.inArray
      for value in values { if let value = try apply(rule, to: value, field) { elements.append(value) } }
      return .array(elements)
    case .map(let fields): return try map(fields, rule, field)
    case .string(let string):
      let masked = self.string(string, rule, field)
      if case .reference = rule.kind { return .string(masked) }
      if case .constant = rule.kind { return .string(masked) }
      let isLost = PlainText.isBlank(masked) && !PlainText.isBlank(string)
      let valid = field.asValid(isLost ? text.pseudonym(string) : masked, as: string)
      return .string(field.asLong(valid, as: string, rule))
    default: return rule.kind == .keep ? value : field.asValid(scalar(value, rule), as: value)
    }
  }

  /// A reference to the masked document, in whichever database.
  private mutating func reference(_ name: String, _ field: FieldSchema) throws(Failure) -> Value {
    guard let path = DocumentPath(ofName: name) else {
      var gap = gap(of: field.path, field.types)
      gap.isReference = true
      gaps.append(.field(gap))
      return .null
    }
    let missing = mask.gaps(along: path)
    gaps += missing
    return missing.isEmpty ? try mask.reference(name) ?? .null : .null
  }

  /// Masks a map; if its keys are not declared, it is emptied unless it is kept or its keys have a rule.
  private mutating func map(
    _ fields: FieldMap,
    _ rule: MaskRule,
    _ field: MaskedCollection.Field
  ) throws(Failure) -> Value {
    if field.schema.keyMask == nil, rule.kind != .keep { return Value.map(fields).emptied }
    var entries: [FieldMap.Entry] = []
    for entry in fields.entries {
      guard let value = try apply(rule, to: entry.value, field) else { continue }
      let name = field.schema.keyMask.map { key(entry.name, $0) } ?? entry.name
      entries.append(.init(name: name, value: value))
    }
    return .map(FieldMap(entries))
  }

  private mutating func key(_ key: String, _ rule: MaskRule) -> String {
    if case .reference(let target) = rule.kind { return id(key, target) }
    return mask.id(key, rule)
  }

  private mutating func string(
    _ value: String,
    _ rule: MaskRule,
    _ field: MaskedCollection.Field
  ) -> String {
    switch rule.kind {
    case .keep: value
    case .hash: value.isEmpty ? value : text.hash(value.utf8)
    case .digits: text.digits(value)
    case .email(let domain): text.email(value, of: domain)
    case .name: text.name(value)
    case .text: text.lorem(value)
    case .constant(let constant): constant
    case .url(nil): text.url(value)
    case .url(let target?): url(value, target)
    case .pseudonym(let keeping, let prefixes): text.pseudonym(value, keeping: keeping, prefixes: prefixes)
    case .reference(let target): id(value, target ?? field.schema.reference?.collection)
    case .date(let days): day(value) { text.time($0, days: days, seed: seed) }
    case .year: day(value) { MaskedText.year($0) }
    default: text.pseudonym(value)
    }
  }

  /// A date as text, such as 2024-03-10.
  private func day(_ value: String, _ moved: (Timestamp) -> Timestamp?) -> String {
    let time = CalendarDay(value).flatMap { Timestamp(seconds: Int64($0.number) * 86_400) }
    guard let time, let moved = moved(time) else { return text.pseudonym(value) }
    return CalendarDay(number: Int(moved.seconds.flooredDivision(by: 86_400))).text
  }

  /// The ID of a document of another collection, or of this one.
  private mutating func id(_ id: String, _ target: CollectionPath?) -> String {
    let target = target ?? collection.schema.pattern
    guard let rule = mask.idRule(of: target) else {
      gaps.append(.id(target))
      return ""
    }
    return id.isEmpty ? id : mask.id(id, rule)
  }

  /// Masks each part of a URL as an ID of a collection, so that IDs in it match references elsewhere.
  private mutating func url(_ url: String, _ target: CollectionPath) -> String {
    guard let path = URLParts(url) else { return text.url(url) }
    var masked = ""
    for part in path.parts {
      let isKnown = mask.schema.collections.contains { $0.pattern.id.isIdentical(to: part.text) }
      masked += isKnown || part.text.isEmpty ? part.text : id(part.text, target)
      masked += part.end
    }
    return "\(MaskedText.urlBase)\(masked)"
  }

  /// A value that was typed as another type keeps that type, so that the copy breaks the schema where the source does.
  private func scalar(_ value: Value, _ rule: MaskRule) -> Value {
    switch (rule.kind, value) {
    case (.number(let percent), .double(let number)):
      .double(text.number(number, percent: percent, seed: seed))
    case (.number(let percent), .integer(let number)):
      .integer(text.number(number, percent: percent, seed: seed))
    case (.date(let days), .timestamp(let time)):
      text.time(time, days: days, seed: seed).map { .timestamp($0) } ?? value.emptied
    case (.year, .timestamp(let time)): MaskedText.year(time).map { .timestamp($0) } ?? value.emptied
    case (.constant, _): value.emptied
    case (.hash, .bytes(let bytes)): .bytes(Array(text.hash(bytes).utf8))
    case (_, .integer(let number)): .integer(text.number(number))
    case (_, .double(let number)): .double(text.number(number))
    default: value.emptied
    }
  }
}
