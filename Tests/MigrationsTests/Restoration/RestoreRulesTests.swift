import FirestoreModels
import FirestoreREST
import MigrationEngine
import Schema
import Testing

@testable import Restoration
@testable import Transfer

@Suite("What a restore decides")
struct RestoreRulesTests {
  private static let database = DatabaseName(project: "p")
  private static let other = DatabaseName(project: "other")
  private let path = DocumentPath(CollectionPath(nil, "a"), "1")

  private func rules(
    _ knowledge: WantedKnowledge = WantedKnowledge(),
    from source: DatabaseName? = nil,
    isDeep: Bool = true,
    schema: DatabaseSchema = DatabaseSchema(name: "none", collections: []),
    _ change: (inout RestoreRules) -> Void = { _ in }
  ) -> RestoreRules {
    var rules = RestoreRules(knowledge, schema, references: source, to: Self.database, isDeep: isDeep)
    change(&rules)
    return rules
  }

  private func document(_ fields: FieldMap, made: Int64 = 1, at seconds: Int64 = 100) -> RawDocument {
    RawDocument(
      path: path,
      fields: fields,
      createTime: Timestamp(seconds: made),
      updateTime: Timestamp(seconds: seconds)
    )
  }

  private func change(_ outcome: Outcome) throws -> Change {
    guard case .change(let change) = outcome.action else {
      Issue.record("\(outcome.action)")
      throw WireError("no change")
    }
    return change
  }

  @Test("What was updated is put back, what was deleted is created, what was created is deleted.")
  func three() throws {
    let (old, new) = (document(["n": .integer(1)], at: 10), document(["n": .double(1)]))
    let update = try change(rules().outcome(of: path, wanted: old, present: new))
    #expect(update.after == old.fields && update.before == new && update.reasons == ["changed-since"])
    #expect(update.serverTimes.isEmpty)
    let creation = try change(rules().outcome(of: path, wanted: old, present: nil))
    #expect(creation.kind == .create && creation.after == old.fields && creation.reasons == ["deleted-since"])
    let deletion = try change(rules().outcome(of: path, wanted: nil, present: new))
    #expect(deletion.isDeletion && deletion.before == new)
    #expect(deletion.reasons == ["created-since", SubcollectionGuard.coveringReason])
    let shallow = try change(rules(isDeep: false).outcome(of: path, wanted: nil, present: new))
    #expect(shallow.reasons == ["created-since"])
    #expect(rules().outcome(of: path, wanted: old, present: document(old.fields)).action == .unchanged)
  }

  @Test("Only the kinds that are asked for are restored.", arguments: RestoreJob.Accident.allCases)
  func only(_ kind: RestoreJob.Accident) {
    let (old, new) = (document(["n": .integer(1)]), document(["n": .integer(2)]))
    let rules = rules { $0.only = [kind] }
    let kinds: [RestoreJob.Accident: Outcome] = [
      .updated: rules.outcome(of: path, wanted: old, present: new),
      .deleted: rules.outcome(of: path, wanted: old, present: nil),
      .created: rules.outcome(of: path, wanted: nil, present: new),
    ]
    for (other, outcome) in kinds { #expect((outcome.action == .skip) == (other != kind), "\(other)") }
  }

  @Test("What was changed after a moment is kept, by the schema's time of last change, else by update time.")
  func kept() throws {
    var rules = rules { $0.keepsChangedSince = Timestamp(seconds: 50) }
    let wanted = document(["n": .integer(1)], at: 10)
    func codes(_ present: RawDocument?, wanted: RawDocument?) -> [String] {
      rules.outcome(of: path, wanted: wanted, present: present).findings.map(\.code)
    }
    let early = try #require(Timestamp(seconds: 20))
    // Without a schema nobody says that the field is written with every change.
    #expect(codes(document(["updatedAt": .timestamp(early)], at: 51), wanted: wanted) == ["kept"])
    let yaml = "schema: s\ncollections:\n  a: { update-time: updatedAt, fields: { updatedAt: timestamp } }\n"
    let declared = try SchemaReader.schema(parsing: yaml, path: "s.yaml")
    rules = self.rules(schema: declared) { $0.keepsChangedSince = Timestamp(seconds: 50) }
    #expect(codes(document([:], at: 51), wanted: wanted) == ["kept"])
    #expect(codes(document([:], at: 51), wanted: nil) == ["kept"])
    #expect(codes(document([:], at: 50), wanted: wanted) == [])
    #expect(codes(nil, wanted: wanted) == [])
    // Written at 51 with an earlier time of last change, as by an undo.
    #expect(codes(document(["updatedAt": .timestamp(early)], at: 51), wanted: wanted) == [])
    let late = try #require(Timestamp(seconds: 60))
    #expect(codes(document(["updatedAt": .timestamp(late)], at: 40), wanted: wanted) == ["kept"])
  }

  @Test("What the wanted state cannot know is left alone.")
  func unknown() throws {
    var knowledge = WantedKnowledge()
    knowledge.collections = ["b"]
    let left = rules(knowledge).outcome(of: path, wanted: nil, present: document([:]))
    #expect(left.action == .skip && left.findings.map(\.code) == ["not-known"])

    knowledge = WantedKnowledge()
    knowledge.fields = [try FieldPath(parsing: "m.a"), FieldPath(field: "n")]
    let wanted = document(["m": .map(["a": .integer(1)])])
    let present = document(["m": .map(["a": .integer(2), "b": .integer(3)]), "n": .integer(1), "o": .null])
    let after = try change(rules(knowledge).outcome(of: path, wanted: wanted, present: present)).after
    #expect(after == ["m": .map(["a": .integer(1), "b": .integer(3)]), "o": .null])

    // A file without a manifest may be that of an export of some fields.
    let file = try rules(WantedKnowledge(nil)).outcome(of: path, wanted: wanted, present: present)
    #expect(
      try change(file).after
        == ["m": .map(["a": .integer(1), "b": .integer(3)]), "n": .integer(1), "o": .null]
    )
    #expect(file.findings.map(\.code) == ["not-known"])
    let whole = try rules(WantedKnowledge(nil)).outcome(of: path, wanted: present, present: wanted)
    #expect(try change(whole).after == present.fields && whole.findings.isEmpty)

    // Of an increment: what was not written since is as it was, whatever the files have of it.
    knowledge = WantedKnowledge()
    knowledge.unchangedUntil = Timestamp(seconds: 100)
    #expect(
      rules(knowledge).outcome(of: path, wanted: nil, present: document([:], at: 100)).action == .unchanged
    )
    #expect(rules(knowledge).outcome(of: path, wanted: wanted, present: present).action == .unchanged)
    let made = document([:], made: 101, at: 101)
    #expect(try change(rules(knowledge).outcome(of: path, wanted: nil, present: made)).isDeletion)
    // It was there, in a collection that no increment reads, and what it was then nobody knows.
    let changed = rules(knowledge).outcome(of: path, wanted: nil, present: document([:], at: 101))
    #expect(changed.action == .skip && changed.findings.map(\.code) == ["not-known"])
  }

  @Test("A filter selects a document as it was or as it is.")
  func filter() {
    let filter = DocumentFilter(.field(FieldPath(field: "n"), .equal, .integer(1)))
    let rules = rules { $0.filter = filter }
    let (one, two) = (document(["n": .integer(1)]), document(["n": .integer(2)]))
    for (wanted, present, isChanged) in [
      (one, two, true), (two, one, true), (one, nil, true), (nil, one, true), (two, nil, false),
      (two, document(["n": .integer(3)]), false),
    ] as [(RawDocument?, RawDocument?, Bool)] {
      let outcome = rules.outcome(of: path, wanted: wanted, present: present)
      #expect((outcome.action == .skip) != isChanged)
    }
  }

  @Test("References into the database of the wanted state become those into this one.")
  func references() throws {
    let there = Value.reference("\(Self.other.documents)/a/2")
    let here = Value.reference("\(Self.database.documents)/a/2")
    let foreign = Value.reference("projects/x/databases/y/documents/a/2")
    let rules = rules(from: Self.other)
    let wanted = document(["r": there, "f": foreign, "l": .array([there])])
    let after = try change(rules.outcome(of: path, wanted: wanted, present: nil)).after
    #expect(after == ["r": here, "f": foreign, "l": .array([here])])
    let present = document(["r": here, "f": foreign, "l": .array([here])])
    #expect(rules.outcome(of: path, wanted: wanted, present: present).action == .unchanged)
  }
}
