import FirestoreModels
import GymModels
import MigrationEngine
import Testing

@testable import GymMigrations

@Suite struct MigrationCatalogueTests {
  @Test func isInOrderOfApplication() {
    let all = [
      "users-unify", "user-emails", "is-active", "ids", "members-link", "snapshot-backfill", "groups-recount",
    ]
    #expect(MigrationCatalogue.all().map(\.id) == all)
    // Those that are applied by name only come last and are not among all.
    #expect(MigrationCatalogue.known().map(\.id) == all + ["group-members-is-active", "users-drop-legacy"])
    #expect(MigrationCatalogue.known().allSatisfy { $0.summary.hasSuffix(".") })
  }

  @Test func settingsReachTheirMigrations() {
    let settings = MigrationCatalogue.Settings(acceptProposals: true, prune: true)
    let known = MigrationCatalogue.known(settings: settings)
    #expect(known.contains { ($0 as? UsersUnify)?.acceptProposals == true })
    #expect(known.contains { ($0 as? UserEmails)?.prune == true })
    #expect(MigrationCatalogue.known().contains { ($0 as? UserEmails)?.prune == false })
  }

  /// A guard asks about each deletion.
  @Test func whatMayDeleteIsGuarded() {
    let known = MigrationCatalogue.known(settings: MigrationCatalogue.Settings(prune: true))
    let deleting = known.filter(\.mayDelete)
    #expect(deleting.map(\.id) == ["user-emails"])
    #expect(deleting.allSatisfy { $0.guarded { _ in [] }.requestsPerDeletion == 1 })
  }

  @Test func codesAreUnique() {
    let codes =
      UsersUnify.Code.allCases.map(\.rawValue) + UserEmails.Code.allCases.map(\.rawValue)
      + DocumentIDs.Code.allCases.map(\.rawValue) + MembersLink.Code.allCases.map(\.rawValue)
      + SnapshotBackfill.Code.allCases.map(\.rawValue) + GroupsRecount.Code.allCases.map(\.rawValue)
      + UsersDropLegacy.Code.allCases.map(\.rawValue)
    // One code is one thing, whichever migration reports it.
    let own = codes.filter { $0 != "wrong-type" }
    #expect(Set(own).count == own.count)
    // Every reason why an email has no entry is told under its own code.
    #expect(EmailIndex.Problem.allCases.allSatisfy { UserEmails.Code(rawValue: $0.rawValue) != nil })
  }
}
