import Configuration
import Logging
import MigrationEngine

struct MigrateVerify: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check that the data are as migrations, or a run, left them.",
    discussion: """
      With migrations, reads everything that they read, and exits with 1 when one of them would still change \
      something. With --record the ledger keeps that nothing was left to change. With --run, reads back every \
      document that the run changed and compares it with the run's journal: exits with 1 when one differs, and prints \
      those on standard output, one per line.

        gymmigrate migrate verify samples/migrations/members-phone-digits.yaml \\
            -e local
        gymmigrate migrate verify --run last -e local
      """
  )

  @OptionGroup var migrations: ChosenMigrations
  @OptionGroup var common: SummaryOptions

  @Option(
    name: .customLong("run"),
    help: ArgumentHelp("The run: its id, a part that no other has, or 'last'.", valueName: "run"),
    completion: CompletionValues.runs
  )
  var verified: String?

  @Flag(help: "Record in the ledger that nothing is left to change, where that is so.") var record = false
  @OptionGroup var shown: ExamplesOption
  @OptionGroup var guards: ConfirmOptions

  func validate() throws {
    if verified == nil { return try migrations.assertSome() }
    if migrations.isAny { throw ValidationError("Name migrations or give --run, not both.") }
    try migrations.rules.assertUnused("--run plans nothing")
    if record { throw ValidationError("--record is about migrations: name them.") }
  }

  func run() async throws {
    if let verified { return try await verify(verified) }
    try await migrations.settings.verify(
      for: common.connection.settings,
      common.logging.settings,
      isRecorded: record,
      examples: shown.examples,
      record ? guards.confirmation : nil
    )
  }

  private func verify(_ name: String) async throws {
    let settings = common.connection.settings
    let named = try UndoTarget.database(settings)
    let (entry, changes) = try UndoTarget.find(name, in: settings.stateDir, of: named, ifWritten: true)
    let connection = try UndoTarget.connection(settings, of: entry.record)
    let database = try EnvironmentResolver(connection).environment().database
    try changes.assertOf(database, "look at what was changed by", entry.record.id)
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

extension MigrationChoice {
  /// Plans the chosen migrations; any remaining change is a difference.
  ///
  /// - Parameters:
  ///   - isRecorded: Whether to record in the ledger that nothing is left.
  ///   - examples: The number of changes to show.
  ///   - confirmation: What a person confirmed; nil if nothing needs to be confirmed any more.
  ///   - isUnprinted: Whether standard output belongs to another run.
  /// - Throws: `ExitCode` if it did not end with 0.
  func verify(
    for connection: ConnectionSettings,
    _ output: OutputSettings,
    isRecorded: Bool,
    examples: Int = 3,
    _ confirmation: Confirmation? = nil,
    isUnprinted: Bool = false
  ) async throws {
    let chosen = try chosen(for: connection)
    var command = CommandRun(name: "migrate verify \(names)", connection: connection, output: output)
    command.confirmation = confirmation
    if isUnprinted { command.printing = { _ in } }
    try await command.perform { session, run in
      if !isRecorded { session.warnOfUnknownNames(in: chosen) }
      var changes = 0
      var runner = MigrationRunner(in: session, run)
      runner.read(as: reading)
      runner.examples = examples
      let sources = chosen.map { ChangeSource.migration($0).guarded(by: session.client) }
      runner = runner.readingAhead(of: sources, .none)
      for (stage, source) in sources.enumerated() {
        let report = try await runner.plan(source, stage: stage)
        changes += report.changeCount
        if !output.json { try StandardOutput.write(MigrationText.plan(report)) }
      }
      try PlanEnd.append(to: run.file("plan.jsonl"))
      if isRecorded { try await session.ledger.record(chosen.map(\.id), isVerified: changes == 0) }
      return CommandResult(
        status: changes > 0 ? .differences : .done,
        lists: MigrationRunner.lists.map(run.file)
      )
    }
  }
}
