import Logging
import MigrationEngine

struct MigrateApply: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Apply migrations, or a plan exactly as it was made.",
    discussion: """
      Only documents that change are written, each only if it is still as it was read; one that changed meanwhile is \
      planned again, or with --plan listed as conflicted. 'migrate undo' restores what a run changed. A plan that \
      deletes documents requires --max-delete, or asks on a terminal; a document that has subcollections by then is not deleted, but listed. Exits with 2 when documents were rejected, conflicted, or need review (review.csv).

      One run at a time: a second one exits with 75. Resume a run that stopped with 'gymmigrate runs resume'. Until \
      it is resumed, undone or cleared ('migrate unlock RUN'), no other run begins.
      """
  )

  @OptionGroup var migrations: ChosenMigrations
  @OptionGroup var common: WritingOptions

  @Option(
    help: "Apply this file of 'migrate plan -o', also gs://BUCKET/NAME, and nothing else.",
    as: TypedValue.file
  )
  var plan: String?

  @Option(
    help: "Refuse a migration or a plan that deletes more documents than this (as by 'delete: hard').",
    from: 0
  )
  var maxDelete: Int?

  @OptionGroup var planning: PlanOptions

  func validate() throws {
    if plan != nil {
      if migrations.isAny { throw ValidationError("Name migrations or give --plan, not both.") }
      if planning.trial.dryRun {
        throw ValidationError("--plan is a plan already: --dry-run has nothing to do.")
      }
      try migrations.rules.assertUnused("--plan is a plan already")
    } else {
      try migrations.assertSome()
    }
  }

  func jobRun() -> JobRun {
    var job = ApplyJob(migrations.settings)
    (job.plan, job.maximumDeletes) = (plan, maxDelete)
    let planning = planning.settings
    (job.isDryRun, job.html, job.examples) = (planning.isDryRun, planning.html, planning.examples)
    return common.jobRun(job)
  }
}

extension ApplyJob: MigrationsJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    let chosen = try migrations.chosen(for: run.connection)
    let isQuiet = run.output.json || run.part != nil
    try FileAccess.local.assertWritable(html)
    let deletions = DeletionBound(maximum: maximumDeletes, options: run.confirmation)
    if !isDryRun, chosen.contains(where: \.deletesForGood) { try deletions.assertMayAsk() }
    let planned = try self.planned(run, deletions)
    var command = CommandRun(run, resumesUnfinished: true)
    if let plan {
      (command.inputs, command.digests) = ([plan], planned.map { [UTF8Key(plan): $0.sha256] } ?? [:])
    } else {
      try command.take(migrations.files(of: chosen, for: run.connection))
    }
    return try await command.perform { session, folder in
      if planned?.namesServer == false {
        session.logger.warning(
          "The plan does not say on which server it was made: an earlier version wrote it."
        )
      }
      // If this is a step of another command, that command has already warned.
      if run.part == nil, !isStep, !folder.isResumed { session.warnOfUnknownNames(in: chosen) }
      let list = try await planned?.checked(in: session.client)
      let sources = list.map { [.list($0)] } ?? chosen.map { ChangeSource.migration($0) }
      // Those of a step were planned, and those of a resumed run or of a part have been read in part elsewhere.
      let reportsEmpty = plan == nil && run.part == nil && !isStep && !folder.isResumed
      if isDryRun {
        let screen = PlanScreen(html: html, connection: run.connection, isQuiet: isQuiet)
        let runner = runner(in: session, folder, run)
        var (result, _) = try await screen.plan(chosen, by: runner, of: session, folder)
        result.status = session.plannedStatus
        return result
      }
      let runner = runner(in: session, folder, run).readingAhead(
        of: sources.map { $0.guarded(by: session.client) },
        .written
      )
      let (taking, rewritten) = try planned?.effects(for: run.connection) ?? (nil, [])
      let ledger = LedgerRun(
        session,
        folder,
        sources: sources,
        takingBack: taking,
        rewriting: rewritten,
        of: self
      )
      try await ledger.perform {
        let finished = try runner.resumedReports()
        if !isQuiet { for report in finished { session.report(MigrationText.applied(report)) } }
        let first = sources.indices.first { session.checkpoints?.isPast($0) != true } ?? sources.endIndex
        if first > 0, first < sources.endIndex {
          let complete = sources[..<first].map(\.id).joined(separator: ", ")
          session.logger.notice("Continuing with \(sources[first].id). Already complete: \(complete).")
        }
        var empty = EmptyMigrations(in: session)
        var bound = deletions
        if sources.count > 1 {
          let limit = try await deletions.limit(of: Array(sources[first...]), by: runner, in: session)
          bound.left = limit.map { $0 - finished.reduce(0) { $0 + $1.deletions } }
        }
        for (stage, source) in sources.enumerated().dropFirst(first) {
          let report = try await self.apply(source, stage: stage, bound, in: session, by: runner)
          bound.left = bound.left.map { $0 - report.deletions }
          if !isQuiet { session.report(MigrationText.applied(report)) }
          if reportsEmpty { empty.report(chosen[stage]) }
        }
      }
      if plan != nil, session.counts.totals.conflicted > 0 {
        session.logger.notice("What was changed since it was planned was left as it is: plan again.")
      }
      return CommandResult(lists: MigrationRunner.lists.map(folder.file))
    }
  }

  /// Reads the plan file completely before anything begins, so that what is checked is what is applied.
  private func planned(_ run: JobRun, _ deletions: DeletionBound) throws -> PlannedChanges? {
    guard let plan else { return nil }
    let stateDir = run.connection.stateDir
    let planned = try PlannedChanges(
      file: plan,
      for: try EnvironmentResolver(run.connection).environment(),
      folder: FileCheck.exists(stateDir) ? stateDir : nil,
      via: StorageAccess(for: [plan], run.connection, counting: run.traffic).files
    )
    try deletions.assertAllows(planned, from: plan)
    if let undo = planned.applied.first(where: { $0.id.utf8.starts(with: "undo ".utf8) }) {
      throw Failure(
        .usage,
        "apply the plan",
        path: plan,
        cause: "it is the plan of an undo, which the ledger records as one",
        remedy: "Give 'gymmigrate migrate \(undo.id)'."
      )
    }
    return planned
  }

  private func apply(
    _ source: ChangeSource,
    stage: Int,
    _ deletions: DeletionBound,
    in session: Session,
    by runner: MigrationRunner
  ) async throws -> MigrationReport {
    let guarded = source.guarded(by: session.client)
    var runner = runner
    if let left = deletions.left {
      // Without a limit that somebody gave, a program deletes nothing.
      let isAllowed = deletions.maximum != nil || source.deletesForGood
      runner.maximumDeletes = isAllowed ? max(0, left) : nil
      return try await runner.apply(guarded, stage: stage)
    }
    runner.maximumDeletes = try await deletions.limit(
      of: source,
      as: guarded,
      stage: stage,
      by: runner,
      in: session
    )
    return try await runner.apply(guarded, stage: stage)
  }

  private func runner(in session: Session, _ folder: RunDirectory, _ run: JobRun) -> MigrationRunner {
    var runner = MigrationRunner(in: session, folder, writing: run.write)
    runner.read(as: migrations.reading)
    runner.part = run.part.map { MigrationPart($0.read) }
    runner.maximumDeletes = maximumDeletes
    runner.examples = examples ?? runner.examples
    return runner
  }

  // MARK: Parts

  func assertDivisible(_ run: JobRun) throws {
    if html != nil { throw refusal(ofOutput: "--html") }
    if plan != nil { throw refusal(of: "--plan", "a plan file is applied in its order") }
    if isDryRun { throw refusal(of: "--dry-run", "'migrate plan' can be divided") }
    if maximumDeletes != nil {
      throw refusal(
        of: "--max-delete",
        "a bound is of one process, which does not know what the others delete"
      )
    }
    try run.write.assertDivisible()
    _ = try migrations.divisibleReads(for: run.connection)
  }
}
