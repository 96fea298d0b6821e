import Transfer

/// `gymmigrate env seed`: loads test data.
struct EnvSeed: JobCommand, PlacedCommand {
  static let configuration = CommandConfiguration(
    commandName: "seed",
    abstract: "Load samples or catalogues into a test environment.",
    discussion: """
      From a folder, imports its files, as 'import' does: JSON Lines, CSV, workbooks, or an export. From an \
      environment, copies the catalogues of the schema, as 'copy --catalogues' does. Documents that are there are \
      replaced where they differ. A protected environment is always refused. With 'env reset', a fresh database takes \
      two commands.

        gymmigrate env reset local --max-delete 10000
        gymmigrate env seed local --from samples/seed
        gymmigrate env seed test --from prod
      """
  )

  @Argument(help: "The environment to load.", completion: CompletionValues.environments)
  var name: String?

  @Option(help: "A folder of files, or an environment.", as: TypedValue.environment.named("env|path"))
  var from: String

  @OptionGroup var trial: DryRunOption

  @OptionGroup var common: WritingOptions

  func validate() throws { try EnvTarget.validate(name, common.connection) }

  func jobRun() throws -> JobRun {
    let target = common.connection.settings.target(name)
    try EnvTarget.assertUnprotected(target, "seed")
    var run = common.jobRun(try job())
    run.connection = target
    if run.job is CopyJob { run.source = target.beside(from) }
    return run
  }

  private func job() throws -> any PerformableJob {
    if FileCheck.isFolder(from) || from.utf8.contains(UInt8(ascii: "/")) {
      var job = ImportJob(files: [try TypedValue.file.read(from)])
      (job.mode, job.isDryRun) = (.upsert, trial.dryRun)
      return job
    }
    var selection = SelectionSettings()
    selection.catalogues = true
    var job = CopyJob(selection)
    (job.mode, job.isDryRun) = (.upsert, trial.dryRun)
    return job
  }
}
