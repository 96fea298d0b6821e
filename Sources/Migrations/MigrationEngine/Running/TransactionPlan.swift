import Files
package import FirestoreREST
import Runs

/// Transactions that are only planned, each seeing the documents as the ones before it would leave them.
package final class TransactionPlan: Sendable {
  private let documents: PlannedDocuments
  private let planned: Locked<MigrationReport>

  /// - Parameter name: The name in the report.
  /// - Throws: `.cannotWrite` if the plan cannot be stored.
  package init(_ name: String, over client: FirestoreClient) throws(Failure) {
    documents = try PlannedDocuments(over: client)
    planned = Locked(MigrationReport(migration: name))
  }

  package var report: MigrationReport { planned.withLock { $0 } }

  /// As ``RecordedTransaction/run(on:_:)``, without a write.
  func run<Value: Sendable>(
    counting counts: RunCounts,
    _ body: @Sendable (any DocumentReader) async throws -> RecordedTransaction.Decision<Value>
  ) async throws -> (value: Value?, end: TransactionEnd) {
    switch try await body(documents) {
    case .leave(let value): return (value, .left)
    case .commit(let changes, let value):
      try await documents.append(changes, by: LedgerEntry.Applied(id: report.migration, checksum: nil))
      try documents.advance()
      for change in changes {
        planned.withLock { $0.add(change, keeping: 3) }
        counts.update(change.path.collection.pattern) { $0.add(change) }
      }
      return (value, .committed(changes.map { _ in nil }))
    }
  }
}
