import Foundation
import TestSupport
import Testing

@Suite("A plan is held to the guards of what it does, and is what was checked", .timeLimit(.minutes(60)))
struct PlanGuardTests {
  private static let count = 40

  /// Things to delete, and a plan that deletes them all.
  private func withPlan(_ body: (Tool, MiniFirestore, KillSwitch) async throws -> Void) async throws {
    let mini = MiniFirestore()
    for index in 0..<Self.count { try mini.put("things/t\(index)", fields: #"{"n":{"integerValue":"1"}}"#) }
    let kill = KillSwitch(mini.handler, delay: .zero)
    try await withTool(against: kill.handler) { tool, _ in
      try await tool.run("delete", "things", "--all-documents", "--hard", "-n").expect(0)
      let plan = try #require(tool.runs().last) + "/plan.jsonl"
      try tool.write(try tool.text(plan), to: "plan.jsonl")
      try await body(tool, mini, kill)
    }
  }

  private func apply(_ tool: Tool, _ more: String...) async throws -> RunResult {
    try await tool.bare(["migrate", "apply", "--plan", "plan.jsonl"] + more + tool.place)
  }

  @Test("Deletions want a bound, and one that is too small refuses the plan before anything is written.")
  func bound() async throws {
    try await withPlan { tool, mini, _ in
      let all = mini.everything()
      let runs = tool.runs()
      try await apply(tool).expectFailure(77, "no maximum was given", "--max-delete")
      try await apply(tool, "--yes").expectFailure(77, "--max-delete")
      try await apply(tool, "--max-delete", "0").expectFailure(77, "deletes 40 documents", "allows 0")
      try await apply(tool, "--max-delete", "39").expectFailure(77, "plan.jsonl", "--max-delete allows 39")
      #expect(mini.everything() == all && tool.runs() == runs)
      let applied = try await apply(tool, "--max-delete", "40", "--json")
      applied.expect(0)
      #expect(try applied.summary().totals.deleted == Self.count)
      #expect(mini.lines().isEmpty)
    }
  }

  @Test("On a terminal the number is typed instead.")
  func typed() async throws {
    try await withPlan { tool, mini, _ in
      let command = ["migrate", "apply", "--plan", "plan.jsonl"] + tool.place
      let refused = try await tool.onTerminal(command, typing: "39")
      #expect(refused.exitCode == 77 && refused.output.contains("40 documents will be deleted for good"))
      #expect(mini.lines().count == Self.count)
      #expect(try await tool.onTerminal(command, typing: "40").exitCode == 0)
      #expect(mini.lines().isEmpty)
    }
  }

  @Test("A document that got a subcollection since the plan is left and listed, and the others are deleted.")
  func subcollections() async throws {
    try await withPlan { tool, mini, _ in
      for index in [0, 17, 39] { try mini.put("things/t\(index)/notes/n", fields: "{}") }
      let applied = try await apply(tool, "--max-delete", "40", "--json")
      applied.expect(2)
      let summary = try applied.summary()
      #expect(summary.totals.balance && summary.totals.deleted == Self.count - 3)
      #expect(summary.totals.rejected == 3)
      let left = ["things/t0", "things/t17", "things/t39"]
      #expect(Set(mini.lines().keys) == Set(left + left.map { "\($0)/notes/n" }))
      let rejects = try tool.list("rejects.jsonl", of: summary.runId)
      #expect(rejects.compactMap { $0["path"] as? String }.sorted() == left)
      #expect(rejects.allSatisfy { $0["code"] as? String == "has-subcollections" })
    }
  }

  @Test("A migration without a plan file leaves a document with a subcollection, as its plan says.")
  func direct() async throws {
    let mini = MiniFirestore()
    try mini.put("users/u", fields: "{}")
    for name in ["a@b", "z@b", "z@b/notes/n"] { try mini.put("user_emails/\(name)", fields: "{}") }
    try await withTool(against: mini.handler) { tool, _ in
      let plan = try await tool.run("migrate", "plan", "user-emails", "--prune")
      #expect(plan.output.contains("0 to create, 0 to update, 1 to delete"), "\(plan.output)")
      #expect(plan.output.contains("has-subcollections: 1"), "\(plan.output)")
      let apply = ["migrate", "apply", "user-emails", "--prune", "--json"] + tool.place
      try await tool.bare(apply + ["--max-delete", "0"]).expectFailure(77, "and 1 are meant")
      let applied = try await tool.bare(apply + ["--max-delete", "1"]).expect(2)
      let summary = try applied.summary()
      #expect(summary.totals.balance && summary.totals.deleted == 1 && summary.totals.rejected == 1)
      #expect(Set(mini.lines().keys) == ["users/u", "user_emails/z@b", "user_emails/z@b/notes/n"])
      let rejects = try tool.list("rejects.jsonl", of: summary.runId)
      #expect(rejects.compactMap { $0["code"] as? String } == ["has-subcollections"])
    }
  }

  @Test(
    "What a plan says of everything below a document is believed as far as the plan deletes what is there."
  )
  func covered() async throws {
    let mini = MiniFirestore()
    try mini.put("other/o", fields: "{}")
    let moment = try #require(mini.snapshot().map(\.updateTime).max())
    let names = ["things/t0", "things/t1", "things/t2"]
    for name in names.flatMap({ [$0, "\($0)/notes/n", "\($0)/notes/n/deep/d"] }) {
      try mini.put(name, fields: "{}")
    }
    try await withTool(against: mini.handler) { tool, _ in
      try await tool.run("restore", "things", "--at", moment, "-n", "-o", "plan.jsonl").expect(0)
      let lines = try tool.text("plan.jsonl").split(separator: "\n").dropLast()
      #expect(lines.count == 9 && lines.allSatisfy { $0.contains("with-all-below") })
      let kept = lines.filter { !$0.contains("things/t1/notes/n/deep/d") }
      try tool.write(wholePlan(of: kept), to: "plan.jsonl")
      try mini.put("things/t2/more/m", fields: "{}")
      let applied = try await apply(tool, "--max-delete", "8", "--json")
      applied.expect(2)
      let summary = try applied.summary()
      #expect(summary.totals.balance && summary.totals.deleted == 5 && summary.totals.rejected == 3)
      let left = ["things/t1", "things/t1/notes/n", "things/t2"]
      let stays = left + ["other/o", "things/t1/notes/n/deep/d", "things/t2/more/m"]
      #expect(Set(mini.lines().keys) == Set(stays))
      let rejects = try tool.list("rejects.jsonl", of: summary.runId)
      #expect(rejects.compactMap { $0["path"] as? String }.sorted() == left)
      #expect(rejects.allSatisfy { $0["code"] as? String == "has-subcollections" })
    }
  }

  @Test("A resumed run takes what it deleted itself for done, whatever came below it since.")
  func resumed() async throws {
    try await withPlan { tool, mini, kill in
      try await tool.runKilled(
        at: 4,
        by: kill,
        "migrate",
        "apply",
        "--plan",
        "plan.jsonl",
        "--max-delete",
        "40",
        "--batch-size",
        "5"
      )
      let names = (0..<Self.count).map { "things/t\($0)" }
      let gone = names.filter { mini.document($0) == nil }
      try #require(!gone.isEmpty)
      for name in gone { try mini.put("\(name)/notes/n", fields: "{}") }
      try await tool.bare(["runs", "resume", "last"]).expect(0)
      let summary = try JSONDecoder().decode(
        Summary.self,
        from: Data(tool.text("\(#require(tool.runs().last))/summary.json").utf8)
      )
      #expect(summary.totals.balance && summary.totals.deleted == Self.count)
      #expect(names.allSatisfy { mini.document($0) == nil })
    }
  }

  /// A plan of the same length that writes another value into the same documents.
  private func withUpdates(
    _ body: (Tool, MiniFirestore, KillSwitch, _ other: String) async throws -> Void
  ) async throws {
    let mini = MiniFirestore()
    for index in 0..<200 { try mini.put("things/t\(index)", fields: #"{"n":{"integerValue":"1"}}"#) }
    let kill = KillSwitch(mini.handler, delay: .zero)
    try await withTool(against: kill.handler) { tool, _ in
      for value in ["2", "3"] {
        let planned = try await tool.run("fix", "things", "--all-documents", "--set", "n=\(value)", "-n")
        planned.expect(0)
        try tool.write(tool.text(try #require(tool.runs().last) + "/plan.jsonl"), to: "plan-\(value).jsonl")
      }
      try tool.write(try tool.text("plan-2.jsonl"), to: "plan.jsonl")
      try await body(tool, mini, kill, try tool.text("plan-3.jsonl"))
    }
  }

  @Test(
    "What was checked is applied, though the file is replaced or written over meanwhile.",
    arguments: [true, false]
  )
  func replaced(_ isReplaced: Bool) async throws {
    try await withUpdates { tool, mini, _, other in
      let file = tool.path("plan.jsonl")
      let spoilt = Later<Void>()
      // The plan was checked before the first request is sent.
      let handler: RequestHandler = { request in
        if !spoilt.isSet {
          if isReplaced {
            try? Data(other.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
          } else if let handle = FileHandle(forWritingAtPath: file) {
            handle.write(Data(other.utf8))
            try? handle.close()
          }
          spoilt.set(())
        }
        return mini.handler(request)
      }
      try await HTTPTestServer.withServer(handler) { server in
        // The plan as it is made on this server.
        let endpoint = try #require(tool.place.first { $0.hasPrefix("http://") })
        var tool = tool
        tool.place = tool.at(server)
        let own = try #require(tool.place.first { $0.hasPrefix("http://") })
        let moved = try tool.text("plan.jsonl").replacing(endpoint, with: own).split(separator: "\n")
        try tool.write(wholePlan(of: moved.dropLast()), to: "plan.jsonl")
        try await apply(tool).expect(0)
      }
      #expect(try tool.text("plan.jsonl") == other)
      #expect(mini.lines().values.allSatisfy { $0.contains(#""n":{"integerValue":"2"}"#) })
    }
  }

  @Test("A run is resumed with the plan that it began with, and with no other of the same size and time.")
  func resumedWithAnother() async throws {
    try await withUpdates { tool, mini, kill, other in
      try await tool.runKilled(
        at: 3,
        by: kill,
        "migrate",
        "apply",
        "--plan",
        "plan.jsonl",
        "--batch-size",
        "20"
      )
      let original = try tool.text("plan.jsonl")
      try await Judge.script(
        """
        import os, sys
        before = os.stat(sys.argv[1])
        open(sys.argv[1], 'r+b').write(open(sys.argv[2], 'rb').read())
        os.utime(sys.argv[1], ns=(before.st_atime_ns, before.st_mtime_ns))
        assert os.stat(sys.argv[1]).st_size == before.st_size
        """,
        tool.path("plan.jsonl"),
        tool.path("plan-3.jsonl")
      )
      let all = mini.everything()
      try await tool.bare(["runs", "resume", "last"]).expectFailure(65, "plan.jsonl has changed")
      try await apply(tool, "--batch-size", "20").expectFailure(65, "plan.jsonl has changed")
      #expect(mini.everything() == all && other != original)
      // The same bytes are the same plan, whenever they were written.
      try tool.write(original, to: "plan.jsonl")
      try await tool.bare(["runs", "resume", "last"]).expect(0)
      #expect(mini.lines().values.allSatisfy { $0.contains(#""n":{"integerValue":"2"}"#) })
    }
  }

  @Test("A plan on standard input is applied as a file is.")
  func standardInput() async throws {
    try await withPlan { tool, mini, _ in
      let plan = Array(try tool.text("plan.jsonl").utf8)
      let command = ["migrate", "apply", "--plan", "-", "--max-delete", "40", "--json"] + tool.place
      let applied = try await tool.bare(command, input: plan).expect(0)
      #expect(try applied.summary().totals.deleted == Self.count)
      #expect(mini.lines().isEmpty)
    }
  }
}
