import ArgumentParser
import Files
import Logging
import MigrationEngine
import Runs

/// `gymmigrate migrate plan`.
struct MigratePlan: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Show what migrations would change; nothing is written.",
    discussion: """
      Prints how many documents of each collection change and the first differences, field by field. The run's folder has every change in plan.jsonl, every finding in findings.csv, what a person must decide in review.csv, and what cannot be migrated in rejects.jsonl. Each migration is planned on what those before it would leave.

      'migrate apply --plan' applies a saved plan exactly:

        gymmigrate migrate plan users-unify -e local -o plan.jsonl
        gymmigrate migrate apply --plan plan.jsonl -e local

      The last line is the cost of applying it, at the prices of gymmigrate.yaml, else Google's list prices of nam5. To read a plan in a browser, give --html.
      """
  )

  @OptionGroup var migrations: MigrationOptions
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

  func run() async throws {
    let chosen = try migrations.chosen(for: connection)
    let part = Invocation.current.shard.map { MigrationPart($0.read) }
    let isQuiet = logging.json || output == "-" || part != nil
    try page.assertWritable()
    let access = try StorageAccess(for: output.map { [$0] } ?? [], connection)
    if let output, output != "-" { try access.files.checkWritable(output) }
    try await CommandRun(name: "migrate plan \(migrations.names)", connection: connection, logging: logging)
      .perform { session, run in
        var runner = MigrationRunner(in: session.context(run))
        runner.read(as: migrations.reading)
        runner.part = part
        runner.examples = examples
        let sources = chosen.map { ChangeSource.migration($0).guarded(by: session.client) }
        var (reports, totals) = try await runner.plan(sources) { report in
          if !isQuiet { try StandardOutput.write(MigrationText.plan(report)) }
        }
        var result = CommandResult(lists: MigrationRunner.lists.map(run.file))
        result.cost = try page.conclude(
          reports,
          totals,
          of: session,
          run,
          connection: connection,
          isQuiet: isQuiet
        )
        if let output {
          try OutputFile.copy(run.file("plan.jsonl"), to: output, via: access.files)
          totals.file = output
          if output != "-" { session.logger.notice("See \(output).") }
        }
        if exitCode, totals.changes.total() > 0 { result.status = .differences }
        result.sections = [totals]
        let file = output.flatMap { $0 == "-" ? nil : $0 } ?? run.file("plan.jsonl")
        result.applies = try connection.applying(file, totals)
        return result
      }
  }
}
