import ArgumentParser
import Migrations
import Models
import Transfer

/// `gymmigrate migrate`: changes to the data, planned before they are applied.
struct MigrateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Plan and apply migrations of the gym's data.",
    discussion: """
      Plan first; it only reads:

        gymmigrate migrate list
        gymmigrate migrate plan users-unify -e stage
        gymmigrate migrate apply users-unify user-emails is-active -e stage
      """,
    subcommands: [MigrateList.self, MigratePlan.self, MigrateApply.self]
  )
}

/// `gymmigrate migrate list`.
struct MigrateList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the migrations in the order in which they are applied."
  )

  @Flag(help: "Print a JSON array instead of lines.") var json = false

  func run() async throws {
    if json {
      var json = JSONWriter()
      json.array { list in
        for migration in MigrationCatalogue.all {
          list.object {
            $0.key("id")
            $0.string(migration.id)
            $0.key("reads")
            $0.array { reads in for path in migration.reads { reads.string(path.string) } }
            $0.key("summary")
            $0.string(migration.summary)
            $0.key("writes")
            $0.array { writes in for path in migration.writes { writes.string(path.string) } }
          }
        }
      }
      try StandardOutput.write(json.bytes + [UInt8(ascii: "\n")])
      return
    }
    for migration in MigrationCatalogue.all {
      try StandardOutput.write("\(migration.id)\t\(migration.summary)\n")
    }
  }
}

/// Which migrations, and what they are told.
struct MigrationOptions: ParsableArguments {
  @Argument(help: "The migrations, as 'gymmigrate migrate list' names them.")
  var migrations: [String] = []

  @Flag(help: "All of them, in their order.")
  var all = false

  @Flag(help: "users-unify: write the proposals for doubtful names as they stand.")
  var acceptProposals = false

  @Flag(help: "user-emails: delete orphaned entries.")
  var prune = false

  @Option(help: ArgumentHelp("Documents a page, 1 to 300.", valueName: "n"))
  var pageSize = 300

  func validate() throws {
    if all, !migrations.isEmpty { throw ValidationError("Name migrations or give --all, not both.") }
    if !all, migrations.isEmpty { throw ValidationError("Name at least one migration, or give --all.") }
    if !(1...300).contains(pageSize) { throw ValidationError("--page-size is a number from 1 to 300.") }
  }

  func chosen() throws(Failure) -> [any Migration] {
    let settings = MigrationCatalogue.Settings(acceptProposals: acceptProposals, prune: prune)
    if all { return MigrationCatalogue.all(settings: settings) }
    var chosen: [any Migration] = []
    for id in migrations where !chosen.contains(where: { $0.id == id }) {
      chosen.append(try MigrationCatalogue.named(id, settings: settings))
    }
    return chosen
  }

  var names: String { all ? "--all" : migrations.joined(separator: " ") }
}

/// `gymmigrate migrate plan`.
struct MigratePlan: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show what migrations would change; nothing is written.",
    discussion: """
      Prints how many documents of each collection change and the first differences, field by field. Every change is \
      in plan.jsonl of the run's folder, what a person must decide in review.csv, what cannot be migrated in \
      rejects.jsonl. Each migration is planned against the data as it is now.
      """
  )

  @OptionGroup var migrations: MigrationOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var talk: TalkOptions

  @Option(help: ArgumentHelp("How many changes are shown of each migration.", valueName: "n"))
  var examples = 3

  @Flag(help: "End in 1 when there is something to do.")
  var exitCode = false

  func run() async throws {
    let chosen = try migrations.chosen()
    let pageSize = migrations.pageSize
    let (isJSON, examples, exitCode) = (talk.json, examples, exitCode)
    try await CommandRun(name: "migrate plan \(migrations.names)", connection: connection, talk: talk)
      .perform { session, run in
        var changes = 0
        for migration in chosen {
          var runner = MigrationRunner(
            client: session.client,
            run: run,
            progress: session.progress,
            logger: session.logger
          )
          runner.pageSize = pageSize
          runner.examples = max(0, examples)
          let report = try await runner.plan(migration, book: session.book)
          changes += report.changeCount
          if !isJSON { try StandardOutput.write(MigrationText.plan(report)) }
        }
        return Ending(
          status: exitCode && changes > 0 ? .differences : .done,
          lists: ["plan.jsonl", "review.csv", "rejects.jsonl"].map(run.file)
        )
      }
  }
}

/// `gymmigrate migrate apply`.
struct MigrateApply: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Apply migrations.",
    discussion: """
      Only documents that change are written, each with a mask of just what changes and only if it is still as it was \
      read; one that changed meanwhile is planned again. Applying twice changes nothing the second time, so an \
      interrupted run goes on with the same command. Ends in 2 when documents were rejected, conflicted, or wait for a \
      person (review.csv).
      """
  )

  @OptionGroup var migrations: MigrationOptions
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var talk: TalkOptions
  @OptionGroup var write: WriteOptions

  @Option(
    help: ArgumentHelp(
      "Stop before more documents than this are deleted by one migration (user-emails --prune).",
      valueName: "n"
    )
  )
  var maxDelete: Int?

  @Flag(name: [.customShort("n"), .long], help: "Plan only, as 'migrate plan' does.")
  var dryRun = false

  func validate() throws {
    if let maxDelete, maxDelete < 0 { throw ValidationError("--max-delete is a number from 0.") }
  }

  func run() async throws {
    let chosen = try migrations.chosen()
    let pageSize = migrations.pageSize
    let (isJSON, dryRun, write, maxDelete) = (talk.json, dryRun, write, maxDelete)
    let command = CommandRun(
      name: "migrate apply \(migrations.names)",
      connection: connection,
      talk: talk,
      write: dryRun ? nil : write
    )
    try await command.perform { session, run in
      for migration in chosen {
        var runner = MigrationRunner(
          client: session.client,
          run: run,
          progress: session.progress,
          logger: session.logger
        )
        runner.pageSize = pageSize
        runner.limits = write.limits
        runner.maximumDeletes = maxDelete
        runner.pacer = write.pacer(for: session.environment)
        let report =
          dryRun
          ? try await runner.plan(migration, book: session.book)
          : try await runner.apply(migration, book: session.book)
        if !isJSON {
          let text = dryRun ? MigrationText.plan(report) : MigrationText.applied(report)
          try StandardOutput.write(text)
        }
      }
      return Ending(lists: ["plan.jsonl", "review.csv", "rejects.jsonl"].map(run.file))
    }
  }
}
