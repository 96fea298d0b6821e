/// An application's rules for documents that an undo restores in one transaction, because a run wrote them in one.
package protocol RestorationRules: Sendable {
  /// Whether a change only maintains a value that is derived from other documents, such as a count.
  ///
  /// Such a value is not restored but derived again by ``complete(_:undoing:in:)``, and others may have written it since.
  func isDerived(_ change: Change) -> Bool

  /// Completes the restoring changes with changes that keep the data consistent, or refuses to restore.
  ///
  /// - Parameters:
  ///   - restoring: The changes that restore the documents.
  ///   - made: The changes that the run made, including derived values.
  ///   - reader: The transaction.
  func complete(
    _ restoring: [Change],
    undoing made: [Change],
    in reader: any DocumentReader
  ) async throws -> Restoration
}

/// The result of completing a restoration.
package enum Restoration: Sendable, Equatable {
  /// Restore the documents with these changes, each to another document.
  case changes([Change])
  /// All documents are conflicted, for a reason given in one sentence.
  case refused(String)
}
