import FirestoreModels
import FirestoreREST
import MigrationEngine
import Runs
import Shards

extension ChosenMigrations {
  /// The reads of the migrations that are named, each once.
  ///
  /// - Throws: `.usage` for one that does not decide on each document by itself.
  fileprivate func divisibleReads(for connection: ConnectionOptions) throws -> [CollectionRead] {
    var reads: [CollectionRead] = []
    for migration in try chosen(for: connection) {
      for read in try ChangeSource.migration(migration).divisibleReads() {
        if !reads.contains(where: { ShardPlan.Read($0) == ShardPlan.Read(read) }) { reads.append(read) }
      }
    }
    try ShardDivision.assertOrderedByName(reads)
    if CollectionScope.interleave(reads.map { CollectionScope(pathOrPattern: $0.kind ?? $0.collection) }) {
      throw Failure(
        .usage,
        "divide",
        path: names,
        cause: "what is read overlaps, and two tasks would change the same documents",
        remedy: "Apply the migrations one after the other."
      )
    }
    return reads
  }

  fileprivate func shardTexts(for connection: ConnectionOptions) throws -> [LedgerEntry.Applied] {
    try chosen(for: connection).map { LedgerEntry.Applied(id: $0.id, checksum: $0.checksum) }
  }
}

extension MigrateApply: ShardedCommand {
  var runName: String { "migrate apply \(migrations.names)" }
  var shardTarget: ConnectionOptions { connection }
  var shardWrite: WriteOptions? { write }

  func shardMigrations() throws -> [LedgerEntry.Applied] { try migrations.shardTexts(for: connection) }

  func assertDivisible() throws {
    if plan != nil { throw Self.refuse("--plan", "a plan file is applied in its order") }
    if dryRun { throw Self.refuse("--dry-run", "'migrate plan' can be divided") }
    try write.assertDivisible()
    _ = try migrations.divisibleReads(for: connection)
  }

  private static func refuse(_ option: String, _ cause: String) -> Failure {
    Failure(.usage, "divide 'migrate apply' with", path: option, cause: cause)
  }

  func division(in session: Session) async throws -> ShardDivision {
    ShardDivision(reads: try migrations.divisibleReads(for: connection), inputs: migrations.files)
  }
}

extension MigratePlan: ShardedCommand {
  var runName: String { "migrate plan \(migrations.names)" }
  var shardTarget: ConnectionOptions { connection }

  func shardMigrations() throws -> [LedgerEntry.Applied] { try migrations.these.shardTexts(for: connection) }

  func assertDivisible() throws { _ = try migrations.these.divisibleReads(for: connection) }

  func division(in session: Session) async throws -> ShardDivision {
    ShardDivision(reads: try migrations.these.divisibleReads(for: connection), inputs: migrations.these.files)
  }
}

extension WriteOptions {
  /// Refuses options that are about one process.
  ///
  /// - Throws: `.usage`.
  func assertDivisible() throws(Failure) {
    guard case .count(_)? = errorBudget as ErrorBudget? else { return }
    throw Failure(
      .usage,
      "divide the command with",
      path: "--max-errors",
      cause: "a number is of one process, which does not know what the others rejected",
      remedy: "Give a share, as --max-errors 1%."
    )
  }
}
