import Logging
import MigrationEngine

struct MigrateStatus: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show which runs changed a database, and who holds its lock.",
    discussion: """
      Reads the ledger: one line per run, the latest last. Then what blocks other runs: who holds the lock, and runs \
      that stopped, with the commands that resolve them.

      With --environments, what became of each migration of the folder in several databases, by their ledgers alone.

        gymmigrate migrate status -e stage
        gymmigrate migrate status --environments test,stage,prod --html status.html
      """
  )

  @OptionGroup var common: PrintingOptions
  @Flag(help: "Print JSON instead of lines.") var json = false

  @Option(
    help: ArgumentHelp("The migrations of the folder in these environments.", valueName: "env,env"),
    completion: CompletionValues.environments,
    transform: { $0.split(separator: ",").map(String.init) }
  )
  var environments: [String]?

  @Option(localFile: "With --environments: write the table as one page, too.")
  var html: String?

  func validate() throws {
    if let environments {
      if environments.isEmpty { throw ValidationError("--environments: name one, or several with commas.") }
      if common.connection.environment != nil {
        throw ValidationError("Give --env for runs or --environments for migrations, not both.")
      }
    } else if html != nil {
      throw ValidationError("--html shows the table of --environments: name them.")
    }
  }

  /// Prints the table of migrations.
  private func table(_ environments: [String]) async throws {
    let output = common.verbosity.settings
    defer { output.reportBill() }
    try FileAccess.local.assertWritable(html)
    let connection = common.connection.settings
    let folder = try MigrationFolder.of(connection)
    var ledgers: [MigrationTable.Column] = []
    for name in environments {
      let connection = connection.beside(name)
      let entries = try await connection.ledger(for: "migrate status", output)
      ledgers.append((name, try EnvironmentResolver(connection).names(), entries))
    }
    let table = MigrationTable(folder, ledgers)
    if let html {
      try MigrationTablePage(table, madeAt: .now).write(to: html)
      output.logger().notice("See \(html).")
    }
    if json { return try StandardOutput.write(line: MigrationTableText.json(table)) }
    for line in MigrationTableText.lines(table) { try StandardOutput.write("\(line)\n") }
  }

  func run() async throws {
    if let environments { return try await table(environments) }
    try await common.perform("migrate status", counting: false) { session in
      let ledger = session.ledger
      let entries = try await ledger.entries()
      let holder = try await ledger.holder()
      if json {
        try StandardOutput.write(line: LedgerText.json(entries, holder))
      } else {
        try StandardOutput.write(LedgerText.lines(entries, holder, offering: session.place))
      }
      return CommandResult()
    }
  }
}

struct MigrateUnlock: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock",
    abstract:
      "Remove the lease of a run that is dead, or let others begin after one that stopped before it was done.",
    discussion: """
      Without RUN, removes the lease of the database, whoever holds it; a run that is alive after all stops at its \
      next renewal, within 20 s. With RUN, leaves the data as that run left it, and other runs may begin.
      """
  )

  @Argument(help: "The id of a run that stopped before it was done.") var run: String?
  @OptionGroup var common: SummaryOptions
  @OptionGroup var guards: ConfirmOptions

  func run() async throws {
    var command = common.command("migrate unlock")
    command.confirmation = guards.confirmation
    try await command.performWithoutRun { session in
      let ledger = session.ledger
      if let run {
        try await Self.clear(run, ledger, common.connection.state.history)
        session.logger.notice("Run \(run) stays as it is; others may begin.")
        return CommandResult(release: .run(run))
      }
      guard let held = try await ledger.unlock() else {
        session.logger.notice("The lease is free.")
        for entry in try await ledger.entries() where entry.blocks {
          let ways = session.place.waysOut(of: entry)
          session.logger.notice("Run \(entry.run) stopped before it was done, and no other begins. \(ways)")
        }
        return CommandResult(release: .lease(nil))
      }
      session.logger.notice("The lease of \(held.holder), run \(held.run), was taken away.")
      return CommandResult(release: .lease((held.holder, held.run)))
    }
  }

  /// Clears a run in the ledger and, if it belongs to this machine, in its folder.
  ///
  /// The folder comes first: if the command is killed in between, the run no longer seems to wait for 'runs resume', and
  /// repeating the command clears the ledger.
  private static func clear(_ run: String, _ ledger: MigrationLedger, _ history: RunHistory) async throws {
    guard let known = history.entries().first(where: { $0.record.id.isIdentical(to: run) }) else {
      return try await ledger.clear(run, isDead: false)
    }
    try history.assertPrivate(known.record)
    if known.isRunning {
      throw Failure(
        .tryLater,
        "clear the run",
        path: run,
        cause: "it is running",
        remedy: "Wait for its end, or stop it first."
      )
    }
    do {
      try await ledger.clear(run, isDead: true, isUnrecorded: known.resolution == nil) {
        try history.resolve(run, as: "cleared")
      }
    } catch {
      if known.resolution == nil { history.withdrawResolution(of: run) }
      throw error
    }
  }
}
