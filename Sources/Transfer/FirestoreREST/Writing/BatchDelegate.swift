/// The decisions and notifications of a batch writer.
///
/// Calls for different commits may overlap. Calls for one document are sequential, in the order of submission.
package protocol BatchDelegate: Sendable {
  /// Called before each commit with its writes.
  func willCommit(_ writes: [Write]) async throws(Failure)
  /// Called once for each write, when it is settled.
  func didSettle(_ write: Write, _ result: WriteResult) async throws(Failure)
  /// Called for writes that the service confirmed together, instead of ``didSettle(_:_:)`` for each.
  func didWrite(_ written: [(write: Write, updateTime: Timestamp?)]) async throws(Failure)
  /// Decides about a write whose document does not match its precondition; `current` is nil if it does not exist.
  func resolve(_ write: Write, current: RawDocument?) async -> ConflictResolution
}

extension BatchDelegate {
  package func willCommit(_ writes: [Write]) async throws(Failure) {}

  package func didWrite(_ written: [(write: Write, updateTime: Timestamp?)]) async throws(Failure) {
    var failure: Failure?
    for (write, updateTime) in written {
      do throws(Failure) {
        try await didSettle(write, .written(updateTime: updateTime))
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }
}

package enum WriteResult: Sendable, Equatable {
  /// The service confirmed it; the update time is nil after a delete.
  case written(updateTime: Timestamp?)
  /// The service refuses it permanently.
  case rejected(FirestoreError)
  /// The document does not match the precondition, or kept changing.
  case conflicted
  /// Planning the document again showed that it needs no write.
  case unchanged
  /// Planning the document again showed that it must be skipped.
  case skipped
}

/// What to do about a write whose document has changed.
package enum ConflictResolution: Sendable {
  /// Make this change instead.
  case change(Change)
  /// Settle it with this result.
  case settle(WriteResult)
}
