import Files
import Runs

/// The documents that the run wrote before it was interrupted, as they were before the run.
///
/// A migration whose decisions depend on other documents reaches the same decisions only if it sees all of them as before
/// (``Migration/needsOriginals``).
final class OriginalDocuments: Sendable {
  /// A write from before the interruption whose document was presented in its earlier state.
  struct OwnWrite: Sendable {
    var write: Journal.OwnWrite
    /// Whether it is already counted, so that only its findings remain to be listed.
    var isCounted: Bool
  }

  private let journal: Journal
  /// Documents that were or will be presented, and are not recorded yet.
  private let given = Locked<[DocumentPath: OwnWrite]>([:])

  init(_ journal: Journal) {
    self.journal = journal
  }

  /// Removes and returns the write for which a document was presented in an earlier state; nil if there is none.
  func take(_ path: DocumentPath) -> OwnWrite? {
    given.withLock { $0.isEmpty ? nil : $0.removeValue(forKey: path) }
  }

  /// Adds a document that the run deleted and that is already counted.
  func add(_ write: Journal.OwnWrite, of path: DocumentPath) {
    given.withLock { $0[path] = OwnWrite(write: write, isCounted: true) }
  }

  /// Returns a document as it was before the run; one that the run deleted and somebody created since is returned as it is.
  ///
  /// - Throws: `.cannotWrite`, `.inputMalformed`.
  func original(of current: RawDocument) throws(Failure) -> RawDocument {
    _ = take(current.path)
    guard journal.hasTail, let (write, before) = try journal.takeOwnUpdate(of: current) else {
      return current
    }
    given.withLock { $0[before.path] = OwnWrite(write: write, isCounted: false) }
    return before
  }

  /// The deletions in a collection that were started and whose result is unknown.
  func openDeletions(in collection: CollectionPath) -> Set<DocumentPath> {
    Set(journal.unmetDeletions.filter { $0.isIn(collection) })
  }

  /// The documents of a collection that the run deleted, ordered by name.
  func deleted(in collection: CollectionPath) -> [DocumentPath] {
    given.withLock { given in
      given.filter { $0.value.write.kind == .delete && $0.key.isIn(collection) }.map(\.key).sorted()
    }
  }

  /// Returns a document that the run deleted, as it was before.
  ///
  /// - Throws: `.inputMissing`, `.inputMalformed`.
  func document(_ path: DocumentPath) throws(Failure) -> RawDocument? {
    guard let given = given.withLock({ $0[path] }) else { return nil }
    return try journal.change(of: given.write).before
  }
}
