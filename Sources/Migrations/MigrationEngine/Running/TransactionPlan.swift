import Files
import FirestoreModels
package import FirestoreREST
import Runs

/// Transactions that are only planned: each is decided on the documents as the ones before it would leave them.
package final class TransactionPlan: Sendable {
  private let documents: PlannedDocuments
  private let planned: Locked<MigrationReport>

  /// - Parameter name: The name in the report.
  package init(_ name: String, over client: FirestoreClient) {
    documents = PlannedDocuments(over: client)
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
      for change in changes {
        documents.apply(change)
        planned.withLock { $0.add(change, keeping: 3) }
        counts.update(change.path.collection.pattern) { $0.add(change) }
      }
      return (value, .committed(changes.map { _ in nil }))
    }
  }
}

/// Documents as planned changes would leave them.
///
/// It holds what is changed in memory; a document that would be written has no update time.
final class PlannedDocuments: DocumentReader {
  private let client: FirestoreClient
  private let changed = Locked<[DocumentPath: RawDocument?]>([:])

  init(over client: FirestoreClient) {
    self.client = client
  }

  func apply(_ change: Change) {
    let after = change.after.map {
      RawDocument(path: change.path, fields: $0, createTime: change.before?.createTime)
    }
    changed.withLock { $0[change.path] = .some(after) }
  }

  func documents(_ paths: [DocumentPath]) async throws -> [DocumentPath: RawDocument] {
    let changed = changed.withLock { $0 }
    let others = paths.filter { changed[$0] == nil }
    var found = others.isEmpty ? [:] : try await client.batchGet(others)
    for path in paths { if let document = changed[path] { found[path] = document } }
    return found
  }

  func forEachDocument(
    matching read: CollectionRead,
    _ body: (RawDocument) async throws -> Void
  ) async throws {
    let changed = changed.withLock { $0 }
    var found = changed.values.compactMap(\.self).filter { document in
      document.path.isIn(read.collection)
        && read.filter.map { DocumentFilter($0).matches(document) } ?? true
    }
    for try await page in client.pages(of: read) { found += page.filter { changed[$0.path] == nil } }
    for document in found.sorted(by: { $0.path < $1.path }) { try await body(document) }
  }
}
