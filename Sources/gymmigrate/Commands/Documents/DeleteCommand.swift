import Configuration
import Logging
import MigrationEngine
import Schema

/// `gymmigrate delete`: deletes documents, softly or for good.
struct DeleteCommand: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Deactivate documents, or delete them for good.",
    discussion: """
      By default deletes softly: it sets the field that by the schema marks a document as deleted. --hard deletes \
      documents for good: it requires --max-delete, or asks on a terminal. A document with subcollections is not deleted, but listed: delete these first, or leave them with --leave-subcollections. One that changes meanwhile is left and listed, too.

        gymmigrate delete users --id 08IiQGmf0KBE9bwAj65r3ctInVea -e stage
        gymmigrate delete products --where 'stock == 0' -e stage -n
        gymmigrate delete orders --where 'status == draft' --hard --max-delete 50 \\
            -e stage
      """
  )

  @Argument(help: "The path of the collection, as users; or a pattern, as 'log*' or 'orders/*/items'.")
  var collection: String

  @Option(
    name: .customLong("id"),
    help: "A document by its id. Several are all meant.",
    as: TypedValue.text("id")
  )
  var ids: [String] = []

  @OptionGroup(title: "Which documents") var query: QueryOptions

  @Flag(help: "Every document of the collection; otherwise give --id or --where.")
  var allDocuments = false

  @Flag(help: "Delete for good.")
  var hard = false

  @Option(help: "Delete nothing if more documents than this would be deleted for good.", from: 0)
  var maxDelete: Int?

  @Flag(help: "Delete documents that have subcollections, too, and leave those where they are.")
  var leaveSubcollections = false

  @OptionGroup var immutability: ImmutabilityOptions
  @OptionGroup(title: "Plan first") var plan: PlanOptions
  @OptionGroup var common: WritingOptions

  func validate() throws {
    if ids.isEmpty, let path = DocumentPath(collection) {
      throw ValidationError(
        "'\(collection)' is a document, not a collection. Give \(path.collection) --id \(path.id) for it."
      )
    }
    if !ids.isEmpty {
      if query.group || !query.filters.isEmpty || allDocuments {
        throw ValidationError("Give --id alone: it says which documents are meant.")
      }
      if collection.utf8.contains(UInt8(ascii: "*")) {
        throw ValidationError("--id is for one collection, and '\(collection)' is a pattern.")
      }
      try TypedValue.assertIDs(ids, of: "--id")
    }
    try OneOffArguments.validate(
      collection,
      query,
      allDocuments: allDocuments,
      wants: ids.isEmpty
        ? "Say which: --id, --where, or --all-documents for every document of the collection." : nil
    )
    if !hard {
      if maxDelete != nil { throw ValidationError("--max-delete goes with --hard.") }
      if leaveSubcollections { throw ValidationError("--leave-subcollections goes with --hard.") }
    }
  }

  func jobRun() -> JobRun {
    var job = DeleteJob(collection, query.settings)
    job.ids = ids.reduce(into: [String]()) { list, id in
      if !list.contains(where: { $0.isIdentical(to: id) }) { list.append(id) }
    }
    (job.isHard, job.maximumDeletes) = (hard, maxDelete)
    (job.leavesSubcollections, job.allowsImmutable) = (leaveSubcollections, immutability.allowImmutable)
    job.plan = plan.settings
    return common.jobRun(job)
  }
}

extension DeleteJob: PerformableJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    let resolver = EnvironmentResolver(run.connection)
    let (database, schema) = (try resolver.environment().database, try resolver.schema())
    if !isHard { try assertSoftDelete(schema) }
    var scope = try OneOffArguments.scope(of: collection, query, in: database, schema)
    if !ids.isEmpty { scope = DeclarativeMigration.Scope(scope.collection, ids: ids, in: database) }
    let paths = ids.map { DocumentPath(scope.collection, $0) }
    var migration = DeclarativeMigration(
      id: isHard ? "delete" : "soft-delete",
      summary: "Deletes documents of \(collection).",
      scope: scope,
      steps: [isHard ? .hardDelete : .softDelete],
      schema: schema
    )
    migration.allowsImmutable = allowsImmutable
    return try await OneOffRun(
      run: run,
      plan: plan,
      failIfEmpty: query.failIfEmpty,
      maximumDeletes: maximumDeletes,
      leavesSubcollections: leavesSubcollections
    ).perform(migration) { session in
      if isHard, let note = referrers(in: schema) { session.logger.notice("\(note)") }
      if paths.isEmpty { return }
      let found = try await session.client.batchGet(paths, mask: [.documentName])
      try Failure.assertFound(
        paths,
        in: found,
        addition: ", and nothing was deleted",
        remedy: "Leave that --id out, or look it up with 'gymmigrate find'."
      )
    }
  }

  /// Returns which fields may refer to the deleted documents according to the schema, as a sentence; nil if there are none.
  private func referrers(in schema: DatabaseSchema) -> String? {
    let targets = declared(in: schema).map(\.pattern)
    let fields = schema.collections.flatMap { owner in
      owner.fields.filter { field in field.reference.map { targets.contains($0.collection) } ?? false }
        .map { "\(owner.pattern).\($0.path)" }
    }
    if fields.isEmpty { return nil }
    let more = fields.count > Self.shownFields ? " and \(fields.count - Self.shownFields) more" : ""
    let shown = fields.prefix(Self.shownFields).joined(separator: ", ")
    return
      "Documents may refer to what is deleted, by \(shown)\(more): 'gymmigrate check --rule foreign-key-dangling' lists them afterwards."
  }

  private static let shownFields = 20

  /// Returns the declared collections to which the documents belong.
  private func declared(in schema: DatabaseSchema) -> [CollectionSchema] {
    schema.collections.filter { declared in
      query.group
        ? declared.pattern.id.isIdentical(to: collection)
        : CollectionPath(collection)?.pattern == declared.pattern
          || CollectionSelection.name(collection, means: declared.pattern)
    }
  }

  private func hint(of path: CollectionPath, _ schema: DatabaseSchema) -> String? {
    query.group ? schema.hint(ofGroup: path.id) : schema.hint(of: path)
  }

  /// Refuses a collection without soft deletion; a pattern is refused if that applies to all its collections.
  private func assertSoftDelete(_ schema: DatabaseSchema) throws(Failure) {
    let meant = declared(in: schema)
    if meant.contains(where: { $0.softDelete != nil }) { return }
    throw Failure(
      .usage,
      "delete softly",
      path: collection,
      cause: meant.isEmpty
        ? "the schema '\(schema.name)' does not declare the collection"
        : "the schema says of no field that it marks a document as deleted",
      remedy: CollectionPath(collection).flatMap { hint(of: $0, schema) }
        ?? "--hard deletes for good; 'soft-delete:' in the schema names the field (docs/schema.md)."
    )
  }
}
