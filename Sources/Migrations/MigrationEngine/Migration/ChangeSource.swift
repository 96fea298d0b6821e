/// Changes that were decided before: the lines of a plan file, or what undoes a run.
///
/// They are recorded in a fixed order, so that a run that is resumed continues behind a position.
package protocol ChangeList: Sendable {
  /// The name in reports and errors.
  var id: String { get }
  /// The migrations that made them, for the ledger.
  var applied: [LedgerEntry.Applied] { get }
  /// The collections that are known beforehand, in the order in which they are counted.
  var collections: [CollectionPath] { get }
  /// The documents that are deleted, where that is known beforehand.
  var deletions: Int { get }

  /// Records every change, also of a document that does not exist, from behind a position on.
  ///
  /// - Parameters:
  ///   - position: What it gave to `mark` last, in an earlier process; nil for the beginning.
  ///   - mark: Called where everything up to a position has been recorded.
  func record(
    in sink: any PlanSink,
    after position: String?,
    mark: (_ position: String) async throws -> Void
  ) async throws

  /// The same changes, without the deletions of documents that have subcollections.
  func guarded(by subcollections: @escaping SubcollectionGuard.Lister) -> any ChangeList
}

extension ChangeList {
  package var deletions: Int { 0 }

  package func guarded(by subcollections: @escaping SubcollectionGuard.Lister) -> any ChangeList { self }
}

/// Where the changes of a run come from.
package enum ChangeSource: Sendable {
  /// They are decided on documents as they are read.
  case migration(any Migration)
  /// They were decided before.
  case list(any ChangeList)

  package var id: String {
    switch self {
    case .migration(let migration): migration.id
    case .list(let list): list.id
    }
  }

  /// As ``Migration/checksum``.
  var checksum: String? {
    if case .migration(let migration) = self { migration.checksum } else { nil }
  }

  /// The migrations as the ledger names them.
  package var applied: [LedgerEntry.Applied] {
    switch self {
    case .migration(let migration): [LedgerEntry.Applied(id: migration.id, checksum: migration.checksum)]
    case .list(let list): list.applied
    }
  }

  /// As a line of a plan names it.
  var asApplied: LedgerEntry.Applied { LedgerEntry.Applied(id: id, checksum: checksum) }

  /// The collections that are counted from the beginning.
  var collections: [CollectionPath] {
    switch self {
    case .migration(let migration): migration.reads
    case .list(let list): list.collections
    }
  }

  /// Whether documents are deleted for good, so that a bound is required before anything is begun.
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

  /// What becomes of a document that changed during the run; nil where it is listed as conflicted.
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
