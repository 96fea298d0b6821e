import Configuration
import Logging
import MigrationEngine

/// `gymmigrate env reset`: empties a database.
struct EnvReset: JobCommand, PlacedCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset",
    abstract: "Delete everything in a test environment.",
    discussion: """
      Deletes every document of every collection and subcollection, also below missing documents. A protected \
      environment is always refused, whatever it is called and whatever --confirm says. Where there are more documents than --max-delete, nothing is deleted. The ledger of runs (_gymmigrate_runs) stays.

        gymmigrate env reset test -n
        gymmigrate env reset test --max-delete 10000
      """
  )

  @Argument(help: "The environment to clear.", completion: CompletionValues.environments)
  var name: String?

  @Option(help: "Delete nothing if there are more documents than this.", from: 0)
  var maxDelete: Int?

  @Flag(name: [.customShort("n"), .long], help: "Print the counts and the cost, delete nothing.")
  var dryRun = false

  @OptionGroup var common: WritingOptions

  func validate() throws {
    try EnvTarget.validate(name, common.connection)
  }

  func jobRun() throws -> JobRun {
    if !dryRun { try DeletionBound.assertGiven(maxDelete) }
    var run = common.jobRun(ResetJob(maximumDeletes: maxDelete ?? .max, isDryRun: dryRun))
    run.connection.environment = name
    return run
  }
}

extension ResetJob: PerformableJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    try EnvTarget.assertUnprotected(run.connection, "reset")
    return try await CommandRun(run, resumesUnfinished: true).perform { session, folder in
      let roots = try await Self.roots(session)
      // A resumed run may already have deleted some documents.
      let hasBegun = session.checkpoints.map { !$0.journal.isEmpty } ?? false
      if !hasBegun { try await survey(roots, in: session, as: run) }
      if isDryRun { return CommandResult() }
      if !hasBegun { try Guard.ask("Delete all of it?", with: run.confirmation) }
      var runner = MigrationRunner(in: session, folder, writing: run.write)
      runner.maximumDeletes = maximumDeletes
      for root in roots { session.counts.open(root) }
      let source = ChangeSource.migration(DatabaseReset(of: roots))
      let ledger = LedgerRun(session, folder, sources: [source], takingBack: TakenBack(since: nil))
      _ = try await ledger.apply(source, by: runner)
      return CommandResult(lists: MigrationRunner.lists.map(folder.file))
    }
  }

  /// Returns the root collections; for a resumed run, those of its beginning.
  private static func roots(_ session: Session) async throws -> [CollectionPath] {
    if let begun = session.checkpoints?.resumed?.collections, !begun.isEmpty {
      return begun.compactMap { CollectionPath($0.name) }.filter { $0.parent == nil }.sorted()
    }
    return try await session.client.collectionIDs().compactMap { CollectionPath($0) }
      .filter { !$0.isReserved }.sorted()
  }

  /// Counts the documents by their names, and prints the counts and the cost.
  ///
  /// - Throws: `.notPermitted` if there are more than may be deleted.
  private func survey(_ roots: [CollectionPath], in session: Session, as run: JobRun) async throws {
    var counts: [(collection: CollectionPath, count: Int)] = []
    for var read in DatabaseReset.sources(of: roots) {
      read.mask = [.documentName]
      let piece = session.progress.begin(read.collection.string, total: nil)
      var found: [CollectionPath: Int] = [:]
      for try await page in session.client.pages(of: read) {
        for document in page { found[document.path.collection.pattern, default: 0] += 1 }
        session.progress.advance(by: page.count)
      }
      session.progress.setTotal(found.values.reduce(0, +), of: piece)
      counts += found.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
    session.progress.end()
    let total = counts.reduce(0) { $0 + $1.count }
    let prices = try await session.prices(of: run.connection)
    let cost = CostEstimate(Cost(reads: 2 * total, deletes: total), at: prices)
    for (collection, count) in counts {
      session.logger.notice("  \(collection): \(NumberText.counted(count, "document"))")
      if isDryRun {
        session.counts.update(collection) {
          $0.read += count
          $0.skipped += count
        }
      }
    }
    session.logger.notice("  in all \(NumberText.counted(total, "document")); \(cost.text)")
    if total <= maximumDeletes { return }
    throw Failure(
      .notPermitted,
      "reset",
      path: session.environment.name,
      cause: "it has \(NumberText.counted(total, "document")), and --max-delete allows \(maximumDeletes)",
      remedy: "Look at the counts, then allow more with --max-delete. Nothing was deleted."
    )
  }
}

/// The environment that `env reset` empties and `env seed` fills.
enum EnvTarget {
  /// Requires exactly one way of naming it.
  static func validate(_ name: String?, _ connection: ConnectionOptions) throws {
    if connection.environment != nil {
      throw ValidationError("Name the environment as an argument, not with -e.")
    }
    if name == nil, connection.project == nil { throw ValidationError("Name the environment.") }
  }

  /// Refuses a protected environment, by whatever name it is known here.
  ///
  /// - Throws: `.notPermitted`.
  static func assertUnprotected(_ connection: ConnectionSettings, _ operation: String) throws(Failure) {
    let environment = try EnvironmentResolver(connection).environment()
    guard environment.isProtected else { return }
    throw Failure(
      .notPermitted,
      operation,
      path: environment.name,
      cause: environment.protectedBy.map { "it is protected (by \($0))" } ?? "it is protected",
      remedy: "No option allows this. Name a test environment."
    )
  }
}
