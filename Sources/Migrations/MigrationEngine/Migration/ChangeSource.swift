/// Changes that were decided earlier: the lines of a plan file, or the changes that undo a run.
///
/// They are recorded in a fixed order, so that a resumed run continues after a position.
package protocol ChangeList: Sendable {
  /// The name in reports and errors.
  var id: String { get }
  /// The migrations that produced the changes, for the ledger.
  var applied: [LedgerEntry.Applied] { get }
  /// The collections that are known in advance, in the order in which they are counted.
  var collections: [CollectionPath] { get }
  /// The number of deletions, if known in advance.
  var deletions: Int { get }

  /// Records every change after a position, even if its document does not exist.
  ///
  /// - Parameters:
  ///   - position: The last position passed to `mark` by an earlier process; nil to start from the beginning.
  ///   - mark: Called when everything up to a position has been recorded.
  func record(
    in sink: any PlanSink,
    after position: String?,
    mark: (_ position: String) async throws -> Void
  ) async throws

  /// Returns the same changes, without deletions of documents that have subcollections.
  func guarded(by subcollections: @escaping SubcollectionGuard.Lister) -> any ChangeList
}

extension ChangeList {
  package var applied: [LedgerEntry.Applied] { [LedgerEntry.Applied(id: id, checksum: nil)] }
  package var deletions: Int { 0 }

  package func guarded(by subcollections: @escaping SubcollectionGuard.Lister) -> any ChangeList { self }
}

/// The source of a run's changes.
package enum ChangeSource: Sendable {
  /// Changes that are decided as documents are read.
  case migration(any Migration)
  /// Changes that were decided earlier.
  case list(any ChangeList)

  package var id: String {
    switch self {
    case .migration(let migration): migration.id
    case .list(let list): list.id
    }
  }

  /// The migrations, as named in the ledger.
  package var applied: [LedgerEntry.Applied] {
    switch self {
    case .migration: [asApplied]
    case .list(let list): list.applied
    }
  }

  /// The migration as named in a plan's line.
  var asApplied: LedgerEntry.Applied {
    if case .migration(let migration) = self {
      LedgerEntry.Applied(id: migration.id, checksum: migration.checksum)
    } else {
      LedgerEntry.Applied(id: id, checksum: nil)
    }
  }

  /// The collections that are counted from the beginning: not those of a group or a pattern, which are found as they are read.
  var collections: [CollectionPath] {
    switch self {
    case .migration(let migration as DeclarativeMigration): migration.scope.known
    case .migration(let migration): migration.reads
    case .list(let list): list.collections
    }
  }

  /// Whether documents are always deleted for good, so that a limit is required before anything begins.
  package var deletesForGood: Bool {
    switch self {
    case .migration(let migration): migration.deletesForGood
    case .list(let list): list.deletions > 0
    }
  }

  /// Whether documents may turn out to be deleted.
  package var mayDelete: Bool {
    if case .migration(let migration) = self { migration.mayDelete } else { deletesForGood }
  }

  /// Whether a collection may be written; a list may change any.
  func mayWrite(_ collection: CollectionPath) -> Bool {
    if case .migration(let migration) = self { migration.mayWrite(collection) } else { true }
  }

  /// Decides again on a document that changed during the run; nil if it is listed as conflicted.
  func replan(_ current: RawDocument) -> Outcome? {
    if case .migration(let migration) = self { migration.replan(current) } else { nil }
  }

  package func guarded(by subcollections: @escaping SubcollectionGuard.Lister) -> ChangeSource {
    switch self {
    case .migration(let migration): .migration(migration.guarded(by: subcollections))
    case .list(let list): .list(list.guarded(by: subcollections))
    }
  }
}
