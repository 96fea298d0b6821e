package import FirestoreREST

/// Keeps documents with subcollections from being deleted.
///
/// The service deletes only the document itself: everything below it stays, without a parent, and no list of a collection shows
/// it. Therefore the collections below each document are listed before it is deleted, which takes one request per document,
/// several of them concurrently.
///
/// Finding: ``DeclarativeMigration/Code/hasSubcollections``.
package enum SubcollectionGuard {
  /// Returns the IDs of the collections below a document.
  package typealias Lister = @Sendable (DocumentPath) async throws -> [String]

  /// The number of documents whose subcollections are looked up concurrently.
  static let width = 16

  /// The reason of a deletion that claims that everything below its document is also planned.
  package static let coveringReason = "with-all-below"

  static func message(_ document: String, leaving ids: [String]) -> String {
    "\(document) has subcollections, which would be left without it: \(ids.joined(separator: ", "))"
  }

  /// Looks up the subcollections of all documents to be deleted, several concurrently, and leaves alone those that have any.
  ///
  /// - Parameter uncovered: Looks up what stays below documents whose deletions claim to cover everything; nil to trust the
  ///   claim.
  package static func withhold(
    _ outcomes: inout [Outcome],
    _ subcollections: @escaping Lister,
    uncovered: Lister? = nil
  ) async throws {
    let deletions = outcomes.enumerated().compactMap { index, outcome -> Deletion? in
      guard case .change(let change) = outcome.action, change.isDeletion,
        let lister = change.coversAllBelow ? uncovered : subcollections
      else { return nil }
      return Deletion(index: index, path: change.path, lister: lister)
    }
    for some in deletions.chunks(of: width) {
      let below = try await Array(some).concurrentMap { try await $0.lister($0.path) }
      for (deletion, ids) in zip(some, below) where !ids.isEmpty {
        outcomes[deletion.index].action = .skip
        outcomes[deletion.index].findings.append(finding(deletion.path, leaving: ids))
      }
    }
  }

  private struct Deletion {
    var index: Int
    var path: DocumentPath
    var lister: Lister
  }

  private static func finding(_ path: DocumentPath, leaving ids: [String]) -> Finding {
    Finding(
      .reject,
      path: path,
      code: DeclarativeMigration.Code.hasSubcollections.rawValue,
      found: .array(ids.map { .string($0) }),
      message: message("the document", leaving: ids)
    )
  }
}

extension Change {
  /// Whether the change claims that everything below its document is also planned.
  var coversAllBelow: Bool {
    reasons.contains { $0.isIdentical(to: SubcollectionGuard.coveringReason) }
  }
}

extension SubcollectionGuard {
  /// Returns a lister that asks the service for the collections below a document to be deleted.
  ///
  /// - Parameter kept: Returns those of some documents below, without fields, that keep it from being deleted; nil for all.
  package static func lister(
    _ client: FirestoreClient,
    keeping kept: (@Sendable ([RawDocument]) async throws -> [DocumentPath])? = nil
  ) -> Lister {
    { path in
      var ids = try await client.collectionIDs(below: path)
      if let kept, !ids.isEmpty { ids = try await client.collectionIDs(below: path, keeping: kept) }
      if ids.isEmpty { return ids }
      // A document that is already gone orphans nothing by its deletion: a resumed run encounters its own deletions.
      return try await client.batchGet([path], mask: [.documentName])[path] == nil ? [] : ids
    }
  }
}

extension ChangeSource {
  /// Returns the same changes, without deletions of documents that have subcollections.
  package func guarded(by client: FirestoreClient) -> ChangeSource {
    mayDelete ? guarded(by: SubcollectionGuard.lister(client)) : self
  }
}
