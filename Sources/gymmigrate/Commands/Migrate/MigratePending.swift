import MigrationEngine

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
  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    let connection = common.connection.settings
    let environment = try EnvironmentResolver(connection).names()
    let folder = try MigrationFolder.of(connection)
    let output = common.verbosity.settings
    let entries = try await connection.ledger(for: "migrate pending", output)
    defer { output.reportBill() }
    let pending = try folder.pending(in: environment, entries).map { migration in
      (migration, MigrationState(of: migration, in: entries))
    }
    if json {
      return try StandardOutput.writeArray(of: pending) { json, pending in
        let (migration, state) = pending
        json.member("checksum", migration.checksum)
        json.member("id", migration.id)
        json.member("irreversible", migration.header.irreversible)
        json.member("name", migration.name)
        json.member("status", state.kind.rawValue)
        json.member("summary", migration.summary)
      }
    }
    if pending.isEmpty { Terminal.standardError.line("Nothing is pending in \(environment).") }
    folder.reportUnverified(in: environment, entries)
    for (migration, state) in pending {
      try StandardOutput.write(cells: [migration.name, state.words, migration.summary])
    }
  }
}
