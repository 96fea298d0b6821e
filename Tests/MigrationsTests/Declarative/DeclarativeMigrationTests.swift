import FirestoreModels
import FirestoreREST
import GymModels
import Schema
import Testing

@testable import MigrationEngine

@Suite struct DeclarativeMigrationTests {
  private let users = CollectionPath(nil, "users")
  private let database = DatabaseName(project: "p", database: "d")
  private let updatedAt = FieldPath(field: "updatedAt")

  private func migration(
    _ steps: [MigrationStep],
    where filter: String? = nil,
    touch: Bool = true
  ) throws -> DeclarativeMigration {
    let filters =
      try filter.map { [try FilterExpression.parse($0, in: LiteralContext(database: database))] } ?? []
    let scope = DeclarativeMigration.Scope(users, filters: filters)
    return DeclarativeMigration(
      id: "x",
      summary: "X.",
      scope: scope,
      steps: steps,
      touch: touch,
      schema: GymSchema.schema
    )
  }

  private let setA = MigrationStep.set(FieldPath(field: "a"), .integer(1))

  @Test func aChangeHasItsReasonsAndTheServersTime() throws {
    let document = try document("users/u", ["a": .integer(0), "updatedAt": .integer(5)])
    let steps = [setA, .unset(FieldPath(field: "gone")), .set(FieldPath(field: "b"), .null)]
    let change = try #require(try migration(steps).outcome(for: document).change)
    #expect(change.reasons == ["set a", "set b"])
    #expect(change.serverTimes == [updatedAt])
    #expect(change.write.precondition == document.updateTime.map(Precondition.updateTime))
    #expect(change.after == ["a": .integer(1), "b": .null])
    let untouched = try #require(try migration(steps, touch: false).outcome(for: document).change)
    #expect(untouched.serverTimes.isEmpty)
    #expect(untouched.after == ["a": .integer(1), "b": .null, "updatedAt": .integer(5)])
  }

  private func members(
    _ steps: [MigrationStep],
    allowsSchemaBreaks: Bool = false
  ) -> DeclarativeMigration {
    var migration = DeclarativeMigration(
      id: "x",
      summary: "X.",
      scope: DeclarativeMigration.Scope(CollectionPath(nil, "members")),
      steps: steps,
      schema: GymSchema.schema
    )
    migration.allowsSchemaBreaks = allowsSchemaBreaks
    return migration
  }

  private let member: FieldMap = [
    "id": .string("m"), "firstName": .string("Ana"), "paternalLastName": .string("Ruiz"),
    "membershipStatus": .string("active"), "registeredBy": .string("self"), "isActive": .boolean(true),
    "phone": .string("7291234567"),
  ]

  @Test func aWholeNumberThatIsSetInAFieldOfDoublesBecomesOne() throws {
    let price = try FieldPath(parsing: "membershipPlanSnapshot.planPrice")
    let one = try document("members/m", member)
    for step in [MigrationStep.set(price, .integer(7)), .setIfMissing(price, .integer(7))] {
      let change = members([step], allowsSchemaBreaks: true).outcome(for: one).change
      #expect(change?.after?[price] == .double(7))
    }
    // No double is the same number.
    let large = Int64.max
    let change = members([.set(price, .integer(large))], allowsSchemaBreaks: true).outcome(for: one).change
    #expect(change?.after?[price] == .integer(large))
  }

  @Test func aWholeNumberThatIsSetOverADoubleIsOneWhereNoSchemaSaysTheType() throws {
    let a = FieldPath(field: "a")
    let outcome = try migration([setA]).outcome(for: try document("users/u", ["a": .double(2.5)]))
    #expect(outcome.change?.after?[a] == .double(1) && outcome.findings.isEmpty)
    // The number is there already.
    let same = try migration([setA]).outcome(for: try document("users/u", ["a": .double(1)]))
    #expect(same == Outcome(.unchanged))
  }

  @Test func aValueOfAnotherTypeThanTheOneThatItReplacesIsNoted() throws {
    for (old, isNoted) in [
      (.string("1"), true), (.boolean(true), true), (.integer(7), false), (.null, false),
    ] as [(Value, Bool)] {
      let outcome = try migration([setA]).outcome(for: try document("users/u", ["a": old]))
      #expect(outcome.change?.after?[FieldPath(field: "a")] == .integer(1))
      #expect(outcome.findings.map(\.code) == (isNoted ? ["type-changed"] : []), "\(old)")
      #expect(outcome.findings.allSatisfy { $0.kind == .note && $0.field == "a" && $0.found == old })
    }
    #expect(try migration([setA]).outcome(for: try document("users/u", [:])).findings.isEmpty)
    // What the schema says of a field is what it has to become.
    let phone = MigrationStep.set(FieldPath(field: "phone"), .string("7291234567"))
    var numbered = member
    numbered["phone"] = .integer(7)
    #expect(members([phone]).outcome(for: try document("members/m", numbered)).findings.isEmpty)
  }

  @Test func whatCannotBeDoneIsNotedWhereTheDocumentIsNotLeftWhole() throws {
    let (a, one) = (FieldPath(field: "a"), try document("users/u", ["a": .string("12,50")]))
    func steps(_ policy: MigrationStep.FailurePolicy) -> [(MigrationStep, DeclarativeMigration.Code)] {
      [
        (.convert(a, ValueConversion(to: .double), onFailure: policy), .notConvertible),
        (.map(a, [.init(.string("x"), .string("y"))], unknown: policy), .unknownValue),
      ]
    }
    for (step, code) in steps(.null) {
      let outcome = try migration([step]).outcome(for: one)
      #expect(outcome.change?.after?[a] == .null)
      #expect(outcome.change?.reasons == ["\(step.reason): null"])
      #expect(outcome.findings.map(\.code) == [code.rawValue])
      #expect(outcome.findings.allSatisfy { $0.kind == .note && $0.found == .string("12,50") })
    }
    let split = MigrationStep.split(
      a,
      separator: nil,
      to: [FieldPath(field: "b"), FieldPath(field: "c")],
      overwrite: false,
      onFailure: .keep
    )
    let kept: [(MigrationStep, DeclarativeMigration.Code)] = steps(.keep) + [(split, .partsDiffer)]
    for (step, code) in kept {
      let outcome = try migration([step]).outcome(for: one)
      #expect(outcome.action == .unchanged && outcome.findings.map(\.code) == [code.rawValue])
      #expect(outcome.findings.allSatisfy { $0.kind == .note && $0.message.hasSuffix("; it stays.") })
    }
  }

  @Test func aStepThatWritesAUniqueFieldIsSaid() throws {
    let (email, other) = (FieldPath(field: "email"), FieldPath(field: "mail"))
    let fields = "{ email: string, mail: string }"
    let text = "schema: s\ncollections:\n  users: { fields: \(fields), unique: [email] }\n"
    let schema = try SchemaReader.schema(parsing: text, path: "s.yaml")
    func hint(_ step: MigrationStep) -> String? {
      let scope = DeclarativeMigration.Scope(users)
      return DeclarativeMigration(id: "x", summary: "X.", scope: scope, steps: [step], schema: schema)
        .uniqueHints.first
    }
    let writing: [MigrationStep] = [
      .rewrite(email, .lower), .set(email, .string("x")), .move(other, to: email, overwrite: true),
    ]
    for step in writing {
      let said = try #require(hint(step))
      #expect(said.contains("users share email") && said.contains("check --rule not-unique"), "\(said)")
    }
    let others: [MigrationStep] = [
      .rewrite(other, .lower), .unset(email), .move(email, to: other, overwrite: true),
    ]
    for step in others { #expect(hint(step) == nil) }
  }

  @Test func whatBreaksTheSchemaMoreThanBeforeIsRejected() throws {
    let (name, phone) = (FieldPath(field: "firstName"), FieldPath(field: "phone"))
    let one = try document("members/m", member)
    for (steps, code, field) in [
      ([.set(phone, .integer(7))], "wrong-type", "phone"),
      (
        [.convert(phone, ValueConversion(to: .integer, unit: nil), onFailure: .reject)], "wrong-type", "phone"
      ),
      ([.unset(name)], "required-missing", "firstName"),
      ([.move(name, to: FieldPath(field: "otherNotes"), overwrite: false)], "required-missing", "firstName"),
      (
        [.copy(phone, to: FieldPath(field: "remainingVisits"), overwrite: false)], "wrong-type",
        "remainingVisits"
      ),
      (
        [.copy(phone, to: FieldPath(field: "membershipStatus"), overwrite: true)], "value-unknown",
        "membershipStatus"
      ),
      ([.copy(phone, to: FieldPath(field: "id"), overwrite: true)], "id-mismatch", "id"),
    ] as [([MigrationStep], String, String)] {
      let outcome = members(steps).outcome(for: one)
      #expect(outcome.action == .skip, "\(field)")
      #expect(outcome.findings.map(\.code) == [code] && outcome.findings.first?.field == field, "\(field)")
      #expect(outcome.findings.first?.kind == .reject)
      #expect(members(steps, allowsSchemaBreaks: true).outcome(for: one).change != nil, "\(field)")
    }
    let missing = members([.unset(name)]).outcome(for: one).findings.first
    #expect(missing?.message == "It breaks the schema: a required field would have no value.")
    var wrong = member
    wrong["phone"] = .integer(7)
    let mended = members([.set(FieldPath(field: "otherNotes"), .string("x"))])
    #expect(mended.outcome(for: try document("members/m", wrong)).change != nil)
  }

  @Test func aValueThatIsNeverRightIsRefusedAtOnceWithItsSpelling() throws {
    let phone = FieldPath(field: "phone")
    let number = try #require(members([.set(phone, .integer(7_291_234_567))]).problem)
    #expect(number.cause.contains(#"7291234567 is integer: write "7291234567""#))
    #expect(number.cause.contains("--allow-schema-breaks"))
    #expect(members([.set(phone, .integer(7))], allowsSchemaBreaks: true).problem == nil)
    #expect(members([.set(phone, .string("7291234567"))]).problem == nil)
    #expect(members([.setIfMissing(phone, .boolean(true))]).problem?.cause.contains(#"write "true""#) == true)
    let status = FieldPath(field: "membershipStatus")
    #expect(members([.set(status, .string("gone"))]).problem?.cause.contains("one of active") == true)
    let replacement = MigrationStep.Replacement(.string("old"), .string("gone"))
    #expect(members([.map(status, [replacement], unknown: .keep)]).problem?.cause.contains("gone") == true)
    #expect(members([.set(FieldPath(field: "firstName"), .null)]).problem != nil)
    let price = try FieldPath(parsing: "membershipPlanSnapshot.planPrice")
    #expect(members([.set(price, .string("x"))]).problem != nil)
    #expect(members([.set(price, .double(1))]).problem == nil)
    // A later step decides what the field holds.
    #expect(members([.set(phone, .integer(7)), .set(phone, .string("7"))]).problem == nil)
    var classes = members([.set(FieldPath(field: "id"), .string("x"))])
    #expect(classes.problem == nil)
    classes.scope = DeclarativeMigration.Scope(CollectionPath(nil, "classes"))
    #expect(classes.problem?.cause.contains("lets no document have id") == true)
  }

  @Test func aGroupIsHeldToWhatAllItsCollectionsForbid() throws {
    var migration = members([.set(FieldPath(field: "role"), .integer(1))])
    migration.scope = DeclarativeMigration.Scope(CollectionPath(nil, "members"), isGroup: true)
    // groups/*/members has a role, which is a text; members has none.
    #expect(migration.problem == nil)
    let members = try #require(CollectionPath("groups/*/members"))
    migration.scope = DeclarativeMigration.Scope(members)
    #expect(migration.problem != nil)
  }

  @Test func whatIsRightStays() throws {
    let document = try document("users/u", ["a": .integer(1)])
    #expect(try migration([setA]).outcome(for: document) == Outcome(.unchanged))
    // There and back again.
    let steps = [MigrationStep.set(FieldPath(field: "b"), .null), .unset(FieldPath(field: "b"))]
    #expect(try migration(steps).outcome(for: document) == Outcome(.unchanged))
  }

  @Test func oneStepThatCannotBeDoneLeavesTheDocumentWhole() throws {
    let document = try document("users/u", ["mail": .integer(7)])
    let outcome = try migration([setA, .rewrite(FieldPath(field: "mail"), .lower)]).outcome(for: document)
    #expect(outcome.action == .skip)
    let finding = try #require(outcome.findings.first)
    #expect(finding.kind == .reject && finding.code == "wrong-type" && finding.field == "mail")
    #expect(finding.found == .integer(7))
    #expect(finding.message == "mail is integer, not string; the document is left as it is.")
  }

  @Test func aDocumentThatIsNoLongerMeantIsLeft() throws {
    let migration = try migration([setA], where: "role == admin and visits > 2")
    let meant = try document("users/u", ["role": .string("admin"), "visits": .integer(3)])
    #expect(migration.replan(meant)?.change != nil)
    for fields: FieldMap in [
      ["role": .string("member"), "visits": .integer(3)], ["role": .string("admin"), "visits": .integer(2)],
      ["role": .string("admin")], ["role": .string("admin"), "visits": .string("3")],
    ] { #expect(migration.replan(try document("users/u", fields)) == Outcome(.unchanged)) }
    #expect(migration.outcome(for: try document("other/u", meant.fields)) == Outcome(.unchanged))
    #expect(migration.outcome(for: try document("g/1/users/u", meant.fields)) == Outcome(.unchanged))
  }

  @Test func stepsThatWouldNotComeToRestAreNotBegun() throws {
    let (a, b) = (FieldPath(field: "a"), FieldPath(field: "b"))
    let full = try document("users/u", ["a": .integer(1), "b": .integer(9)])
    let document = try document("users/u", ["a": .integer(1)])
    // Once: a 5, b 1. Twice: a 5, b 5.
    let copying = [MigrationStep.copy(a, to: b, overwrite: true), .set(a, .integer(5))]
    let outcome = try migration(copying).outcome(for: document)
    #expect(outcome.action == .skip && outcome.findings.map(\.code) == ["not-at-rest"])
    #expect(outcome.findings.map(\.kind) == [.reject])
    // The value of the field that would change once more.
    #expect(outcome.findings.first?.field == "b" && outcome.findings.first?.found == nil)
    #expect(try migration(copying).outcome(for: full).findings.first?.found == .integer(9))
    // The second time it would find its target taken.
    let moving = [MigrationStep.move(a, to: b, overwrite: false), .set(a, .integer(5))]
    let moved = try migration(moving).outcome(for: document).findings
    #expect(moved.map(\.code) == ["not-at-rest"] && moved.first?.field == "b")
    // Once is all where the filter takes it for done.
    let once = try migration(copying, where: "a == 1").outcome(for: document)
    #expect(once.change?.after == ["a": .integer(5), "b": .integer(1)])
  }

  @Test func aGroupIsEveryCollectionOfTheId() throws {
    let scope = DeclarativeMigration.Scope(users, isGroup: true)
    let migration = DeclarativeMigration(
      id: "x",
      summary: "X.",
      scope: scope,
      steps: [setA],
      schema: GymSchema.schema
    )
    #expect(migration.sources.map(\.reach) == [.group])
    #expect(migration.outcome(for: try document("g/1/users/u", [:])).change != nil)
    #expect(migration.outcome(for: try document("users/u/other/o", [:])).change == nil)
    let below = try #require(CollectionPath("g/1/users"))
    let other = try #require(CollectionPath("g/1/others"))
    #expect(migration.mayWrite(below) && !migration.mayWrite(other))
  }

  @Test func idsAreReadThirtyAtATime() throws {
    let ids = (0..<61).map { "u\($0)" }
    let scope = DeclarativeMigration.Scope(users, ids: ids, in: database)
    let migration = DeclarativeMigration(
      id: "x",
      summary: "X.",
      scope: scope,
      steps: [setA],
      schema: GymSchema.schema
    )
    #expect(migration.sources.count == 3)
    #expect(migration.outcome(for: try document("users/u60", [:])).change != nil)
    #expect(migration.outcome(for: try document("users/u61", [:])).change == nil)
  }

  @Test func documentsWithSubcollectionsAreNotDeleted() async throws {
    let scope = DeclarativeMigration.Scope(users)
    let base = DeclarativeMigration(
      id: "x",
      summary: "X.",
      scope: scope,
      steps: [.hardDelete],
      schema: GymSchema.schema
    )
    let guarded = base.guarded { $0.id.hasSuffix("7") ? ["logs", "notes"] : [] }
    let documents = try (10..<45).map { try document("users/u\($0)", [:]) }
    let told = try await told(guarded, over: documents)
    #expect(told.map(\.path) == documents.map(\.path))
    for (path, outcome) in told {
      if path.id.hasSuffix("7") {
        #expect(outcome.action == .skip)
        #expect(outcome.findings.map(\.code) == ["has-subcollections"])
        #expect(outcome.findings.first?.message.contains("logs, notes") ?? false)
        #expect(outcome.findings.first?.found == .array([.string("logs"), .string("notes")]))
      } else {
        #expect(outcome.change?.after == nil && outcome.change != nil)
      }
    }
    // One that changed meanwhile may have got some.
    #expect(guarded.replan(documents[0]) == nil)
  }

  // Each of these would not come to rest, or contradicts itself.
  @Test func stepsThatMakeNoSenseAreToldByTheirPlace() throws {
    let a = FieldPath(field: "a")
    let nested = try FieldPath(parsing: "updatedAt.x")
    func problem(_ steps: [MigrationStep], touch: Bool = true) throws -> Int? {
      var migration = try migration(steps, touch: touch)
      migration.allowsSchemaBreaks = true
      return migration.problem?.index
    }
    #expect(try problem([setA, .copy(a, to: a, overwrite: true)]) == 1)
    #expect(try problem([setA, .hardDelete]) == 1)
    #expect(try problem([.hardDelete, setA]) == 0)
    #expect(try problem([setA, setA, .set(nested, .null)]) == 2)
    #expect(try problem([.set(nested, .null)], touch: false) == nil)
    let swap = [MigrationStep.Replacement(.integer(1), .integer(2)), .init(.integer(2), .integer(1))]
    #expect(try problem([.map(a, swap, unknown: .keep)]) == 0)
    let resting = [MigrationStep.Replacement(.integer(1), .integer(2)), .init(.integer(2), .integer(2))]
    #expect(try problem([.map(a, resting, unknown: .keep)]) == nil)
  }
}
