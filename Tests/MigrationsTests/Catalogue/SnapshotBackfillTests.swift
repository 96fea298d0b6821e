import FirestoreModels
import Testing

@testable import GymMigrations
@testable import MigrationEngine

@Suite struct SnapshotBackfillTests {
  private static func time(_ seconds: Int64) -> Value {
    Timestamp(seconds: seconds).map { .timestamp($0) } ?? .null
  }

  private static let snapshot: FieldMap = [
    "planName": .string("Mensual"), "planPrice": .double(450), "planCurrency": .string("MXN"),
    "assignedAt": time(1_000), "extra": .array([.null]),
  ]

  private static func payment(_ changes: KeyValuePairs<String, Value?> = [:]) -> FieldMap {
    var fields: FieldMap = [
      "type": .string("membership"), "memberId": .string("m1"), "amount": .double(450),
      "currency": .string("MXN"), "status": .string("completed"), "completedAt": time(1_001),
      "createdAt": time(900),
    ]
    for (name, value) in changes { fields[name] = value }
    return fields
  }

  private static func snapshot(_ changes: KeyValuePairs<String, Value?>) -> FieldMap {
    var fields = snapshot
    for (name, value) in changes { fields[name] = value }
    return fields
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var payment: FieldMap
    var member: FieldMap? = SnapshotBackfillTests.snapshot
    /// The code of what is in the way; nil where the snapshot is taken.
    var code: String?
  }

  private static let noSnapshot: FieldMap? = nil

  static let cases: [Case] = [
    Case(testDescription: "assigned before", payment: payment()),
    Case(testDescription: "assigned at that very moment", payment: payment(["completedAt": time(1_000)])),
    Case(
      testDescription: "createdAt where there is no completedAt",
      payment: payment(["completedAt": nil]),
      code: "snapshot-later"
    ),
    Case(
      testDescription: "null is none",
      payment: payment(["completedAt": .null, "createdAt": time(1_000), "membershipPlanSnapshot": .null])
    ),
    Case(testDescription: "pending, too", payment: payment(["status": .string("pending")])),
    Case(testDescription: "an integer amount", payment: payment(["amount": .integer(450)])),
    Case(testDescription: "no currency to compare", payment: payment(["currency": nil])),
    Case(testDescription: "a blank currency is none", payment: payment(["currency": .string(" ")])),
    Case(
      testDescription: "a blank currency of the snapshot is none",
      payment: payment(),
      member: snapshot(["planCurrency": .string("")])
    ),
    Case(
      testDescription: "no currency of the snapshot",
      payment: payment(),
      member: snapshot(["planCurrency": .null])
    ),
    Case(testDescription: "a currency in small letters", payment: payment(["currency": .string("mxn ")])),
    Case(
      testDescription: "a currency of the snapshot in small letters",
      payment: payment(),
      member: snapshot(["planCurrency": .string(" mxn")])
    ),
    Case(
      testDescription: "a currency of the snapshot that is no text",
      payment: payment(),
      member: snapshot(["planCurrency": .integer(1)]),
      code: "snapshot-price-differs"
    ),
    Case(
      testDescription: "no member named",
      payment: payment(["memberId": .string(" ")]),
      code: "payment-no-member"
    ),
    Case(
      testDescription: "member gone",
      payment: payment(["memberId": .string("m2")]),
      code: "payment-member-gone"
    ),
    Case(
      testDescription: "member without a snapshot",
      payment: payment(),
      member: noSnapshot,
      code: "member-no-snapshot"
    ),
    Case(
      testDescription: "assigned later",
      payment: payment(["completedAt": time(999)]),
      code: "snapshot-later"
    ),
    Case(
      testDescription: "a payment without a time",
      payment: payment(["completedAt": nil, "createdAt": nil]),
      code: "snapshot-undated"
    ),
    Case(
      testDescription: "a snapshot without a time",
      payment: payment(),
      member: snapshot(["assignedAt": .string("1970")]),
      code: "snapshot-undated"
    ),
    Case(
      testDescription: "another price",
      payment: payment(["amount": .double(400)]),
      code: "snapshot-price-differs"
    ),
    Case(
      testDescription: "no price",
      payment: payment(),
      member: snapshot(["planPrice": nil]),
      code: "snapshot-price-differs"
    ),
    Case(
      testDescription: "another currency",
      payment: payment(["currency": .string("USD")]),
      code: "snapshot-price-differs"
    ),
    Case(testDescription: "type", payment: payment(["type": .integer(1)]), code: "wrong-type"),
    Case(testDescription: "completedAt", payment: payment(["completedAt": .string("x")]), code: "wrong-type"),
    Case(testDescription: "amount", payment: payment(["amount": .string("450")]), code: "wrong-type"),
    Case(testDescription: "memberId", payment: payment(["memberId": .integer(1)]), code: "wrong-type"),
    Case(
      testDescription: "snapshot",
      payment: payment(["membershipPlanSnapshot": .string("x")]),
      code: "wrong-type"
    ),
  ]

  @Test(arguments: cases) func decides(_ one: Case) async throws {
    var member = FieldMap()
    member["membershipPlanSnapshot"] = one.member.map { .map($0) }
    let documents = [try document("members/m1", member), try document("payments/p", one.payment)]
    let told = try await told(SnapshotBackfill(), over: documents)
    // Members are only read.
    #expect(told.map(\.path.string) == ["payments/p"])
    let outcome = try #require(told.first?.outcome)
    #expect(outcome.findings.map(\.code) == (one.code.map { [$0] } ?? []))
    if let code = one.code {
      #expect(
        outcome.action == .skip && outcome.findings.map(\.kind) == [code == "wrong-type" ? .reject : .review]
      )
      return
    }
    let change = try #require(outcome.change)
    var after = one.payment
    after["membershipPlanSnapshot"] = one.member.map { .map($0) }
    #expect(change.after == after && change.reasons == ["snapshot-from-member"])
    // Nothing that was recorded is in the mask.
    guard case .update(_, let mask) = change.write.operation else {
      Issue.record("it is no update")
      return
    }
    #expect(mask == [FieldPath(field: "membershipPlanSnapshot")])
  }

  @Test(
    arguments: [
      ["type": .string("product")], ["type": nil], ["membershipPlanSnapshot": .map([:])],
      ["type": .string("day_pass"), "amount": .string("x")],
    ] as [KeyValuePairs<String, Value?>]
  )
  func othersAreRight(changes: KeyValuePairs<String, Value?>) async throws {
    let told = try await told(
      SnapshotBackfill(),
      over: [try document("members/m1", [:]), try document("payments/p", Self.payment(changes))]
    )
    #expect(told.map(\.outcome) == [Outcome(.unchanged)])
  }

  @Test func manyArePagedThroughTheSpool() async throws {
    let documents = try (0..<1_200).flatMap { number in
      [
        try document(
          "members/m\(number)",
          ["membershipPlanSnapshot": .map(Self.snapshot(["planName": .integer(Int64(number))]))]
        ),
        try document("payments/p\(number)", Self.payment(["memberId": .string("m\(number)")])),
      ]
    }
    let told = try await told(SnapshotBackfill(), over: documents)
    #expect(told.count == 1_200)
    for (path, outcome) in told {
      let taken = outcome.change?.after?["membershipPlanSnapshot"]?.map?["planName"]?.integer
      #expect(taken == Int64(path.id.dropFirst()), "\(path)")
    }
  }
}
