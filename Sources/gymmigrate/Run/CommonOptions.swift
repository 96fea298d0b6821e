/// Options for where a command works and how verbosely; its `--json` prints its data.
struct PrintingOptions: ParsableArguments {
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var verbosity: VerbosityOptions

  /// Runs `body` for a command without a run folder.
  ///
  /// - Parameters:
  ///   - settings: The database; nil for that of the options.
  ///   - silently: Whether to log only warnings.
  ///   - counting: Whether the summary says how many documents were read.
  /// - Throws: As ``CommandRun/perform(_:)``.
  func perform(
    _ name: String,
    on settings: ConnectionSettings? = nil,
    silently: Bool = false,
    counting: Bool = true,
    _ body: (Session) async throws -> CommandResult
  ) async throws {
    let output = silently ? verbosity.settings.silent : verbosity.settings
    var command = CommandRun(name: name, connection: settings ?? connection.settings, output: output)
    command.countsDocuments = counting
    try await command.performWithoutRun(body)
  }
}

/// Options for where a command works and how verbosely; its `--json` prints the summary.
struct SummaryOptions: ParsableArguments {
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var logging: LoggingOptions

  var isJSON: Bool { logging.json }

  func command(_ name: String) -> CommandRun {
    CommandRun(name: name, connection: connection.settings, output: logging.settings)
  }

  func jobRun(_ job: any PerformableJob) -> JobRun {
    JobRun(job: job, connection: connection.settings, output: logging.settings)
  }
}

/// Options for where a command works and how verbosely, how it writes, and what a person confirms.
struct WritingOptions: ParsableArguments {
  @OptionGroup var summary: SummaryOptions
  @OptionGroup(title: "How it writes") var write: WriteOptions

  var connection: ConnectionOptions { summary.connection }

  func jobRun(_ job: any PerformableJob) -> JobRun {
    var run = summary.jobRun(job)
    (run.write, run.confirmation) = (write.settings, write.guards.confirmation)
    return run
  }
}
