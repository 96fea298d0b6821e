package import FirestoreModels
package import FirestoreREST

/// A migration that deletes documents, but none that has subcollections.
///
/// The service deletes a document alone: what is below it stays, without a parent, and no collection's list shows it.
/// So the collections below each document are asked for before it is deleted; that costs a request a document, some of
/// them at once.
///
/// Finding: ``DeclarativeMigration/Code/hasSubcollections``.
package struct SubcollectionGuard: Migration {
  /// Tells the ids of the collections below a document.
  package typealias Lister = @Sendable (DocumentPath) async throws -> [String]

  private let base: DeclarativeMigration
  private let subcollections: Lister
  /// Documents that are asked about at once.
  static let width = 16

  /// Guards a migration.
  package init(_ base: DeclarativeMigration, subcollections: @escaping Lister) {
    self.base = base
    self.subcollections = subcollections
  }

  /// That of the migration.
  package var id: String { base.id }
  /// That of the migration.
  package var summary: String { base.summary }
  /// That of the migration.
  package var checksum: String? { base.checksum }
  /// Those of the migration.
  package var reads: [CollectionPath] { base.reads }
  /// Those of the migration.
  package var writes: [CollectionPath] { base.writes }

  /// As the migration.
  package func mayWrite(_ collection: CollectionPath) -> Bool { base.mayWrite(collection) }

  /// Streams the documents, some of them looked at together.
  package func plan(from source: any DocumentSource, into sink: any PlanSink) async throws {
    for read in base.sources {
      var waiting: [RawDocument] = []
      try await source.forEachDocument(matching: read) { document in
        waiting.append(document)
        if waiting.count == Self.width {
          try await settle(waiting, sink)
          waiting = []
        }
      }
      try await settle(waiting, sink)
    }
  }

  /// A document that is still to be deleted is not: whether it has subcollections is not known any more.
  package func replan(_ current: RawDocument) -> Outcome? {
    let outcome = base.outcome(for: current)
    if case .change(let change) = outcome.action, change.isDeletion { return nil }
    return outcome
  }

  private func settle(_ documents: [RawDocument], _ sink: any PlanSink) async throws {
    var outcomes = documents.map { base.outcome(for: $0) }
    try await Self.withhold(&outcomes, subcollections)
    for (document, outcome) in zip(documents, outcomes) { try await sink.record(outcome, of: document) }
  }

  /// Looks below the documents that are to be deleted, all at once, and leaves those alone that have collections below them.
  static func withhold(_ outcomes: inout [Outcome], _ subcollections: @escaping Lister) async throws {
    try await withThrowingTaskGroup(of: (index: Int, path: DocumentPath, ids: [String]).self) { group in
      for (index, outcome) in outcomes.enumerated() {
        guard case .change(let change) = outcome.action, change.isDeletion else { continue }
        group.addTask { (index, change.path, try await subcollections(change.path)) }
      }
      for try await (index, path, ids) in group where !ids.isEmpty {
        let message =
          "the document has subcollections, which would be left without it: \(ids.joined(separator: ", "))"
        let code = DeclarativeMigration.Code.hasSubcollections.rawValue
        let finding = Finding(
          .reject,
          path: path,
          code: code,
          found: .array(ids.map { .string($0) }),
          message: message
        )
        outcomes[index] = Outcome(
          .skip,
          findings: outcomes[index].findings + [finding],
          migration: outcomes[index].migration
        )
      }
    }
  }
}

extension Migration {
  /// Whether it deletes documents for good as it was told, so that a bound is wanted before it begins.
  package var deletesForGood: Bool {
    switch self {
    case let declarative as DeclarativeMigration: declarative.deletes
    case let planned as PlannedChanges: planned.deletions > 0
    default: false
    }
  }

  /// The migration that leaves documents with subcollections alone where it would delete them.
  package func guarded(by client: FirestoreClient) -> any Migration {
    guard deletesForGood else { return self }
    let lister: SubcollectionGuard.Lister = { path in
      let ids = try await client.collectionIDs(below: path)
      if ids.isEmpty { return ids }
      // What is gone already leaves nothing behind by being deleted: a run that goes on meets its own deletions.
      return try await client.batchGet([path], mask: [.documentName])[path] == nil ? [] : ids
    }
    if let declarative = self as? DeclarativeMigration {
      return SubcollectionGuard(declarative, subcollections: lister)
    }
    guard var planned = self as? PlannedChanges else { return self }
    planned.subcollections = lister
    return planned
  }
}
