import ArgumentParser
import Files
import MigrationEngine
import Runs
import Shards

/// `gymmigrate migrate plan`.
struct MigratePlan: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show what migrations would change; nothing is written.",
    discussion: """
      Prints how many documents of each collection change and the first differences, field by field. The run's folder has every change in plan.jsonl, every finding in findings.csv, what a person must decide in review.csv, and what cannot be migrated in rejects.jsonl. Each migration is planned on the data as it is now.

      'migrate apply --plan' applies a saved plan exactly:

        gymmigrate migrate plan users-unify -e local -o plan.jsonl
        gymmigrate migrate apply --plan plan.jsonl -e local

      The last line is the cost of applying it, at the prices of gymmigrate.yaml, else Google's list prices of nam5. To read a plan in a browser, give --html.
      """
  )

  @OptionGroup var migrations: ChosenMigrations
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var logging: LoggingOptions

  @Option(help: ArgumentHelp("How many changes are shown of each migration.", valueName: "n"), from: 0)
  var examples = 3

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "Keep the changes in this file, too, one a line; also gs://BUCKET/NAME, and - is standard output.",
      valueName: "file"
    ),
    transform: TypedValue.file
  )
  var output: String?

  @OptionGroup var page: PageOptions

  @Flag(help: "Exit with 1 when there is something to do.")
  var exitCode = false

  func validate() throws { try migrations.assertSome() }

  func jobRun() -> JobRun {
    var job = PlanJob(migrations.settings)
    (job.examples, job.output, job.html) = (examples, output, page.html)
    job.failsOnChanges = exitCode
    return JobRun(job, connection, logging)
  }
}

extension PlanJob: DivisibleJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    let chosen = try migrations.chosen(for: run.connection)
    let isQuiet = run.output.json || output == "-" || run.part != nil
    let page = PlanScreen(html: html)
    try page.assertWritable()
    let access = try StorageAccess(for: output.map { [$0] } ?? [], run.connection, counting: run.traffic)
    if let output, output != "-" { try access.files.checkWritable(output) }
    return try await CommandRun(run).perform { session, folder in
      var reports: [MigrationReport] = []
      for migration in chosen {
        var runner = MigrationRunner(in: session.context(folder))
        runner.read(as: migrations.reading)
        runner.part = run.part.map { MigrationPart($0.read) }
        runner.examples = examples
        let report = try await runner.plan(.migration(migration).guarded(by: session.client))
        reports.append(report)
        if !isQuiet { try StandardOutput.write(MigrationText.plan(report)) }
      }
      let cost = try await page.conclude(
        reports,
        of: session,
        folder,
        connection: run.connection,
        isQuiet: isQuiet
      )
      if let output { try OutputFile.copy(folder.file("plan.jsonl"), to: output, via: access.files) }
      return CommandResult(
        status: failsOnChanges && reports.contains { $0.changeCount > 0 } ? .differences : .done,
        lists: MigrationRunner.lists.map(folder.file),
        cost: cost
      )
    }
  }

  func assertDivisible(_ run: JobRun) throws {
    if output != nil { throw refusal(ofOutput: "--output") }
    if html != nil { throw refusal(ofOutput: "--html") }
    _ = try migrations.divisibleReads(for: run.connection)
  }

  func applied(in run: JobRun) throws -> [LedgerEntry.Applied] { try migrations.applied(for: run.connection) }

  func division(in session: Session, as run: JobRun) async throws -> ShardDivision {
    ShardDivision(reads: try migrations.divisibleReads(for: run.connection), inputs: migrations.files)
  }
}
