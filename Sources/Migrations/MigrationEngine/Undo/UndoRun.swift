package import FirestoreModels
package import FirestoreREST

/// Restores what a run changed: every document that is still as the run left it becomes what it was before, exactly.
///
/// Documents that the run created are deleted, those that it deleted are created again. A document that was changed since
/// is left alone and listed as conflicted. What the run meant to change and did not is left alone, too.
package struct UndoRun: ChangeList {
  /// `undo RUN`.
  package let id: String
  /// The collections that the run changed; they are not read, but their documents looked up.
  package let collections: [CollectionPath]
  private let changes: RunChanges
  private let client: FirestoreClient

  /// Documents that are looked up together.
  private static let batch = 300

  /// - Throws: `.notPermitted` where the run changed another database.
  package init(_ run: String, _ changes: RunChanges, client: FirestoreClient) throws(Failure) {
    guard changes.database == client.database else {
      throw Failure(
        .notPermitted,
        "undo",
        path: run,
        cause: "it changed \(changes.database), and this is \(client.database)",
        remedy: "Name the environment that the run worked on."
      )
    }
    id = "undo \(run)"
    collections = changes.collections
    self.changes = changes
    self.client = client
  }

  package var applied: [LedgerEntry.Applied] { [LedgerEntry.Applied(id: id, checksum: nil)] }

  /// Looks every document up and records what puts it back; positions are paths of documents.
  package func record(
    in sink: any PlanSink,
    after position: String?,
    mark: (String) async throws -> Void
  ) async throws {
    var last = position.flatMap { DocumentPath($0) }
    while true {
      try Task.checkCancellation()
      let page = try changes.page(after: last, limit: Self.batch)
      guard let end = page.last?.path else { return }
      let current = try await client.batchGet(page.map(\.path))
      for (path, history) in page {
        let document = current[path]
        let outcome = outcome(for: path, history, document)
        try await sink.record(outcome, of: document ?? RawDocument(path: path, fields: FieldMap()))
      }
      last = end
      try await mark(end.string)
    }
  }

  /// What becomes of one document, nil where there is none.
  func outcome(for path: DocumentPath, _ history: DocumentHistory, _ current: RawDocument?) -> Outcome {
    switch history.state(of: current, serverTime: changes.serverTime) {
    case .untouched, .asBefore: return Outcome(.unchanged)
    case .changedSince: return Outcome(.conflict)
    case .asLeft:
      let before = history.before
      if before?.fields == current?.fields { return Outcome(.unchanged) }
      let reason = before == nil ? "created-by-run" : current == nil ? "deleted-by-run" : "changed-by-run"
      return Outcome(
        .change(Change(path: path, before: current, after: before?.fields, reasons: [reason]))
      )
    }
  }
}
