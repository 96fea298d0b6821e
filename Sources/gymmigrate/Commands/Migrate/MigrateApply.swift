import ArgumentParser
import Configuration
import Files
import FirestoreModels
import MigrationEngine
import Runs

/// `gymmigrate migrate apply`.
struct MigrateApply: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Apply migrations, or a plan exactly as it was made.",
    discussion: """
      Only documents that change are written, each with an update mask of what changes and only if it is still as it was read; one that changed meanwhile is planned again, or with --plan listed as conflicted. Applying twice changes nothing the second time. Every change is recorded in the run's journal before it is sent, so that 'migrate undo' can restore it. A plan that deletes documents requires --max-delete, or asks on a terminal; a document that has subcollections by then is not deleted, but listed. Exits with 2 when documents were rejected, conflicted, or need review (review.csv).

      One run at a time: a second one exits with 75 and names the holder. Resume a run that stopped before it was done with 'gymmigrate runs resume', or with the very same command, which reads everything again. Until it is resumed, undone ('migrate undo') or cleared ('migrate unlock RUN'), no other run begins.
      """
  )

  @OptionGroup var migrations: ChosenMigrations
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var logging: LoggingOptions
  @OptionGroup var write: WriteOptions

  @Option(
    help: ArgumentHelp(
      "Apply this file of 'migrate plan -o', also gs://BUCKET/NAME, and nothing else.",
      valueName: "file"
    ),
    transform: TypedValue.file
  )
  var plan: String?

  @Option(
    help: ArgumentHelp(
      "Refuse a migration or a plan that deletes more documents than this (user-emails --prune, delete: hard).",
      valueName: "n"
    ),
    from: 0
  )
  var maxDelete: Int?

  @Flag(name: [.customShort("n"), .long], help: "Plan only, as 'migrate plan' does.")
  var dryRun = false

  @OptionGroup var page: PageOptions

  func validate() throws {
    try page.assertPlanning(dryRun)
    if plan != nil {
      if migrations.isAny { throw ValidationError("Name migrations or give --plan, not both.") }
      if dryRun { throw ValidationError("--plan is a plan already: --dry-run has nothing to do.") }
    } else {
      try migrations.assertSome()
    }
  }

  func run() async throws {
    let chosen = try migrations.chosen(for: connection)
    let part = Invocation.current.shard.map { MigrationPart($0.read) }
    let isJSON = logging.json || part != nil
    try page.assertWritable()
    let deletions = DeletionBound(maximum: maxDelete, options: write.guards)
    if !dryRun, chosen.contains(where: \.deletesForGood) { try deletions.assertMayAsk() }
    // Before anything is begun with a plan that cannot be ended. What is checked here is what is applied.
    let access = try StorageAccess(for: plan.map { [$0] } ?? [], connection)
    let planned = try plan.map { file throws(Failure) in
      let planned = try PlannedChanges(
        file: file,
        database: try EnvironmentResolver(connection).environment().database,
        folder: FileCheck.exists(connection.stateDir) ? connection.stateDir : nil,
        via: access.files
      )
      try deletions.assertAllows(planned, from: file)
      return planned
    }
    var command = CommandRun(
      name: plan == nil ? "migrate apply \(migrations.names)" : "migrate apply --plan",
      connection: connection,
      logging: logging,
      write: dryRun ? nil : write,
      inputs: plan.map { [$0] } ?? migrations.files,
      resumesUnfinished: true
    )
    if let plan, let planned { command.digests = [plan: planned.sha256] }
    try await command.perform { session, run in
      let sources = planned.map { [.list($0)] } ?? chosen.map { ChangeSource.migration($0) }
      let runner = {
        var runner = MigrationRunner(in: session, run, writing: write)
        runner.read(as: migrations.reading)
        runner.part = part
        runner.maximumDeletes = maxDelete
        return runner
      }()
      var ending = CommandResult(lists: MigrationRunner.lists.map(run.file))
      if dryRun {
        let (reports, totals) = try await runner.plan(sources.map { $0.guarded(by: session.client) }) {
          report in
          if !isJSON { try StandardOutput.write(MigrationText.plan(report)) }
        }
        ending.cost = try page.conclude(
          reports,
          totals,
          of: session,
          run,
          connection: connection,
          isQuiet: isJSON
        )
        ending.sections = [totals]
        ending.applies = try connection.applying(run.file("plan.jsonl"), totals)
        return ending
      }
      try await LedgerRun(session, run, sources: sources).perform {
        for (stage, source) in sources.enumerated() where session.checkpoints?.isPast(stage) != true {
          let guarded = source.guarded(by: session.client)
          var runner = runner
          runner.maximumDeletes = try await deletions.limit(
            of: source,
            as: guarded,
            stage: stage,
            by: runner,
            in: session
          )
          let report = try await runner.apply(guarded, stage: stage)
          if !isJSON { try StandardOutput.write(MigrationText.applied(report)) }
        }
      }
      return ending
    }
  }
}
