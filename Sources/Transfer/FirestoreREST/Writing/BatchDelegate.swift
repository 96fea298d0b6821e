package import FirestoreModels

/// What the batch writer asks and tells while it works.
///
/// Calls for different commits may overlap; those for one document come one after another, in the order in
/// which its writes were submitted.
package protocol BatchDelegate: Sendable {
  /// Called before a commit is sent with what it holds.
  func willCommit(_ writes: [Write]) async throws(Failure)
  /// Called once for each write that is settled for good.
  func didSettle(_ write: Write, _ result: WriteResult) async throws(Failure)
  /// What to do about a write whose document is not what it expects (as it is now, nil where there is none).
  func resolve(_ write: Write, current: RawDocument?) async -> ConflictResolution
}

extension BatchDelegate {
  /// Nothing.
  package func willCommit(_ writes: [Write]) async throws(Failure) {}
}

/// What became of a write for good.
package enum WriteResult: Sendable, Equatable {
  /// The service confirmed it; the update time that the document has by it, nil after a delete.
  case written(updateTime: Timestamp?)
  /// The service refuses it.
  case rejected(FirestoreError)
  /// The document kept changing, or is not what the write expects.
  case conflicted
  /// Planning the document again showed that nothing is left to do.
  case unchanged
  /// Planning it again showed that it is to be left alone.
  case skipped
}

/// What to do about a write whose document has changed.
package enum ConflictResolution: Sendable {
  /// Send this instead.
  case write(Write)
  /// Give it up, with this result.
  case settle(WriteResult)
}
