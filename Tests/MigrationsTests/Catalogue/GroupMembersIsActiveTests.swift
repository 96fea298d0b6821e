import FirestoreModels
import Testing

@testable import GymMigrations
@testable import MigrationEngine

@Suite struct GroupMembersIsActiveTests {
  private let migration = GroupMembersIsActive()

  @Test(arguments: [[:], ["isActive": .null], ["activo": .boolean(false)]] as [FieldMap])
  func fillsWhatIsMissing(_ fields: FieldMap) throws {
    let change = try #require(migration.outcome(for: try document("groups/g/members/u", fields)).change)
    var expected = fields
    expected["isActive"] = .boolean(true)
    #expect(change.after == expected)
    // Members of groups have no updatedAt.
    #expect(change.serverTimes.isEmpty && change.reasons == ["isActive-default"])
    var after = try document("groups/g/members/u", [:])
    after.fields = expected
    #expect(migration.outcome(for: after) == Outcome(.unchanged))
  }

  @Test(arguments: [true, false]) func keepsWhatIsThere(_ isActive: Bool) throws {
    let member = try document("groups/g/members/u", ["isActive": .boolean(isActive)])
    #expect(migration.outcome(for: member) == Outcome(.unchanged))
  }

  @Test func rejectsAWrongType() throws {
    let outcome = migration.outcome(for: try document("groups/g/members/u", ["isActive": .string("si")]))
    #expect(outcome.action == .skip && outcome.findings.map(\.code) == ["wrong-type"])
  }

  @Test(arguments: ["members/u", "groups/g", "groups/g/members/u/members/x", "teams/g/members/u", "users/u"])
  func leavesOtherCollections(_ path: String) throws {
    let other = try document(path, [:])
    #expect(migration.outcome(for: other) == Outcome(.unchanged))
    #expect(!migration.mayWrite(other.path.collection))
  }
}
