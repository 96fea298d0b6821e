import FirestoreModels
import TestSupport
import Testing

@testable import GymMigrations
@testable import MigrationEngine

/// People in short: `u1 link=m1 phone=…`; `u` is a user, `m` a member.
struct LinkCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var people: [String]
  /// Who is to name whom.
  var links: [String: String] = [:]
  /// The codes, by document.
  var codes: [String: String] = [:]
}

@Suite struct MembersLinkTests {
  static func person(_ text: String) throws -> RawDocument {
    let words = text.split(separator: " ").map(String.init)
    let isUser = text.hasPrefix("u")
    var fields = FieldMap()
    for word in words.dropFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = parts[0] == "link" ? (isUser ? "linkedMemberId" : "linkedUserId") : parts[0]
      switch parts[1] {
      case "false", "true": fields[name] = .boolean(parts[1] == "true")
      case let number where number.hasPrefix("#"): fields[name] = .integer(Int64(number.dropFirst()) ?? 0)
      case let value: fields[name] = .string(value)
      }
    }
    return try document("\(isUser ? "users" : "members")/\(words[0])", fields)
  }

  private static let a = "phone=7291111111"
  private static let b = "phone=7292222222"

  static let cases: [LinkCase] = [
    // Links that stand.
    LinkCase(testDescription: "mirrored", people: ["u1 link=m1 \(a)", "m1 link=u1 \(b)"]),
    LinkCase(
      testDescription: "the member's half is missing",
      people: ["u1 link=m1", "m1"],
      links: ["m1": "u1"]
    ),
    LinkCase(
      testDescription: "the user's half is missing",
      people: ["u1", "m1 link=u1"],
      links: ["u1": "m1"]
    ),
    LinkCase(
      testDescription: "a link into the void gives way to the one who names it",
      people: ["u1 link=gone", "m1 link=u1"],
      links: ["u1": "m1"]
    ),
    LinkCase(
      testDescription: "two users name one member",
      people: ["u1 link=m1", "u2 link=m1", "m1"],
      codes: ["m1": "link-claimed-twice"]
    ),
    LinkCase(
      testDescription: "a third names one of a pair",
      people: ["u1 link=m1", "m1 link=u1", "u2 link=m1"],
      codes: ["u2": "link-contradicts"]
    ),
    LinkCase(
      testDescription: "the half link of a member whom another user names",
      people: ["u1 link=m1", "u2", "m1 link=u2"],
      codes: ["u1": "link-contradicts"]
    ),
    LinkCase(
      testDescription: "nobody instead",
      people: ["u1 link=gone", "m1"],
      codes: ["u1": "link-dangling"]
    ),
    LinkCase(
      testDescription: "a blank link is none",
      people: ["u1 link= \(a)", "m1 \(a)"],
      links: ["u1": "m1", "m1": "u1"]
    ),
    LinkCase(
      testDescription: "a link that stands is not rewritten for a better match",
      people: ["u1 link=m1 \(a)", "m1 link=u1 \(b)", "m2 \(a)"],
      codes: ["m2": "match-taken"]
    ),

    // Matches.
    LinkCase(
      testDescription: "by phone, however it is written",
      people: ["u1 phone=+52(1)729-111-1111", "m1 \(a)", "u2 telefono=7292222222", "m2 \(b)"],
      links: ["u1": "m1", "m1": "u1", "u2": "m2", "m2": "u2"]
    ),
    LinkCase(
      testDescription: "by email, normalised",
      people: ["u1 email=Ana@X.com \(a)", "m1 email=ana@x.com \(b)"],
      links: ["u1": "m1", "m1": "u1"]
    ),
    LinkCase(
      testDescription: "in the place of a link into the void",
      people: ["u1 link=gone \(a)", "m1 link=away \(a)"],
      links: ["u1": "m1", "m1": "u1"]
    ),
    LinkCase(
      testDescription: "two members share the phone",
      people: ["u1 \(a)", "m1 \(a)", "m2 \(a)"],
      codes: ["u1": "match-ambiguous"]
    ),
    LinkCase(
      testDescription: "two users share the phone",
      people: ["u1 \(a)", "u2 \(a)", "m1 \(a)"],
      codes: ["u1": "match-ambiguous", "u2": "match-ambiguous"]
    ),
    LinkCase(
      testDescription: "a shared phone, told apart by email",
      people: ["u1 \(a) email=a@x", "m1 \(a) email=a@x", "m2 \(a) email=b@x"],
      links: ["u1": "m1", "m1": "u1"]
    ),
    LinkCase(
      testDescription: "phone and email lead to two people",
      people: ["u1 \(a) email=a@x", "m1 \(a)", "m2 \(b) email=a@x"],
      codes: ["u1": "match-contradicts"]
    ),
    LinkCase(
      testDescription: "the member's email leads to another user",
      people: ["u1 \(a) email=a@x", "u2 email=b@x", "m1 \(a) email=b@x"],
      codes: ["u1": "match-contradicts", "u2": "match-contradicts"]
    ),
    LinkCase(
      testDescription: "another email of nobody else is no argument",
      people: ["u1 \(a) email=a@x", "m1 \(a) email=b@x"],
      links: ["u1": "m1", "m1": "u1"]
    ),
    LinkCase(
      testDescription: "the second account of one person",
      people: ["u1 link=m1 \(a)", "u2 \(a)", "m1 link=u1 \(a)"],
      codes: ["u2": "match-taken"]
    ),
    LinkCase(
      testDescription: "an account that is not active",
      people: ["u1 \(a) isActive=false", "m1 \(a)", "u2 \(b) activo=false", "m2 \(b)"],
      codes: ["u1": "match-inactive", "u2": "match-inactive"]
    ),
    LinkCase(
      testDescription: "a member who is not active still makes the phone doubtful",
      people: ["u1 \(a)", "m1 \(a)", "m2 \(a) isActive=false"],
      codes: ["u1": "match-ambiguous"]
    ),
    LinkCase(
      testDescription: "phone and telefono that disagree are no phone",
      people: ["u1 \(a) telefono=7292222222", "m1 \(a)"]
    ),
    LinkCase(
      testDescription: "a phone that is no number leaves the telefono, which is shared",
      people: [
        "u1 phone=ask telefono=7291111111", "u2 \(a)", "m1 \(a)", "u3 phone=123 telefono=7292222222",
        "m3 \(b)",
      ],
      links: ["u3": "m3", "m3": "u3"],
      codes: ["u1": "match-ambiguous", "u2": "match-ambiguous"]
    ),
    LinkCase(testDescription: "emails that are none", people: ["u1 email=ana", "m1 email=ana"]),
    LinkCase(testDescription: "nothing to go by", people: ["u1 name=x", "m1 name=x"]),

    // Names.
    LinkCase(
      testDescription: "another name is noted with the user, by whatever field it is known",
      people: [
        "u1 \(a) fullName=Rosa\u{A0}de\u{A0}Paz", "m1 \(a) firstName=Luis paternalLastName=de\u{A0}León",
        "u2 email=a@x nombre=Eva", "m2 email=a@x firstName=Ana",
      ],
      links: ["u1": "m1", "m1": "u1", "u2": "m2", "m2": "u2"],
      codes: ["u1": "match-name-differs", "u2": "match-name-differs"]
    ),
    LinkCase(
      testDescription: "one word in common is enough, and no name differs from none",
      people: [
        "u1 \(a) fullName=JOSÉ\u{A0}LUIS", "m1 \(a) firstName=Jose paternalLastName=Ruiz",
        "u2 \(b) fullName=Eva",
        "m2 \(b)",
      ],
      links: ["u1": "m1", "m1": "u1", "u2": "m2", "m2": "u2"]
    ),

    // Wrong types.
    LinkCase(
      testDescription: "a document with a wrong type is left alone, and its link counts",
      people: ["u1 phone=#7291111111 link=m1", "m1", "u2 isActive=#1 \(b)", "m2 \(b)"],
      links: ["m1": "u1"],
      codes: ["u1": "wrong-type", "u2": "wrong-type", "m2": "match-taken"]
    ),
  ]

  private func plan(_ documents: [RawDocument]) async throws -> [String: Outcome] {
    var byID: [String: Outcome] = [:]
    for (path, outcome) in try await told(MembersLink(), over: documents) {
      #expect(byID.updateValue(outcome, forKey: path.id) == nil, "\(path) was told twice")
    }
    return byID
  }

  @Test(arguments: cases) func decides(_ one: LinkCase) async throws {
    let documents = try one.people.map(Self.person)
    let outcomes = try await plan(documents)
    #expect(outcomes.count == documents.count)
    var links: [String: String] = [:]
    var after: [RawDocument] = []
    for document in documents {
      var document = document
      let field = document.path.collection.id == "users" ? "linkedMemberId" : "linkedUserId"
      if let change = outcomes[document.path.id]?.change {
        links[document.path.id] = change.after?[field]?.string
        var expected = document.fields
        expected[field] = change.after?[field]
        #expect(change.after == expected && change.serverTimes == [FieldPath(field: "updatedAt")])
        document.fields = expected
      }
      after.append(document)
    }
    #expect(links == one.links)
    let codes = outcomes.compactMapValues { $0.findings.first?.code }
    #expect(codes == one.codes)
    #expect(outcomes.values.allSatisfy { $0.findings.count <= 1 })
    // The second time there is nothing to write.
    #expect(try await plan(after).values.allSatisfy { $0.change == nil })
  }

  /// Random links and keys over more than one batch: what is written makes pairs, rewrites no link that leads
  /// somewhere, and a second run writes nothing.
  @Test(arguments: [1, 2, 3]) func linksArePairs(seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    func people(_ kind: String, _ other: String) throws -> [RawDocument] {
      try (0..<700).map { number in
        var text = "\(kind)\(number)"
        if random.chance(2) { text += " phone=729\(1_000_000 + Int.random(in: 0..<900, using: &random))" }
        if random.chance(2) { text += " email=p\(Int.random(in: 0..<900, using: &random))@x" }
        if random.chance(8) { text += " link=\(other)\(Int.random(in: 0..<800, using: &random))" }
        if random.chance(10) { text += " isActive=false" }
        return try Self.person(text)
      }
    }
    let documents = try people("u", "m") + people("m", "u")
    func link(_ document: RawDocument) -> String? {
      (document.fields["linkedMemberId"] ?? document.fields["linkedUserId"])?.string
    }
    let ids = Set(documents.map(\.path.id))
    let outcomes = try await plan(documents)
    var after: [String: RawDocument] = [:]
    for document in documents {
      var document = document
      if let change = outcomes[document.path.id]?.change {
        if let before = link(document) { #expect(!ids.contains(before), "seed \(seed): \(document.path)") }
        document.fields = change.after ?? document.fields
      }
      after[document.path.id] = document
    }
    var written = 0
    for (id, outcome) in outcomes where outcome.change != nil {
      written += 1
      let named = try #require(after[id].flatMap(link))
      #expect(after[named].flatMap(link) == id, "seed \(seed): \(id) names \(named)")
    }
    #expect(written > 20, "seed \(seed)")
    let again = try await plan(documents.compactMap { after[$0.path.id] })
    #expect(again.values.allSatisfy { $0.change == nil }, "seed \(seed)")
  }
}
