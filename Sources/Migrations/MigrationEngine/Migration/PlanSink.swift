/// Takes the outcomes of a migration.
package protocol PlanSink: Sendable {
  /// Records the outcome of one document: as it was read, or without times and fields where it is to be created.
  func record(_ outcome: Outcome, of document: RawDocument) async throws

  func record(_ outcomes: [Outcome], of page: [RawDocument]) async throws

  /// Records a finding about a document that does not exist: it is listed, and counted as for review alone.
  func record(_ finding: Finding) async throws

  /// What the documents are now that the run had written before it was interrupted, of some; nil for one that is gone.
  ///
  /// A list that was decided before has them as they were then.
  func current(ofWritten paths: [DocumentPath]) async throws -> [DocumentPath: RawDocument?]

  /// Records the outcomes of documents that are written together or not at all.
  func record(_ decision: JointDecision) async throws
}

/// A decision on several documents: what is read to decide and what is written are one transaction.
package struct JointDecision: Sendable {
  /// A document with what becomes of it; without times and fields where it does not exist.
  package typealias Decided = (document: RawDocument, outcome: Outcome)

  /// One of the documents, for errors.
  package var path: DocumentPath
  /// What becomes of each; called again where what it read has changed.
  package var outcomes: @Sendable (any DocumentReader) async throws -> [Decided]
  /// Called with what was written, and the update times, nil after a deletion.
  package var didCommit: @Sendable ([Change], [Timestamp?]) throws -> Void
}

extension PlanSink {
  package func current(ofWritten paths: [DocumentPath]) async throws -> [DocumentPath: RawDocument?] { [:] }

  package func record(_ decision: JointDecision) async throws {
    throw Failure(
      .internal,
      "record what belongs together",
      path: decision.path.string,
      cause: "it is not expected here"
    )
  }

  package func record(_ outcomes: [Outcome], of page: [RawDocument]) async throws {
    for (outcome, document) in zip(outcomes, page) { try await record(outcome, of: document) }
  }
}
