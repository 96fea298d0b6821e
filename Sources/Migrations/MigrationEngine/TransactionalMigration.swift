import Configuration
import Files
package import FirestoreModels
import FirestoreREST

/// A migration whose outcome for a document depends on other documents, which must not change between the look at
/// them and the write.
///
/// It is planned over the present, and applied by ``TransactionWriter``: what it reads to decide and what it writes are
/// one Firestore transaction.
package protocol TransactionalMigration: Migration {
  /// What becomes of one document, by what `reader` says of others.
  ///
  /// `reader` is the database as it is while planning, and the transaction while applying. The function decides by what
  /// it reads alone, because a transaction may be run again.
  func outcome(for document: RawDocument, in reader: any DocumentSource) async throws -> Outcome
}

/// How many documents of a page are decided side by side while planning: each may cost a request of its own.
private let documentsAtOnce = 16

extension TransactionalMigration {
  /// Streams each collection and tells the outcome of each document, in their order.
  package func plan(from source: any DocumentSource, into sink: any PlanSink) async throws {
    for collection in writes {
      var waiting: [RawDocument] = []
      func record() async throws {
        let outcomes = try await outcomes(for: waiting, in: source)
        for (document, outcome) in zip(waiting, outcomes) { try await sink.record(outcome, of: document) }
        waiting.removeAll(keepingCapacity: true)
      }
      try await source.forEachDocument(in: collection) { document in
        waiting.append(document)
        if waiting.count == documentsAtOnce { try await record() }
      }
      try await record()
    }
  }

  private func outcomes(
    for documents: [RawDocument],
    in source: any DocumentSource
  ) async throws -> [Outcome] {
    try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
      for (index, document) in documents.enumerated() {
        group.addTask { (index, try await outcome(for: document, in: source)) }
      }
      var outcomes = [Outcome](repeating: Outcome(.unchanged), count: documents.count)
      for try await (index, outcome) in group { outcomes[index] = outcome }
      return outcomes
    }
  }
}

extension LiveSource {
  /// The number of documents as the service counts them; one that cannot count is asked for their names.
  func count(_ collection: CollectionPath) async throws -> Int {
    if !hasNoCounts.withLock({ $0 }) {
      if let count = await client.quickCount(of: CollectionRead(collection))?.count {
        onRead(Cost.reads(ofCounting: count))
        return count
      }
      // Once is enough to wait for.
      try Task.checkCancellation()
      hasNoCounts.withLock { $0 = true }
    }
    var count = 0
    for try await page in client.pages(of: CollectionRead(collection, mask: [.documentName])) {
      count += page.count
    }
    onRead(Cost.reads(ofQueryGiving: count))
    return count
  }
}
