import Configuration
import Logging
import MigrationEngine

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

  @OptionGroup var trial: DryRunOption

  func run() async throws {
    let run = common.jobRun(UndoJob(of: "last", isDryRun: trial.dryRun))
    let environment = try EnvironmentResolver(run.connection).names()
    let folder = try MigrationFolder.of(run.connection)
    let entries = try await run.connection.ledger(for: "migrate down", run.output)
    guard let (_, entry) = folder.last(in: environment, entries) else {
      Terminal.standardError.line("No migration of the folder is applied in \(environment).")
      return run.output.reportBill()
    }
    let undone = folder.migrations.filter { entry.applied($0.id) != nil }
    for migration in undone { try Self.assertMayBeUndone(migration, entry) }
    run.output.logger().notice("Undoing \(Self.named(undone)) in \(environment).")
    if entry.totals.written == 0 {
      run.output.logger().warning(
        "Run \(entry.run) wrote nothing, so nothing is put back: \(Self.named(undone)) will only be pending again."
      )
    }
    for other in Self.cleared(undone, entries) where !other.run.isIdentical(to: entry.run) {
      let command = CommandLineText.quoted([
        "gymmigrate", "migrate", "undo", other.run, "-e", environment.shown,
      ])
      run.output.logger().warning(
        "Run \(other.run) (\(other.command)) stopped before it was done and was cleared: what it wrote stays. To undo it, too: \(command)"
      )
    }
    var undo = run
    undo.job = UndoJob(of: entry.run, isDryRun: trial.dryRun)
    try await undo.perform()
  }

  /// Returns the cleared runs of migrations whose changes are still in the database.
  private static func cleared(_ migrations: [FolderMigration], _ entries: [LedgerEntry]) -> [LedgerEntry] {
    entries.filter { entry in
      guard entry.status == .cleared, entry.hasChanged else { return false }
      return migrations.contains { migration in
        entries.own(migration.id).contains { $0.status == .cleared && $0.run.isIdentical(to: entry.run) }
      }
    }
  }

  private static func named(_ migrations: [FolderMigration]) -> String {
    let names = migrations.map(\.name)
    guard names.count > 1, let last = names.last else { return names.joined() }
    return "\(names.dropLast().joined(separator: ", ")) and \(last) (one run)"
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
