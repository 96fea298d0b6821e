package import FirestoreREST
package import Schema

/// Checks data against a schema and the rules of an application, in one read-only pass over each collection that they need.
///
/// Documents are processed page by page; what rules over several documents need (IDs, links, keys) is kept in a temporary file,
/// so that memory does not grow with the collections. Findings are reported as they are found, in an order that depends only on
/// the data.
///
///     let check = IntegrityCheck(of: schema, application: GymRules())
///     try await check.run(check.reads, from: source) { finding in print(finding.message) }
package struct IntegrityCheck: Sendable {
  package let schema: DatabaseSchema
  /// The rules to check, in the order of ``knownRules``.
  package let rules: [IntegrityRule]
  /// All rules, in the order in which they are listed.
  package let knownRules: [IntegrityRule]
  /// The collections whose documents are checked, as patterns; nil for all.
  ///
  /// The collections that they refer to are also read.
  package let judged: Set<CollectionPath>?

  private let application: (any ApplicationRules)?
  private let buckets: StorageBuckets?
  private let database: DatabaseName?
  private let chosen: Set<IntegrityRule>

  /// Provides the documents of a read, page by page and ordered by name.
  package typealias Source = (CollectionRead, _ page: ([RawDocument]) async throws -> Void) async throws ->
    Void

  /// Creates a check of some rules.
  ///
  /// - Parameters:
  ///   - application: The application's rules beyond the schema.
  ///   - rules: The rules to check; nil for all.
  ///   - buckets: The buckets of the environments; nil if that of the data is not known, and ``IntegrityRule/foreignBucket`` is
  ///     not
  ///     checked.
  ///   - judged: The collections whose documents are checked; nil for all.
  ///   - database: The database of the documents, so that references to another one are dangling; nil if not known.
  package init(
    of schema: DatabaseSchema,
    application: (any ApplicationRules)? = nil,
    rules: Set<IntegrityRule>? = nil,
    judged: Set<CollectionPath>? = nil,
    buckets: StorageBuckets? = nil,
    database: DatabaseName? = nil
  ) {
    self.schema = schema
    self.application = application
    self.buckets = buckets
    self.database = database
    knownRules = Self.rules(application)
    self.rules = knownRules.filter { rule in
      (rules?.contains(rule) ?? true) && (buckets != nil || rule != .foreignBucket)
    }
    chosen = Set(self.rules)
    self.judged = judged
  }

  /// Returns all rules of the schema and an application.
  package static func rules(_ application: (any ApplicationRules)?) -> [IntegrityRule] {
    IntegrityRule.ofSchema + (application?.rules ?? [])
  }

  /// Returns the rules of the schema and an application that each document satisfies or violates by itself.
  package static func perDocument(_ application: (any ApplicationRules)?) -> Set<IntegrityRule> {
    IntegrityRule.ofSchemaPerDocument.union(application?.perDocument ?? [])
  }

  // MARK: Reads

  /// The required reads in the order of the schema: each root collection once, with the fields that the rules examine.
  ///
  /// A collection with declared subcollections is read together with everything below it, including documents below missing ones.
  package var reads: [CollectionRead] {
    var needs: [CollectionPath: Need] = [:]
    for rule in rules {
      for (collection, need) in self.needs(of: rule) { needs[collection, default: Need()].add(need) }
    }
    var reads: [CollectionRead] = []
    for declared in schema.collections {
      let root = declared.pattern.root
      guard !reads.contains(where: { $0.collection == root }) else { continue }
      let parts = needs.filter { $0.key.root == root }
      if parts.isEmpty { continue }
      var all = Need()
      for part in parts.values { all.add(part) }
      let mask = all.fields.sorted().map { FieldPath(field: $0.string) }
      var read = CollectionRead(root, mask: all.isWhole ? nil : mask.isEmpty ? [.documentName] : mask)
      if parts.keys.contains(where: { $0 != root }) { read.reach = .subcollections }
      reads.append(read)
    }
    return reads
  }

  /// The fields of a collection to read.
  private struct Need {
    /// The fields of the collection's own documents.
    var fields: Set<UTF8Key> = []
    var isWhole = false

    mutating func add(_ other: Need) {
      fields.formUnion(other.fields)
      isWhole = isWhole || other.isWhole
    }

    init() {}

    init(_ paths: [FieldPath]) { fields = Set(paths.map { UTF8Key($0.segments[0]) }) }
  }

  /// Returns the collections, as patterns, whose documents the findings of a rule can name.
  package func subjects(of rule: IntegrityRule) -> [CollectionPath] {
    if let application, application.rules.contains(rule) { return [application.subject(of: rule)] }
    return schema.collections.filter { !needs(of: rule, in: $0).isEmpty }.map(\.pattern)
  }

  private func needs(of rule: IntegrityRule) -> [CollectionPath: Need] {
    if let application, application.rules.contains(rule) {
      guard judged?.contains(application.subject(of: rule)) ?? true else { return [:] }
      return application.fields(of: rule).mapValues { Need($0.map { FieldPath(field: $0) }) }
    }
    var needs: [CollectionPath: Need] = [:]
    for collection in schema.collections where judged?.contains(collection.pattern) ?? true {
      needs.merge(self.needs(of: rule, in: collection)) { one, other in
        var both = one
        both.add(other)
        return both
      }
    }
    return needs
  }

  /// Returns what a rule of the schema reads for the documents of a collection; nothing if it does not apply to them.
  private func needs(of rule: IntegrityRule, in collection: CollectionSchema) -> [CollectionPath: Need] {
    guard [.foreignKeyDangling, .linkNotMirrored].contains(rule) else {
      return need(of: rule, in: collection).map { [collection.pattern: $0] } ?? [:]
    }
    var needs: [CollectionPath: Need] = [:]
    for field in collection.fields {
      guard let reference = field.reference else { continue }
      let mirror = rule == .linkNotMirrored ? reference.mirror : nil
      if rule == .linkNotMirrored, mirror == nil { continue }
      needs[collection.pattern, default: Need()].add(Need([field.path]))
      needs[reference.collection, default: Need()].add(Need(mirror.map { [$0] } ?? []))
    }
    return needs
  }

  /// Returns what a rule over single documents reads of a collection; nil if the rule does not apply to it.
  private func need(of rule: IntegrityRule, in collection: CollectionSchema) -> Need? {
    func need(_ paths: [FieldPath]) -> Need? { paths.isEmpty ? nil : Need(paths) }
    func fields(_ isMeant: (FieldSchema) -> Bool) -> Need? {
      need(collection.fields.filter(isMeant).map(\.path))
    }
    switch rule {
    case .idMissing, .idMismatch: return need(collection.idField.map { [$0] } ?? [])
    case .wrongType: return fields { !$0.types.isEmpty }
    case .foreignKeyMissing: return fields { $0.isRequired && $0.reference != nil }
    case .requiredMissing: return fields { $0.isRequired && $0.reference == nil }
    case .valueUnknown: return fields { $0.values != nil }
    case .format: return fields { $0.format != nil }
    case .range: return fields { !$0.range.isEmpty }
    case .unreadable:
      return collection.isDecodedStrictly ? fields { !$0.types.isEmpty || $0.isRequired } : nil
    case .hidden: return need(collection.orderedBy + collection.filteredBy)
    case .fieldUnexpected: return need(collection.forbidden)
    case .fieldUnknown:
      if collection.expectsUnknownFields { return nil }
      var need = Need()
      need.isWhole = true
      return need
    case .documentID:
      switch collection.documentID {
      case .email?, .pattern?: return Need()
      default: return nil
      }
    case .notUnique: return need(collection.unique.flatMap { $0 })
    case .foreignBucket: return need(urlFields(of: collection))
    default: return nil
    }
  }

  /// Returns the fields that may hold a URL: those that the collection declares, and those with the names of other collections'
  /// URL fields, which applications may write without declaring them.
  private func urlFields(of collection: CollectionSchema) -> [FieldPath] {
    func urls(_ collection: CollectionSchema) -> [FieldPath] {
      collection.fields.filter { $0.format == .url }.map(\.path)
    }
    let own = urls(collection)
    let named = Set(schema.collections.flatMap(urls).compactMap(\.segments.last).map { UTF8Key($0) })
    return own + named.sorted().map { FieldPath(field: $0.string) }.filter { !own.contains($0) }
  }

  // MARK: Checking

  /// Runs the check.
  ///
  /// - Parameters:
  ///   - reads: The reads to execute: ``reads``, with a page size and a read time.
  ///   - source: Provides the documents.
  ///   - output: Receives each finding.
  /// - Throws: Errors of `source` and `output`; `Failure` of kind `cannotWrite` if the temporary file cannot be written.
  package func run(
    _ reads: [CollectionRead],
    from source: @escaping Source,
    report output: (IntegrityFinding) throws -> Void
  ) async throws {
    let references = try ReferenceCheck(schema, chosen, in: database)
    var lookup = CollectionLookup(schema)
    let urls = Dictionary(uniqueKeysWithValues: schema.collections.map { ($0.pattern, urlFields(of: $0)) })
    let application = try self.application?.begin(chosen)
    let ownReferences = self.application?.ownReferences ?? [:]
    func report(_ finding: IntegrityFinding) throws {
      guard chosen.contains(finding.rule) else { return }
      let pattern = finding.path.collection.pattern
      if let judged, !judged.contains(pattern) { return }
      if finding.rule == .foreignKeyDangling, let field = finding.field,
        ownReferences[pattern]?.contains(where: { $0.isIdentical(to: field) }) ?? false
      {
        return
      }
      try output(finding)
    }
    for read in reads {
      let root = read.collection
      try await source(read) { page in
        var findings: [(index: Int, finding: IntegrityFinding)] = []
        for (index, document) in page.enumerated() {
          guard let (_, collection) = lookup.find(document) else { continue }
          for finding in DocumentRules.findings(in: document, of: collection, chosen) {
            findings.append((index, finding))
          }
          guard let buckets, chosen.contains(.foreignBucket) else { continue }
          for finding in DocumentRules.foreignBuckets(in: document, urls[collection.pattern] ?? [], buckets) {
            findings.append((index, finding))
          }
        }
        try await references.take(page) { findings.append(($0, $1)) }
        try await application?.take(page, of: root) { findings.append(($0, $1)) }
        // Ordered by document, independently of pages, and for one document in the order in which they were found.
        let order = findings.indices.sorted { (findings[$0].index, $0) < (findings[$1].index, $1) }
        for index in order { try report(findings[index].finding) }
      }
      try await references.finish(root, report: report)
      try await application?.finish(root, report: report)
    }
  }
}
