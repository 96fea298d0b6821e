import Logging
import MigrationEngine

struct MigratePlan: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show what migrations would change; nothing is written.",
    discussion: """
      Prints how many documents of each collection change and the first differences, field by field. The run's folder has every change in plan.jsonl, every finding in findings.csv, what a person must decide in review.csv, and what cannot be migrated in rejects.jsonl. Each migration is planned on what those before it would leave.

      'migrate apply --plan' applies a saved plan exactly:

        gymmigrate migrate plan samples/migrations/members-phone-digits.yaml \\
            -e local -o plan.jsonl
        gymmigrate migrate apply --plan plan.jsonl -e local

      The costs are those of applying it, at the prices of gymmigrate.yaml, else Google's list prices of nam5. To read a plan in a browser, give --html.
      """
  )

  @OptionGroup var migrations: ChosenMigrations
  @OptionGroup var common: SummaryOptions

  @OptionGroup var shown: ExamplesOption

  @Option(
    name: .shortAndLong,
    help: "Keep the changes in this file, too, one a line; also gs://BUCKET/NAME, and - is standard output.",
    as: TypedValue.file
  )
  var output: String?

  @OptionGroup var page: PageOptions

  @Flag(help: "Exit with 1 when there is something to do.")
  var exitCode = false

  func validate() throws { try migrations.assertSome() }

  func jobRun() -> JobRun {
    var job = PlanJob(migrations.settings)
    (job.examples, job.output, job.html) = (shown.examples, output, page.html)
    job.failsOnChanges = exitCode
    return common.jobRun(job)
  }
}

extension PlanJob: MigrationsJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    let chosen = try migrations.chosen(for: run.connection)
    let isQuiet = run.output.json || output == "-" || run.part != nil
    let access = try StorageAccess(for: output.map { [$0] } ?? [], run.connection, counting: run.traffic)
    try access.files.assertWritable(output, html)
    return try await CommandRun(run).perform { session, folder in
      if run.part == nil { session.warnOfUnknownNames(in: chosen) }
      var runner = MigrationRunner(in: session, folder)
      runner.read(as: migrations.reading)
      runner.part = run.part.map { MigrationPart($0.read) }
      runner.examples = examples
      let screen = PlanScreen(html: html, connection: run.connection, isQuiet: isQuiet)
      var (result, totals) = try await screen.plan(chosen, by: runner, of: session, folder)
      if let output {
        try PlanEnd.copy(folder.file("plan.jsonl"), to: output, via: access.files)
        totals.file = output
        result.sections = [totals]
        if output != "-" {
          session.logger.notice("See \(output).")
          result.applies = try run.connection.applying(output, totals)
        }
      }
      if failsOnChanges, totals.changes.total() > 0 { result.status = .differences }
      return result
    }
  }

  func assertDivisible(_ run: JobRun) throws {
    if output != nil { throw refusal(ofOutput: "--output") }
    if html != nil { throw refusal(ofOutput: "--html") }
    _ = try migrations.divisibleReads(for: run.connection)
  }
}
