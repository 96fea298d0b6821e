import Schema

/// Something that no rule covers.
enum MaskGap: Sendable, Equatable {
  /// A collection, or a document of it, that the schema does not declare.
  case undeclared(CollectionPath)
  /// The IDs of a collection.
  case id(CollectionPath)
  /// A field, with its type.
  case field(CollectionPath, FieldPath, String)
  /// A reference that is none.
  case reference
  /// Fields that are unique, and whose rules make the same of values that differ.
  case unique(CollectionPath, [FieldPath])

  /// Whether both are the same thing, whatever its type.
  func isAbout(_ other: MaskGap) -> Bool {
    guard case .field(let collection, let path, _) = self,
      case .field(let otherCollection, let otherPath, _) = other
    else { return self == other }
    return collection == otherCollection && path == otherPath
  }

  static func type(of value: Value) -> String { FieldType(of: value)?.rawValue ?? "any" }
}

/// What is said of all that no rule covers.
enum MaskGaps {
  static func failure(_ gaps: [MaskGap]) -> Failure {
    Failure(
      .configuration,
      "mask",
      cause: "no rule covers \(gaps.map(text).joined(separator: ", "))",
      remedy: "Add to the schema (docs/masking.md): \(gaps.map(yaml).joined(separator: "; "))"
    )
  }

  static func text(_ gap: MaskGap) -> String {
    switch gap {
    case .undeclared(let collection): "documents of \(collection)"
    case .id(let collection): "the IDs of \(collection)"
    case .field(let collection, let path, _): "\(shown(path)) of \(collection)"
    case .reference: "a reference to no document"
    case .unique(let collection, let fields):
      "\(fields.map(shown).joined(separator: " and ")) of \(collection), unique there, without making one of several"
    }
  }

  static func yaml(_ gap: MaskGap) -> String {
    switch gap {
    case .undeclared(let collection): "\(collection): { mask: pseudonym, fields: { … } }"
    case .id(let collection): "\(collection): { mask: pseudonym }"
    case .field(let collection, let path, let type):
      "\(collection): { fields: { \(shown(path)): { type: \(type.isEmpty ? "any" : type), mask: \(suggestion(type)) } } }"
    case .reference: "a rule for the field, as mask: drop"
    case .unique(let collection, let fields):
      "\(collection): { fields: { \(fields.map { "\(shown($0)): { mask: pseudonym }" }.joined(separator: ", ")) } }"
    }
  }

  private static func suggestion(_ type: String) -> String {
    switch type {
    case "string": "pseudonym"
    case "timestamp": "date(±30)"
    case "integer", "double": "number(±10%)"
    default: "drop"
    }
  }

  /// A path as it is, unless a key in it is no plain name: such a key may be a person's.
  private static func shown(_ path: FieldPath) -> String {
    path.segments.allSatisfy(isPlain) ? path.description : "(a key that is not shown)"
  }

  /// Whether a name may be shown.
  static func isPlain(_ name: String) -> Bool {
    name.utf8.count <= 40 && name.utf8.first?.isASCIILetter ?? false
      && name.utf8.allSatisfy { $0.isASCIILetter || $0 == UInt8(ascii: "_") }
  }
}

extension Mask {
  /// Checks that the schema covers what it declares of collections, and of what is below them.
  ///
  /// - Throws: `.configuration` with all that no rule covers.
  package func assertCovers(_ collections: [CollectionPath]) throws(Failure) {
    var gaps: [MaskGap] = []
    for path in collections {
      if schema.collection(path) == nil { gaps.append(.undeclared(path.pattern)) }
      for collection in schema.collections
      where collection.pattern == path.pattern || collection.pattern.isBelow(path.pattern) {
        gaps += self.gaps(of: collection).filter { !gaps.contains($0) }
      }
    }
    if !gaps.isEmpty { throw MaskGaps.failure(gaps) }
  }

  func gaps(of collection: CollectionSchema) -> [MaskGap] {
    var gaps: [MaskGap] = []
    if schema.idRule(of: collection.pattern) == nil { gaps.append(.id(collection.pattern)) }
    for field in collection.fields { gaps += self.gaps(of: field, collection) }
    for fields in collection.unique {
      let merged = fields.filter { collection.field($0).flatMap(collection.maskRule)?.isMerging ?? false }
      if !merged.isEmpty { gaps.append(.unique(collection.pattern, merged)) }
    }
    return gaps
  }

  private func gaps(of field: FieldSchema, _ collection: CollectionSchema) -> [MaskGap] {
    let elements = field.elements.flatMap { gaps(of: $0, collection) }
    if collection.isStructure(field) { return elements }
    // Below an element, the element's own fields have the rules.
    if field.types == [.map], field.path.segments.first == FieldSchema.elementName { return elements }
    guard let rule = collection.maskRule(of: field) else {
      return [.field(collection.pattern, field.path, field.typeNames)]
    }
    let path: CollectionPath
    switch rule.kind {
    case .reference(let target): path = target ?? field.reference?.collection ?? collection.pattern
    case .url(let target?): path = target
    default: return elements
    }
    return schema.idRule(of: path) == nil ? [.id(path)] : elements
  }
}

extension CollectionPath {
  fileprivate func isBelow(_ other: CollectionPath) -> Bool {
    string.utf8.starts(with: "\(other.string)/".utf8)
  }
}
