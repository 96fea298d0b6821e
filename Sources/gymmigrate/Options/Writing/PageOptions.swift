import Configuration
import Logging
import MigrationEngine

/// The option for an HTML page of a plan.
struct PageOptions: ParsableArguments {
  @Option(localFile: "Write the plan as one page to look at in a browser, too; it loads nothing.")
  var html: String?

  func validate() throws {
    if html == "-" {
      throw ValidationError("--html: '-' is standard output, which has the plan; give the name of a file.")
    }
  }
}

/// The end of a plan: its cost, and its page.
struct PlanScreen: Sendable {
  /// The page; nil for none.
  let html: String?
  let connection: ConnectionSettings
  /// Whether to print nothing.
  let isQuiet: Bool
  /// What the plan restores in full; nil for none.
  var restored: RestoredCollections?

  /// Plans migrations, prints each plan and concludes.
  func plan(
    _ migrations: [any Migration],
    by runner: MigrationRunner,
    of session: Session,
    _ run: RunDirectory
  ) async throws -> (result: CommandResult, totals: PlanTotals) {
    var empty = EmptyMigrations(in: session)
    let sources = migrations.map { ChangeSource.migration($0).guarded(by: session.client) }
    let (reports, totals) = try await runner.plan(sources) { report in
      if !isQuiet { try StandardOutput.write(MigrationText.plan(report)) }
      if session.part == nil { empty.report(migrations.first { $0.id.isIdentical(to: report.migration) }) }
    }
    return (try await conclude(reports, totals, of: session, run), totals)
  }

  /// Completes the plan's file, prints the cost of the plan, and writes its page if requested.
  ///
  /// - Returns: The result of the command: its lists, the totals and the cost, and the command that applies the plan.
  func conclude(
    _ reports: [MigrationReport],
    _ totals: PlanTotals,
    of session: Session,
    _ run: RunDirectory
  ) async throws -> CommandResult {
    // The plans of parts are merged first.
    if session.part == nil { try PlanEnd.append(to: run.file("plan.jsonl"), restoring: restored) }
    let cost = CostEstimate(
      reports.reduce(Cost()) { $0 + $1.cost },
      at: try await session.prices(of: connection)
    )
    if !isQuiet {
      if reports.count > 1 { try StandardOutput.write(MigrationText.together(totals)) }
      try StandardOutput.write("To apply it: \(cost.text)\n")
    }
    if let html {
      let page = PlanPage(
        run: run,
        command: session.command,
        environment: session.environment,
        reports: reports,
        collections: session.counts.collections,
        totals: totals,
        cost: cost
      )
      try page.write(to: html)
      session.logger.notice("See \(html).")
    }
    return CommandResult(
      lists: MigrationRunner.lists.map(run.file),
      sections: [totals],
      applies: try connection.applying(run.file("plan.jsonl"), totals),
      cost: cost,
      deletions: Dictionary(reports.map { ($0.migration, $0.deletions) }) { $0 + $1 }
    )
  }
}
