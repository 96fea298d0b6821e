import Logging
import MigrationEngine

struct MigrateBaseline: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baseline",
    abstract: "Record that a migration, and all before it, were done by hand.",
    discussion: """
      Writes one entry to the ledger, and no document: 'migrate up' begins behind it. What is applied already stays as it is.

        gymmigrate migrate baseline 20261125-1200-add-locale -e stage
      """
  )

  @Argument(
    help: "The migration, by the name of its file or its id.",
    completion: CompletionValues.migrations
  )
  var name: String
  @OptionGroup var common: SummaryOptions
  @OptionGroup var guards: ConfirmOptions

  func run() async throws {
    let folder = try MigrationFolder.of(common.connection.settings)
    let meant = try folder.migrations(upTo: name)
    let environment = try EnvironmentResolver(common.connection.settings).names()
    var command = common.command("migrate baseline \(name)")
    command.confirmation = guards.confirmation
    command.countsDocuments = false
    try await command.performWithoutRun { session in
      let pending = try folder.pending(in: environment, try await session.ledger.entries(), obeying: false)
      let done = pending.filter(meant.contains)
      if done.isEmpty {
        session.logger.notice("All of it is applied in \(environment) already.")
        return CommandResult()
      }
      let run = RunDirectory.newID("migrate")
      let applied = done.map { LedgerEntry.Applied(id: $0.id, checksum: $0.checksum) }
      var entry = LedgerEntry(run, of: session.command, applied)
      (entry.status, entry.hasChanged, entry.isByHand) = (.done, false, true)
      try await session.ledger.note(entry)
      let names = done.map(\.name).joined(separator: ", ")
      session.logger.notice("Recorded as done by hand in \(environment): \(names).")
      return CommandResult()
    }
  }
}
