import Configuration
import Files
package import FirestoreREST
import Logging
package import Runs
import TypedDocuments

/// Plans and makes changes in one database: reads page by page, writes in commits that expect what was read.
///
/// Everything that changes documents by a rule goes through it: migrations, one-off fixes and deletions, plan files and undo.
///
///     var runner = MigrationRunner(in: context)
///     runner.maximumDeletes = 100
///     let report = try await runner.apply(.migration(UsersUnify()))
package struct MigrationRunner: Sendable {
  let context: RunContext
  /// Documents a page.
  package var pageSize = 300
  /// As ``CollectionRead/parallel``.
  package var parallel = 1
  package var limits = BatchLimits()
  /// How fast it may be written.
  package var pacer = WritePacer(ramp: false)
  /// Deletions of one migration at most; any number where nil.
  package var maximumDeletes: Int?
  /// How many changes a report keeps to be shown.
  package var examples = 3
  /// Fields that reviews make proposals for, a column of `review.csv` each.
  package var reviewColumns: [String] = []
  /// The part of what a migration reads that this run works on; nil for all.
  package var part: MigrationPart?
  /// As ``FindingLists`` know them.
  private let rejected = Locked<Set<Int>?>(nil)
  /// What reads for several sources; nil where each is carried out by itself.
  private var ahead: ReadsAhead?

  /// What a plan or an apply may leave in the run's folder for a person to look at.
  package static let lists = ["plan.jsonl", "review.csv", "rejects.jsonl", "findings.csv"]

  /// - Parameter context: Its checkpoints make an apply resumable; a plan needs none.
  package init(in context: RunContext) {
    self.context = context
  }

  /// The same runner for sources that are carried out one after the other, each as the stage that is its index: with
  /// ``parallel``, what a later one reads is on its way meanwhile where no other changes it.
  package func readingAhead(
    of sources: [ChangeSource],
    _ effect: ForeseenReads.Effect
  ) -> MigrationRunner {
    var runner = self
    // A part is a range of one read.
    let mayRead = parallel > 1 && part == nil
    runner.ahead = mayRead ? ReadsAhead(context.client, ForeseenReads(of: sources, effect)) : nil
    return runner
  }

  /// Reads what the changes are decided on, and lists them; writes nothing to the database.
  ///
  /// The changes go to `plan.jsonl` of the run.
  ///
  /// - Parameter stage: Its index where the runner is ``readingAhead(of:_:)``.
  /// - Throws: ``Failure``.
  package func plan(_ source: ChangeSource, stage: Int = 0) async throws -> MigrationReport {
    let file = planFile
    return try await file.flushing {
      let planned = source.foreseenReads == nil ? try PlannedDocuments(over: context.client) : nil
      return try await plan(source, in: file, upon: planned, turn(of: source, stage, .planned))
    }
  }

  /// Plans change sources together: each decides on the documents as those before it leave them, as it does where they are
  /// applied one after the other, and the changes of all to one document are one line of the plan.
  ///
  /// - Parameter each: Called with the report of each.
  /// - Throws: ``Failure``; what `each` throws.
  package func plan(
    _ sources: [ChangeSource],
    each: (MigrationReport) throws -> Void
  ) async throws -> (reports: [MigrationReport], totals: PlanTotals) {
    let runner = readingAhead(of: sources, .planned)
    if ForeseenReads(of: sources, .planned).areApart {
      var reports: [MigrationReport] = []
      for (stage, source) in sources.enumerated() {
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
      let report = try await plan(source, in: planned, upon: planned, turn)
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

  /// What applying a migration is billed as read beside what its plan read.
  ///
  /// - Parameter selected: The documents that it looked at.
  private func furtherReads(of migration: any Migration, _ report: MigrationReport, selected: Int) -> Int {
    let code = DeclarativeMigration.Code.hasSubcollections.rawValue
    let guarded = report.deletions + report.findings[.init(kind: .reject, code: code), default: 0]
    let below = migration.requestsPerDeletion * guarded
    var reads = below
    // A transaction reads its document again, and what decides on it: no more than the plan did.
    if case .transactional = migration.strategy { reads += report.reads }
    guard holdsBound(migration) else { return reads }
    let sources = (migration as? DeclarativeMigration)?.sources ?? []
    reads += sources.allSatisfy(\.isCountable) ? Cost.reads(ofCounting: selected) : report.reads
    // Where not all that it looks at is deleted, what is has to be found before the first deletion.
    return selected > report.deletions ? reads + report.reads + below : reads
  }

  /// Whether what a migration looks at is held against a bound of deletions before it is applied.
  ///
  /// A program may delete nothing without one.
  private func holdsBound(_ migration: any Migration) -> Bool {
    if (migration as? DeclarativeMigration)?.program != nil { return maximumDeletes != nil }
    return migration.mayDelete || migration.requestsPerDeletion > 0
  }

  /// Makes the changes: plans and writes in one stream.
  ///
  /// A document that changes meanwhile is planned again on what it has become. In a run that is resumed, documents that
  /// were settled are passed over.
  ///
  /// - Parameter stage: Which of the run's parts it is, from 0; none that ``Checkpoints/isPast(_:)``.
  /// - Throws: ``Failure``; what was sent is settled by then.
  package func apply(_ source: ChangeSource, stage: Int = 0) async throws -> MigrationReport {
    let checkpoint = context.checkpoints?.resumed.flatMap { $0.state.stage == stage ? $0 : nil }
    let resumed = try checkpoint?.position(as: Position.self)
    if checkpoint == nil { try await context.checkpoints?.begin(at: Checkpoint.State(stage: stage)) }
    var session = session(
      source,
      performer: .applying(context.journal),
      report: resumed?.report,
      originals: source.needsOriginals ? context.checkpoints.map { OriginalDocuments($0.journal) } : nil
    )
    // Before anything is read, so that they count for the bound of deletions; a list names them again.
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
          func state() -> Checkpoint.State {
            Checkpoint.State(
              stage: stage,
              at: Position(place: place, report: session.report.withLock { $0 })
            )
          }
          try await context.checkpoints?.mark(at: state()) { try await writer.drain() }
        }
      }
    }
    try await session.countUnmetWrites()
    context.journal?.endTail()
    return session.report.withLock { $0 }
  }

  /// How far a change source is applied, and what was found until there.
  private struct Position: JSONRecord {
    var place: String
    var report: MigrationReport
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

  /// Has the changes recorded, from behind a position on.
  ///
  /// - Parameter mark: Called where everything up to a position has been recorded; nil while planning.
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
