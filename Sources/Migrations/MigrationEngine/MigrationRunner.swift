import Files
package import FirestoreREST
import Logging
package import Runs

/// Plans and applies migrations on one database: reads page by page, writes in commits that expect what was read.
package struct MigrationRunner: Sendable {
  private let context: RunContext
  /// Documents a page.
  package var pageSize = 300
  /// As ``CollectionRead/parallel``.
  package var parallel = 1
  /// Limits of what is written at once.
  package var limits = BatchLimits()
  /// How fast it may be written.
  package var pacer = WritePacer(ramp: false)
  /// Deletions of one migration at the most; any number where nil.
  package var maximumDeletes: Int?
  /// How many changes a report keeps to be shown.
  package var examples = 3

  /// What a plan or an apply may leave in the run's folder for a person to look at.
  package static let lists = ["plan.jsonl", "review.csv", "rejects.jsonl", "findings.csv"]

  /// - Parameter context: Its checkpoints make an apply resumable; a plan needs none.
  package init(in context: RunContext) {
    self.context = context
  }

  /// Reads what the migration reads and tells what it would change.
  ///
  /// Writes nothing to the database; the changes go to `plan.jsonl` of the run.
  ///
  /// - Throws: ``Failure``.
  package func plan(_ migration: any Migration) async throws -> MigrationReport {
    let changes = PlanFile(context.folder.file("plan.jsonl"), database: context.client.database)
    let session = session(migration, performer: .planning(changes))
    do {
      try await read(migration, session, resumption: nil)
    } catch {
      try? await changes.flush()
      throw error
    }
    try await changes.flush()
    return session.report.withLock { report in
      // A transaction reads its document again, and what decides on it: no more than the plan did.
      if migration is any TransactionalMigration { report.reads *= 2 }
      if migration is SubcollectionGuard {
        let code = DeclarativeMigration.Code.hasSubcollections.rawValue
        report.reads += report.deletions + report.findings[.init(kind: .reject, code: code), default: 0]
      }
      return report
    }
  }

  /// Applies the migration: plans and writes in one stream.
  ///
  /// A document that changes meanwhile is planned again on what it has become. A run that is taken up again passes over
  /// what is done of the migration.
  ///
  /// - Parameter stage: Which of the run's migrations it is, from 0; none that ``Checkpoints/isPast(_:)``.
  /// - Throws: ``Failure``; what was sent is settled by then.
  package func apply(
    _ migration: any Migration,
    stage: Int = 0
  ) async throws -> MigrationReport {
    let resumed = context.checkpoints?.resumed.flatMap { $0.state.stage == stage ? $0.state : nil }
    if resumed == nil { try await context.checkpoints?.begin(at: Checkpoint.State(stage: stage)) }
    let session = session(
      migration,
      performer: .applying(context.journal),
      report: MigrationReport(migration: migration.id, counters: resumed?.counters ?? [:]),
      originals: migration.needsOriginals ? context.checkpoints.map { OriginalDocuments($0.journal) } : nil
    )
    // Before anything is read, so that they count for the bound of deletions.
    if (migration as? any ResumableMigration)?.namesDocuments != true { try await session.countDeletions() }
    try await BatchWriter.run(
      context.client,
      limits: limits,
      pacer: pacer,
      journal: context.journal,
      delegate: ApplyDelegate(session)
    ) { writer in
      let recorder = session.writing(to: writer)
      let mark = { @Sendable (position: String) in
        let state = Checkpoint.State(
          stage: stage,
          position: position,
          counters: session.report.withLock { $0.counters }
        )
        try await context.checkpoints?.mark(at: state) { try await writer.drain() }
      }
      if let resumable = migration as? any ResumableMigration {
        for collection in migration.reads { context.counts.open(collection) }
        try await resumable.plan(into: recorder, after: resumed?.position, mark: mark)
      } else if migration is any DocumentMigration {
        let stops = SourceCheckpoints(resumed: resumed?.position.flatMap { SourcePosition($0) }) { position in
          try await mark(position.description)
        }
        try await read(migration, recorder, resumption: stops)
      } else {
        try await read(migration, recorder, resumption: nil)
      }
    }
    try await session.countDeletions()
    context.journal?.endTail()
    return session.report.withLock { $0 }
  }

  private func session(
    _ migration: any Migration,
    performer: PlanSession.Performer,
    report: MigrationReport? = nil,
    originals: OriginalDocuments? = nil
  ) -> PlanSession {
    PlanSession(
      client: context.client,
      migration: migration,
      performer: performer,
      counts: context.counts,
      lists: FindingLists(context.folder),
      examples: examples,
      maximumDeletes: maximumDeletes,
      report: Locked(report ?? MigrationReport(migration: migration.id)),
      originals: originals
    )
  }

  private func read(
    _ migration: any Migration,
    _ session: PlanSession,
    resumption: SourceCheckpoints?
  ) async throws {
    for collection in migration.reads { context.counts.open(collection) }
    let source = LiveSource(
      client: context.client,
      pageSize: pageSize,
      parallel: parallel,
      progress: context.progress,
      counts: context.counts,
      migration: migration,
      stops: resumption,
      earlier: session.originals == nil ? nil : session,
      onRead: { reads in session.report.withLock { $0.reads += reads } }
    )
    defer { context.progress.end() }
    try await migration.plan(from: source, into: session)
    context.logger.debug("planned", metadata: ["migration": "\(migration.id)"])
  }
}
