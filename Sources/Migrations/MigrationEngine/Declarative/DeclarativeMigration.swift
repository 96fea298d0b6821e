package import FirestoreREST
package import Schema

/// A migration that is declared rather than programmed: steps for the documents of a collection that match a filter.
///
/// It comes from a YAML file or from the flags of `fix` and `delete`. Each document is processed by itself; a step that fails for
/// a document produces a finding and leaves the document unchanged.
///
/// Findings: ``Code``.
package struct DeclarativeMigration: Migration {
  /// Why a document is left unchanged.
  package enum Code: String, Sendable, CaseIterable {
    /// A field does not have the type that a step requires (reject).
    case wrongType = "wrong-type"
    /// A value cannot be converted exactly (reject, or note, depending on the policy).
    case notConvertible = "not-convertible"
    /// A value is not among those to be mapped (reject or note).
    case unknownValue = "unknown-value"
    /// The number of a text's parts differs from the number of fields (reject or note).
    case partsDiffer = "parts-differ"
    /// A text contains other characters than digits (reject).
    case notDigits = "not-digits"
    /// A field would have to be set inside a value that is not a map (reject).
    case parentNotMap = "parent-not-map"
    /// The target of a copy already has another value (review).
    case targetTaken = "target-taken"
    /// Applying the steps again would change their own result (reject).
    case notAtRest = "not-at-rest"
    /// A document to be deleted has subcollections, which would be orphaned (reject).
    case hasSubcollections = "has-subcollections"
    /// A program gives its own reason in the message (note, review or reject).
    case program
    /// A value replaces one of another type, in a field whose type is not declared (note); or the plain JSON of a program is
    /// ambiguous about which of several values is meant (reject).
    case typeChanged = "type-changed"
    /// The schema declares the document immutable (reject).
    case immutable
    /// A document was to be deleted softly, but the schema of its collection does not declare how (reject).
    case noSoftDelete = "no-soft-delete"
  }

  /// Which documents a migration applies to.
  package struct Scope: Sendable, Equatable {
    /// The collection, or a collection pattern (`groups/*/members`); for a group, the ID of its collections.
    package var collection: CollectionPath
    /// Whether the migration applies to all collections with this ID, wherever they are.
    package var isGroup: Bool
    /// The paths or patterns that a pattern of root collections (`class*`) resolves to; empty for any other.
    package var collections: [CollectionPath] = []
    /// The filters, one of which a document must match; if empty, every document matches.
    ///
    /// Each filter is a separate read, and no document matches two.
    package var filters: [StructuredQuery.Filter] {
      didSet { documentFilters = filters.map { DocumentFilter($0) } }
    }
    private var documentFilters: [DocumentFilter]

    package init(
      _ collection: CollectionPath,
      isGroup: Bool = false,
      filters: [StructuredQuery.Filter] = []
    ) {
      self.collection = collection
      self.isGroup = isGroup
      self.filters = filters
      documentFilters = filters.map { DocumentFilter($0) }
    }

    package init(_ collection: CollectionPath, ids: [String], in database: DatabaseName) {
      let names = ids.map { Value.reference(database.name(of: DocumentPath(collection, $0))) }
      self.init(
        collection,
        filters: names.chunks(of: Self.namesPerRead).map { .field(.documentName, .in, .array(Array($0))) }
      )
    }

    /// The maximum number of values of an IN (https://firebase.google.com/docs/firestore/query-data/queries).
    private static let namesPerRead = 30

    package func contains(_ document: RawDocument) -> Bool {
      covers(document.path.collection) && matches(document)
    }

    /// The collections that are known before anything is read.
    var known: [CollectionPath] { isGroup ? [] : collections.isEmpty ? [collection] : collections }

    func covers(_ other: CollectionPath) -> Bool {
      if isGroup { return other.id.isIdentical(to: collection.id) }
      return other == collection || CollectionSelection.name(collection.string, means: other)
    }

    private func matches(_ document: RawDocument) -> Bool {
      documentFilters.isEmpty || documentFilters.contains { $0.matches(document) }
    }

    /// Returns the declared collections that the scope includes.
    package func declared(in schema: DatabaseSchema) -> [CollectionSchema] {
      if !isGroup, let declared = schema.collection(collection) { return [declared] }
      return schema.collections.filter { covers($0.pattern) }
    }

    /// The reads of all documents in the scope, without filters.
    package var wholeReads: [CollectionRead] {
      if isGroup {
        var read = CollectionRead(collection)
        read.reach = .group
        return [read]
      }
      return known.map { CollectionScope(pathOrPattern: $0).read }
    }
  }

  package var id: String
  package var summary: String
  package var scope: Scope
  /// The steps for each document, in order.
  package var steps: [MigrationStep]
  /// Whether the service sets the update time of a changed document, if the schema of its collection has one.
  package var touch: Bool
  package var schema: DatabaseSchema
  /// Whether to change documents that the schema declares immutable.
  package var allowsImmutable = false
  /// Whether to write documents that violate the schema more than before.
  package var allowsSchemaBreaks = false
  /// The SHA-256 of its file, in hexadecimal digits; nil if it comes from flags.
  package var checksum: String?
  /// Lists the collections below a document to be deleted; nil to skip this check.
  private(set) var subcollections: SubcollectionGuard.Lister?
  /// The limits of a program that decides on the documents.
  package var programs = ProgramSettings()
  /// The environment of a program.
  var surroundings = ProgramSurroundings()

  package init(
    id: String,
    summary: String,
    scope: Scope,
    steps: [MigrationStep],
    touch: Bool = true,
    schema: DatabaseSchema,
    checksum: String? = nil
  ) {
    self.id = id
    self.summary = summary
    self.scope = scope
    self.steps = steps
    self.touch = touch
    self.schema = schema
    self.checksum = checksum
  }

  /// The collection, or the ID of the group.
  package var reads: [CollectionPath] { [scope.collection] }

  package func mayWrite(_ collection: CollectionPath) -> Bool { scope.covers(collection) }

  /// Whether it deletes documents without checking for subcollections.
  package var deletesForGood: Bool { subcollections == nil && steps.contains(.hardDelete) }

  package var requestsPerDeletion: Int { subcollections == nil ? 0 : 1 }

  package var strategy: MigrationStrategy {
    guard let subcollections, program == nil else {
      var rule = PerDocument(sources: sources, outcome: outcome)
      rule.session = programSession
      return .perDocument(rule)
    }
    return .streaming { source, sink in
      for read in sources {
        try await source.forEachDocument(matching: read, atOnce: SubcollectionGuard.width) { documents in
          var outcomes = documents.map { outcome(for: $0) }
          try await SubcollectionGuard.withhold(&outcomes, subcollections)
          for (document, outcome) in zip(documents, outcomes) { try await sink.record(outcome, of: document) }
        }
      }
    }
  }

  package func guarded(by subcollections: @escaping SubcollectionGuard.Lister) -> any Migration {
    guard mayDelete, self.subcollections == nil else { return self }
    var guarded = self
    guarded.subcollections = subcollections
    return guarded
  }

  /// Decides again on a changed document; nil for a deletion, because whether the document has subcollections is no longer known.
  ///
  /// A program is not asked again, because it decided on another version of the document.
  package func replan(_ current: RawDocument) -> Outcome? {
    if program != nil { return nil }
    let outcome = outcome(for: current)
    if subcollections != nil, case .change(let change) = outcome.action, change.isDeletion { return nil }
    return outcome
  }

  /// The reads of the documents in the scope.
  package var sources: [CollectionRead] {
    let whole = scope.wholeReads
    if scope.filters.isEmpty { return whole }
    return scope.filters.flatMap { filter in
      whole.map { read in
        var read = read
        read.filter = filter
        return read
      }
    }
  }

  /// Returns the outcome of one document; a document outside the scope is left unchanged.
  package func outcome(for document: RawDocument) -> Outcome {
    guard scope.contains(document) else { return Outcome(.unchanged) }
    let collection = schema.collection(document.path.collection)
    var fields: FieldMap? = document.fields
    var reasons: [String] = []
    var left: [StepFailure] = []
    do throws(StepFailure) {
      for step in steps {
        let (before, count) = (fields, left.count)
        try step.apply(to: &fields, of: collection, noting: &left)
        if fields != before { reasons.append(left.count == count ? step.reason : "\(step.reason): null") }
      }
    } catch {
      return Outcome(.skip, findings: [error.finding(of: document.path)])
    }
    var outcome = self.outcome(making: fields, of: document, because: reasons)
    if outcome.action != .skip { outcome.findings += left.map { $0.finding(of: document.path) } }
    guard case .change = outcome.action, let fields else { return outcome }
    if let unstable = unstable(fields, of: document, collection) { return unstable }
    outcome.findings += typeChanges(fields, of: document, collection)
    return outcome
  }

  /// Returns the outcome of a document that is to get new fields, or to be deleted if nil.
  func outcome(making fields: FieldMap?, of document: RawDocument, because reasons: [String]) -> Outcome {
    let collection = schema.collection(document.path.collection)
    if fields == document.fields { return Outcome(.unchanged) }
    if !allowsImmutable, let collection, collection.immutability.protects(document) {
      return Outcome(.skip, findings: [StepFailure.immutable.finding(of: document.path)])
    }
    guard let fields else {
      return Outcome(.change(Change(path: document.path, before: document, after: nil, reasons: reasons)))
    }
    if !allowsSchemaBreaks, let collection, let breach = breach(by: fields, of: document, collection) {
      return Outcome(.skip, findings: [.breach(breach, of: document.path)])
    }
    let edit = FieldEdit(from: document.fields, to: fields)
    let change =
      touch
      ? document.changing(edit, of: collection, reasons: reasons)
      : Change(of: document, edit, reasons: reasons)
    return Outcome(.change(change))
  }

  /// Returns the outcome of leaving a document unchanged because the migration would change it again.
  func notAtRest(_ document: RawDocument, field: FieldPath?, because cause: String? = nil) -> Outcome {
    let reason = cause.map { " (\(field.map { "\($0): " } ?? "")\($0))" } ?? ""
    let finding = Finding(
      .reject,
      path: document.path,
      code: Code.notAtRest.rawValue,
      field: field?.description,
      found: field.flatMap { document.fields[$0] },
      message:
        "The steps would change what they made when they are applied again\(reason); the document is left as it is."
    )
    return Outcome(.skip, findings: [finding])
  }

  private func breach(
    by fields: FieldMap,
    of document: RawDocument,
    _ collection: CollectionSchema
  ) -> SchemaViolation? {
    collection.breaches(
      by: RawDocument(path: document.path, fields: fields),
      over: document.fields,
      settingTimes: touch ? collection.serverUpdateTime.map { [$0] } ?? [] : []
    ).first
  }

  /// Returns the outcome of a document that applying the steps again would change; nil if it would not.
  ///
  /// Resuming an interrupted run relies on there being nothing, and so does a read that returns a document twice because its
  /// position in the order changed.
  private func unstable(
    _ fields: FieldMap,
    of document: RawDocument,
    _ collection: CollectionSchema?
  ) -> Outcome? {
    let made = RawDocument(path: document.path, fields: fields)
    guard scope.contains(made) else { return nil }
    var again: FieldMap? = fields
    var left: [StepFailure] = []
    do throws(StepFailure) {
      for step in steps { try step.apply(to: &again, of: collection, noting: &left) }
    } catch {
      return notAtRest(document, field: error.field)
    }
    if again == fields { return nil }
    let differences = again.map { Change(of: made, FieldEdit(from: fields, to: $0)).differences }
    return notAtRest(document, field: differences?.first?.path)
  }

  // MARK: Validation

  /// Returns why the steps make no sense, and the index of the step; nil if they do.
  package var problem: (index: Int, cause: String)? {
    if let problem = Self.problem(of: steps) { return problem }
    let declared = scope.declared(in: schema)
    let updateTimes = touch ? declared.compactMap(\.serverUpdateTime) : []
    for (index, step) in steps.enumerated() {
      for time in updateTimes
      where step.writes.contains(where: { $0.isPrefix(of: time) || time.isPrefix(of: $0) }) {
        return (
          index,
          "\(time) comes from the server; a step may write it where that is turned off (touch: false, --no-touch)"
        )
      }
      if !allowsSchemaBreaks, let cause = step.breach(of: declared, before: steps[(index + 1)...]) {
        return (index, "\(cause), or give --allow-schema-breaks")
      }
    }
    return nil
  }

  /// Returns why the steps make no sense regardless of the scope, and the index of the step; nil if they do.
  package static func problem(of steps: [MigrationStep]) -> (index: Int, cause: String)? {
    for (index, step) in steps.enumerated() {
      if let problem = step.problem { return (index, problem) }
      if step == .hardDelete, steps.count > 1 {
        return (index, "a document that is deleted needs no other step")
      }
      if step.program != nil, steps.count > 1 {
        return (index, "a program is the only step of its migration")
      }
    }
    return nil
  }

  /// Parses a field that a step may name.
  ///
  /// - Throws: ``WireError`` for a text that is not a field path, or that the service would refuse.
  package static func field(parsing text: String) throws(WireError) -> FieldPath {
    let path = try FieldPath(wire: text)
    if let violation = DocumentLimits.violations(of: path).first { throw WireError(violation.message) }
    return path
  }

  /// Returns why a collection cannot be changed; nil if it can.
  package static func problem(of collection: CollectionPath, isGroup: Bool) -> String? {
    if isGroup, collection.parent != nil { return "a collection group is named by one id, as members" }
    if isGroup, collection.string.utf8.contains(UInt8(ascii: "*")) {
      return "a collection group is named by one id, without *"
    }
    if let defect = CollectionSelection.defect(of: collection.string) { return "'\(collection)' \(defect)" }
    if let violation = PathLimits.violations(of: collection).first { return violation.message }
    if collection.isReserved {
      return "collections that begin with \(CollectionSelection.ownPrefix) are gymmigrate's own"
    }
    return nil
  }
}
