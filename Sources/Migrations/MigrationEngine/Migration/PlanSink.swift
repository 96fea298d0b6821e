/// Receives the outcomes of a migration.
package protocol PlanSink: Sendable {
  /// Records the outcome of one document, given as it was read; a document to be created is given without times and fields.
  func record(_ outcome: Outcome, of document: RawDocument) async throws

  func record(_ outcomes: [Outcome], of page: [RawDocument]) async throws

  /// Records a finding about a document that does not exist; it is listed, and counted only as to be reviewed.
  func record(_ finding: Finding) async throws

  /// Returns the current state of those of the documents that the run wrote before it was interrupted; nil for a deleted
  /// document.
  ///
  /// A list of changes needs it, because the list has the documents as they were when it was made.
  func current(ofWritten paths: [DocumentPath]) async throws -> [DocumentPath: RawDocument?]

  /// Records the outcomes of documents that are written atomically.
  func record(_ decision: JointDecision) async throws

  /// Waits until every change so far is settled.
  ///
  /// - Returns: Whether changes are written, so that the database shows what became of them; false if they are only planned.
  func drain() async throws -> Bool
}

/// A decision on several documents, made and written in one transaction.
package struct JointDecision: Sendable {
  /// A document and its outcome; without times and fields if it does not exist.
  package typealias Decided = (document: RawDocument, outcome: Outcome)

  /// One of the documents, for errors.
  package var path: DocumentPath
  /// Returns the outcomes of the documents; called again if anything it read has changed.
  package var outcomes: @Sendable (any DocumentReader) async throws -> [Decided]
  /// Called with the changes that were written and the update times, nil for deletions.
  package var didCommit: @Sendable ([Change], [Timestamp?]) throws -> Void

  package init(
    path: DocumentPath,
    outcomes: @escaping @Sendable (any DocumentReader) async throws -> [Decided],
    didCommit: @escaping @Sendable ([Change], [Timestamp?]) throws -> Void = { _, _ in }
  ) {
    (self.path, self.outcomes, self.didCommit) = (path, outcomes, didCommit)
  }
}

extension PlanSink {
  package func current(ofWritten paths: [DocumentPath]) async throws -> [DocumentPath: RawDocument?] { [:] }

  package func drain() async throws -> Bool { false }

  package func record(_ decision: JointDecision) async throws { throw Failure.unexpected(decision) }

  package func record(_ outcomes: [Outcome], of page: [RawDocument]) async throws {
    for (outcome, document) in zip(outcomes, page) { try await record(outcome, of: document) }
  }
}

extension Failure {
  /// A joint decision that a sink does not expect.
  static func unexpected(_ decision: JointDecision) -> Failure {
    Failure(
      .internal,
      "record what belongs together",
      path: decision.path.string,
      cause: "it is not expected here"
    )
  }
}
