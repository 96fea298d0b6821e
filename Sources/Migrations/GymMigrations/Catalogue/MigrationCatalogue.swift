/// The migrations that gymmigrate knows, in the order in which they are applied.
package enum MigrationCatalogue {
  /// What the command line may set of the migrations.
  package struct Settings: Sendable, Equatable {
    /// `--accept-proposals`, for ``UsersUnify``.
    package var acceptProposals: Bool
    /// `--prune`, for ``UserEmails``.
    package var prune: Bool
    /// `--review`, for ``UsersUnify``; nil where no list was given.
    package var review: NameReview?

    package init(acceptProposals: Bool = false, prune: Bool = false, review: NameReview? = nil) {
      self.acceptProposals = acceptProposals
      self.prune = prune
      self.review = review
    }
  }

  /// The migrations of `--all`, with the settings that change least.
  package static var all: [any Migration] { all(settings: Settings()) }

  /// The migrations of `--all`: all that only add and correct.
  package static func all(settings: Settings) -> [any Migration] {
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

  /// The migrations of `migrate up` where there is no folder: what users, their index and what is in use need.
  package static var folder: [any Migration] { [UsersUnify(), UserEmails(), IsActive()] }

  /// The migrations that are applied by name only: that of a subcollection, and the contract step, which takes away what
  /// older versions of the apps still read.
  package static let byNameOnly: [any Migration] = [GroupMembersIsActive(), UsersDropLegacy()]

  /// Every migration that there is: those of ``all(settings:)``, then those that are applied by name only.
  package static func known(settings: Settings = Settings()) -> [any Migration] {
    all(settings: settings) + byNameOnly
  }

  /// The migration of an id.
  ///
  /// - Throws: `Failure` of kind `usage` that names the known ones.
  package static func named(
    _ id: String,
    settings: Settings = Settings()
  ) throws(Failure) -> any Migration {
    let known = known(settings: settings)
    guard let migration = known.first(where: { $0.id.isIdentical(to: id) }) else {
      throw Failure(
        .usage,
        "find the migration",
        path: id,
        cause: "there is none of that name",
        remedy: "Name one of these: \(known.map(\.id).joined(separator: ", "))."
      )
    }
    return migration
  }
}
