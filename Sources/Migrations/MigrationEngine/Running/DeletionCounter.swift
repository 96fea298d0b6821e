import Files
import FirestoreREST
import Runs

/// Counts what a migration would delete before it deletes anything.
private struct DeletionCounter: PlanSink {
  /// Thrown once there is one deletion more than was asked about.
  struct Enough: Error {}

  let maximum: Int
  let count = Locked(0)

  func record(_ outcome: Outcome, of document: RawDocument) async throws {
    guard case .change(let change) = outcome.action, change.isDeletion else { return }
    let count = count.withLock { count in
      count += 1
      return count
    }
    if count > maximum { throw Enough() }
  }

  func record(_ finding: Finding) async throws {}
}

extension MigrationRunner {
  /// Returns how many documents a migration would currently delete, counting up to one more than `maximum`.
  ///
  /// It reads what the migration reads, but adds nothing to the run's lists and counts.
  package func deletions(of migration: any Migration, upTo maximum: Int) async throws -> Int {
    let counter = DeletionCounter(maximum: maximum)
    let documents = LiveSource(
      client: context.client,
      pageSize: pageSize,
      parallel: parallel,
      progress: context.progress,
      counts: RunCounts(),
      changes: .migration(migration),
      stops: nil
    )
    defer { context.progress.end() }
    let working = migration.working(in: context.folder, mayDelete: true)
    do { try await working.plan(from: documents, into: counter) } catch is DeletionCounter.Enough {}
    return counter.count.withLock { $0 }
  }

  /// Returns how many documents a list would currently delete, without those that are left alone.
  package func deletions(of list: any ChangeList) async throws -> Int {
    let counter = DeletionCounter(maximum: .max)
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
      remedy: "Look at the plan (-n), then allow more with --max-delete."
    )
    failure.isRefusal = true
    return failure
  }
}
