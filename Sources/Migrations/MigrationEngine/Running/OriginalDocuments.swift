import Files
import Runs

/// Documents as they were before the run, where it wrote them before it was interrupted.
///
/// A migration that decides on one document by others finds and decides the same once more only if it sees all of them as
/// it saw them then (``Migration/needsOriginals``).
final class OriginalDocuments: Sendable {
  /// A write from before the interruption whose document was given as it was before that.
  struct OwnWrite: Sendable {
    var write: Journal.OwnWrite
    /// Whether it is counted, so that only its findings are to be listed.
    var isCounted: Bool
  }

  private let journal: Journal
  /// What was given, or is to be given, and is not recorded yet.
  private let given = Locked<[DocumentPath: OwnWrite]>([:])

  init(_ journal: Journal) {
    self.journal = journal
  }

  /// The write by which a document that is recorded is not what it was, once.
  func take(_ path: DocumentPath) -> OwnWrite? {
    given.withLock { $0.isEmpty ? nil : $0.removeValue(forKey: path) }
  }

  /// Takes a document that the run deleted, and that is counted.
  func add(_ write: Journal.OwnWrite, of path: DocumentPath) {
    given.withLock { $0[path] = OwnWrite(write: write, isCounted: true) }
  }

  /// A document as it was before the run; one that the run deleted and somebody made since is as it is.
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

  /// The deletions of a collection that were begun and of which it is not known whether they were applied.
  func openDeletions(in collection: CollectionPath) -> Set<DocumentPath> {
    Set(journal.unmetDeletions.filter { $0.isIn(collection) })
  }

  /// The documents of a collection that the run deleted, in the order of their names.
  func deleted(in collection: CollectionPath) -> [DocumentPath] {
    given.withLock { given in
      given.filter { $0.value.write.kind == .delete && $0.key.isIn(collection) }.map(\.key).sorted()
    }
  }

  /// What a document that the run deleted was.
  ///
  /// - Throws: `.inputMissing`, `.inputMalformed`.
  func document(_ path: DocumentPath) throws(Failure) -> RawDocument? {
    guard let given = given.withLock({ $0[path] }) else { return nil }
    return try journal.change(of: given.write).before
  }
}
