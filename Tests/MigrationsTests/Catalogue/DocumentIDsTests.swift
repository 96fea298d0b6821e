import FirestoreModels
import Testing

@testable import GymMigrations
@testable import MigrationEngine

@Suite struct DocumentIDsTests {
  private func outcome(_ path: String, _ id: Value?) throws -> Outcome {
    var fields: FieldMap = ["x": .integer(1)]
    fields["id"] = id
    return DocumentIDs().outcome(for: try document(path, fields))
  }

  @Test(arguments: [nil, .null, .string(""), .string(" \n")] as [Value?])
  func aMissingIDIsTheDocuments(id: Value?) throws {
    let change = try #require(try outcome("members/m1", id).change)
    #expect(change.after == ["id": .string("m1"), "x": .integer(1)])
    #expect(change.serverTimes == [FieldPath(field: "updatedAt")])
    #expect(change.reasons == ["id-from-document"])
  }

  @Test func anIDThatStandsIsNeverChanged() throws {
    #expect(try outcome("users/u1", .string("u1")) == Outcome(.unchanged))
    for other in ["U1", "u1 ", "u2"] {
      let outcome = try outcome("users/u1", .string(other))
      #expect(outcome.action == .skip)
      #expect(outcome.findings.map(\.code) == ["id-differs"] && outcome.findings.map(\.kind) == [.review])
      #expect(outcome.findings.first?.found == .string(other))
    }
    // Two ids that only look the same are two.
    #expect(try outcome("users/e\u{301}", .string("é")).findings.map(\.code) == ["id-differs"])
  }

  @Test func anotherTypeIsRejected() throws {
    let outcome = try outcome("expenses/7", .integer(7))
    #expect(outcome.action == .skip && outcome.findings.map(\.kind) == [.reject])
    #expect(outcome.findings.map(\.code) == ["wrong-type"])
  }

  @Test(arguments: [
    "user_emails/a@b", "app_config/setup", "groups/g/members/m", "plans/p", "groups/g", "classes/c",
    "classBookings/b",
    "classAttendance/a",
  ])
  func otherCollectionsHaveNone(path: String) throws {
    #expect(try outcome(path, nil) == Outcome(.unchanged))
    #expect(try !DocumentIDs().reads.contains(#require(DocumentPath(path)).collection))
  }
}
