/// The journal of a ``BatchWriter``: the changes that it is about to send.
///
/// It lets an interrupted run distinguish its own writes from those of others. Calls for different documents may overlap.
package protocol WriteJournal: Sendable {
  /// The service's time before the first write of the run, if known.
  var serverTime: Timestamp? { get }
  /// Whether it has no changes, neither from this attempt nor from an earlier one.
  var isEmpty: Bool { get }
  /// Whether an earlier attempt left writes whose documents have not been read again.
  var hasTail: Bool { get }

  /// Records changes, and returns once they are on disk; they are sent only after that.
  func record(_ changes: [Change]) async throws(Failure)
  /// Records the final results of several changes.
  func settle(_ results: [(path: DocumentPath, result: WriteResult)]) throws(Failure)
  /// Whether an earlier attempt wrote the current document; a write is claimed, and thereby settled, only once.
  func claimsWrite(of path: DocumentPath, current: RawDocument?) throws(Failure) -> Bool
}

extension WriteJournal {
  /// Records the final result of a change.
  package func settle(_ path: DocumentPath, _ result: WriteResult) throws(Failure) {
    try settle([(path, result)])
  }
}
