import FirestoreModels
import Testing

@testable import GymMigrations
@testable import MigrationEngine

@Suite struct GroupsRecountTests {
  private func outcome(_ count: Value?, members: Int) throws -> Outcome {
    var fields = texts(["name": "g"])
    fields["memberCount"] = count
    return GroupsRecount().outcome(for: try document("groups/g", fields), members: members)
  }

  @Test func writesTheCount() throws {
    #expect(try outcome(.integer(3), members: 3) == Outcome(.unchanged))
    for (stands, reason) in [
      (nil, "memberCount-missing"), (.null, "memberCount-missing"), (.integer(4), "memberCount-wrong"),
    ] as [(Value?, String)] {
      let change = try #require(try outcome(stands, members: 3).change)
      #expect(
        change.after == ["memberCount": .integer(3), "name": .string("g")] && change.reasons == [reason]
      )
      // Groups have no updatedAt.
      #expect(change.serverTimes == [])
    }
  }

  @Test func moreThanTenAreForReview() throws {
    #expect(try outcome(.integer(10), members: 10).findings.isEmpty)
    for stands in [11, 4] as [Int64] {
      let outcome = try outcome(.integer(stands), members: 11)
      #expect(outcome.findings.map(\.code) == ["group-too-many-members"])
      #expect(outcome.findings.first?.found == .integer(11) && outcome.findings.first?.kind == .review)
      #expect((outcome.change != nil) == (stands == 4))
    }
  }

  @Test(arguments: [.double(3), .string("3"), .boolean(true)] as [Value])
  func anotherTypeIsRejected(count: Value) throws {
    let outcome = try outcome(count, members: 3)
    #expect(outcome.action == .skip && outcome.findings.map(\.code) == ["wrong-type"])
    #expect(outcome.findings.map(\.kind) == [.reject])
  }

  /// More groups than are counted at once; some have no members at all, and members of no group are nobody's.
  @Test func plansByTheSubcollections() async throws {
    var documents: [RawDocument] = []
    for number in 0..<40 {
      documents.append(try document("groups/g\(number)", ["memberCount": .integer(2)]))
      for member in 0..<(number % 4) {
        documents.append(try document("groups/g\(number)/members/m\(member)", [:]))
      }
    }
    documents.append(try document("groups/gone/members/m", [:]))
    let told = try await told(GroupsRecount(), over: documents)
    #expect(told.count == 40 && told.map(\.path) == told.map(\.path).sorted())
    for (path, outcome) in told {
      let count = try #require(Int64(path.id.dropFirst())) % 4
      #expect((outcome.change?.after?["memberCount"]) == (count == 2 ? nil : .integer(count)), "\(path)")
    }
  }
}
