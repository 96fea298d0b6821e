import Configuration
import Logging
import MigrationEngine

/// `gymmigrate migrate pending`.
struct MigratePending: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pending",
    abstract: "List what is still to be applied in an environment, in its order.",
    discussion: """
      Reads the folder of migrations and the ledger, and no document. One line each: the name, what became of it, and what it does. A file that changed after it was applied is an error (77) with both checksums.

        gymmigrate migrate pending -e stage
      """
  )

  @OptionGroup var common: PrintingOptions
  @Flag(help: "Print a JSON array instead of lines.") var json = false

  func run() async throws {
    let connection = common.connection.settings
    let environment = try EnvironmentResolver(connection).knownName()
    let folder = try MigrationFolder.of(connection)
    let entries = try await connection.ledger(for: "migrate pending", common.verbosity.settings)
    let pending = try folder.pending(in: environment, entries).map { migration in
      (migration, MigrationState(of: migration, in: entries))
    }
    if json {
      return try StandardOutput.writeArray { list in
        list.objects(pending) { Self.members(of: $1.0, $1.1, to: &$0) }
      }
    }
    if pending.isEmpty { Terminal.standardError.line("Nothing is pending in \(environment).") }
    for (migration, state) in pending {
      let cells = [migration.name, state.kind.rawValue, migration.summary]
      try StandardOutput.write("\(TerminalText(cells: cells))\n")
    }
  }

  private static func members(
    of migration: FolderMigration,
    _ state: MigrationState,
    to json: inout JSONWriter
  ) {
    json.member("checksum", migration.checksum)
    json.member("id", migration.id)
    json.member("irreversible", migration.header.irreversible)
    json.member("name", migration.name)
    json.member("status", state.kind.rawValue)
    json.member("summary", migration.summary)
  }
}

/// `gymmigrate migrate baseline NAME`.
struct MigrateBaseline: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baseline",
    abstract: "Record that a migration, and all before it, were done by hand.",
    discussion: """
      Writes one entry to the ledger, and no document: 'migrate up' begins behind it. What is applied already stays as it is.

        gymmigrate migrate baseline 20261125-1200-add-locale -e stage
      """
  )

  @Argument(help: "The migration, by the name of its file or its id.") var name: String
  @OptionGroup var common: SummaryOptions
  @OptionGroup var guards: ConfirmOptions

  func run() async throws {
    let folder = try MigrationFolder.of(common.connection.settings)
    let meant = try folder.migrations(upTo: name)
    let environment = try EnvironmentResolver(common.connection.settings).knownName()
    var command = common.command("migrate baseline \(name)")
    command.confirmation = guards.confirmation
    command.countsDocuments = false
    try await command.performOnLedger { ledger, session in
      let pending = try folder.pending(in: environment, try await ledger.entries(), obeying: false)
      let done = pending.filter(meant.contains)
      if done.isEmpty { return session.logger.notice("All of it is applied in \(environment) already.") }
      var entry = LedgerEntry(
        run: RunDirectory.newID("migrate"),
        command: session.command,
        migrations: done.map { LedgerEntry.Applied(id: $0.id, checksum: $0.checksum) },
        holder: LedgerRun.holder
      )
      (entry.status, entry.hasChanged, entry.isByHand) = (.done, false, true)
      try await ledger.note(entry)
      let names = done.map(\.name).joined(separator: ", ")
      session.logger.notice("Recorded as done by hand in \(environment): \(names).")
    }
  }
}

/// `gymmigrate migrate down`.
struct MigrateDown: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "down",
    abstract: "Undo the migration that was applied last.",
    discussion: """
      Undoes the run that the ledger has as the last one of a migration of the folder, as 'migrate undo' does, which needs the run's folder. One whose file says 'irreversible' is refused (77).

        gymmigrate migrate down -e stage -n
      """
  )

  @OptionGroup var common: WritingOptions

  @Flag(name: [.customShort("n"), .long], help: "Show what would be restored; write nothing.")
  var dryRun = false

  func run() async throws {
    let run = common.jobRun(UndoJob(of: "last", isDryRun: dryRun))
    let environment = try EnvironmentResolver(run.connection).knownName()
    let folder = try MigrationFolder.of(run.connection)
    let entries = try await run.connection.ledger(for: "migrate down", run.output)
    guard let (migration, entry) = folder.last(in: environment, entries) else {
      return Terminal.standardError.line("No migration of the folder is applied in \(environment).")
    }
    for migration in folder.migrations where entry.applied(migration.id) != nil {
      try Self.assertMayBeUndone(migration, entry)
    }
    run.output.logger().notice("Undoing \(migration.name) in \(environment).")
    var undo = run
    undo.job = UndoJob(of: entry.run, isDryRun: dryRun)
    try await undo.perform()
  }

  private static func assertMayBeUndone(
    _ migration: FolderMigration,
    _ entry: LedgerEntry
  ) throws(Failure) {
    if entry.isByHand {
      throw Failure(
        .usage,
        "undo",
        path: migration.name,
        cause: "it was done by hand, as \(entry.holder) says, so there is no run to undo"
      )
    }
    guard let reason = migration.header.irreversible else { return }
    throw Failure(
      .notPermitted,
      "undo",
      path: migration.name,
      cause: "its file says that it is irreversible: \(reason)",
      remedy: "Correct the data by a migration of their own, or restore them ('gymmigrate restore')."
    )
  }
}
