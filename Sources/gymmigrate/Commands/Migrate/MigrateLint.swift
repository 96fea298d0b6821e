import MigrationEngine
import Schema

struct MigrateLint: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lint",
    abstract: "Look for what is doubtful in migrations, without any database.",
    discussion: """
      Deletions and removals without a filter, fields that apps still read, renames at once, steps that break the schema, filters that need an index, and what an undo cannot take back (docs/promoting.md). Exits with 1 when there is one.

        gymmigrate migrate lint samples/migrations/classes-english-copies.yaml
      """
  )

  @Argument(help: "Names or files (default: the whole folder).", completion: CompletionValues.migrations)
  var migrations: [String] = []
  @OptionGroup var files: ConfigurationOptions
  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    var connection = ConnectionSettings()
    connection.files = files.choice
    let folder = try MigrationFolder.find(for: connection)
    let schema = try EnvironmentResolver(connection).schema()
    let context = try LiteralContext(nil, schema, in: nil)
    var findings: [(name: String, finding: MigrationLint.Finding)] = []
    for migration in try chosen(in: folder, context, schema) where MigrationFile.isFile(migration.choice) {
      let read = try MigrationFile(
        migration.choice,
        in: context,
        reservedIDs: [],
        schema: schema,
        allowsSchemaBreaks: true
      ).read()
      for text in read.scope.filters.flatMap(\.omissions) {
        Terminal.standardError.line("\(migration.name): \(text)")
      }
      let found = MigrationLint.findings(in: read, migration.header)
      findings += found.map { (migration.name, $0) }
    }
    try write(findings)
    if !findings.isEmpty { throw ExitStatus(ExitCodes.differences) }
  }

  private func chosen(
    in folder: MigrationFolder?,
    _ context: LiteralContext,
    _ schema: DatabaseSchema
  ) throws(Failure) -> [FolderMigration] {
    let folder = folder ?? MigrationFolder(comingAlong: [])
    if migrations.isEmpty { return folder.migrations }
    let known = try Invocation.current.application(of: schema)?.comingAlong() ?? []
    return try migrations.map { word throws(Failure) in
      guard MigrationFile.isFile(word) else { return try folder.migration(called: word) }
      return try MigrationFile.folderMigration(word, named: word, in: context, known: known, schema: schema)
    }
  }

  private func write(_ findings: [(name: String, finding: MigrationLint.Finding)]) throws(Failure) {
    if json {
      return try StandardOutput.writeArray(of: findings) { json, found in
        json.member("code", found.finding.code.rawValue)
        json.member("field", found.finding.field)
        json.member("message", found.finding.message)
        json.member("migration", found.name)
      }
    }
    for (name, finding) in findings {
      try StandardOutput.write(cells: [name, finding.code.rawValue, finding.field ?? "", finding.message])
    }
  }
}
