import Foundation
import TestSupport
import Testing

@Suite("Undo", .timeLimit(.minutes(60)))
struct UndoTests {
  private func withGym(
    _ collections: [String] = Samples.few,
    _ body: (Tool, MiniFirestore) async throws -> Void
  ) async throws {
    let mini = try MiniFirestore.withSamples(collections)
    try await withTool(against: mini.handler) { tool, _ in try await body(tool, mini) }
  }

  /// What an export of everything consists of, but for the manifest, which has its own time.
  private func exported(_ tool: Tool, _ folder: String) async throws -> [String: String] {
    try await tool.run("export", "--all", "--subcollections", "-o", "\(folder)/", "--format", "jsonl").expect(
      0
    )
    var files: [String: String] = [:]
    for name in tool.names(in: folder) where name != "manifest.json" {
      files[name] = try tool.text("\(folder)/\(name)")
    }
    return files
  }

  @Test("puts everything back, byte for byte", arguments: [[], ["--prune", "--max-delete", "999"]])
  func everything(_ flags: [String]) async throws {
    try await withGym { tool, mini in
      let before = mini.lines()
      let files = try await exported(tool, "before")
      let applied = try await tool.bare(["migrate", "apply", "--all", "--json"] + flags + tool.place)
      applied.expect(2)
      let after = mini.lines()
      let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
      let created = after.keys.filter { before[$0] == nil }
      try #require(changed.count > 300 && !created.isEmpty)
      #expect(flags.isEmpty == before.keys.allSatisfy { after[$0] != nil })

      let undone = try await tool.run("migrate", "undo", "last", "--json").expect(0)
      let totals = try undone.summary().totals
      #expect(totals.balance)
      #expect(totals.written == changed.count)
      #expect(totals.deleted == created.count)
      #expect(totals.created == before.keys.filter { after[$0] == nil }.count)
      #expect(try await exported(tool, "after") == files)
      #expect(mini.lines() == before)

      let ledger = try await tool.ledger()
      let (run, undo) = (try applied.summary().runId, try undone.summary().runId)
      #expect(ledger.lease == nil)
      #expect(ledger.runs.map(\.runId) == [run, undo])
      #expect(ledger.runs.map(\.status) == ["undone", "done"])
      #expect(ledger.runs.first?.undoneBy == undo && ledger.runs.last?.undoes == run)
      let list = try await tool.bare(["runs", "list"])
      #expect(list.output.split(separator: "\n").contains { $0.hasPrefix(run) && $0.contains("  undone  ") })
    }
  }

  @Test("keeps what people did since, and lists it.")
  func concurrent() async throws {
    try await withGym { tool, mini in
      let before = mini.lines()
      try await tool.run("migrate", "apply", "--all", "--prune", "--max-delete", "999").expect(2)
      let after = mini.lines()
      let users = before.keys.filter { $0.hasPrefix("users/") && after[$0] != before[$0] }.sorted()
      let pruned = try #require(before.keys.filter { after[$0] == nil }.min())
      let made = try #require(after.keys.filter { before[$0] == nil }.min())
      try #require(users.count > 10)
      // One of them is as before the run in everything but that somebody wrote something else, too.
      try mini.put(users[0], fields: #"{"phone":{"stringValue":"1"}}"#)
      try mini.put(users[1], fields: "{}")
      try mini.put(made, fields: #"{"email":{"stringValue":"x"}}"#)
      try mini.put(pruned, fields: #"{"mine":{"booleanValue":true}}"#)
      mini.remove(users[2])
      let edited = mini.lines()
      let kept = Set([users[0], users[1], made, pruned, users[2]])

      let plan = try await tool.run("migrate", "undo", "last", "-n", "--json").expect(2)
      #expect(try plan.summary().totals.conflicted == 5)
      #expect(mini.lines() == edited)
      let undone = try await tool.run("migrate", "undo", "last", "--json").expect(2)
      let summary = try undone.summary()
      #expect(summary.totals.conflicted == 5 && summary.totals.balance)
      let rejects = try tool.list("rejects.jsonl", of: summary.runId)
      #expect(rejects.allSatisfy { $0["code"] as? String == "conflict" })
      #expect(rejects.compactMap { $0["path"] as? String }.sorted() == kept.sorted())
      let gone = rejects.filter { ($0["message"] as? String)?.contains("was deleted since") ?? false }
      #expect(gone.compactMap { $0["path"] as? String } == [users[2]])
      var expected = before
      for name in kept { expected[name] = edited[name] }
      #expect(mini.lines() == expected)
      #expect(try await tool.ledger().runs.map(\.status) == ["undone", "incomplete"])
    }
  }

  /// Undoes a run, checks the exit code and what `runs list` says of the run then.
  private func undo(_ run: String, _ tool: Tool, _ code: Int32, _ status: String) async throws {
    try await tool.run("runs", "undo", run).expect(code)
    let list = try await tool.bare(["runs", "list"]).output.split(separator: "\n")
    #expect(list.contains { $0.hasPrefix(run) && $0.contains("  \(status)  ") }, "\(list)")
  }

  private func imported(_ tool: Tool, _ lines: String...) async throws -> String {
    try tool.write(lines.joined(separator: "\n") + "\n", to: "in.jsonl")
    try await tool.bare(["import", "in.jsonl", "--mode", "upsert", "--schema", "none"] + tool.place).expect(0)
    return try tool.lastRun()
  }

  @Test("Of runs out of order: a later run that wrote what had been before is a writer as any other.")
  func outOfOrder() async throws {
    try await withGym(["exercises"]) { tool, mini in
      try mini.put("c/a", fields: #"{"x":{"integerValue":"1"}}"#)
      let before = mini.lines().filter { $0.key.hasPrefix("c/") }
      let second = try await imported(tool, documentLine("c/a", 2))
      let third = try await imported(tool, #"{"name":"c/a","fields":{"x":{"integerValue":"1"}}}"#)
      try await undo(second, tool, 2, "done")
      try await undo(third, tool, 0, "undone")
      try await undo(second, tool, 0, "undone")
      #expect(mini.lines().filter { $0.key.hasPrefix("c/") } == before)
      try await tool.run("runs", "undo", second).expectFailure(64)
    }
  }

  @Test("What has got something below it stays, and is listed; what the run made below goes first.")
  func subcollections() async throws {
    try await withGym(["exercises"]) { tool, mini in
      // This was below nothing before the run, and will be again.
      try mini.put("c/old/things/t", fields: "{}")
      let names = ["c/a", "c/a/things/t", "c/a/things/t/more/m", "c/b", "c/b/things/t", "c/old"]
      let run = try await imported(tool, names.map { documentLine($0, 1) }.joined(separator: "\n"))
      try mini.put("c/b/things/u/deep/d", fields: "{}")
      let plan = try await tool.run("runs", "undo", run, "-n", "--json").expect(2)
      #expect(try plan.summary().totals.rejected == 1)
      let undone = try await tool.run("runs", "undo", run, "--json").expect(2)
      let summary = try undone.summary()
      #expect(summary.totals.rejected == 1 && summary.totals.deleted == 5 && summary.totals.balance)
      let rejects = try tool.list("rejects.jsonl", of: summary.runId)
      #expect(rejects.compactMap { $0["code"] as? String } == ["has-subcollections"])
      #expect(rejects.compactMap { $0["path"] as? String } == ["c/b"])
      func left() -> [String] { mini.lines().keys.filter { $0.hasPrefix("c/") }.sorted() }
      #expect(left() == ["c/b", "c/b/things/u/deep/d", "c/old/things/t"])
      mini.remove("c/b/things/u/deep/d")
      try await tool.run("runs", "undo", "last").expectFailure(64, run, "has-subcollections")
      try await undo(run, tool, 0, "undone")
      #expect(left() == ["c/old/things/t"])
    }
  }

  @Test("Of runs out of order: what the run made and a later one deleted is no more its own.")
  func outOfOrderDeletion() async throws {
    try await withGym(["exercises"]) { tool, mini in
      let creation = try await imported(tool, documentLine("c/a", 1))
      let delete = ["delete", "c", "--id", "a", "--hard", "--max-delete", "1", "--schema", "none"]
      try await tool.bare(delete + tool.place).expect(0)
      let deletion = try tool.lastRun()
      try await undo(creation, tool, 2, "done")
      try await undo(deletion, tool, 0, "undone")
      try await undo(creation, tool, 0, "undone")
      #expect(mini.document("c/a") == nil)
    }
  }

  @Test(
    "What came below since the run keeps its parent, also one that an undo created again.",
    arguments: [true, false]
  )
  func belowCreatedAgain(_ isBefore: Bool) async throws {
    try await withGym(["exercises"]) { tool, mini in
      try mini.put("c/a/old/o", fields: "{}")
      let creation = try await imported(tool, documentLine("c/a", 1))
      if isBefore { try mini.put("c/a/things/t", fields: "{}") }
      let delete = ["delete", "c", "--id", "a", "--hard", "--max-delete", "1", "--leave-subcollections"]
      try await tool.bare(delete + ["--schema", "none"] + tool.place).expect(0)
      if !isBefore { try mini.put("c/a/things/t", fields: "{}") }
      try await undo(try tool.lastRun(), tool, 0, "undone")
      try await undo(creation, tool, 2, "done")
      #expect(mini.document("c/a") != nil)
      mini.remove("c/a/things/t")
      try await undo(creation, tool, 0, "undone")
      #expect(mini.document("c/a") == nil && mini.document("c/a/old/o") != nil)
    }
  }

  @Test(
    "What is undone in part is undone further once the rest can be, and 'last' passes over it until then."
  )
  func inPart() async throws {
    try await withGym(["exercises"]) { tool, mini in
      let before = mini.lines()
      let first = try await imported(tool, documentLine("d/a", 1))
      let second = try await imported(tool, documentLine("c/a", 1), documentLine("c/b", 1))
      let third = try await imported(tool, documentLine("c/a", 2))
      try await undo(second, tool, 2, "undone-in-part")
      #expect(mini.document("c/b") == nil && mini.document("c/a") != nil)
      #expect(try await tool.ledger().runs.first { $0.runId == second }?.undoneBy != nil)
      let last = try await tool.run("runs", "undo", "last")
      #expect(last.errors.contains("Run \(third): "), "\(last.errors)")
      let rest = try await tool.run("runs", "undo", "last").expect(0)
      #expect(rest.errors.contains("Run \(second): "), "\(rest.errors)")
      #expect(mini.document("c/a") == nil)
      // A conflict that stays does not stand in the way of the run before.
      let fourth = try await imported(tool, documentLine("c/a", 1))
      try mini.put("c/a", fields: #"{"theirs":{"booleanValue":true}}"#)
      for (run, code) in [(fourth, Int32(2)), (first, 0)] {
        let undo = try await tool.run("runs", "undo", "last").expect(code)
        #expect(undo.errors.contains("Run \(run): "), "\(undo.errors)")
      }
      mini.remove("c/a")
      #expect(
        Set(mini.lines().keys.filter { !$0.hasPrefix("_") }) == Set(before.keys.filter { !$0.hasPrefix("_") })
      )
    }
  }

  @Test("What undos put back is no conflict of a later run, and 'last' ends beside one that stays.")
  func conflictThatStays() async throws {
    try await withGym(["exercises"]) { tool, mini in
      var runs = [
        try await imported(tool, documentLine("c/a", 1), documentLine("c/b", 1), documentLine("c/c", 1))
      ]
      for set in ["a=1", "a=2"] {
        let fix = ["fix", "c", "--all-documents", "--set", set, "--no-touch", "--schema", "none"]
        try await tool.bare(fix + tool.place).expect(0)
        runs.append(try tool.lastRun())
      }
      try mini.put("c/a", fields: #"{"theirs":{"booleanValue":true}}"#)
      for run in runs.reversed() {
        let undo = try await tool.run("runs", "undo", "last").expect(2)
        #expect(undo.errors.contains("Run \(run): "), "\(undo.errors)")
      }
      try await tool.run("runs", "undo", "last").expectFailure(64, "was changed since")
      for run in runs {
        let again = try await tool.run("runs", "undo", run, "--json").expect(2)
        let totals = try again.summary().totals
        #expect(totals.unchanged == 2 && totals.conflicted == 1, "\(totals)")
      }
    }
  }

  @Test("of a document that changes while it is undone")
  func concurrentInBetween() async throws {
    try await withGym(["exercises"]) { tool, mini in
      try mini.put("members/1", fields: #"{"a":{"integerValue":"1"}}"#)
      try mini.put("members/2", fields: #"{"a":{"integerValue":"1"}}"#)
      try await tool.run("fix", "members", "--all-documents", "--set", "a=2").expect(0)
      mini.setBeforeCommit { _, request in
        if request.text.contains("documents/members/1") {
          try? mini.put("members/1", fields: #"{"a":{"integerValue":"3"}}"#)
        }
      }
      try await tool.run("migrate", "undo", "last").expect(2)
      #expect(mini.document("members/1")?.fieldsJSON == #"{"a":{"integerValue":"3"}}"#)
      #expect(mini.document("members/2")?.fieldsJSON == #"{"a":{"integerValue":"1"}}"#)
    }
  }

  @Test("Of a run of two migrations: a document that somebody changed in between stays, and is listed.")
  func changedBetweenMigrations() async throws {
    try await withGym(["exercises"]) { tool, mini in
      for id in ["1", "2"] { try mini.put("members/\(id)", fields: #"{"a":{"integerValue":"1"}}"#) }
      for name in ["one", "two"] {
        let file = "id: \(name)\nsummary: S.\ncollection: members\nsteps:\n  - set: {\(name): 1}\n"
        try tool.write(file, to: "\(name).yaml")
      }
      let theirs = #"{"a":{"integerValue":"1"},"one":{"integerValue":"1"},"theirs":{"booleanValue":true}}"#
      mini.setBeforeCommit { _, request in
        guard request.text.contains(#""two":{"integerValue""#) else { return }
        mini.setBeforeCommit(nil)
        try? mini.put("members/1", fields: theirs)
      }
      let apply = ["migrate", "apply", "one.yaml", "two.yaml", "--schema", "none"]
      try await tool.bare(apply + tool.place).expect(0)
      let left = try #require(mini.document("members/1")?.fieldsJSON)
      #expect(left.contains("theirs") && left.contains("two"))
      try await tool.run("migrate", "verify", "--run", "last").expect(0)
      for flags in [["-n"], []] {
        let undo = try await tool.bare(["migrate", "undo", "last", "--json"] + flags + tool.place)
        undo.expect(2)
        let summary = try undo.summary()
        #expect(summary.totals.conflicted == 1 && (summary.totals.balance || !flags.isEmpty))
        let rejects = try tool.list("rejects.jsonl", of: summary.runId)
        #expect(rejects.compactMap { $0["path"] as? String } == ["members/1"])
        #expect((rejects.first?["message"] as? String)?.contains("changed in between") == true)
      }
      #expect(mini.document("members/1")?.fieldsJSON == left)
      #expect(mini.document("members/2")?.fieldsJSON == #"{"a":{"integerValue":"1"}}"#)
    }
  }

  @Test("of a run that was stopped or killed half-way", arguments: [SIGINT, SIGKILL], Settings.seeds(2))
  func halfWay(_ signal: Int32, _ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    // The first two commits are those of the lease and of the ledger.
    let number = Int.random(in: 1...12, using: &random)
    let isApplied = Bool.random(using: &random)
    let mini = try MiniFirestore.withSamples(["users", "user_emails"])
    let before = mini.lines()
    let running = Later<RunningBinary>()
    let faults = mini.faults(
      FaultRule(
        [.commit],
        .number(number),
        .custom { request, inner in
          let reaction = isApplied || signal == SIGINT ? inner(request) : .stall
          running.get()?.send(signal)
          return signal == SIGKILL ? .stall : reaction
        }
      ),
      FaultRule([.commit], .always, .delay(.milliseconds(20))),
      maximumConsecutive: .max
    )
    try await withTool(against: faults.handler) { tool, _ in
      let command = ["migrate", "apply", "--all", "--batch-size", "20", "--in-flight", "2"]
      let result = try await tool.bare(command + tool.place, as: running)
      #expect(result.exitCode == 128 + signal, "seed \(seed): \(result.errors)")
      faults.setOn(false)
      // Asked before the undo, which is a run of its own and may begin in the same second.
      let stopped = try tool.lastRun()
      try await tool.run("migrate", "undo", "last").expect(0)
      #expect(mini.lines() == before, "seed \(seed)")
      // It is over: nothing is left to resume, nothing holds others up.
      try await tool.bare(["runs", "resume", stopped]).expectFailure(64, "undone")
      let ledger = try await tool.ledger()
      #expect(ledger.lease == nil && ledger.runs.allSatisfy { !$0.isHalfWay })
    }
  }

  @Test("of an import: what it made is deleted, what it replaced is as it was.")
  func imports() async throws {
    try await withGym(["products"]) { tool, mini in
      let before = mini.lines()
      try await tool.run("import", Samples.file("exercises")).expect(0)
      #expect(mini.snapshot().count == before.count + 20)
      try await tool.run("migrate", "undo", "last").expect(0)
      #expect(mini.lines() == before)
      // The same ids with other fields, and new ones.
      let swapped = try Samples.text("exercises").replacing("exercises/", with: "products/")
      let first = try #require(before.keys.min())
      let other = #"{"fields":{"x":{"nullValue":null}},"name":"\#(first)"}"#
      try tool.write(swapped + other + "\n", to: "in.jsonl")
      try await tool.run("import", "in.jsonl", "--mode", "upsert").expect(0)
      let replaced = try #require(mini.document(first)?.fieldsJSON)
      #expect(
        replaced.hasPrefix(#"{"updatedAt":{"timestampValue":"#)
          && replaced.hasSuffix(#"},"x":{"nullValue":null}}"#)
      )
      try await tool.bare(["runs", "undo", "last"]).expect(0)
      #expect(mini.lines() == before)
    }
  }

  @Test(
    "of every kind of run that changes documents, also as runs undo, and without naming the place",
    arguments: [
      ["fix", "members", "--all-documents", "--rename", "phone=tel", "--set", "a.b=1"],
      ["delete", "members", "--all-documents"],
      ["delete", "members", "--all-documents", "--hard", "--max-delete", "9999"],
      ["migrate", "apply", "all.yaml"],
    ]
  )
  func kinds(_ command: [String]) async throws {
    try await withGym(["members", "groups"]) { tool, mini in
      try tool.write(
        "id: all-members\nsummary: X.\ncollection: members\nsteps:\n  - set: {x: 1}\n  - unset: phone\n",
        to: "all.yaml"
      )
      let before = mini.lines()
      let result = try await tool.bare(command + ["--json"] + tool.place)
      #expect(result.exitCode == 0 || result.exitCode == 2, "\(result.errors)")
      let after = mini.lines()
      let changed = Set(before.keys).filter { after[$0] != before[$0] }
      #expect(!changed.isEmpty)
      let undone = try await tool.bare(["runs", "undo", try result.summary().runId, "--json"]).expect(0)
      #expect(try undone.summary().totals.written == changed.count)
      #expect(mini.lines() == before)
    }
  }

  @Test("of transactions, on the embedded store")
  func transactions() async throws {
    try await withTool { tool in
      let old = t("2020-01-01T00:00:00Z")
      try await tool.load([
        "groups/g": ["memberCount": i(7), "updatedAt": old], "groups/h": ["updatedAt": old],
        "groups/g/members/1": [:], "groups/g/members/2": [:],
      ])
      let before = try await tool.documents()
      try await tool.run("migrate", "apply", "groups-recount").expect(0)
      let count = try await tool.documents()["groups/g"]?["memberCount"] as? [String: String]
      #expect(count == ["integerValue": "2"])
      try await tool.run("migrate", "undo", "last").expect(0)
      #expect(try await tool.documents() == before)
    }
  }

  // MARK: Refusals

  @Test(
    "of an undo, twice, of a plan, of no run, for another database or another server: refused, nothing written."
  )
  func refusals() async throws {
    try await withGym(["products", "users"]) { tool, mini in
      try await tool.run("migrate", "plan", "is-active").expect(0)
      try await tool.run("migrate", "undo", try tool.lastRun()).expectFailure(64, "it only read")
      try await tool.run("migrate", "undo", "last").expectFailure(64)
      try await tool.run("migrate", "apply", "is-active").expect(2)
      let applied = try tool.lastRun()
      let writes = mini.requestCount(.commit)
      let lines = mini.lines()
      try await tool.bare(["migrate", "undo", applied, "-e", "local"]).expectFailure(
        77,
        "projects/test-project"
      )
      let elsewhere = try await tool.bare(["migrate", "undo", applied, "--database", "other"])
      elsewhere.expectFailure(77, "projects/test-project/databases/(default)")
      let dry = try await tool.run("migrate", "undo", applied, "--dry-run").expect(0)
      #expect(dry.output.hasPrefix("undo \(applied): 0 to create, "))
      #expect(mini.requestCount(.commit) == writes && mini.lines() == lines)

      try await tool.run("migrate", "undo", applied).expect(0)
      let undo = try tool.lastRun()
      let done = mini.requestCount(.commit)
      try await tool.run("migrate", "undo", applied).expectFailure(64, "undone already")
      try await tool.run("migrate", "undo", "last").expectFailure(64, "is left to undo")
      try await tool.run("runs", "undo", undo).expectFailure(64, "an undo itself")
      #expect(mini.requestCount(.commit) == done)
    }
  }

  @Test("without -e goes to the server that the run worked on, and to no other.")
  func ownServer() async throws {
    let (one, two) = (MiniFirestore(), MiniFirestore())
    try one.put("members/1", fields: #"{"a":{"integerValue":"1"}}"#)
    try await withTool(against: one.handler) { tool, first in
      try await HTTPTestServer.withServer(two.handler) { second in
        func configure(_ url: String) throws {
          let text =
            "environments:\n  mine: {project: test-project, database: (default), endpoint: '\(url)'}\n"
          try tool.write(text, to: "gymmigrate.yaml")
        }
        try configure(first.url)
        let fix = ["fix", "members", "--all-documents", "--set", "a=2", "--no-touch", "-e", "mine"]
        try await tool.bare(fix).expect(0)
        try configure(second.url)
        try await tool.bare(["migrate", "undo", "last"]).expectFailure(77, first.url, second.url)
        try configure(first.url)
        try await tool.bare(["migrate", "undo", "last"]).expect(0)
        #expect(one.document("members/1")?.fieldsJSON == #"{"a":{"integerValue":"1"}}"#)
        #expect(two.everything().isEmpty)
      }
    }
  }

  @Test("of a run that is at work is 75.")
  func running() async throws {
    try await withPausedMigration("is-active") { tool in
      try await tool.run("migrate", "undo", "last").expectFailure(75, "it is running")
      try await tool.run("migrate", "unlock", try tool.lastRun()).expectFailure(75, "it is running")
    }
  }

  @Test("An undo that was killed resumes the run that was meant, whatever came since.")
  func lastMoves() async throws {
    let mini = try MiniFirestore.withSamples(["users"])
    let kill = KillSwitch(mini.handler, delay: .zero)
    try await withTool(against: kill.handler) { tool, _ in
      let before = mini.lines()
      try await tool.run("migrate", "apply", "is-active").expect(2)
      try await tool.runKilled(
        at: 4,
        by: kill,
        "migrate",
        "undo",
        "last",
        "--batch-size",
        "5",
        "--in-flight",
        "1"
      )
      let undo = try tool.lastRun()
      #expect(mini.lines() != before)
      try await tool.run("import", Samples.file("exercises")).expect(0)
      // By now the last one is the import, and the dead undo holds the lease.
      try await tool.run("migrate", "undo", "last", "--batch-size", "5", "--in-flight", "1")
        .expectFailure(75, undo)
      try await tool.bare(["runs", "resume", undo]).expect(0)
      var expected = before
      for (name, line) in try MiniFirestore.canonical(jsonLines: Samples.text("exercises")).map({
        ($0.name, $0.jsonLine)
      }) {
        expected[name] = line
      }
      #expect(mini.lines() == expected)
      #expect(try await tool.ledger().runs.map(\.status) == ["undone", "done", "done"])
    }
  }
}
