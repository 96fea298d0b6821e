import Foundation
import TestSupport
import Testing

@Suite("Everything that is reported is in findings.csv", .timeLimit(.minutes(60)))
struct FindingsTests {
  // MARK: A gym with a note of every kind

  /// A user whom no migration has anything to say of; what a test makes of it comes on top.
  private static func user(_ id: String, _ fields: [String: String?] = [:]) -> [String: String] {
    let plain: [String: String?] = [
      "fullName": s("Ana Ruiz"), "firstName": s("Ana"), "paternalLastName": s("Ruiz"), "isActive": b(true),
      "onboardingCompleted": b(true), "role": s("member"), "email": s("\(id)@x.mx"),
    ]
    return plain.merging(fields) { $1 }.compactMapValues { $0 }
  }

  private static let unnamed: [String: String?] = [
    "fullName": nil, "firstName": nil, "paternalLastName": nil,
  ]
  private static let ofTwo: [String: String?] = ["firstName": nil, "paternalLastName": nil]

  private static let gym: Documents = [
    "users/plain": user("plain"),
    // users-unify.
    "users/name-missing": user("name-missing", unnamed),
    "users/name-null": user("name-null", unnamed.merging(["fullName": null]) { $1 }),
    "users/name-disagrees": user(
      "name-disagrees",
      ofTwo.merging(["nombre": s("Eva"), "primerApellido": s("Sol")]) { $1 }
    ),
    "users/name-many": user("name-many", ofTwo.merging(["fullName": s("Ana Eva Sol Mar Ruiz")]) { $1 }),
    "users/name-particle": user("name-particle", ofTwo.merging(["fullName": s("Juan de la Cruz")]) { $1 }),
    "users/name-stands": user("name-stands", ["nombre": s("Eva")]),
    "users/name-unusual": user("name-unusual", ofTwo.merging(["fullName": s("=Ana López")]) { $1 }),
    "users/name-given": user("name-given", ofTwo.merging(["fullName": s("José Luis Gil")]) { $1 }),
    "users/name-one": user("name-one", ofTwo.merging(["fullName": s("Tadeo")]) { $1 }),
    "users/active": user("active", ["activo": b(false)]),
    "users/role-missing": user("role-missing", ["role": nil]),
    "users/role-null": user("role-null", ["role": null]),
    "users/role-owner": user("role-owner", ["role": s("owner")]),
    "users/role-unknown": user("role-unknown", ["role": s("=1+1,\"Jefa\"\nñ")]),
    "users/wrong": user("wrong", ["activo": s("si"), "phone": i(7_299_595_662)]),
    // user-emails.
    "users/email-missing": user("email-missing", ["email": nil]),
    "users/email-null": user("email-null", ["email": null]),
    "users/email-empty": user("email-empty", ["email": s(" ")]),
    "users/email-no-at": user("email-no-at", ["email": s("-at")]),
    "users/email-wrong": user("email-wrong", ["email": i(7)]), "users/heir": user("heir"),
    "user_emails/heir@x.mx": ["primaryUserId": s("gone"), "email": s("heir@x.mx")],
    "user_emails/gone@x.mx": ["primaryUserId": s("gone"), "email": s("gone@x.mx")],
    "user_emails/other@x.mx": ["primaryUserId": s("plain"), "email": s("other@x.mx")],
    "user_emails/nobody@x.mx": ["email": s("nobody@x.mx")],
    "user_emails/Plain@x.mx": ["primaryUserId": s("plain"), "email": s("Plain@x.mx")],
    // members-link: of two users with one phone, the first is linked.
    "users/linked": user("linked", ["phone": s("7221112233"), "linkedMemberId": s("m")]),
    "users/second": user("second", ["phone": s("722 111 2233")]),
    "members/m": ["phone": s("7221112233"), "linkedUserId": s("linked"), "isActive": b(true)],
  ]

  /// What the pages of the three migrations say of these documents, worked out by hand.
  private static let expected: [ListedFinding] = {
    func unify(_ id: String, _ code: String, _ field: String, _ value: String = "") -> ListedFinding {
      ListedFinding("users/\(id)", "users-unify", code, field, value)
    }
    func emails(_ path: String, _ code: String, _ field: String, _ value: String = "") -> ListedFinding {
      ListedFinding(path, "user-emails", code, field, value)
    }
    let agreed = m([
      "fullName": s("Ana Ruiz"), "firstName": s("Ana"), "paternalLastName": s("Ruiz"), "nombre": s("Eva"),
      "primerApellido": s("Sol"),
    ])
    return [
      unify("name-missing", "name-missing", "fullName"),
      unify("name-null", "name-missing", "fullName", m(["fullName": null])),
      unify("name-disagrees", "name-disagrees", "fullName", agreed),
      unify("name-many", "name-many-words", "fullName", s("Ana Eva Sol Mar Ruiz")),
      unify("name-particle", "name-particle", "fullName", s("Juan de la Cruz")),
      unify(
        "name-stands",
        "name-disagrees",
        "fullName",
        m([
          "fullName": s("Ana Ruiz"), "firstName": s("Ana"), "paternalLastName": s("Ruiz"), "nombre": s("Eva"),
        ])
      ), unify("name-unusual", "name-unusual", "fullName", s("=Ana López")),
      unify("name-given", "name-two-given", "fullName", s("José Luis Gil")),
      unify("name-one", "name-one-word", "fullName", s("Tadeo")),
      unify("active", "active-disagrees", "isActive", m(["isActive": b(true), "activo": b(false)])),
      unify("role-missing", "role-missing", "role"), unify("role-null", "role-missing", "role", null),
      unify("role-owner", "role-deprecated", "role", s("owner")),
      unify("role-unknown", "role-unknown", "role", s("=1+1,\"Jefa\"\nñ")),
      unify("wrong", "wrong-type", "activo", s("si")),
      unify("wrong", "wrong-type", "phone", i(7_299_595_662)),
      emails("users/email-missing", "email-missing", "email"),
      emails("users/email-null", "email-missing", "email", null),
      emails("users/email-empty", "email-empty", "email", s(" ")),
      emails("users/email-no-at", "email-no-at", "email", s("-at")),
      emails("users/email-wrong", "email-wrong-type", "email", i(7)),
      emails("user_emails/heir@x.mx", "entry-reassigned", "primaryUserId", s("gone")),
      emails("user_emails/gone@x.mx", "entry-orphan-user-gone", "primaryUserId", s("gone")),
      emails("user_emails/other@x.mx", "entry-orphan-other-email", "primaryUserId", s("plain")),
      emails("user_emails/nobody@x.mx", "entry-orphan-no-user", "primaryUserId"),
      emails("user_emails/Plain@x.mx", "entry-orphan-not-normalised", "primaryUserId", s("plain")),
      ListedFinding(
        "users/second",
        "members-link",
        "match-taken",
        "linkedMemberId",
        m(["candidates": #"{"arrayValue":{"values":[\#(s("m"))]}}"#])
      ),
      ListedFinding("users/wrong", "members-link", "wrong-type", "activo", s("si")),
      ListedFinding("users/wrong", "members-link", "wrong-type", "phone", i(7_299_595_662)),
      ListedFinding("users/email-wrong", "members-link", "wrong-type", "email", i(7)),
    ].sorted()
  }()

  @Test(
    "A plan and an apply list every note, review and reject, as often as they count it, and say where.",
    arguments: [["plan"], ["apply", "-n"], ["apply", "--max-delete", "4"]]
  )
  func everyKind(_ command: [String]) async throws {
    try await withTool { tool in
      try await tool.load(Self.gym)
      let flags = ["users-unify", "user-emails", "members-link", "--accept-proposals", "--prune"]
      let result = try await tool.bare(["migrate"] + command + flags + tool.place)
      result.expect(command == ["plan"] ? 0 : 2)
      let run = try tool.lastRun()
      let found = try await tool.findings(of: run)
      #expect(found == Self.expected)
      #expect(found.counts == Self.expected.counts)
      #expect(result.findingCounts == Self.expected.counts)
      #expect(result.errorLines.contains("See .gymmigrate/runs/\(run)/findings.csv (every finding)."))
      // What a person hands back stays what it is: only what waits for a decision.
      let codes = ["active-disagrees", "email-no-at", "name-one-word"]
      let review = try await Judge.script(
        "import csv,sys\nfor r in csv.DictReader(open(sys.argv[1], encoding='utf-8-sig', newline='')): print(r['code'])",
        tool.path(".gymmigrate/runs/\(run)/review.csv")
      )
      #expect(review.split(separator: "\n").map(String.init).sorted() == codes)
      // Values are in the lists alone.
      for text in [result.errors, try tool.text(".gymmigrate/runs/\(run)/operation.log")] {
        #expect(!text.contains("Tadeo") && !text.contains("Jefa") && !text.contains("7299595662"))
      }
    }
  }

  @Test("Where nothing is reported there is no such file, and none is named.")
  func nothing() async throws {
    try await withTool { tool in
      try await tool.load(["users/plain": Self.user("plain")])
      let result = try await tool.run("migrate", "plan", "users-unify", "user-emails").expect(0)
      #expect(!result.errors.contains("findings"))
      #expect(!tool.names(in: ".gymmigrate/runs/\(try tool.lastRun())").contains { $0.hasPrefix("findings") })
    }
  }

  // MARK: Steps

  private static let steps = """
    id: steps
    summary: Steps that cannot be done.
    collection: members
    steps:
      - convert: {field: visits, to: integer, on-failure: skip}
      - map: {field: status, values: {activa: active}, unknown: skip}
      - split: {field: name, to: [first, last], on-failure: skip}
      - digits: phone
      - copy: {from: a.b, to: c}
    """

  @Test("What a file or flags leave alone is listed with its field and its value, the notes of skip too.")
  func oneOffs() async throws {
    try await withTool { tool in
      try tool.write(Self.steps, to: "steps.yaml")
      try await tool.load([
        "members/1": ["visits": s("siete"), "status": s("?")], "members/2": ["status": s("vencida")],
        "members/3": ["name": s("Ana Sol Mar")], "members/4": ["phone": s("729 ext 4")],
        "members/5": ["a": m(["b": i(1)]), "c": i(2)], "members/6": ["status": s("activa")],
      ])
      let expected = [
        ListedFinding("members/1", "steps", "not-convertible", "visits", s("siete")),
        ListedFinding("members/2", "steps", "unknown-value", "status", s("vencida")),
        ListedFinding("members/3", "steps", "parts-differ", "name", s("Ana Sol Mar")),
        ListedFinding("members/4", "steps", "not-digits", "phone", s("729 ext 4")),
        ListedFinding("members/5", "steps", "target-taken", "c", i(2)),
      ]
      for (command, code) in [("plan", 0), ("apply", 2)] as [(String, Int32)] {
        let result = try await tool.run("migrate", command, "steps.yaml").expect(code)
        #expect(try await tool.findings(of: tool.lastRun()) == expected)
        #expect(result.findingCounts == expected.counts)
      }
    }
  }

  @Test("What fix and delete leave alone is listed with what is in the way.")
  func fixAndDelete() async throws {
    try await withTool { tool in
      try await tool.load([
        "members/1": ["a": i(1), "b": i(5)], "members/2": ["x": i(1)], "members/2/notes/n": [:],
        "members/2/photos/p": [:],
      ])
      // Copied first and then set, the copy would become another one the second time.
      try tool.write(
        "id: restless\nsummary: Never at rest.\ncollection: members\nwhere: a >= 1\nsteps:\n"
          + "  - copy: {from: a, to: b, overwrite: true}\n  - set: {a: 2}\n",
        to: "restless.yaml"
      )
      let restless = [ListedFinding("members/1", "restless", "not-at-rest", "b", i(5))]
      let planned = try await tool.run("migrate", "plan", "restless.yaml").expect(0)
      #expect(try await tool.findings(of: tool.lastRun()) == restless)
      #expect(planned.findingCounts == restless.counts)

      let fixed = try await tool.run("fix", "members", "--all-documents", "--digits", "a", "--no-touch")
      fixed.expect(2)
      let wrong = [ListedFinding("members/1", "fix", "wrong-type", "a", i(1))]
      #expect(try await tool.findings(of: tool.lastRun()) == wrong)
      #expect(fixed.findingCounts == wrong.counts)

      let deleted = try await tool.run("delete", "members", "--all-documents", "--hard", "--max-delete", "9")
      deleted.expect(2)
      let below = #"{"arrayValue":{"values":[\#(s("notes")),\#(s("photos"))]}}"#
      let kept = [ListedFinding("members/2", "delete", "has-subcollections", "", below)]
      #expect(try await tool.findings(of: tool.lastRun()) == kept)
      #expect(deleted.findingCounts == kept.counts)
    }
  }

  // MARK: Conflicts and refusals

  @Test("What changed since a plan is listed with the migration whose change was not made.")
  func stalePlan() async throws {
    try await withTool { tool in
      let user = Self.user("u", ["isActive": nil])
      try await tool.load(["users/u": user, "users/v": Self.user("v", ["isActive": nil, "id": s("v")])])
      try await tool.run("migrate", "plan", "users-unify", "ids", "-o", "plan.jsonl").expect(0)
      // Both change users/u, in one line of the plan; users/v somebody else changes.
      try tool.write(#"{"fields":{"x":{"booleanValue":true}},"name":"users/v"}"# + "\n", to: "v.jsonl")
      try await tool.run("import", "v.jsonl", "--mode", "merge").expect(0)
      let applied = try await tool.run("migrate", "apply", "--plan", "plan.jsonl").expect(2)
      let found = try await tool.findings(of: tool.lastRun())
      #expect(found == [ListedFinding("users/v", "users-unify", "conflict")])
      #expect(applied.findingCounts == ["users-unify+ids": ["conflict": 1]])
    }
  }

  @Test("What an undo leaves alone is listed, planned and done.")
  func undo() async throws {
    try await withTool { tool in
      try await tool.load(["users/u": Self.user("u", ["isActive": nil])])
      try await tool.run("migrate", "apply", "users-unify").expect(0)
      let run = try tool.lastRun()
      try tool.write(#"{"fields":{"x":{"booleanValue":true}},"name":"users/u"}"# + "\n", to: "u.jsonl")
      try await tool.run("import", "u.jsonl", "--mode", "merge").expect(0)
      for flags in [["-n"], []] {
        let result = try await tool.bare(["migrate", "undo", run] + flags + tool.place).expect(2)
        #expect(
          try await tool.findings(of: tool.lastRun()) == [ListedFinding("users/u", "undo \(run)", "conflict")]
        )
        #expect(result.findingCounts == ["undo \(run)": ["conflict": 1]])
        #expect(result.errors.contains("/findings.csv (every finding)."))
      }
    }
  }

  @Test("A write that the service refuses is listed with the service's code.")
  func refused() async throws {
    try await withTool { tool in
      // Twice as much is more than a document may hold.
      try await tool.load([
        "members/1": ["a": s(String(repeating: "x", count: 600_000))], "members/2": ["a": s("x")],
      ])
      try tool.write(
        "id: twice\nsummary: Copies.\ncollection: members\nsteps:\n  - copy: {from: a, to: b}\n",
        to: "twice.yaml"
      )
      let result = try await tool.run("migrate", "apply", "twice.yaml").expect(2)
      #expect(
        try await tool.findings(of: tool.lastRun()) == [
          ListedFinding("members/1", "twice", "INVALID_ARGUMENT")
        ]
      )
      #expect(result.findingCounts == ["twice": ["INVALID_ARGUMENT": 1]])
    }
  }

  // MARK: The sample gym

  /// What the oracle finds, line by line.
  private func oracle(_ tool: Tool, _ flags: [String]) async throws -> [ListedFinding] {
    try await Judge.expect(Samples.folder.path, into: tool.path("expected"), flags)
    let data = Data(try tool.text("expected/report.json").utf8)
    let report = try #require(JSONSerialization.jsonObject(with: data) as? [String: [String: [String: Any]]])
    var findings: [ListedFinding] = []
    for (migration, part) in try #require(report["migrations"]) {
      for line in try #require(part["findings"] as? [[String: Any]]) {
        func member(_ name: String) -> String { line[name] as? String ?? "" }
        var finding = ListedFinding(member("document"), migration, member("code"), member("field"))
        finding.value = line["value"].map { ListedFinding.canonical($0) } ?? ""
        findings.append(finding)
      }
    }
    return findings.sorted()
  }

  @Test("Of the sample gym, what the oracle finds.", arguments: [[], ["--accept-proposals", "--prune"]])
  func samples(_ flags: [String]) async throws {
    try await withTool(against: try MiniFirestore.withSamples(Samples.few).handler) { tool, _ in
      let names = ["users-unify", "user-emails", "is-active"]
      let result = try await tool.bare(
        ["migrate", "apply", "--max-delete", "999"] + names + flags + tool.place
      ).expect(2)
      let expected = try await oracle(tool, flags)
      let found = try await tool.findings(of: tool.lastRun())
      #expect(result.findingCounts == found.counts)
      #expect(found.counts == expected.counts)
      #expect(
        found.contains { $0.code == "role-missing" } && found.contains { $0.code == "entry-reassigned" }
      )
      // The oracle has no value where several fields make it.
      let ofSeveral = expected.filter { $0.value.isEmpty }
      func key(_ finding: ListedFinding) -> ListedFinding {
        var key = finding
        key.value = ""
        return ofSeveral.contains(key) ? key : finding
      }
      #expect(found.map(key) == expected)
    }
  }
}
