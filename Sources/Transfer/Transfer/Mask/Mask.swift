package import Schema

/// Masks documents by the rules of a schema, under a key.
///
/// It is a pure transformation: parallel reads, a resumed run and another copy all mask a document alike.
///
/// Values that no rule covers are refused, never let through. ``assertCovers(_:)`` refuses what the schema alone reveals;
/// what only a document reveals is refused when that is masked.
package struct Mask: Sendable {
  let schema: DatabaseSchema
  private let text: MaskedText
  private let collections: [CollectionPath: MaskedCollection]

  package init(by schema: DatabaseSchema, key: MaskKey) {
    self.schema = schema
    text = MaskedText(key: key)
    collections = Dictionary(
      schema.collections.map { ($0.pattern, MaskedCollection($0, of: schema)) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Returns the masked document, including its ID and path.
  ///
  /// - Throws: `.configuration` with all fields of the document that no rule covers.
  package func masked(_ document: RawDocument) throws(Failure) -> RawDocument {
    let pattern = document.path.collection.pattern
    guard let collection = collections[pattern], collection.schema.covers(document.path) else {
      throw MaskGaps.failure([.undeclared(pattern)], by: schema)
    }
    var fields = fields(of: collection, seed: Array(document.path.string.utf8))
    var masked = document
    masked.path = try path(document.path)
    masked.fields = try fields.masked(document.fields)
    if !fields.gaps.isEmpty { throw MaskGaps.failure(fields.gaps, by: schema) }
    return masked
  }

  /// Returns the masked documents, in order; parts of them are masked concurrently.
  ///
  /// - Throws: The error of the first document that cannot be masked (see ``masked(_:)-(RawDocument)``);
  ///   `CancellationError`.
  package func masked(_ documents: [RawDocument]) async throws -> [RawDocument] {
    let parts = Array(documents.chunks(of: Self.part))
    let masked = try await parts.concurrentMap { part -> Result<[RawDocument], Failure> in
      Result { () throws(Failure) in try part.map { document throws(Failure) in try self.masked(document) } }
    }
    return try masked.flatMap { try $0.get() }
  }

  /// The number of documents that one task masks.
  private static let part = 64

  /// Returns the values of a document with the rules that apply to them, leaving out values that no rule covers.
  func decisions(on document: RawDocument) -> [MaskDecision] {
    guard let collection = collections[document.path.collection.pattern],
      collection.schema.covers(document.path)
    else { return [] }
    var fields = fields(of: collection)
    return fields.decisions(on: document.fields)
  }

  /// The rule of a collection's IDs; nil if none is declared or implied.
  func idRule(of path: CollectionPath) -> MaskRule? {
    (collections[path] ?? collections[path.pattern])?.idRule
  }

  private func fields(of collection: MaskedCollection, seed: [UInt8] = []) -> MaskedFields {
    MaskedFields(mask: self, text: text, collection, seed: seed)
  }

  /// Returns what no rule covers in a document and its collection, without duplicates, and whether the document has it.
  func gaps(in document: RawDocument) throws(Failure) -> [(gap: MaskGap, isThere: Bool)] {
    let pattern = document.path.collection.pattern
    guard let collection = collections[pattern], collection.schema.covers(document.path) else {
      return [(.undeclared(pattern), true)]
    }
    var fields = fields(of: collection)
    _ = try fields.masked(document.fields)
    let there = gaps(along: document.path) + fields.gaps
    let known = places(of: collection.schema).map { gap, field in
      (gap, field.map { Value.map(document.fields).has($0.segments[...]) } ?? true)
    }
    let all = known + there.map { ($0, true) }
    return MaskGaps.unique(all.map(\.0)).map { gap in
      (gap, all.contains { $0.1 && $0.0.subject == gap.subject })
    }
  }

  /// Returns a path with the ID of each of its documents masked.
  func path(_ path: DocumentPath) throws(Failure) -> DocumentPath {
    guard let rule = idRule(of: path.collection.pattern) else {
      throw MaskGaps.failure(gaps(along: path), by: schema)
    }
    let parent = try path.collection.parent.map { parent throws(Failure) in try self.path(parent) }
    return DocumentPath(CollectionPath(parent, path.collection.id), id(path.id, rule))
  }

  /// Masks an ID by the rule of its collection.
  func id(_ id: String, _ rule: MaskRule) -> String {
    switch rule.kind {
    case .pseudonym(let keeping, let prefixes):
      text.pseudonym(id, keeping: keeping, prefixes: prefixes)
    case .email(let domain): text.emailID(id, of: domain)
    case .keep: id
    default: text.hash(id.utf8)
    }
  }

  /// Returns what a rule makes of a text in any document; of a URL with IDs, the shortest; nil if it says nothing of the
  /// results, or makes none of such a text.
  func sample(_ sample: String, under rule: MaskRule) -> String? {
    switch rule.kind {
    case .constant(let constant): constant
    case .pseudonym, .hash: id(sample, rule)
    case .email(let domain): FieldFormat.email.matches(sample) ? text.email(sample, of: domain) : nil
    case .url(nil): text.url(sample)
    case .url: MaskedText.urlBase
    case .digits: text.digits(sample)
    case .date, .year: "2000-01-01"
    case .name: text.name(sample)
    case .text: text.lorem(sample)
    default: nil
    }
  }

  /// Returns a reference to the masked document, in whichever database; nil if the name is not that of a document.
  func reference(_ name: String) throws(Failure) -> Value? {
    guard let path = DocumentPath(ofName: name) else { return nil }
    let root = name.utf8.dropLast(path.string.utf8.count)
    return .reference(String(decoding: root, as: UTF8.self) + (try self.path(path)).string)
  }
}

extension DocumentPath {
  /// Creates the path from a full name, in whichever database; nil if it is not a document's name.
  init?(ofName name: String) {
    let marker = "/documents/"
    let bytes = Array(name.utf8)
    guard let at = bytes.indices.first(where: { bytes[$0...].starts(with: marker.utf8) }) else { return nil }
    self.init(String(decoding: bytes[(at + marker.utf8.count)...], as: UTF8.self))
  }
}

extension Value {
  /// Whether there is a value at a path, in any element of the arrays on the way.
  fileprivate func has(_ path: ArraySlice<String>) -> Bool {
    guard let name = path.first else { return true }
    switch self {
    case .map(let fields): return fields[name]?.has(path.dropFirst()) ?? false
    case .array(let values) where name.isIdentical(to: FieldSchema.elementName):
      return values.contains { $0.has(path.dropFirst()) }
    default: return false
    }
  }
}

extension DatabaseSchema {
  /// The rule of a collection's IDs, also if they are those of another collection; nil if none is declared or implied.
  ///
  /// - Parameter passed: The collections whose IDs these are, which must not follow again.
  func idRule(of path: CollectionPath, after passed: [CollectionPath] = []) -> MaskRule? {
    guard let collection = collection(path), !passed.contains(collection.pattern) else { return nil }
    guard let rule = collection.mask else { return collection.personalData == .free ? .keep : nil }
    guard case .reference(let target) = rule.kind else { return rule }
    return target.flatMap { idRule(of: $0, after: passed + [collection.pattern]) }
  }
}

extension CollectionSchema {
  /// The rule of a field, as declared or as implied by the schema.
  func maskRule(of field: FieldSchema) -> MaskRule? {
    if let rule = field.mask { return rule }
    if field.reference != nil { return .reference }
    if field.path == idField { return .reference }
    let isTime = [createTime?.path, updateTime?.path].contains(field.path)
    return personalData == .free || isTime || field.types == [.boolean] ? .keep : nil
  }

  /// Whether the fields below a field, or its elements, have their own rules.
  func isStructure(_ field: FieldSchema) -> Bool {
    !field.elements.isEmpty || fields.contains { $0.path != field.path && field.path.isPrefix(of: $0.path) }
  }
}
