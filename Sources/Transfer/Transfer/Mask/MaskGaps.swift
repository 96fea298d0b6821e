import Schema

/// Something that no masking rule covers.
enum MaskGap: Sendable, Equatable {
  /// A collection, or a document of it, that the schema does not declare.
  case undeclared(CollectionPath)
  /// The IDs of a collection.
  case id(CollectionPath)
  /// The IDs of a collection, whose rule produces none that the schema accepts.
  case unfitID(CollectionPath, MaskRule)
  case field(Field)
  /// Fields that are unique together, but whose rules map distinct values to the same value.
  case unique(CollectionPath, [FieldPath])

  struct Field: Sendable, Equatable {
    var collection: CollectionPath
    /// The keys that lead to it; ``FieldSchema/elementName`` for the elements of an array.
    var path: FieldPath
    var types: [FieldType]
    /// Whether its name is in the schema, so that it is not personal data.
    var isDeclared: Bool
    /// Whether it is about a reference in it that does not name a document.
    var isReference = false
    /// The rule that cannot produce what the schema requires; ``loss`` says what is missing.
    var unfit: MaskRule?
    var loss = Loss.type
  }

  /// What a rule does not produce.
  enum Loss: Sendable {
    /// A value of one of the types.
    case type
    /// One of the closed values.
    case values
    /// A text of the format.
    case format
    /// A text whose length is within the bounds.
    case length
  }

  /// The same gap regardless of types, for comparison.
  var subject: MaskGap {
    guard case .field(var field) = self else { return self }
    (field.types, field.isDeclared) = ([], false)
    return .field(field)
  }
}

/// Describes what no rule covers.
enum MaskGaps {
  /// The maximum number of gaps that one error lists.
  private static let shown = 20

  static func failure(_ gaps: [MaskGap], by schema: DatabaseSchema) -> Failure {
    let gaps = unique(gaps)
    let (first, more) = (gaps.prefix(shown), gaps.count - shown)
    return Failure(
      .configuration,
      "mask",
      cause:
        "no rule covers \(first.map(text).joined(separator: ", "))\(more > 0 ? ", and \(more) more" : "")",
      remedy: "Add to the schema (docs/masking.md; 'gymmigrate mask check' lists all): "
        + first.map { yaml($0, by: schema) }.joined(separator: "; ")
    )
  }

  /// Returns the gaps without duplicates.
  static func unique(_ gaps: [MaskGap]) -> [MaskGap] {
    var unique: [MaskGap] = []
    for gap in gaps where !unique.contains(where: { $0.subject == gap.subject }) { unique.append(gap) }
    return unique
  }

  static func text(_ gap: MaskGap) -> String {
    switch gap {
    case .undeclared(let collection): "documents of \(collection)"
    case .id(let collection): "the IDs of \(collection)"
    case .unfitID(let collection, let rule):
      "the IDs of \(collection) (its document-id takes nothing that '\(rule.text)' gives)"
    case .field(let field):
      "\(field.isReference ? "a reference to no document in " : "")\(name(of: field)) of \(field.collection)"
        + (field.unfit.map { " ('\($0.text)' \(loss(of: field)))" } ?? "")
    case .unique(let collection, let fields):
      "\(fields.map(\.description).joined(separator: " and ")) of \(collection), unique there, without making one of several"
    }
  }

  private static func loss(of field: MaskGap.Field) -> String {
    switch field.loss {
    case .type:
      let types = field.types.map(\.rawValue).joined(separator: " or ")
      let isLeftOut = field.unfit?.kind == .drop || field.unfit?.kind == .null
      return "leaves nothing of \(isLeftOut || types.isEmpty ? "a required field" : "type \(types)")"
    case .values: return "does not give its closed values"
    case .format: return "does not give its format"
    case .length: return "does not give a length within its range"
    }
  }

  /// Returns what to add to the schema.
  static func yaml(_ gap: MaskGap, by schema: DatabaseSchema) -> String {
    let proposal = MaskProposal(schema: schema)
    switch gap {
    case .undeclared(let collection): return "\(key(collection)): { mask: pseudonym, fields: { … } }"
    case .id(let collection): return "\(key(collection)): { mask: \(proposal.ids(of: collection)) }"
    case .unfitID(let collection, _):
      let fit = schema.collection(collection)?.documentID == .email ? "email" : "keep"
      return "\(key(collection)): { mask: \(fit) }, or a document-id that takes masked IDs"
    case .field(let field): return "\(key(field.collection)): \(yaml(field, proposal.rule(of: field)))"
    case .unique(let collection, let fields):
      let rules = fields.map {
        "\(SchemaWriter.key($0.description)): { mask: \(proposal.rule(ofUnique: $0, in: collection)) }"
      }
      return "\(key(collection)): { fields: { \(rules.joined(separator: ", ")) } }"
    }
  }

  private static func yaml(_ field: MaskGap.Field, _ mask: String) -> String {
    let rule = "{ type: \(SchemaWriter.types(field.types)), mask: \(mask) }"
    let keys = shownKeys(of: field)
    return keys.reversed().enumerated().reduce(rule) { inner, step in
      if step.element.isIdentical(to: FieldSchema.elementName) {
        return "{ type: array, elements: \(inner) }"
      }
      let name = step.element.isIdentical(to: hidden) ? hidden : SchemaWriter.key(step.element)
      let isOutermost = step.offset == keys.count - 1
      return "{ \(isOutermost ? "" : "type: map, ")fields: { \(name): \(inner) } }"
    }
  }

  private static func key(_ collection: CollectionPath) -> String { SchemaWriter.key(collection.string) }

  private static let hidden = "(a key that is not shown)"

  private static func name(of field: MaskGap.Field) -> String {
    shownKeys(of: field).reduce("") { text, key in
      if key.isIdentical(to: FieldSchema.elementName) { return "\(text)\(key)" }
      let name = key.isIdentical(to: hidden) ? hidden : "\(FieldPath(field: key))"
      return "\(text)\(text.isEmpty ? "" : ".")\(name)"
    }
  }

  /// The keys that lead to a field; the last one may be personal data if it is not declared, unless it is a plain name.
  private static func shownKeys(of field: MaskGap.Field) -> [String] {
    let keys = field.path.segments
    guard !field.isDeclared, let last = keys.last, !isPlain(last) else { return keys }
    return keys.dropLast() + [hidden]
  }

  /// Whether a name may be shown.
  static func isPlain(_ name: String) -> Bool {
    name.utf8.count <= 40 && name.utf8.first?.isASCIILetter ?? false
      && name.utf8.allSatisfy { $0.isASCIILetter || $0 == UInt8(ascii: "_") }
  }
}

extension Mask {
  /// Checks that rules cover everything that the schema declares in and below collections.
  ///
  /// - Throws: `.configuration` with everything that no rule covers.
  package func assertCovers(_ collections: [CollectionPath]) throws(Failure) {
    var gaps: [MaskGap] = []
    for path in collections {
      if schema.collection(path) == nil { gaps.append(.undeclared(path.pattern)) }
      for collection in schema.collections
      where collection.pattern == path.pattern || collection.pattern.isBelow(path.pattern) {
        gaps += self.gaps(of: collection).filter { !gaps.contains($0) }
      }
    }
    if !gaps.isEmpty { throw MaskGaps.failure(gaps, by: schema) }
  }

  func gaps(of collection: CollectionSchema) -> [MaskGap] { places(of: collection).map(\.gap) }

  /// Returns what no rule covers in a collection, with the field that a document has it in; nil if every document has it.
  func places(of collection: CollectionSchema) -> [(gap: MaskGap, field: FieldPath?)] {
    var places: [(gap: MaskGap, field: FieldPath?)] = []
    let rule = schema.idRule(of: collection.pattern)
    if rule == nil { places.append((.id(collection.pattern), nil)) }
    if let rule, !isTaken(rule, by: collection) { places.append((.unfitID(collection.pattern, rule), nil)) }
    for field in collection.fields { places += self.places(of: field, in: nil, collection) }
    for fields in collection.unique {
      let merged = fields.filter { path in
        guard let field = collection.field(path) else { return false }
        return collection.maskRule(of: field)?.isMerging(in: field) ?? false
      }
      if let first = merged.first { places.append((.unique(collection.pattern, merged), first)) }
    }
    return places
  }

  /// Whether the schema accepts the IDs that a rule produces; patterns are tested with samples of each form.
  private func isTaken(_ rule: MaskRule, by collection: CollectionSchema) -> Bool {
    switch (rule.kind, collection.documentID) {
    case (.keep, _), (.email, .email?): true
    case (_, .email?): false
    case (_, .pattern(let pattern)?): rule.samples.contains { pattern.matches(id($0, rule)) }
    default: true
    }
  }

  /// What the schema requires of a field and a rule does not produce; nil for nothing, as far as that can be determined.
  ///
  /// - Parameter collection: The collection of the field, whose IDs a reference names unless it says others.
  func loss(
    of field: FieldSchema,
    under rule: MaskRule,
    in collection: CollectionPath? = nil
  ) -> MaskGap.Loss? {
    if !rule.fits(field) { return .type }
    var (rule, isOfIDs) = (rule, false)
    if case .reference(let target) = rule.kind {
      let ids = (target ?? field.reference?.collection ?? collection).flatMap(idRule)
      guard let ids else { return nil }
      (rule, isOfIDs) = (ids, true)
    }
    if let values = field.values {
      // A number is no ID, so that it gets other digits.
      return rule.gives(values) && (!isOfIDs || values.allSatisfy { $0.string != nil }) ? nil : .values
    }
    guard field.types.isEmpty || field.types.contains(.string) else { return nil }
    var masked = rule.samples.compactMap { sample($0, under: rule) }
    if masked.isEmpty { return nil }
    if let format = field.format {
      if case .pattern = format, rule.isOfItsText { return nil }
      masked = masked.filter { rule.makes($0, of: format) }
      if masked.isEmpty { return .format }
    }
    // The length of the others depends on the text, and the bounds of other types may be those of numbers.
    if field.types != [.string] || [.name, .text, .digits].contains(rule.kind) { return nil }
    return masked.contains { field.range.contains(.string($0)) } ? nil : .length
  }

  /// - Parameter array: The array that contains the field; nil for none.
  private func places(
    of field: FieldSchema,
    in array: FieldPath?,
    _ collection: CollectionSchema
  ) -> [(gap: MaskGap, field: FieldPath?)] {
    let path = field.path.inside(array)
    var elements = field.elements.flatMap { places(of: $0, in: path, collection) }
    if case .reference(let target)? = field.keyMask?.kind {
      let named = target ?? collection.pattern
      if schema.idRule(of: named) == nil { elements.append((.id(named), path)) }
    }
    if collection.isStructure(field) { return elements }
    // Below an element, the element's own fields have the rules.
    if field.types == [.map], field.path.segments.first == FieldSchema.elementName { return elements }
    var gap = MaskGap.Field(
      collection: collection.pattern,
      path: path,
      types: field.types,
      isDeclared: true
    )
    guard let rule = collection.maskRule(of: field) else { return [(.field(gap), path)] }
    if let loss = loss(of: field, under: rule, in: collection.pattern) {
      (gap.unfit, gap.loss) = (rule, loss)
      return [(.field(gap), path)]
    }
    let named: CollectionPath
    switch rule.kind {
    case .reference(let target): named = target ?? field.reference?.collection ?? collection.pattern
    case .url(let target?): named = target
    default: return elements
    }
    return schema.idRule(of: named) == nil ? [(.id(named), path)] : elements
  }

  /// The collections along a path whose IDs have no rule.
  func gaps(along path: DocumentPath) -> [MaskGap] {
    let (collection, above) = (path.collection.pattern, path.collection.parent)
    let own: [MaskGap] = schema.idRule(of: collection) == nil ? [.id(collection)] : []
    return (above.map { gaps(along: $0) } ?? []) + own
  }
}

extension MaskRule {
  /// Sample texts of each form that a rule distinguishes.
  fileprivate var samples: [String] {
    let forms = (1...4).flatMap { number in
      ["\(number)", "\(number)@a.mx", "abcdef00-0000-4000-8000-00000000000\(number)"]
        + [
          "ABCDEF00-0000-4000-8000-00000000000\(number)", String(repeating: "\(number)", count: 28),
          "555012345\(number)",
        ]
    }
    guard case .pseudonym(let keeping, let prefixes) = kind else { return forms }
    return forms + keeping + prefixes.flatMap { prefix in forms.map { prefix + $0 } }
  }

  /// Whether each closed value is masked by another closed value, or left out.
  fileprivate func gives(_ values: [Value]) -> Bool {
    switch kind {
    case .keep, .drop, .null: true
    case .constant(let text): values.contains(.string(text))
    case .pseudonym(let keeping, _):
      values.allSatisfy { value in keeping.contains { value == .string($0) } }
    default: false
    }
  }

  /// Whether the form of a result depends on the text.
  fileprivate var isOfItsText: Bool {
    switch kind {
    case .name, .text, .digits, .date, .year, .url(_?): true
    default: false
    }
  }

  /// Whether a sample of its results has a format, and not only as a day may be a phone, or because the rule keeps that text.
  fileprivate func makes(_ masked: String, of format: FieldFormat) -> Bool {
    switch (kind, format) {
    case (.date, .phone), (.year, .phone): false
    case (.pseudonym, .pattern): format.matches(masked)
    case (.pseudonym(let keeping, _), _):
      format.matches(masked) && !keeping.contains { $0.isIdentical(to: masked) }
    default: format.matches(masked)
    }
  }

  /// Whether masking leaves values that the schema accepts: of one of the field's types, and neither null nor missing if it
  /// is required.
  fileprivate func fits(_ field: FieldSchema) -> Bool {
    let takes: [FieldType]
    switch kind {
    case .keep: return true
    case .drop, .null: return !field.isRequired
    case .hash: takes = [.string, .bytes]
    case .number: takes = [.integer, .double]
    case .constant: takes = [.string]
    case .date, .year: takes = [.timestamp, .string]
    default: takes = [.string, .integer, .double]
    }
    // References are masked under every rule; the keys of a map and the elements of an array have their own rules.
    return field.types.isEmpty || !Set(field.types).isDisjoint(with: takes + [.reference, .map, .array])
  }
}

extension FieldPath {
  /// The full path from the document, for a path within the elements of an array.
  func inside(_ array: FieldPath?) -> FieldPath {
    guard let array else { return self }
    return segments.reduce(array) { $0.appending($1) }
  }
}

extension CollectionPath {
  fileprivate func isBelow(_ other: CollectionPath) -> Bool {
    string.utf8.starts(with: "\(other.string)/".utf8)
  }
}
