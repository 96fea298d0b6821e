package import FirestoreModels
package import FirestoreREST

/// Puts back what a run changed: every document that is still as the run left it becomes what it was before, exactly.
///
/// Documents that the run made are deleted, those that it deleted are made again. What somebody changed since is left alone
/// and listed as conflicted. What the run meant to change and did not is left alone, too.
package struct UndoRun: ResumableMigration {
  /// `undo RUN`.
  package let id: String
  /// What is told of it.
  package let summary = "Puts back what a run changed."
  /// The collections that the run changed, for the accounts; they are not read, but their documents looked up.
  package let reads: [CollectionPath]
  /// As ``reads``.
  package let writes: [CollectionPath]
  private let changes: RunChanges
  private let client: FirestoreClient

  /// Documents that are looked up together.
  private static let batch = 300

  /// Undoes a run.
  ///
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
    reads = changes.collections
    writes = changes.collections
    self.changes = changes
    self.client = client
  }

  /// Any collection: the journal names them.
  package func mayWrite(_ collection: CollectionPath) -> Bool { true }

  /// By path.
  package var namesDocuments: Bool { true }

  /// Looks every document up and tells what puts it back; positions are paths of documents.
  package func plan(
    into sink: any PlanSink,
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
