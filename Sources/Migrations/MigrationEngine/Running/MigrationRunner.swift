import Configuration
import Files
package import FirestoreREST
import Logging
package import Runs
import TypedDocuments

/// Plans and applies changes in one database, reading page by page and writing in commits with preconditions.
///
/// All rule-based changes go through it: migrations, one-off fixes and deletions, plan files and undo.
///
///     var runner = MigrationRunner(in: context)
///     runner.maximumDeletes = 100
///     let report = try await runner.apply(.migration(UsersUnify()))
package struct MigrationRunner: Sendable {
  let context: RunContext
  /// The number of documents per page.
  package var pageSize = 300
  /// As ``CollectionRead/parallel``.
  package var parallel = 1
  package var limits = BatchLimits()
  /// Limits the rate of writes.
  package var pacer = WritePacer(ramp: false)
  /// The maximum number of deletions of one migration; nil for no limit.
  package var maximumDeletes: Int?
  /// The number of changes that a report keeps as examples.
  package var examples = 3
  /// Fields for which reviews make proposals, each a column of `review.csv`.
  package var reviewColumns: [String] = []
  /// The part of a migration's documents that this run works on; nil for all.
  package var part: MigrationPart?
  /// The rejected documents, as in ``FindingLists``.
  private let rejected = Locked<Set<Int>?>(nil)
  /// The reports of the stages that are complete.
  private let finished: Locked<[MigrationReport]>
  /// Reads ahead for several sources; nil if each reads only at its turn.
  private var ahead: ReadsAhead?
  /// Of one of several sources that are planned together: whether an apply counts its deletions before the first one writes.
  private var isCountedBefore: Bool?

  /// The files that a plan or an apply may leave in the run's folder for people to look at.
  package static let lists = ["plan.jsonl", "review.csv", "rejects.jsonl", "findings.csv"]

  /// - Parameter context: Its checkpoints make an apply resumable; a plan needs none.
  package init(in context: RunContext) {
    self.context = context
    finished = Locked([])
  }

  /// Returns the reports of the stages that were complete when the run was interrupted, and continues after them.
  package func resumedReports() throws -> [MigrationReport] {
    let reports = try context.checkpoints?.resumed?.position(as: Position.self)?.finished ?? []
    finished.withLock { $0 = reports }
    return reports
  }

  /// Returns a runner for sources that are executed one after another, each with its index as the stage.
  ///
  /// With ``parallel``, the documents of later sources are fetched in advance where no other source changes them.
  package func readingAhead(
    of sources: [ChangeSource],
    _ effect: ForeseenReads.Effect
  ) -> MigrationRunner {
    var runner = self
    // A part is a range of one read, so there is nothing to read ahead.
    let mayRead = parallel > 1 && part == nil
    runner.ahead = mayRead ? ReadsAhead(context.client, ForeseenReads(of: sources, effect)) : nil
    return runner
  }

  /// Reads the documents, decides on their changes and lists them, without writing to the database.
  ///
  /// The changes go to `plan.jsonl` of the run.
  ///
  /// - Parameter stage: The source's index if the runner comes from ``readingAhead(of:_:)``.
  /// - Throws: ``Failure``.
  package func plan(_ source: ChangeSource, stage: Int = 0) async throws -> MigrationReport {
    let file = planFile
    return try await file.flushing {
      let planned = source.foreseenReads == nil ? try PlannedDocuments(over: context.client) : nil
      return try await plan(source, in: file, upon: planned, turn(of: source, stage, .planned))
    }
  }

  /// Plans several sources together, as if they were applied one after another.
  ///
  /// Each source sees the documents as the ones before it leave them, and the changes of all to one document become one line of
  /// the plan.
  ///
  /// - Parameter each: Called with the report of each source.
  /// - Throws: ``Failure``; errors of `each`.
  package func plan(
    _ sources: [ChangeSource],
    each: (MigrationReport) throws -> Void
  ) async throws -> (reports: [MigrationReport], totals: PlanTotals) {
    var runner = readingAhead(of: sources, .planned)
    let last = sources.count > 1 ? sources.lastIndex { $0.mayDelete && holdsBound($0) } : nil
    if ForeseenReads(of: sources, .planned).areApart {
      var reports: [MigrationReport] = []
      for (stage, source) in sources.enumerated() {
        runner.isCountedBefore = last.map { stage <= $0 }
        reports.append(try await runner.plan(source, stage: stage))
        try each(reports[stage])
      }
      return (reports, PlanTotals(reports, context.counts))
    }
    let planned = try PlannedDocuments(over: context.client)
    var reports: [MigrationReport] = []
    var turn = Turn(ahead: runner.ahead)
    for (stage, source) in sources.enumerated() {
      turn.stage = stage
      runner.isCountedBefore = last.map { stage <= $0 }
      let report = try await runner.plan(source, in: planned, upon: planned, turn)
      reports.append(report)
      try planned.advance()
      if report.changeCount > 0 { turn.former.append(source) }
      try each(report)
    }
    let file = planFile
    try await file.flushing { try await planned.write(to: file) }
    let (changes, documents) = try planned.totals()
    return (reports, PlanTotals(changes, documents, context.counts))
  }

  private var planFile: PlanFileWriter {
    PlanFileWriter(context.folder.file("plan.jsonl"), of: context.environment)
  }

  private func plan(
    _ source: ChangeSource,
    in list: any PlanList,
    upon planned: PlannedDocuments?,
    _ turn: Turn
  ) async throws -> MigrationReport {
    let session = session(source, performer: .planning(list), planned: planned)
    let former = context.counts.totals.read
    try await record(source, at: turn, in: session)
    let selected = context.counts.totals.read - former
    return session.report.withLock { report in
      guard case .migration(let migration) = source else { return report }
      report.reads += furtherReads(of: migration, report, selected: selected)
      return report
    }
  }

  /// The billed reads of applying a migration, beyond the reads of its plan.
  ///
  /// - Parameter selected: The number of documents that the plan examined.
  private func furtherReads(of migration: any Migration, _ report: MigrationReport, selected: Int) -> Int {
    let below = migration.requestsPerDeletion * report.readsBelow
    var reads = below
    // A transaction reads its document again with everything that it depends on: no more than the plan did.
    if case .transactional = migration.strategy { reads += report.reads }
    if let isCountedBefore { return isCountedBefore ? reads + report.reads + below : reads }
    guard holdsBound(migration) else { return reads }
    let sources = (migration as? DeclarativeMigration)?.sources ?? []
    reads += sources.allSatisfy(\.isCountable) ? Cost.reads(ofCounting: selected) : report.reads
    // If not all examined documents are deleted, the deletions must be counted before the first one.
    return selected > report.deletions ? reads + report.reads + below : reads
  }

  /// Whether a migration's deletions are checked against a limit before it is applied.
  ///
  /// Without a limit, a program must not delete anything.
  private func holdsBound(_ migration: any Migration) -> Bool {
    if (migration as? DeclarativeMigration)?.program != nil { return maximumDeletes != nil }
    return migration.mayDelete || migration.requestsPerDeletion > 0
  }

  private func holdsBound(_ source: ChangeSource) -> Bool {
    if case .migration(let migration) = source { holdsBound(migration) } else { false }
  }

  /// Applies the changes, planning and writing in one stream.
  ///
  /// A document that changes meanwhile is planned again in its new state. A resumed run skips documents that were already
  /// settled.
  ///
  /// - Parameter stage: The index of this part of the run, from 0; must not be one that ``Checkpoints/isPast(_:)``.
  /// - Throws: ``Failure``; all sent writes are settled by then.
  package func apply(_ source: ChangeSource, stage: Int = 0) async throws -> MigrationReport {
    let checkpoint = context.checkpoints?.resumed.flatMap { $0.stage == stage ? $0 : nil }
    let resumed = try checkpoint?.position(as: Position.self)
    let finished = finished.withLock { $0 }
    @Sendable func state(_ place: String?, _ report: MigrationReport?) -> Checkpoint.State {
      Checkpoint.State(stage: stage, at: Position(place: place, report: report, finished: finished))
    }
    if checkpoint == nil { try await context.checkpoints?.begin(at: state(nil, nil)) }
    var session = session(
      source,
      performer: .applying(context.journal),
      report: resumed?.report,
      originals: source.needsOriginals ? context.checkpoints.map { OriginalDocuments($0.journal) } : nil
    )
    // Before anything is read, so that they count toward the limit of deletions; a list names them again by itself.
    if case .migration = source { try await session.countDeletions() }
    try await context.recordingTimes { times in
      session.times = times
      try await BatchWriter.run(
        context.client,
        limits: limits,
        pacer: pacer,
        journal: context.journal,
        delegate: ApplyDelegate(session)
      ) { [session] writer in
        let session = session.writing(to: writer)
        let turn = turn(of: source, stage, .written)
        try await record(source, at: turn, in: session, after: resumed?.place) { place in
          try await context.checkpoints?.mark(at: state(place, session.report.withLock { $0 })) {
            try await writer.drain()
          }
        }
      }
    }
    try await session.settleUnmetWrites()
    context.journal?.endTail()
    let applied = session.report.withLock { $0 }
    self.finished.withLock { $0.append(applied) }
    return applied
  }

  /// How far a change source has been applied, its report up to there, and the reports of the ones before it.
  private struct Position: JSONRecord {
    var place: String?
    var report: MigrationReport?
    /// Nil in a checkpoint of an earlier version.
    var finished: [MigrationReport]?
  }

  private func session(
    _ source: ChangeSource,
    performer: PlanSession.Performer,
    report: MigrationReport? = nil,
    originals: OriginalDocuments? = nil,
    planned: PlannedDocuments? = nil
  ) -> PlanSession {
    PlanSession(
      client: context.client,
      source: source,
      performer: performer,
      counts: context.counts,
      progress: context.progress,
      lists: FindingLists(context.folder, proposing: reviewColumns, rejected: rejected),
      examples: examples,
      maximumDeletes: maximumDeletes,
      report: Locked(report ?? MigrationReport(migration: source.id)),
      originals: originals,
      planned: planned
    )
  }

  private func turn(of source: ChangeSource, _ stage: Int, _ effect: ForeseenReads.Effect) -> Turn {
    ahead == nil
      ? Turn(ahead: readingAhead(of: [source], effect).ahead) : Turn(stage: stage, ahead: ahead)
  }

  /// Records the changes after a position.
  ///
  /// - Parameter mark: Called when everything up to a position has been recorded; nil while planning.
  private func record(
    _ source: ChangeSource,
    at turn: Turn,
    in session: PlanSession,
    after position: String? = nil,
    mark: (@Sendable (_ position: String) async throws -> Void)? = nil
  ) async throws {
    for collection in source.collections { context.counts.open(collection) }
    defer { context.progress.end() }
    switch source {
    case .list(let list):
      context.progress.begin(list.id, total: nil)
      try await list.record(in: session, after: position) { try await mark?($0) }
    case .migration(let migration):
      for notice in migration.notices { context.logger.notice("\(notice)") }
      var stops: SourceCheckpoints?
      if case .perDocument(let rule) = migration.strategy, let mark {
        let resumed = position.flatMap { SourcePosition($0) }
        stops = SourceCheckpoints(of: rule.sources, resumed: resumed) { position in
          try await mark(position.description)
        }
      }
      let documents = LiveSource(
        client: context.client,
        pageSize: pageSize,
        parallel: parallel,
        progress: context.progress,
        counts: context.counts,
        changes: source,
        stops: stops,
        part: part,
        earlier: session.originals == nil ? nil : session,
        planned: session.planned,
        turn: turn,
        onRead: { reads in session.report.withLock { $0.reads += reads } }
      )
      let working = migration.working(in: context.folder, mayDelete: mark == nil || maximumDeletes != nil)
      try await working.plan(from: documents, into: session)
      context.logger.debug("planned", metadata: ["migration": "\(source.id)"])
    }
  }
}

extension ChangeSource {
  /// As ``Migration/needsOriginals``.
  fileprivate var needsOriginals: Bool {
    if case .migration(let migration) = self { migration.needsOriginals } else { false }
  }
}
