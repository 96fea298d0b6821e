import ArgumentParser
import Configuration
import FirestoreModels
import FirestoreREST
import MigrationEngine

/// `gymmigrate delete`: documents taken out of use, or for good.
struct DeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Deactivate documents, or delete them for good.",
    discussion: """
      By default sets isActive to false and has the server set updatedAt, as the apps do; a document that is already inactive is left unchanged. --hard deletes documents for good: it requires --max-delete, or asks on a terminal. The service keeps the subcollections of a deleted document, where no list shows them; so a document with subcollections is not deleted, but listed. Delete the subcollections first, or leave them with --leave-subcollections.

        gymmigrate delete members --id 00914634-DED7-46C6-A448-0F7BCB3FE60C -e stage
        gymmigrate delete products --where 'stock == 0' -e stage -n
        gymmigrate delete check_ins --where 'type == visitor' --hard --max-delete 50 -e stage
      """
  )

  @Argument(help: "The path of the collection, as users; or a pattern, as 'class*' or 'groups/*/members'.")
  var collection: String

  @Option(
    name: .customLong("id"),
    help: ArgumentHelp("A document by its id. Several are all meant.", valueName: "id")
  )
  var ids: [String] = []

  @OptionGroup var query: QueryOptions

  @Flag(help: "Every document of the collection; otherwise give --id or --where.")
  var allDocuments = false

  @Flag(help: "Delete for good.")
  var hard = false

  @Option(
    help: ArgumentHelp("Stop before more documents than this are deleted for good.", valueName: "n"),
    from: 0
  )
  var maxDelete: Int?

  @Flag(help: "Delete documents that have subcollections, too, and leave those where they are.")
  var leaveSubcollections = false

  @OptionGroup var plan: PlanOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var logging: LoggingOptions
  @OptionGroup var write: WriteOptions

  /// Collections whose documents are facts, which no app takes for inactive.
  private static let withoutIsActive: Set = [
    "check_ins", "payments", "classBookings", "classAttendance", "user_emails", "app_config",
  ]

  func validate() throws {
    if !ids.isEmpty {
      if query.group || !query.filters.isEmpty || allDocuments {
        throw ValidationError("Give --id alone: it says which documents are meant.")
      }
      if collection.utf8.contains(UInt8(ascii: "*")) {
        throw ValidationError("--id is for one collection, and '\(collection)' is a pattern.")
      }
      for id in ids {
        if let violation = PathLimits.violation(ofID: id, isDocument: true) {
          throw ValidationError("--id: \(violation.message).")
        }
      }
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
      if Self.withoutIsActive.contains(where: { matches($0) }) {
        throw ValidationError(
          "The documents of \(collection) are never inactive: no app looks at isActive there. --hard deletes for good."
        )
      }
    }
  }

  private func matches(_ name: String) -> Bool {
    CollectionPath(name).map { CollectionSelection.name(collection, means: $0) } ?? false
  }

  func run() async throws {
    let database = try EnvironmentResolver(connection).environment().database
    var scope = try OneOffArguments.scope(of: collection, query, in: database)
    let ids = ids.reduce(into: [String]()) { list, id in
      if !list.contains(where: { $0.isIdentical(to: id) }) { list.append(id) }
    }
    if !ids.isEmpty { scope = DeclarativeMigration.Scope(scope.collection, ids: ids, in: database) }
    let paths = ids.map { DocumentPath(scope.collection, $0) }
    let migration = DeclarativeMigration(
      id: hard ? "delete" : "soft-delete",
      summary: "Deletes documents of \(collection).",
      scope: scope,
      steps: [hard ? .hardDelete : .softDelete]
    )
    try await OneOffRun(
      name: "delete \(collection)",
      connection: connection,
      logging: logging,
      write: write,
      plan: plan,
      emptiness: query.emptiness,
      maximumDeletes: maxDelete,
      leavesSubcollections: leaveSubcollections
    ).perform(migration) { session in
      if paths.isEmpty { return }
      let found = try await session.client.batchGet(paths, mask: [MigrationStep.isActive])
      if let missing = paths.first(where: { found[$0] == nil }) {
        throw Failure(
          .inputMissing,
          "find the document",
          path: missing.string,
          cause: "there is none, and nothing was deleted",
          remedy: "Leave that --id out, or look it up with 'gymmigrate find'."
        )
      }
    }
  }
}
