/// The built-in migrations, in the order in which they are applied.
package enum MigrationCatalogue {
  /// The settings of the migrations that the command line can change.
  package struct Settings: Sendable, Equatable {
    /// `--accept-proposals`, for ``UsersUnify``.
    package var acceptProposals: Bool
    /// `--prune`, for ``UserEmails``.
    package var prune: Bool
    /// `--review`, for ``UsersUnify``; nil if no list was given.
    package var review: NameReview?

    package init(acceptProposals: Bool = false, prune: Bool = false, review: NameReview? = nil) {
      self.acceptProposals = acceptProposals
      self.prune = prune
      self.review = review
    }
  }

  /// The migrations of `--all`: those that only add and correct.
  package static func all(settings: Settings = Settings()) -> [any Migration] {
    [
      UsersUnify(acceptProposals: settings.acceptProposals, review: settings.review),
      UserEmails(prune: settings.prune),
      IsActive(),
      DocumentIDs(),
      MembersLink(),
      SnapshotBackfill(),
      GroupsRecount(),
    ]
  }

  /// The migrations of `migrate up` without a folder: what users, their index and active documents need.
  package static var folder: [any Migration] { [UsersUnify(), UserEmails(), IsActive()] }

  /// The migrations that are only applied by name: the one of a subcollection, and the contract step, which removes what older
  /// versions of the apps still read.
  package static let byNameOnly: [any Migration] = [GroupMembersIsActive(), UsersDropLegacy()]

  /// All migrations: those of ``all(settings:)``, followed by those that are only applied by name.
  package static func known(settings: Settings = Settings()) -> [any Migration] {
    all(settings: settings) + byNameOnly
  }
}
