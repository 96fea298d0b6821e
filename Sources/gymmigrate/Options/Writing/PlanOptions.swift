import MigrationEngine

/// Options for whether a change is only planned, and how much of it is shown.
struct PlanOptions: ParsableArguments {
  @OptionGroup var trial: DryRunOption

  @OptionGroup var shown: ExamplesOption

  @OptionGroup var page: PageOptions

  func validate() throws {
    if page.html != nil, !trial.dryRun {
      throw ValidationError("--html shows a plan: give --dry-run, too.")
    }
  }

  var settings: PlanSettings {
    var settings = PlanSettings()
    (settings.isDryRun, settings.examples, settings.html) = (trial.dryRun, shown.examples, page.html)
    return settings
  }
}

/// The option for a look at what a command would do.
struct DryRunOption: ParsableArguments {
  @Flag(name: [.customShort("n"), .long], help: "Show what would change; write nothing.")
  var dryRun = false
}

extension PlanSettings {
  /// Prints what was planned or applied.
  func write(_ report: MigrationReport, in session: Session) throws(Failure) {
    if isDryRun { return try StandardOutput.write(MigrationText.plan(report)) }
    session.report(MigrationText.applied(report))
  }

  /// Concludes a one-off change; a plan also prints its cost and writes its page.
  func conclude(
    _ report: MigrationReport,
    of session: Session,
    _ folder: RunDirectory,
    as run: JobRun
  ) async throws -> CommandResult {
    guard isDryRun else { return CommandResult(lists: MigrationRunner.lists.map(folder.file)) }
    let screen = PlanScreen(html: html, connection: run.connection, isQuiet: run.output.json)
    let totals = PlanTotals([report], session.counts)
    var result = try await screen.conclude([report], totals, of: session, folder)
    result.status = session.plannedStatus
    return result
  }
}
