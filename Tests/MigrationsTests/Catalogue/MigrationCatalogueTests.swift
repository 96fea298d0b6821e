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
    #expect(MigrationCatalogue.all.map(\.id) == all)
    // Those that are applied by name only come last and are not among all.
    #expect(MigrationCatalogue.known().map(\.id) == all + ["group-members-is-active", "users-drop-legacy"])
    #expect(MigrationCatalogue.known().allSatisfy { $0.summary.hasSuffix(".") })
  }

  @Test func findsByIdWithSettings() throws {
    let settings = MigrationCatalogue.Settings(acceptProposals: true, prune: true)
    #expect(
      (try MigrationCatalogue.named("users-unify", settings: settings) as? UsersUnify)?.acceptProposals
        == true
    )
    #expect((try MigrationCatalogue.named("user-emails", settings: settings) as? UserEmails)?.prune == true)
    #expect((try MigrationCatalogue.named("user-emails") as? UserEmails)?.prune == false)
    #expect(try MigrationCatalogue.named("is-active") is IsActive)
  }

  @Test(arguments: ["users", "", "Users-Unify"]) func unknownIsUsageAndNamesTheKnown(id: String) {
    let failure = #expect(throws: Failure.self) { try MigrationCatalogue.named(id) }
    #expect(failure?.kind == .usage)
    #expect(failure?.description.contains("users-unify, user-emails, is-active") == true)
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
