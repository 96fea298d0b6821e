import Files
import Runs

/// Counts what a migration would delete before it deletes anything.
private struct DeletionCounter: PlanSink {
  /// Thrown once there are more deletions than were asked about.
  struct Enough: Error {}

  let maximum: Int
  /// Receives the changes for the migrations that are applied afterwards; nil if there are none.
  var planned: PlannedDocuments?
  let source: ChangeSource
  /// What joint decisions read; nil if there are none.
  var reader: (any DocumentReader)?
  let count = Locked(0)

  func record(_ outcome: Outcome, of document: RawDocument) async throws {
    try await record([outcome], of: [document])
  }

  func record(_ outcomes: [Outcome], of page: [RawDocument]) async throws {
    let changes = outcomes.compactMap(\.change)
    try await planned?.append(changes, by: source.asApplied)
    let deletions = changes.count(where: \.isDeletion)
    let count = count.withLock { count in
      count += deletions
      return count
    }
    if count > maximum { throw Enough() }
  }

  func record(_ finding: Finding) async throws {}

  func record(_ decision: JointDecision) async throws {
    guard let reader else { throw Failure.unexpected(decision) }
    let decided = try await decision.outcomes(reader)
    try await record(decided.map(\.outcome), of: decided.map(\.document))
  }
}

extension MigrationRunner {
  /// Returns how many documents a migration would currently delete, counting until there are more than `maximum`.
  ///
  /// It reads what the migration reads, but adds nothing to the run's lists and counts.
  package func deletions(of migration: any Migration, upTo maximum: Int) async throws -> Int {
    let counter = DeletionCounter(maximum: maximum, source: .migration(migration))
    defer { context.progress.end() }
    do { try await count(migration, in: counter) } catch is DeletionCounter.Enough {}
    return counter.count.withLock { $0 }
  }

  /// Returns how many documents migrations would delete in all, each on what those before it would leave.
  ///
  /// - Parameter programsMayDelete: Whether programs may delete; if not, one that would is refused.
  package func deletions(of migrations: [any Migration], programsMayDelete: Bool) async throws -> Int {
    let planned = try PlannedDocuments(over: context.client)
    var turn = Turn()
    var deletions = 0
    defer { context.progress.end() }
    for migration in migrations {
      let source = ChangeSource.migration(migration)
      let counter = DeletionCounter(maximum: .max, planned: planned, source: source)
      let mayDelete = programsMayDelete || source.deletesForGood
      try await count(migration, in: counter, mayDelete: mayDelete, upon: planned, turn)
      try planned.advance()
      turn.former.append(source)
      deletions += counter.count.withLock { $0 }
    }
    return deletions
  }

  private func count(
    _ migration: any Migration,
    in counter: DeletionCounter,
    mayDelete: Bool = true,
    upon planned: PlannedDocuments? = nil,
    _ turn: Turn = Turn()
  ) async throws {
    let documents = LiveSource(
      client: context.client,
      pageSize: pageSize,
      parallel: parallel,
      progress: context.progress,
      counts: RunCounts(),
      changes: .migration(migration),
      stops: nil,
      planned: planned,
      turn: turn
    )
    let working = migration.working(in: context.folder, mayDelete: mayDelete)
    try await working.plan(from: documents, into: counter)
  }

  /// Returns how many documents a list would currently delete, without those that are left alone.
  package func deletions(of list: any ChangeList) async throws -> Int {
    let reader = try PlannedDocuments(over: context.client)
    let counter = DeletionCounter(maximum: .max, source: .list(list), reader: reader)
    try await list.record(in: counter, after: nil) { _ in }
    return counter.count.withLock { $0 }
  }
}

extension Failure {
  /// The refusal of a deletion beyond `--max-delete`.
  ///
  /// - Parameters:
  ///   - count: The number of documents to delete; nil if not known.
  ///   - most: The maximum number of documents to delete, if they are not counted; nil if not known either.
  ///   - isBegun: Whether something may already have been written.
  package static func tooManyDeletions(
    _ maximum: Int,
    by name: String,
    of count: Int? = nil,
    upTo most: Int? = nil,
    isBegun: Bool = false
  ) -> Failure {
    let meant =
      count.map { ", and \(NumberText.grouped($0)) are meant" }
      ?? most.map { ", and up to \(NumberText.grouped($0)) are meant" } ?? ""
    var failure = Failure(
      .notPermitted,
      "delete more than \(NumberText.counted(maximum, "document")) by",
      path: name,
      cause: "--max-delete allows no more\(meant)\(isBegun ? "" : "; nothing was written")",
      remedy: isBegun
        ? "Undo the run; then look at the plan (-n), and allow more with --max-delete."
        : "Look at the plan (-n), then allow more with --max-delete."
    )
    failure.isRefusal = true
    return failure
  }
}
