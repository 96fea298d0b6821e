/// The backfill of `isActive` for the members of groups, where it is missing or null: true.
///
/// A migration of its own, applied by name: ``IsActive`` never touches a subcollection. `groups/*/members` alone is read
/// and written; a root collection `members` is another.
///
/// Findings: `wrong-type` (``Finding/Kind/reject``) for an isActive that is not boolean; the document is left alone.
package struct GroupMembersIsActive: Migration {
  package let id = "group-members-is-active"
  package let summary = "Writes isActive: true where a member of a group has none."
  package let reads = [GymCollection.groupMembers]

  package var strategy: MigrationStrategy {
    let sources = DeclarativeMigration.Scope(GymCollection.groupMembers).wholeReads
    return .perDocument(PerDocument(sources: sources, outcome: outcome))
  }

  package init() {}

  package func mayWrite(_ collection: CollectionPath) -> Bool {
    collection.pattern == GymCollection.groupMembers
  }

  /// What becomes of one document; one of another collection is left as it is.
  package func outcome(for document: RawDocument) -> Outcome {
    guard mayWrite(document.path.collection) else { return Outcome(.unchanged) }
    return IsActive.outcome(for: document, legacy: .null)
  }
}
