package import FirestoreModels

/// Where a migration records what it decided.
package protocol PlanSink: Sendable {
  /// Records the outcome of one document: as it was read, or without times and fields where it is to be created.
  func record(_ outcome: Outcome, of document: RawDocument) async throws

  /// Records the outcomes of a page, document by document.
  func record(_ outcomes: [Outcome], of page: [RawDocument]) async throws

  /// Records a finding about a document that does not exist: it is listed, and counted as for review alone.
  func record(_ finding: Finding) async throws
}

extension PlanSink {
  /// One after another.
  package func record(_ outcomes: [Outcome], of page: [RawDocument]) async throws {
    for (outcome, document) in zip(outcomes, page) { try await record(outcome, of: document) }
  }
}
