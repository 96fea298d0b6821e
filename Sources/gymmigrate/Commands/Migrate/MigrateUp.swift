import MigrationEngine

struct MigrateUp: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "up",
    abstract: "Apply what is pending in an environment, in its order.",
    discussion: """
      Plans what is pending, each on what those before it would leave, asks on a terminal, and applies each as a run of its own, which is verified. 'migrate down' undoes the last one.

        gymmigrate migrate up -e stage -n
        gymmigrate migrate up --to 20261125-1200-add-locale -e stage

      Ends in 1 where an apply left something to change, and begins nothing more; else as 'migrate apply'. With --json each run prints a line. --max-reads and --max-writes bound all together. After an interruption the same command goes on.
      """
  )

  @OptionGroup var rules: MigrationRules
  @OptionGroup var common: WritingOptions

  @Option(
    help: ArgumentHelp("The last that is applied, by the name of its file or its id.", valueName: "name"),
    completion: CompletionValues.migrations
  )
  var to: String?

  @Option(help: "Refuse one that deletes more documents than this.", from: 0)
  var maxDelete: Int?

  @Flag(help: "Take files that changed after they were applied for right, without applying them again.")
  var acceptChanged = false

  @Option(
    help: "Pass the gates of gymmigrate.yaml; the ledger keeps the reason.",
    as: TypedValue.text("reason")
  )
  var override: String?

  @OptionGroup var plan: PlanOptions

  func validate() throws {
    if let override, PlainText.tidied(override).isEmpty {
      throw ValidationError("--override: give the reason.")
    }
  }

  func run() async throws {
    let plan = plan.settings
    var job = ApplyJob(rules.choice)
    (job.maximumDeletes, job.isDryRun, job.html) = (maxDelete, plan.isDryRun, plan.html)
    job.override = override.map { PlainText.tidied($0) }
    var up = UpRun(job: job, run: common.jobRun(job))
    (up.last, up.acceptsChanges, up.examples) = (to, acceptChanged, plan.examples)
    try await up.perform { try rules.application.validate($0) }
  }
}
