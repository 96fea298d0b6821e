import Configuration
import Logging
import MigrationEngine
import Transfer

struct MigrateTest: AsyncParsableCommand, PlacedCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Rehearse migrations on a copy of an environment.",
    discussion: """
      Copies what the migrations and 'check' read from --from, which is only read, into a temporary store here. There it applies, verifies, applies again, checks, undoes and compares with the copy. Ends in 1 where that finds something (docs/promoting.md).

        gymmigrate migrate test --pending --from prod
        gymmigrate migrate test --pending --from prod --record -e stage

      The copy holds people's data, as an export does: only its user may read it, and it is removed at the end.
      """
  )

  @Argument(
    help: "The migrations, by the names of their files or their ids.",
    completion: CompletionValues.migrations
  )
  var names: [String] = []
  @Flag(help: "Those that are pending in --from.") var pending = false
  @Option(help: "The environment to copy.", as: TypedValue.environment)
  var from: String

  @Option(where: "Copy only documents for which this holds.")
  var filters: [String] = []

  @Option(help: "Maximum documents per collection (which ones: docs/filters.md).", from: 0)
  var limit: Int?

  @Flag(help: "Record in the ledger of -e that nothing was found, for the gate 'rehearsed'.")
  var record = false

  @OptionGroup var shown: ExamplesOption

  @Option(help: "Where the copy is: embedded, or emulator, Google's, started here.")
  var on = RehearsalStore.embedded

  @OptionGroup var masking: MaskOptions
  @OptionGroup var page: PageOptions
  @OptionGroup var rules: MigrationRules
  @OptionGroup var source: FromOptions
  @OptionGroup var common: SummaryOptions
  @OptionGroup var guards: ConfirmOptions

  func validate() throws {
    if names.isEmpty != pending { throw ValidationError("Name migrations or give --pending.") }
    try FilterArguments.validate(filters, for: nil)
    try masking.validate([], without: [("--where", !filters.isEmpty)])
    if record, limit != nil || !filters.isEmpty {
      throw ValidationError("--record is of a rehearsal on all documents: no --where and no --limit.")
    }
    if record != (common.connection.environment != nil) {
      throw ValidationError("--record and -e go together: the ledger of -e keeps the record.")
    }
  }

  func run() async throws {
    var connection = source.connection(to: from, beside: common.connection.settings)
    connection.hidesNames = masking.hidesNames
    let output = common.logging.settings
    let resolver = EnvironmentResolver(connection)
    let (environment, name) = (try resolver.environment(), try resolver.names())
    try assertMayCopy(environment)
    try Guard.assertMayLeave(environment, isMasked: masking.mask)
    let confirmation = try confirmation(not: environment)
    let folder = try MigrationFolder.of(connection)
    let migrations = try await chosen(of: folder, in: name, connection)
    if migrations.isEmpty {
      Terminal.standardError.line("Nothing is pending in \(name).")
      if output.json {
        try RehearsalText.write(Rehearsal(), at: resolver.prices(), asJSON: true)
      }
      return output.reportBill()
    }
    var choice = rules.choice
    choice.migrations = migrations.map(\.choice)
    try rules.application.validate(choice)
    var rehearsing = RehearsalRun(source: connection, output: output, choice: choice)
    (rehearsing.limit, rehearsing.filters, rehearsing.html) = (limit, filters, page.html)
    (rehearsing.examples, rehearsing.mask, rehearsing.store) = (shown.examples, try masking.settings(), on)
    let rehearsal = try await rehearsing.perform(migrations)
    try RehearsalText.write(rehearsal, at: try resolver.prices(), asJSON: output.json)
    let logger = output.logger()
    // The record is a part of the bill.
    if !record || !rehearsal.findings.isEmpty { output.reportBill() }
    let idle = rehearsal.plans.filter { $0.changeCount == 0 }.map(\.migration)
    if masking.mask, !idle.isEmpty {
      logger.warning(
        "\(idle.joined(separator: ", ")): nothing to change in the masked copy. The mask may have changed what they look for, as values that the schema does not know: compare with 'gymmigrate migrate plan'."
      )
    }
    if !rehearsal.findings.isEmpty {
      if record { logger.notice("It is not recorded: only a rehearsal that finds nothing is.") }
      throw ExitStatus(ExitCodes.differences)
    }
    if record { try await record(rehearsal, of: migrations, confirmation) }
  }

  private func chosen(
    of folder: MigrationFolder,
    in environment: DatabaseNames,
    _ connection: ConnectionSettings
  ) async throws -> [FolderMigration] {
    if pending {
      let entries = try await connection.ledger(for: "migrate test", common.logging.settings)
      return try folder.pending(in: environment, entries)
    }
    let named = try names.map { name throws(Failure) in try folder.migration(called: name) }
    return folder.migrations.filter(named.contains)
  }

  private func assertMayCopy(_ environment: DatabaseEnvironment) throws(Failure) {
    guard environment.isLocal, on == .embedded else { return }
    throw Failure(
      .usage,
      "rehearse on a copy of",
      path: environment.name,
      cause: "the copy is in an embedded store, too, and a command has one",
      remedy: "Serve it with 'gymmigrate serve', and give the address with --from-endpoint."
    )
  }

  /// Returns the confirmation for writing the ledger; before anything is read, refuses the ledger of the copied database.
  private func confirmation(not source: DatabaseEnvironment) throws(Failure) -> Confirmation {
    var confirmation = guards.confirmation
    guard record else { return confirmation }
    let target = try EnvironmentResolver(common.connection.settings).environment()
    if target.isSameDatabase(as: source) {
      throw Failure(
        .usage,
        "record in",
        path: target.name,
        cause: "it is the database that is copied, which is only read",
        remedy: "Name another environment with -e."
      )
    }
    try Guard.assertNoMirror(target)
    try Guard.confirm(target, with: confirmation)
    // The name may have been typed.
    if target.isProtected { confirmation.confirm = target.name }
    return confirmation
  }

  private func record(
    _ rehearsal: Rehearsal,
    of migrations: [FolderMigration],
    _ confirmation: Confirmation
  ) async throws {
    let names = migrations.map(\.name).joined(separator: " ")
    var command = common.command("migrate test \(names) --from \(from)")
    (command.confirmation, command.countsDocuments) = (confirmation, false)
    // Standard output already contains the report.
    command.printing = { _ in }
    try await command.performWithoutRun { session in
      var entry = LedgerEntry(RunDirectory.newID("migrate"), of: session.command)
      entry.rehearsed = migrations.map { LedgerEntry.Applied(id: $0.id, checksum: $0.checksum) }
      (entry.status, entry.hasChanged) = (.done, false)
      (entry.rehearsedCost, entry.totals.review) = (rehearsal.cost, rehearsal.leftForReview)
      try await session.ledger.note(entry)
      session.logger.notice("Recorded in \(session.environment.name): \(names).")
      return CommandResult()
    }
  }
}
