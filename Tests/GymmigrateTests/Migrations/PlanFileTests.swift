import Foundation
import TestSupport
import Testing

@Suite("Plan files", .timeLimit(.minutes(60)))
struct PlanFileTests {
  private static let apply = ["migrate", "apply", "--plan", "plan.jsonl", "--max-delete", "999", "--json"]

  private func withGym(
    _ body: (Tool, MiniFirestore, KillSwitch) async throws -> Void
  ) async throws {
    let mini = try MiniFirestore.withSamples(["users", "user_emails"])
    let kill = KillSwitch(mini.handler, delay: .zero)
    try await withTool(against: kill.handler) { tool, _ in try await body(tool, mini, kill) }
  }

  /// The changes of a plan by document.
  private func plan(_ tool: Tool, _ name: String = "plan.jsonl") throws -> [String: [String: Any]] {
    var lines: [String: [String: Any]] = [:]
    for text in try tool.text(name).split(separator: "\n").dropLast() {
      let json = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      lines[try #require(json["path"] as? String)] = json
    }
    return lines
  }

  /// Whether a document is as a line of a plan has it.
  private func isApplied(_ line: [String: Any], _ document: MiniDocument?) throws -> Bool {
    guard let after = line["after"] as? [String: Any] else { return document == nil }
    guard var fields = try document?.fields() else { return false }
    for field in try #require(line["serverTimes"] as? [String]) {
      let time = (fields.removeValue(forKey: field) as? [String: Any])?["timestampValue"] as? String
      guard time.map({ $0 > "2026" }) ?? false else { return false }
    }
    return NSDictionary(dictionary: fields) == NSDictionary(dictionary: after)
  }

  @Test("Exactly what was planned is written, and the second time nothing.")
  func exact() async throws {
    try await withGym { tool, mini, _ in
      let before = mini.lines()
      let names = ["users-unify", "user-emails"]
      try await tool.bare(["migrate", "plan"] + names + ["--prune", "-o", "plan.jsonl"] + tool.place).expect(
        0
      )
      let planned = try plan(tool)
      try #require(planned.count > 300)
      #expect(mini.lines() == before)
      try await tool.bare(["migrate", "verify"] + names + ["--prune"] + tool.place).expect(1)

      let applied = try await tool.bare(Self.apply + tool.place).expect(0)
      let totals = try applied.summary().totals
      #expect(totals.written == planned.count && totals.balance)
      #expect(totals.deleted == planned.values.count { $0["after"] == nil })
      #expect(totals.created == planned.values.count { $0["before"] == nil })
      for (name, line) in planned {
        #expect(try isApplied(line, mini.document(name)), "\(name)")
      }
      let after = mini.lines()
      #expect(Set(before.keys).union(after.keys).filter { before[$0] != after[$0] } == Set(planned.keys))
      let ledger = try await tool.ledger()
      #expect(ledger.runs.map { $0.migrations.map(\.id) } == [names])
      #expect(ledger.runs.map(\.status) == ["done"])

      let again = try await tool.bare(Self.apply + tool.place).expect(0)
      #expect(try again.summary().totals.written == 0 && again.summary().totals.created == 0)
      #expect(mini.lines() == after)
      try await tool.bare(["migrate", "verify"] + names + ["--prune"] + tool.place).expect(0)
      // By name, too, though a plan of it was applied.
      try await tool.run("migrate", "apply", "users-unify", "--json").expect(2)
      #expect(mini.lines() == after)
      try await tool.run("migrate", "undo", try applied.summary().runId).expect(0)
      #expect(mini.lines() == before)
    }
  }

  @Test("What changed since the plan is left alone and listed.")
  func stale() async throws {
    try await withGym { tool, mini, _ in
      let before = mini.lines()
      try await tool.run("migrate", "plan", "users-unify", "user-emails", "--prune", "-o", "plan.jsonl")
        .expect(0)
      let planned = try plan(tool)
      let users = planned.keys.filter { $0.hasPrefix("users/") }.sorted()
      let (creations, deletions) = (
        planned.filter { $0.value["before"] == nil }, planned.filter { $0.value["after"] == nil }
      )
      let made = try #require(creations.keys.min())
      let pruned = try #require(deletions.keys.min())
      try mini.put(users[0], fields: #"{"a":{"integerValue":"1"}}"#)
      mini.remove(users[1])
      try mini.put(made, fields: "{}")
      try mini.put(pruned, fields: "{}")
      // The same fields once more are a change, too.
      let third = try #require(before[users[2]]?.components(separatedBy: #","name":"#).first?.dropFirst(10))
      try mini.put(users[2], fields: String(third))
      let edited = mini.lines()
      let stale = Set([users[0], users[1], users[2], made, pruned])
      let applied = try await tool.bare(Self.apply + tool.place).expect(2)
      let summary = try applied.summary()
      #expect(summary.totals.conflicted == 5 && summary.totals.balance)
      #expect(summary.totals.written == planned.count - 5)
      #expect(summary.totals.created == creations.count - 1, "one was there already")
      let rejects = try tool.list("rejects.jsonl", of: summary.runId)
      #expect(Set(rejects.compactMap { $0["path"] as? String }) == stale)
      #expect(rejects.allSatisfy { $0["code"] as? String == "conflict" })
      for reject in rejects {
        let verb = reject["path"] as? String == users[1] ? "deleted" : "changed"
        #expect(reject["message"] as? String == "the document was \(verb) since")
      }
      let left = mini.lines()
      for name in stale { #expect(left[name] == edited[name], "\(name)") }
      for (name, line) in planned where !stale.contains(name) {
        #expect(try isApplied(line, mini.document(name)), "\(name)")
      }
    }
  }

  /// A plan that is damaged, and what is said of it.
  struct Damage: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var text: String
    var make: @Sendable (String) -> String

    init(_ name: String, _ text: String, _ make: @escaping @Sendable (String) -> String) {
      (testDescription, self.text, self.make) = (name, text, make)
    }

    static func edited(
      _ name: String,
      _ text: String,
      lines edit: @escaping @Sendable ([String]) -> [String]
    ) -> Damage {
      Damage(name, text) { plan in
        edit(plan.split(separator: "\n").map(String.init)).map { "\($0)\n" }.joined()
      }
    }
  }

  static let damages = [
    Damage("cut off", "it was cut off") { String($0.dropLast(20)) },
    Damage("without its last line feed", "it was cut off") { String($0.dropLast()) },
    Damage("no JSON", "line 2") { $0.replacing(#"{"after""#, with: #"{after""#) },
    Damage("no JSON at all", "line 2") { _ in "\n" },
    Damage("without its path", "path is") { $0.replacing(#""path":"#, with: #""pat":"#) },
    Damage("without its database", "database is") { $0.replacing(#""database":"#, with: #""data":"#) },
    Damage("without its migration", "migration is") { $0.replacing(#""migration":"#, with: #""m":"#) },
    Damage("without its update time", "updateTime") { $0.replacing(#""updateTime":"#, with: #""time":"#) },
    Damage("without its server times", "serverTimes") {
      $0.replacing(#""serverTimes":"#, with: #""times":"#)
    },
    Damage("with neither before nor after", "before and after") {
      $0.replacing(#""before":"#, with: #""b":"#).replacing(#""after":"#, with: #""a":"#)
    },
    Damage("twice", "line 3 changes the same document as line 2") { $0 + $0 },
    Damage("with a member twice", "line 2: path: it is given twice") {
      $0.replacing(#""path":"#, with: #""path":"users/x","path":"#)
    },
    Damage("of the ledger", "gymmigrate's own") {
      $0.replacing(#""path":"users/"#, with: #""path":"_gymmigrate_runs/"#)
    },
  ]

  @Test("One that is damaged is 65 with its line, and nothing is begun.", arguments: damages)
  func damaged(_ damage: Damage) async throws {
    try await withGym { tool, mini, _ in
      let all = mini.everything()
      try await tool.run("migrate", "plan", "users-unify", "-o", "plan.jsonl").expect(0)
      let lines = try tool.text("plan.jsonl").split(separator: "\n").map { "\($0)\n" }
      try tool.write(lines[0] + damage.make(lines[1]), to: "plan.jsonl")
      try await tool.run("migrate", "apply", "--plan", "plan.jsonl").expectFailure(65, "line 2", damage.text)
      #expect(mini.everything() == all)
    }
  }

  static let spoilt: [Damage] = [
    Damage.edited("without its last lines", "its end is missing, behind line 2", lines: { Array($0[..<2]) }),
    Damage.edited("without its end", "its end is missing, behind line 4", lines: { Array($0[..<4]) }),
    Damage.edited(
      "without lines before the end",
      "line 3: it counts 4 changes, and 2 are before it",
      lines: {
        [$0[0], $0[1], $0[4]]
      }
    ),
    Damage.edited(
      "without its first line",
      "line 4: it counts 4 changes, and 3 are before it",
      lines: { Array($0[1...]) }
    ),
    Damage.edited(
      "in another order",
      "line 5: the lines before it are not as they were planned",
      lines: {
        [$0[1], $0[0], $0[2], $0[3], $0[4]]
      }
    ),
    Damage.edited(
      "edited",
      "line 5: the lines before it are not as they were planned",
      lines: {
        $0.map { $0.replacing(#""integerValue":"2""#, with: #""integerValue":"9""#) }
      }
    ),
    Damage.edited(
      "with a line behind its end",
      "line 6: it is behind the plan's end",
      lines: { $0 + [$0[4]] }
    ),
    Damage.edited(
      "with half an end",
      "line 5: it is no end of a plan",
      lines: { Array($0[..<4]) + [#"{"changes":4}"#] }
    ),
    Damage.edited("empty", "it is empty", lines: { _ in [] }),
  ]

  @Test("A plan is applied whole and as it was written, or refused.", arguments: spoilt)
  func whole(_ damage: Damage) async throws {
    let mini = MiniFirestore()
    for index in 1...4 { try mini.put("things/t\(index)", fields: #"{"n":{"integerValue":"1"}}"#) }
    try await withTool(against: mini.handler) { tool, _ in
      try tool.write("id: n\nsummary: N.\ncollection: things\nsteps: [{ set: { n: 2 } }]\n", to: "n.yaml")
      try await tool.run("migrate", "plan", "n.yaml", "-o", "plan.jsonl").expect(0)
      let all = mini.everything()
      let plan = try tool.text("plan.jsonl")
      try #require(plan.split(separator: "\n").count == 5)
      try tool.write(damage.make(plan), to: "spoilt.jsonl")
      try await tool.run("migrate", "apply", "--plan", "spoilt.jsonl").expectFailure(
        65,
        damage.text,
        "plan again"
      )
      #expect(mini.everything() == all)
      try await tool.run("migrate", "apply", "--plan", "plan.jsonl").expect(0)
      #expect(mini.lines().values.allSatisfy { $0.contains(#""n":{"integerValue":"2"}"#) })
    }
  }

  @Test("The end has the number of changes and their checksum, also of a plan that has none.")
  func end() async throws {
    try await withGym { tool, _, _ in
      try await tool.run("migrate", "plan", "users-unify", "-o", "plan.jsonl").expect(0)
      try await tool.run("migrate", "apply", "--plan", "plan.jsonl").expect(0)
      try await tool.run("migrate", "plan", "users-unify", "-o", "none.jsonl.gz").expect(0)
      try await Judge.script(
        """
        import gzip, hashlib, json, sys
        for name, least in (sys.argv[1], 100), (sys.argv[2], 0):
            *changes, end = (gzip.open if name.endswith(".gz") else open)(name, "rb").readlines()
            sha256 = hashlib.sha256(b"".join(changes)).hexdigest()
            assert json.loads(end) == {"changes": len(changes), "sha256": sha256} and len(changes) >= least
        """,
        tool.path("plan.jsonl"),
        tool.path("none.jsonl.gz")
      )
      try await tool.run("migrate", "apply", "--plan", "none.jsonl.gz").expect(0)
    }
  }

  @Test("For another database 77, missing 66, compressed as it is.")
  func others() async throws {
    try await withGym { tool, mini, _ in
      let all = mini.everything()
      try await tool.run("migrate", "plan", "users-unify", "-o", "plan.jsonl").expect(0)
      try await tool.bare(["migrate", "apply", "--plan", "plan.jsonl", "-e", "local"])
        .expectFailure(77, "projects/test-project/databases/(default)")
      try await tool.run("migrate", "apply", "--plan", "none.jsonl").expectFailure(66, "none.jsonl")
      try await tool.run("migrate", "apply", "users-unify", "--plan", "plan.jsonl").expect(64)
      #expect(mini.everything() == all)
      try await tool.run("migrate", "plan", "is-active", "--exit-code", "-q").expect(1)
      try await Judge.script(
        "import gzip, sys\nb = gzip.compress(open(sys.argv[1], 'rb').read())\nopen(sys.argv[2], 'wb').write(b)\nopen(sys.argv[3], 'wb').write(b[:-200])",
        tool.path("plan.jsonl"),
        tool.path("plan.jsonl.gz"),
        tool.path("cut.jsonl.gz")
      )
      let before = mini.lines()
      try await tool.run("migrate", "apply", "--plan", "cut.jsonl.gz").expectFailure(65, "ends early")
      #expect(mini.lines() == before)
      let applied = try await tool.run("migrate", "apply", "--plan", "plan.jsonl.gz", "--json").expect(0)
      #expect(try applied.summary().totals.written == plan(tool).count)
      // Nothing more to do: a plan without changes is a file, too.
      try await tool.run("migrate", "plan", "users-unify", "-o", "rest.jsonl", "--exit-code").expect(0)
      #expect(try plan(tool, "rest.jsonl").isEmpty)
    }
  }

  @Test("What only planning uses is refused with a plan, and by a migration that does not know it.")
  func unused() async throws {
    try await withTool { tool in
      let cases: [(words: [String], said: String)] = [
        (["apply", "--plan", "p.jsonl", "--accept-proposals"], "--accept-proposals is for planning"),
        (["apply", "--plan", "p.jsonl", "--review", "r.csv"], "give it to 'migrate plan'"),
        (["apply", "--plan", "p.jsonl", "--prune"], "--prune is for planning"),
        (["apply", "--plan", "p.jsonl", "--allow-schema-breaks"], "--allow-schema-breaks is for planning"),
        (["apply", "--plan", "p.jsonl", "--processes", "2"], "--processes is for planning"),
        (["apply", "--plan", "p.jsonl", "--time-zone", "UTC"], "--time-zone is for planning"),
        (["verify", "--run", "last", "--prune"], "--prune is for planning, and --run plans nothing"),
        (["verify", "--run", "last", "--allow-nondeterministic"], "--run plans nothing"),
        (["plan", "is-active", "--accept-proposals"], "--accept-proposals is for users-unify."),
        (["apply", "is-active", "users-unify", "--prune"], "--prune is for user-emails."),
        (["apply", "mine.yaml", "--prune"], "--prune is for user-emails."),
        (["apply", "is-active", "--allow-schema-breaks"], "none is named"),
        (["apply", "users"], "Did you mean users-unify or users-drop-legacy?"),
      ]
      for (words, said) in cases {
        try await tool.bare(["migrate"] + words + tool.place).expectFailure(64, said)
      }
      // A folder may call them anything.
      let named = try await tool.run("migrate", "plan", "02-user-emails", "01-users-unify", "--prune")
      #expect(!named.errors.contains("--prune is for"), "\(named.errors)")
    }
  }

  @Test("On another server 77, and nothing is begun; one that names no server is applied with a note.")
  func otherServer() async throws {
    try await withGym { tool, mini, _ in
      try await tool.run("migrate", "plan", "users-unify", "-o", "plan.jsonl").expect(0)
      let all = mini.everything()
      try await HTTPTestServer.withServer(mini.handler) { other in
        let refused = try await tool.bare(
          ["migrate", "apply", "--plan", "plan.jsonl", "-y"] + tool.at(other)
        )
        refused.expectFailure(77, other.url)
      }
      #expect(mini.everything() == all)
      // As version 0.1.0 wrote it.
      let former = try tool.text("plan.jsonl").replacing(#/,"server":"[^"]*"/#, with: "")
      let changes = former.split(separator: "\n").dropLast()
      try tool.write(changes.joined(separator: "\n") + "\n", to: "former.jsonl")
      let applied = try await tool.run("migrate", "apply", "--plan", "former.jsonl", "-y").expect(0)
      #expect(applied.errors.contains("does not say on which server"))
      let same = try await tool.run("migrate", "apply", "--plan", "plan.jsonl", "-y")
      #expect(!same.errors.contains("on which server"))
    }
  }

  @Test("Killed in the middle and resumed: every change once.", arguments: Settings.seeds(3))
  func killed(_ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let commit = Int.random(in: 3...12, using: &random)
    try await withGym { tool, mini, kill in
      try await tool.run("migrate", "plan", "users-unify", "user-emails", "--prune", "-o", "plan.jsonl")
        .expect(0)
      let planned = try plan(tool)
      try await tool.runKilled(
        at: commit,
        by: kill,
        "migrate",
        "apply",
        "--plan",
        "plan.jsonl",
        "--max-delete",
        "999",
        "--batch-size",
        "20"
      )
      try await tool.bare(["runs", "resume", "last"]).expect(0)
      let summary = try JSONDecoder().decode(
        Summary.self,
        from: Data(tool.text(".gymmigrate/runs/\(tool.lastRun())/summary.json").utf8)
      )
      #expect(summary.totals.balance && summary.totals.written == planned.count, "seed \(seed)")
      #expect(summary.totals.read == planned.values.count { $0["before"] != nil }, "seed \(seed)")
      #expect(summary.totals.deleted == planned.values.count { $0["after"] == nil }, "seed \(seed)")
      let findings = try await tool.findings(of: tool.lastRun())
      #expect(!findings.contains { $0.code == "changed-since" }, "seed \(seed): nobody else was there")
      for (name, line) in planned {
        #expect(try isApplied(line, mini.document(name)), "seed \(seed): \(name)")
      }
      #expect(mini.writtenDocuments.map(\.name).sorted() == planned.keys.sorted(), "seed \(seed)")
      #expect(mini.writtenDocuments.allSatisfy { $0.writes == 1 }, "seed \(seed)")
      #expect(try await tool.ledger().runs.map(\.status) == ["done"])
    }
  }

  @Test("verify --run lists what is not as the run left it.")
  func verifyRun() async throws {
    try await withGym { tool, mini, _ in
      let before = mini.lines()
      try await tool.run("migrate", "apply", "users-unify", "user-emails", "--prune", "--max-delete", "999")
        .expect(2)
      let run = try tool.lastRun()
      let verified = try await tool.bare(["migrate", "verify", "--run", "last"]).expect(0)
      #expect(verified.output.isEmpty)
      let after = mini.lines()
      let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
      #expect(
        verified.errors.contains("As run \(run) left them: \(changed.count) documents; changed since: 0.")
      )
      let updated = try #require(changed.first { $0.hasPrefix("users/") })
      let made = try #require(changed.first { before[$0] == nil })
      let pruned = try #require(changed.first { after[$0] == nil })
      try mini.put(updated, fields: "{}")
      mini.remove(made)
      try mini.put(pruned, fields: "{}")
      let again = try await tool.bare(["migrate", "verify", "--run", run]).expect(1)
      let expected = [
        "\(updated) was changed since", "\(made) is gone", "\(pruned) was changed since",
      ]
      #expect(again.output.split(separator: "\n").map(String.init).sorted() == expected.sorted())
      try await tool.bare(["migrate", "verify", "--run", run, "-e", "local"]).expectFailure(77)
    }
  }
}
