package import FirestoreModels

/// Where a ``BatchWriter`` records the changes that it is about to send, so that a run that is interrupted can tell its
/// own writes from those of others.
///
/// Calls for different documents may overlap.
package protocol WriteJournal: Sendable {
  /// The service's time before the first write of the run, where it is known.
  var serverTime: Timestamp? { get }
  /// Whether it holds no change, neither of this attempt nor of an earlier one.
  var isEmpty: Bool { get }
  /// Whether an earlier attempt of the run left writes whose documents have not been met again.
  var hasTail: Bool { get }

  /// Records changes, and returns once they are on the disk: nothing is sent before.
  func record(_ changes: [Change]) async throws(Failure)
  /// Records the final result of a change.
  func settle(_ path: DocumentPath, _ result: WriteResult) throws(Failure)
  /// Whether the document is as an earlier attempt of the run wrote it; a write is claimed once, and settled by that.
  func claimsWrite(of path: DocumentPath, current: RawDocument?) throws(Failure) -> Bool
}
