package import FirestoreModels

/// Takes the outcomes of a migration.
package protocol PlanSink: Sendable {
  /// Records the outcome of one document: as it was read, or without times and fields where it is to be created.
  func record(_ outcome: Outcome, of document: RawDocument) async throws

  func record(_ outcomes: [Outcome], of page: [RawDocument]) async throws

  /// Records a finding about a document that does not exist: it is listed, and counted as for review alone.
  func record(_ finding: Finding) async throws
}

extension PlanSink {
  package func record(_ outcomes: [Outcome], of page: [RawDocument]) async throws {
    for (outcome, document) in zip(outcomes, page) { try await record(outcome, of: document) }
  }
}
