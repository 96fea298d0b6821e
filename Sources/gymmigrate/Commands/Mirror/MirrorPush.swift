import Logging
import MigrationEngine
import Mirror

struct MirrorPush: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "Write what was edited in a mirror to its database.",
    discussion: """
      Turns the rows that SQL statements inserted, changed or deleted into changes: only fields whose cells were \
      changed are written, and only to documents that are still as \
      they were pulled; others are conflicts, which are listed. What would break the schema more than before is \
      rejected. Deletions require --max-delete, or are asked about on a terminal. 'runs undo' restores what it changed.

        sqlite3 stage.sqlite "UPDATE products SET stock = 12 WHERE _id = 'p1'"
        gymmigrate mirror push stage.sqlite -n
        gymmigrate mirror push stage.sqlite
      """
  )

  @OptionGroup var mirror: MirrorArgument

  @Option(help: "Write nothing if more documents than this would be deleted.", from: 0)
  var maxDelete: Int?

  @OptionGroup(title: "Plan first") var plan: PlanOptions
  @OptionGroup var common: WritingOptions

  func jobRun() throws -> JobRun {
    var job = PushJob(mirror.file)
    (job.maximumDeletes, job.plan) = (maxDelete, plan.settings)
    var run = common.jobRun(job)
    try mirror.assertUnmasked()
    run.connection = try mirror.connection(run.connection)
    return run
  }
}

extension PushJob: PerformableJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    let isDryRun = plan.isDryRun
    let deletions = DeletionBound(maximum: maximumDeletes, options: run.confirmation)
    try FileAccess.local.assertWritable(plan.html)
    return try await CommandRun(run, resumesUnfinished: true).perform { session, folder in
      let file = try MirrorFile(file, for: isDryRun ? .reading : .writing)
      let edits = try MirrorEdits(in: file, client: session.client, schema: session.schema)
      let journal = folder.file("journal.jsonl")
      let added = edits.addedColumns
      if !added.isEmpty {
        session.logger.warning("Columns that are no fields are not pushed: \(added.joined(separator: ", ")).")
      }
      if !isDryRun { try edits.begin() }
      if folder.isResumed { try await edits.rebase(on: journal) }
      for collection in edits.collections { session.counts.open(collection) }
      var runner = MigrationRunner(in: session, folder, writing: run.write)
      runner.examples = plan.examples
      runner.maximumDeletes = deletions.maximum
      let whole = ChangeSource.list(edits)
      let source = whole.guarded(by: session.client)
      if !isDryRun, whole.deletesForGood {
        try deletions.assertMayAsk()
        runner.maximumDeletes = try await deletions.limit(of: whole, as: source, by: runner, in: session)
      }
      var report = MigrationReport(migration: edits.id)
      if isDryRun {
        report = try await runner.plan(source)
        report.reads = edits.reads(countingDeletions: maximumDeletes.map { $0 < edits.deletions } ?? true)
      } else if folder.isResumed || !edits.paths.isEmpty {
        let rewritten = run.connection.migrations(touchedBy: edits.collections)
        let ledger = LedgerRun(session, folder, sources: [source], rewriting: rewritten)
        report = try await ledger.apply(source, by: runner) ?? report
        let left = try await edits.settle()
        if left > 0 {
          try await edits.rebase(on: journal)
          session.logger.notice(
            "\(NumberText.counted(left, "edit")) \(left == 1 ? "stays" : "stay") in \(self.file): correct them, or drop them with 'mirror pull --discard-edits'."
          )
        }
      }
      if !run.output.json { try plan.write(report, in: session) }
      return try await plan.conclude(report, of: session, folder, as: run)
    }
  }
}
