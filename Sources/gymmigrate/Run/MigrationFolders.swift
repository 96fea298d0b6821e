import Configuration
import MigrationEngine
import Schema

extension MigrationFolder {
  /// The folder of migrations of a database: that of the configuration, else `migrations` here, else what comes along.
  ///
  /// - Throws: `.inputMissing` where there is none; what is wrong in one of its files.
  static func of(_ connection: ConnectionSettings) throws(Failure) -> MigrationFolder {
    if let folder = try find(for: connection) { return folder }
    throw Failure(
      .inputMissing,
      "read the migrations in",
      path: try path(for: connection),
      cause: "there is no such folder",
      remedy: "'gymmigrate migrate new NAME' makes it; 'migrations:' in gymmigrate.yaml names another."
    )
  }

  /// The same; nil where there is none.
  static func find(for connection: ConnectionSettings) throws(Failure) -> MigrationFolder? {
    let resolver = EnvironmentResolver(connection)
    let (configuration, schema) = (try resolver.configuration(), try resolver.schema())
    let application = Invocation.current.application(of: schema)
    let path = try path(for: connection)
    if FileCheck.isFolder(path) {
      return try MigrationFolder(
        path,
        // Which database references point into makes no difference to what a folder knows.
        in: LiteralContext(DatabaseName(project: "p"), schema, in: nil),
        known: try application?.comingAlong() ?? [],
        schema: schema,
        environments: configuration.environments.map(\.name)
      )
    }
    if configuration.migrations != nil { return nil }
    return application.map { MigrationFolder(comingAlong: $0.folder) }
  }

  /// What is meant where there is no folder.
  static func comingAlong(for connection: ConnectionSettings) throws(Failure) -> [FolderMigration] {
    let resolver = EnvironmentResolver(connection)
    if try resolver.configuration().migrations != nil { return [] }
    let application = Invocation.current.application(of: try resolver.schema())
    return application.map { MigrationFolder(comingAlong: $0.folder).migrations } ?? []
  }

  /// Where the folder is or would be.
  static func path(for connection: ConnectionSettings) throws(Failure) -> String {
    try EnvironmentResolver(connection).configuration().migrations ?? "migrations"
  }
}

extension EnvironmentResolver {
  /// What headers of migrations and gates call the environment that is meant, however it was named.
  func knownName() throws(Failure) -> String { try configuration().name(of: try environment()) }
}

extension ConnectionSettings {
  /// The ledger of the database, the latest run last.
  ///
  /// - Parameter command: The command that asks.
  func ledger(for command: String, _ output: OutputSettings) async throws -> [LedgerEntry] {
    let entries = Locked<[LedgerEntry]>([])
    let command = CommandRun(name: command, connection: self, output: output.silent)
    try await command.performWithoutRun { session in
      let found = try await session.ledger.entries()
      entries.withLock { $0 = found }
      return CommandResult()
    }
    return entries.withLock { $0 }
  }
}
