/// Backfills a missing or null `isActive` of group members with true.
///
/// A separate migration, applied by name, because ``IsActive`` never touches a subcollection. It reads and writes only
/// `groups/*/members`; a root collection `members` is a different one.
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

  /// Returns the outcome of one document; a document of another collection is left unchanged.
  package func outcome(for document: RawDocument) -> Outcome {
    guard mayWrite(document.path.collection) else { return Outcome(.unchanged) }
    return IsActive.outcome(for: document, legacy: .null)
  }
}
