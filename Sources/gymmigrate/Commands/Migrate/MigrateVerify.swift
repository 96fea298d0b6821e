import Logging
import MigrationEngine

/// `gymmigrate migrate verify`.
struct MigrateVerify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check that the data are as migrations, or a run, left them.",
    discussion: """
      With migrations, reads everything that they read, and exits with 1 when one of them would still change something. With --run, reads back every document that the run changed and compares it with the run's journal: exits with 1 when one differs, and prints those on standard output, one per line.

        gymmigrate migrate verify samples/migrations/members-phone-digits.yaml -e local
        gymmigrate migrate verify --run last -e local
      """
  )

  @OptionGroup var migrations: ChosenMigrations
  @OptionGroup var common: SummaryOptions

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp("The run: its id, a part that no other has, or 'last'.", valueName: "run")
  )
  var verified: String?

  func validate() throws {
    if verified == nil { return try migrations.assertSome() }
    if migrations.isAny { throw ValidationError("Name migrations or give --run, not both.") }
  }

  func run() async throws {
    if let verified { return try await verify(verified) }
    let choice = migrations.settings
    let chosen = try choice.chosen(for: common.connection.settings)
    try await common.command("migrate verify \(choice.names)").perform { session, run in
      var changes = 0
      for migration in chosen {
        var runner = MigrationRunner(in: session, run)
        runner.read(as: choice.reading)
        let report = try await runner.plan(.migration(migration).guarded(by: session.client))
        changes += report.changeCount
        if !common.isJSON { try StandardOutput.write(MigrationText.plan(report)) }
      }
      return CommandResult(
        status: changes > 0 ? .differences : .done,
        lists: MigrationRunner.lists.map(run.file)
      )
    }
  }

  private func verify(_ name: String) async throws {
    let (entry, changes) = try UndoTarget.find(name, in: common.connection.stateDir)
    let connection = try UndoTarget.connection(common.connection.settings, of: entry.record)
    try UndoTarget.assertSameDatabase(changes, connection, run: entry.record.id)
    try await CommandRun(
      name: "migrate verify --run",
      connection: connection,
      output: common.logging.settings
    )
    .perform { session, _ in
      UndoTarget.warn(session, of: changes, in: connection.stateDir)
      for collection in changes.collections { session.counts.open(collection) }
      let report = try await RunVerification(changes, client: session.client).run { path, what in
        session.counts.update(path.collection) { $0.conflicted += 1 }
        if !common.isJSON { try StandardOutput.write("\(path) \(what)\n") }
      } each: { path in
        session.counts.update(path.collection) { $0.read += 1 }
      }
      session.logger.info(
        "As run \(entry.record.id) left them: \(NumberText.counted(report.asLeft, "document")); changed since: \(NumberText.grouped(report.differing))."
      )
      return CommandResult(status: report.differing > 0 ? .differences : .done)
    }
  }
}
