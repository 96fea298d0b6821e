import Files
package import FirestoreREST
package import Logging
package import Runs

/// Plans and applies migrations on one database: reads page by page, writes in commits that expect what was read.
package struct MigrationRunner: Sendable {
  private let client: FirestoreClient
  private let run: RunDirectory
  private let checkpoints: Checkpoints?
  private let progress: Progress
  private let logger: Logger
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

  /// Makes a runner.
  ///
  /// - Parameter checkpoints: What makes an apply go on where it stopped; nil for one that cannot, and for a plan.
  package init(
    client: FirestoreClient,
    run: RunDirectory,
    checkpoints: Checkpoints? = nil,
    progress: Progress,
    logger: Logger
  ) {
    self.client = client
    self.run = run
    self.checkpoints = checkpoints
    self.progress = progress
    self.logger = logger
  }

  /// Reads what the migration reads and tells what it would change.
  ///
  /// Writes nothing to the database; the changes go to `plan.jsonl` of the run.
  ///
  /// - Throws: ``Failure``.
  package func plan(_ migration: any Migration, book: AccountsBook) async throws -> MigrationReport {
    let changes = PlanFile(run.file("plan.jsonl"), database: client.database)
    let session = session(migration, book, performer: .planning(changes))
    do {
      try await read(migration, session, book, resumption: nil)
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
    stage: Int = 0,
    book: AccountsBook
  ) async throws -> MigrationReport {
    let resumed = checkpoints?.resumed.flatMap { $0.place.stage == stage ? $0.place : nil }
    if resumed == nil { try await checkpoints?.begin(at: Checkpoint.Place(stage: stage)) }
    let session = session(
      migration,
      book,
      performer: .applying(checkpoints?.journal),
      report: MigrationReport(migration: migration.id, counters: resumed?.counters ?? [:]),
      originals: migration.needsOriginals ? checkpoints.map { OriginalDocuments($0.journal) } : nil
    )
    // Before anything is read, so that they count for the bound of deletions.
    if (migration as? any ResumableMigration)?.namesDocuments != true { try await session.countDeletions() }
    try await BatchWriter.run(
      client,
      limits: limits,
      pacer: pacer,
      journal: checkpoints?.journal,
      delegate: ApplyDelegate(session)
    ) { writer in
      let handover = session.writing(to: writer)
      let mark = { @Sendable (position: String) in
        let place = Checkpoint.Place(
          stage: stage,
          position: position,
          counters: session.report.withLock { $0.counters }
        )
        try await checkpoints?.mark(at: place) { try await writer.drain() }
      }
      if let resumable = migration as? any ResumableMigration {
        for collection in migration.reads { book.open(collection) }
        try await resumable.plan(into: handover, after: resumed?.position, mark: mark)
      } else if migration is any DocumentMigration {
        let stops = SourceStops(resumed: resumed?.position.flatMap { SourcePosition($0) }) { position in
          try await mark(position.description)
        }
        try await read(migration, handover, book, resumption: stops)
      } else {
        try await read(migration, handover, book, resumption: nil)
      }
    }
    try await session.countDeletions()
    checkpoints?.journal.endTail()
    return session.report.withLock { $0 }
  }

  private func session(
    _ migration: any Migration,
    _ book: AccountsBook,
    performer: PlanSession.Performer,
    report: MigrationReport? = nil,
    originals: OriginalDocuments? = nil
  ) -> PlanSession {
    PlanSession(
      client: client,
      migration: migration,
      performer: performer,
      book: book,
      lists: FindingLists(run),
      examples: examples,
      maximumDeletes: maximumDeletes,
      report: Guarded(report ?? MigrationReport(migration: migration.id)),
      originals: originals
    )
  }

  private func read(
    _ migration: any Migration,
    _ session: PlanSession,
    _ book: AccountsBook,
    resumption: SourceStops?
  ) async throws {
    for collection in migration.reads { book.open(collection) }
    let source = LiveSource(
      client: client,
      pageSize: pageSize,
      parallel: parallel,
      progress: progress,
      book: book,
      migration: migration,
      stops: resumption,
      earlier: session.originals == nil ? nil : session,
      onRead: { reads in session.report.withLock { $0.reads += reads } }
    )
    defer { progress.end() }
    try await migration.plan(from: source, into: session)
    logger.debug("planned", metadata: ["migration": "\(migration.id)"])
  }
}
