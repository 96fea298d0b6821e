import FirestoreModels
import Testing

@testable import GymMigrations
@testable import MigrationEngine

@Suite struct IsActiveTests {
  private static let collections = [
    "users", "membership_plans", "members", "classes", "products", "expenses", "exercises",
    "routine_templates",
    "groups",
  ]

  @Test func readsAndWritesTheCollectionsThatHaveTheField() {
    #expect(IsActive().reads.map(\.string) == Self.collections)
    #expect(IsActive().writes.map(\.string) == Self.collections)
  }

  @Test(arguments: collections, [[:], ["isActive": .null]] as [FieldMap])
  func fillsWhatIsMissing(collection: String, fields: FieldMap) throws {
    var fields = fields
    fields["activo"] = .boolean(false)
    fields["n"] = .integer(1)
    let before = try document("\(collection)/x", fields)
    let change = try #require(IsActive().outcome(for: before).change)
    let isUser = collection == "users"
    #expect(
      change.after == ["activo": .boolean(false), "n": .integer(1), "isActive": .boolean(!isUser)]
    )
    // Groups have no updatedAt.
    #expect(change.serverTimes == (collection == "groups" ? [] : [FieldPath(field: "updatedAt")]))
    #expect(change.reasons == [isUser ? "isActive-from-activo" : "isActive-default"])
  }

  @Test(arguments: [true, false]) func whatStandsStays(isActive: Bool) throws {
    let fields: FieldMap = ["isActive": .boolean(isActive), "activo": .boolean(!isActive)]
    #expect(IsActive().outcome(for: try document("users/u", fields)) == Outcome(.unchanged))
  }

  @Test func nullActivoIsMissing() throws {
    let change = IsActive().outcome(for: try document("users/u", ["activo": .null])).change
    #expect(change?.after == ["activo": .null, "isActive": .boolean(true)])
  }

  @Test(
    arguments: [
      ("users/u", ["activo": .string("si")], ["activo"]),
      ("users/u", ["activo": .integer(1), "isActive": .boolean(true)], ["activo"]),
      ("users/u", ["activo": .string(""), "isActive": .string("")], ["isActive", "activo"]),
      ("members/m", ["isActive": .string("true")], ["isActive"]),
    ] as [(String, FieldMap, [String])]
  )
  func wrongTypesAreLeftAlone(path: String, fields: FieldMap, wrong: [String]) throws {
    let outcome = IsActive().outcome(for: try document(path, fields))
    #expect(outcome.action == .skip)
    #expect(outcome.findings.map(\.field) == wrong)
    #expect(
      outcome.findings.allSatisfy {
        $0.kind == .reject && $0.code == "wrong-type" && $0.found == fields[$0.field ?? ""]
      }
    )
  }

  @Test func activoOfAnotherCollectionIsNotRead() throws {
    let outcome = IsActive().outcome(for: try document("members/m", ["activo": .string("si")]))
    #expect(outcome.change?.after?["isActive"] == .boolean(true))
  }

  @Test(arguments: [
    "groups/g/members/m", "check_ins/c", "payments/p", "classBookings/b", "classAttendance/a",
  ])
  func othersAreLeftAlone(path: String) throws {
    #expect(IsActive().outcome(for: try document(path, [:])) == Outcome(.unchanged))
  }
}
