import Configuration
import MigrationEngine
import Schema
import Shards

/// `gymmigrate migrate`: changes data by migrations, which are planned before they are applied.
struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Plan and apply migrations.",
    discussion: """
      Plan first; it only reads:

        gymmigrate migrate list
        gymmigrate migrate plan samples/migrations/members-phone-digits.yaml -e stage
        gymmigrate migrate apply samples/migrations/members-phone-digits.yaml -e stage
        gymmigrate migrate verify samples/migrations/members-phone-digits.yaml \\
            -e stage
        gymmigrate migrate status -e stage

      A migration is one that comes along, by its name, or a YAML file of your own (docs/fix.md). 'migrate up' applies \
      those of a folder in the order of their names, in one environment after the other (docs/promoting.md).

      Every change is recorded in a journal before it is made; 'migrate undo RUN' restores what a run changed. \
      The database keeps a ledger of runs (_gymmigrate_runs) and a lease (_gymmigrate/lock), so that two of them never \
      change it at once. Imports, copies and what other programs write need no lease; it does not hold them up.
      """,
    subcommands: [
      MigrateList.self, MigrateNew.self, MigrateLint.self, MigratePending.self, MigratePlan.self,
      MigrateApply.self,
      MigrateTest.self, MigrateUp.self, MigrateVerify.self, MigrateStatus.self, MigrateBaseline.self,
      MigrateDown.self,
      MigrateUndo.self, MigrateUnlock.self,
    ]
  )
}

struct MigrateList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the migrations in the order in which they are applied.",
    discussion: """
      Migrations that are applied by name only come last: they are for a subcollection, or remove what older versions of the apps still read, and --all does not include them.
      """
  )

  @OptionGroup var files: ConfigurationOptions
  @Flag(help: "Print JSON instead of lines.") var json = false

  func run() async throws {
    let schema = try ConfigurationResolver(files).schema()
    let application = Invocation.current.application(of: schema)
    let byNameOnly = application?.byNameOnly ?? []
    let known = try (application?.migrations([:]) ?? []) + byNameOnly
    if json {
      return try StandardOutput.writeArray(of: known) { json, migration in
        json.member("byNameOnly", byNameOnly.contains { $0.id == migration.id })
        json.member("id", migration.id)
        json.member("reads", strings: migration.reads.map(\.string))
        json.member("summary", migration.summary)
        json.member("writes", strings: migration.writes.map(\.string))
      }
    }
    if known.isEmpty {
      Terminal.standardError.line(
        "No migration comes along with this schema. 'gymmigrate migrate new NAME' writes one."
      )
    }
    for migration in known { try StandardOutput.write("\(migration.id)\t\(migration.summary)\n") }
  }
}

/// Which migrations to run, and their settings.
struct ChosenMigrations: ParsableArguments {
  @Argument(
    help: "The migrations, as 'gymmigrate migrate list' names them, or YAML files of your own.",
    completion: CompletionValues.migrations
  )
  var migrations: [String] = []

  @Flag(help: "All that come along but those that are applied by name only, in their order.")
  var all = false

  @OptionGroup var rules: MigrationRules

  func validate() throws {
    if all, !migrations.isEmpty { throw ValidationError("Name migrations or give --all, not both.") }
    if rules.allowSchemaBreaks, all { throw ValidationError("--allow-schema-breaks is for YAML files.") }
    // A plan file or a run takes no settings, whatever it contains.
    if isAny { try rules.application.validate(settings) }
  }

  /// Whether any migration is named.
  var isAny: Bool { all || !migrations.isEmpty }

  /// Refuses a command line that names no migration.
  func assertSome() throws {
    if !isAny { throw ValidationError("Name at least one migration, or give --all.") }
  }

  var settings: MigrationChoice {
    var choice = rules.choice
    (choice.migrations, choice.all) = (migrations, all)
    return choice
  }
}

/// Options for how migrations read and decide.
struct MigrationRules: ParsableArguments {
  @OptionGroup var application: RegisteredApplication.MigrationOptions

  @Flag(
    help:
      "YAML files: write documents, too, that break the schema more than before; otherwise they are rejected."
  )
  var allowSchemaBreaks = false

  @OptionGroup var programs: ProgramOptions
  @OptionGroup(title: "How it reads") var reading: ReadingOptions
  @OptionGroup var zone: ZoneOptions

  /// Refuses options that only apply to planning if nothing is planned.
  ///
  /// - Parameter reason: Why nothing is planned.
  func assertUnused(_ reason: String) throws {
    let given = [
      ("--allow-schema-breaks", allowSchemaBreaks), ("--time-zone", zone.timeZone != nil),
      ("--program-timeout", programs.programTimeout != ProgramSettings().timeout),
      ("--processes", programs.processes != ProgramSettings().processes),
      ("--allow-nondeterministic", programs.allowNondeterministic),
    ]
    for (option, isGiven) in given where isGiven {
      throw ValidationError("\(option) is for planning a YAML file, and \(reason).")
    }
    if let option = application.values.keys.sorted().first {
      throw ValidationError("--\(option) is for planning, and \(reason): give it to 'migrate plan'.")
    }
  }

  /// The settings, without any migrations.
  var choice: MigrationChoice {
    var choice = MigrationChoice()
    (choice.additions, choice.allowsSchemaBreaks) = (application.values, allowSchemaBreaks)
    choice.programs = programs.settings
    (choice.reading, choice.timeZone) = (reading.settings, zone.timeZone)
    return choice
  }
}

extension MigrationChoice {
  /// Returns the named migrations.
  ///
  /// - Parameter connection: The connection to the database that references in files point to.
  func chosen(for connection: ConnectionSettings) throws(Failure) -> [any Migration] {
    let schema = try EnvironmentResolver(connection).schema()
    let application = Invocation.current.application(of: schema)
    let builtIn = try application?.migrations(additions) ?? []
    if all {
      if !builtIn.isEmpty { return builtIn }
      throw Failure(
        .usage,
        "choose the migrations",
        path: "--all",
        cause: "none come along for the schema '\(schema.name)'",
        remedy: "Name YAML files of your own (docs/fix.md)."
      )
    }
    var chosen: [any Migration] = []
    let words = try words(for: connection)
    if allowsSchemaBreaks, !words.contains(where: MigrationFile.isFile) {
      throw Failure(
        .usage,
        "use",
        path: "--allow-schema-breaks",
        cause: "it is for YAML files, and none is named"
      )
    }
    for (index, name) in words.enumerated() {
      if words[..<index].contains(where: { $0.isIdentical(to: name) }) {
        throw Failure(.usage, "choose the migration", path: name, cause: "it is named twice")
      }
      let migration: any Migration
      if MigrationFile.isFile(name) {
        var read = try MigrationFile(
          name,
          in: LiteralContext(EnvironmentResolver(connection).environment().database, schema, in: timeZone),
          reservedIDs: builtIn.map(\.id),
          schema: schema,
          allowsSchemaBreaks: allowsSchemaBreaks
        ).read()
        read.programs = programs ?? ProgramSettings()
        migration = read
      } else {
        migration = try Self.migration(named: name, of: builtIn + (application?.byNameOnly ?? []))
      }
      if chosen.contains(where: { $0.id.isIdentical(to: migration.id) }) {
        let cause = "another of the id '\(migration.id)' is named, too"
        throw Failure(.usage, "choose the migration", path: name, cause: cause)
      }
      chosen.append(migration)
    }
    return chosen
  }

  /// Chooses the migrations of a folder; removes settings for files if it has no files.
  mutating func name(_ folder: [FolderMigration]) {
    migrations = folder.map(\.choice)
    if !migrations.contains(where: MigrationFile.isFile) { allowsSchemaBreaks = false }
  }

  /// Returns the chosen migrations, with those named as in the folder replaced by their files.
  private func words(for connection: ConnectionSettings) throws(Failure) -> [String] {
    let application = Invocation.current.application(of: try EnvironmentResolver(connection).schema())
    let known = try application?.comingAlong() ?? []
    return try migrations.map { name throws(Failure) in
      let isMeant = MigrationFile.isFile(name) && (FileCheck.exists(name) || name.contains("/"))
      if isMeant || known.contains(where: { $0.id.isIdentical(to: name) }) { return name }
      let folder = try MigrationFolder.find(for: connection)
      return folder?.migrations.first { $0.isCalled(name) }?.choice ?? name
    }
  }

  /// Returns every file that the chosen migrations go by: their own, those of their programs, and those of their settings.
  func files(of chosen: [any Migration], for connection: ConnectionSettings) throws(Failure) -> [String] {
    let programs = chosen.flatMap { ($0 as? DeclarativeMigration)?.program?.files ?? [] }
    let settings = RegisteredApplication.MigrationOptions.files(additions)
    return try words(for: connection).filter(MigrationFile.isFile) + programs + settings
  }

  private static func migration(
    named name: String,
    of known: [any Migration]
  ) throws(Failure) -> any Migration {
    if let found = known.first(where: { $0.id.isIdentical(to: name) }) { return found }
    let names = known.map(\.id).joined(separator: ", ")
    throw Failure(
      .usage,
      "find the migration",
      path: name,
      cause: "there is none of that name",
      remedy: known.isEmpty
        ? try ownFileOrSchema(name)
        : (name.meant(of: known.map(\.id)).map { "Did you mean \($0)? " } ?? "")
          + "Name one of these: \(names)."
    )
  }

  /// Returns what to do if there is no such built-in migration, which may belong to an application whose schema is not in use.
  private static func ownFileOrSchema(_ name: String) throws(Failure) -> String {
    guard let application = Invocation.current.application,
      try application.comingAlong().contains(where: { $0.id.isIdentical(to: name) })
    else { return "Name a YAML file of your own (docs/fix.md)." }
    return
      "It comes along with the schema '\(application.name)'. Give --schema \(application.name) if the data are of it."
  }

  /// Returns the chosen migrations, with the checksums of their files.
  func applied(for connection: ConnectionSettings) throws(Failure) -> [LedgerEntry.Applied] {
    try chosen(for: connection).map { LedgerEntry.Applied(id: $0.id, checksum: $0.checksum) }
  }

  /// Returns the reads of the chosen migrations, without duplicates.
  ///
  /// - Throws: `.usage` for a migration that does not decide each document by itself.
  func divisibleReads(for connection: ConnectionSettings) throws(Failure) -> [CollectionRead] {
    var reads: [CollectionRead] = []
    for migration in try chosen(for: connection) {
      let own = try ChangeSource.migration(migration).divisibleReads()
      try ShardDivision.assertOrderedByName(own)
      // Each migration filters what is read of a range by itself.
      for read in own where !reads.contains(where: { ShardPlan.Read($0) == ShardPlan.Read(read) }) {
        reads.append(read)
      }
    }
    let kinds = reads.map { $0.kind ?? $0.collection }
    let groups = reads.filter { $0.reach == .group }.map(\.collection.id)
    if CollectionScope.interleave(kinds.map { CollectionScope(pathOrPattern: $0) })
      || groups.contains(where: { id in kinds.count { $0.id.isIdentical(to: id) } > 1 })
    {
      throw Failure(
        .usage,
        "divide",
        path: names,
        cause: "what is read overlaps, and two tasks would change the same documents",
        remedy: "Apply the migrations one after the other."
      )
    }
    return reads
  }
}

/// A job on migrations, whose documents are divided by what these read.
protocol MigrationsJob: DivisibleJob {
  var migrations: MigrationChoice { get }
}

extension MigrationsJob {
  func applied(in run: JobRun) throws -> [LedgerEntry.Applied] { try migrations.applied(for: run.connection) }

  func division(in session: Session, as run: JobRun) async throws -> ShardDivision {
    let chosen = try migrations.chosen(for: run.connection)
    var division = ShardDivision(reads: try migrations.divisibleReads(for: run.connection))
    division.inputs = try migrations.files(of: chosen, for: run.connection)
    division.digests = try SHA256Digest.hexadecimal(of: division.inputs)
    return division
  }
}
