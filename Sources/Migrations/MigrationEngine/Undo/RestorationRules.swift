/// What an application asks of documents that an undo puts back in one transaction, because a run wrote them in one.
package protocol RestorationRules: Sendable {
  /// Whether a change only keeps up a value that follows from other documents, as a count does.
  ///
  /// Such a value is not put back, but derived again by ``complete(_:undoing:in:)``, and others may have written it since.
  func isDerived(_ change: Change) -> Bool

  /// Completes what puts documents back with what keeps the data whole, or refuses it.
  ///
  /// - Parameters:
  ///   - restoring: What puts the documents back.
  ///   - made: What the run had made, derived changes too.
  ///   - reader: The transaction.
  func complete(
    _ restoring: [Change],
    undoing made: [Change],
    in reader: any DocumentReader
  ) async throws -> Restoration
}

/// What puts documents back together.
package enum Restoration: Sendable, Equatable {
  /// Each of another document.
  case changes([Change])
  /// A conflict of all of them, with the reason in one sentence.
  case refused(String)
}
