package import FirestoreModels
package import FirestoreREST

/// A migration that deletes documents, but none that has subcollections.
///
/// The service deletes a document alone: what is below it stays, without a parent, and no collection's list shows it.
/// So the collections below each document are listed before it is deleted, which costs a request a document, some of
/// them at once.
///
/// Finding: ``DeclarativeMigration/Code/hasSubcollections``.
package struct SubcollectionGuard: Migration {
  /// Returns the ids of the collections below a document.
  package typealias Lister = @Sendable (DocumentPath) async throws -> [String]

  private let base: DeclarativeMigration
  private let subcollections: Lister
  /// Documents whose subcollections are looked up at once.
  static let width = 16

  package init(_ base: DeclarativeMigration, subcollections: @escaping Lister) {
    self.base = base
    self.subcollections = subcollections
  }

  package var id: String { base.id }
  package var summary: String { base.summary }
  package var checksum: String? { base.checksum }
  package var reads: [CollectionPath] { base.reads }
  package var writes: [CollectionPath] { base.writes }

  package func mayWrite(_ collection: CollectionPath) -> Bool { base.mayWrite(collection) }

  package var requestsPerDeletion: Int { 1 }

  /// Streams the documents, ``width`` at a time.
  package var strategy: MigrationStrategy {
    .streaming { source, sink in
      for read in base.sources {
        try await source.forEachDocument(matching: read, atOnce: Self.width) { documents in
          var outcomes = documents.map { base.outcome(for: $0) }
          try await Self.withhold(&outcomes, subcollections)
          for (document, outcome) in zip(documents, outcomes) { try await sink.record(outcome, of: document) }
        }
      }
    }
  }

  /// A document that is still to be deleted is not: whether it has subcollections is not known any more.
  package func replan(_ current: RawDocument) -> Outcome? {
    let outcome = base.outcome(for: current)
    if case .change(let change) = outcome.action, change.isDeletion { return nil }
    return outcome
  }

  /// Looks below the documents that are to be deleted, all at once, and leaves those alone that have collections below them.
  package static func withhold(_ outcomes: inout [Outcome], _ subcollections: @escaping Lister) async throws {
    try await withThrowingTaskGroup(of: (index: Int, path: DocumentPath, ids: [String]).self) { group in
      for (index, outcome) in outcomes.enumerated() {
        guard case .change(let change) = outcome.action, change.isDeletion else { continue }
        group.addTask { (index, change.path, try await subcollections(change.path)) }
      }
      for try await (index, path, ids) in group where !ids.isEmpty {
        outcomes[index].action = .skip
        outcomes[index].findings.append(
          Finding(
            .reject,
            path: path,
            code: DeclarativeMigration.Code.hasSubcollections.rawValue,
            found: .array(ids.map { .string($0) }),
            message:
              "the document has subcollections, which would be left without it: \(ids.joined(separator: ", "))"
          )
        )
      }
    }
  }
}

extension SubcollectionGuard {
  /// Asks the service for the collections below a document that is to be deleted.
  fileprivate static func lister(_ client: FirestoreClient) -> Lister {
    { path in
      let ids = try await client.collectionIDs(below: path)
      if ids.isEmpty { return ids }
      // What is gone already leaves nothing behind by being deleted: a resumed run meets its own deletions.
      return try await client.batchGet([path], mask: [.documentName])[path] == nil ? [] : ids
    }
  }
}

extension ChangeSource {
  /// The same changes; of documents that have subcollections, none is deleted.
  package func guarded(by client: FirestoreClient) -> ChangeSource {
    deletesForGood ? guarded(by: SubcollectionGuard.lister(client)) : self
  }
}
