package import FirestoreREST

/// Reads back what a run changed.
package struct RunVerification: Sendable {
  package struct Report: Sendable, Equatable {
    package var asLeft = 0
    /// The number of documents that the run meant to change and did not.
    package var untouched = 0
    /// The number of documents that are no longer as the run left them.
    package var differing = 0
  }

  private let changes: RunChanges
  private let client: FirestoreClient

  package init(_ changes: RunChanges, client: FirestoreClient) {
    self.changes = changes
    self.client = client
  }

  /// Looks up every document.
  ///
  /// - Parameter output: Called for each document that is not as the run left it, with a description of the difference.
  package func run(
    _ output: (DocumentPath, String) throws -> Void,
    each: (DocumentPath) -> Void
  ) async throws -> Report {
    var report = Report()
    var last: DocumentPath?
    while true {
      try Task.checkCancellation()
      let page = try changes.page(after: last, limit: client.lookupSize)
      guard let end = page.last?.path else { return report }
      let current = try await client.batchGet(page.map(\.path))
      let known = try changes.known(current, of: page.map(\.path))
      for (path, history) in page {
        each(path)
        let state = history.state(
          of: known.documents[path],
          replaced: known.replaced[path] ?? ReplacedStates(),
          serverTime: changes.serverTime
        )
        switch state {
        case .asLeft: report.asLeft += 1
        case .untouched: report.untouched += 1
        case .asBefore:
          report.differing += 1
          let isGone = current[path] == nil && history.before != nil
          try output(path, isGone ? "is gone" : "is as it was before the run")
        case .changedSince:
          report.differing += 1
          try output(path, current[path] == nil ? "is gone" : "was changed since")
        }
      }
      last = end
    }
  }
}
