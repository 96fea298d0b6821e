import Configuration
import Logging
import MigrationEngine

struct ManagedImport: AsyncParsableCommand {
  /// The name in records of runs.
  static let name = ManagedCommand.prefix + "import"

  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Have Firestore import an export from a bucket.",
    discussion: """
      Starts the import and prints the operation's name; with --wait, shows its progress and ends as it ends. \
      Stopping the command does not stop the import.

      Documents with the same name are overwritten, all others stay. The service does it: 'gymmigrate migrate undo' \
      cannot undo it, and update times are new. Collections can be named if they were named when they were exported.

        gymmigrate managed import --from gs://backups/2026-01-31 -e stage --wait
        gymmigrate managed import users --from gs://backups/people -e prod \\
            --confirm prod
      """
  )

  @Argument(help: "IDs of collections, as users or items; everything in the export if none is named.")
  var collections: [String] = []

  @Option(help: "The export, as gs://BUCKET/PREFIX.", as: TypedValue.bucketPrefix)
  var from: BucketPrefix

  @OptionGroup var waiting: WaitOptions
  @OptionGroup var common: SummaryOptions
  @OptionGroup var guards: ConfirmOptions

  func validate() throws {
    if let defect = ManagedRequest.defect(of: collections) { throw ValidationError("\(defect).") }
    if from.path.isEmpty {
      throw ValidationError(
        "--from: give the prefix of the export, too, as 'gymmigrate managed list' shows it."
      )
    }
  }

  func run() async throws {
    let request = ManagedRequest(.importDocuments, from, collections: collections)
    let (work, waiting, guards) = (ManagedWork(common), waiting, guards)
    try await work.command("import", guards: guards).perform { session, _ in
      try ManagedWork.assertDatabase(session, isBilled: true)
      let (environment, database) = (session.environment, session.environment.database)
      session.logger.notice(
        "Importing \(work.what(request)) from \(request.prefix) into \(environment.name): project \(database.project), database \(database.database), \(session.client.endpoint), as \(session.database.connection.signer)."
      )
      session.logger.warning(
        "Documents with the same name are overwritten, none is deleted; 'gymmigrate migrate undo' cannot undo it."
      )
      try await Self.assertUnlocked(session)
      try Guard.ask("Import?", with: guards.confirmation)
      return try await work.start(request, waiting, in: session)
    }
  }

  /// Refuses to import while a run of gymmigrate changes the database.
  private static func assertUnlocked(_ session: Session) async throws {
    guard let holder = try await session.ledger.holder(), !holder.isExpired else { return }
    let end = try await session.ledger.entry(of: holder.run).flatMap { session.place.endOfTasks(of: $0) }
    throw Failure(
      .tryLater,
      "import into",
      path: session.environment.name,
      cause: "\(holder.holder) holds the lock: run \(holder.run)",
      remedy: "\(end ?? "Wait for its end ('\(session.place.status)').") Nothing was started."
    )
  }
}
