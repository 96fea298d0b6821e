package import FirestoreREST

/// Keeps documents from being deleted that have subcollections.
///
/// The service deletes a document alone: what is below it stays, without a parent, and no collection's list shows it.
/// So the collections below each document are listed before it is deleted, which costs a request a document, some of
/// them at once.
///
/// Finding: ``DeclarativeMigration/Code/hasSubcollections``.
package enum SubcollectionGuard {
  /// Returns the ids of the collections below a document.
  package typealias Lister = @Sendable (DocumentPath) async throws -> [String]

  /// Documents whose subcollections are looked up at once.
  static let width = 16

  /// The reason of a deletion that says of itself that what becomes of everything below the document is planned, too.
  package static let coveringReason = "with-all-below"

  /// Looks below the documents that are to be deleted, all at once, and leaves those alone that have collections below them.
  ///
  /// - Parameter uncovered: Looks below those that are to be deleted with everything below them, for what stays; nil to believe it.
  package static func withhold(
    _ outcomes: inout [Outcome],
    _ subcollections: @escaping Lister,
    uncovered: Lister? = nil
  ) async throws {
    try await withThrowingTaskGroup(of: (index: Int, path: DocumentPath, ids: [String]).self) { group in
      for (index, outcome) in outcomes.enumerated() {
        guard case .change(let change) = outcome.action, change.isDeletion,
          let lister = change.coversAllBelow ? uncovered : subcollections
        else { continue }
        group.addTask { (index, change.path, try await lister(change.path)) }
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

extension Change {
  /// Whether it says that what becomes of everything below the document is planned, too.
  var coversAllBelow: Bool {
    reasons.contains { $0.isIdentical(to: SubcollectionGuard.coveringReason) }
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
    mayDelete ? guarded(by: SubcollectionGuard.lister(client)) : self
  }
}
