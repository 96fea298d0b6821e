import Files
import Foundation
import TestSupport
import Testing

@Suite("Ledger and lease, by command", .timeLimit(.minutes(60)))
struct LedgerCommandTests {
  private static let small = ["--batch-size", "10", "--in-flight", "1"]

  /// A gym of few collections behind a server whose clock can be moved on, and a switch that kills.
  private func withGym(
    _ body: (Tool, MiniFirestore, KillSwitch, MovableClock) async throws -> Void
  ) async throws {
    let clock = MovableClock()
    var options = MiniFirestore.Options()
    options.clock = { clock.now }
    let mini = try MiniFirestore.withSamples(["users", "products"], options)
    let kill = KillSwitch(mini.handler, delay: .zero)
    try await withTool(against: kill.handler) { tool, _ in try await body(tool, mini, kill, clock) }
  }

  private func kill(_ tool: Tool, by kill: KillSwitch) async throws -> String {
    try await tool.runKilled(
      at: 5,
      by: kill,
      "migrate",
      "apply",
      "users-unify",
      "--batch-size",
      "10",
      "--in-flight",
      "1"
    )
    return try tool.lastRun()
  }

  @Test("Of two at once one runs, and the other ends in 75 and names it.")
  func atOnce() async throws {
    try await withPausedMigration("users-unify") { tool in
      let run = try tool.lastRun()
      let ledger = try await tool.ledger()
      #expect(ledger.runs.map(\.runId) == [run] && ledger.runs.map(\.status) == ["running"])
      #expect(ledger.runs.first?.isHalfWay == false && ledger.lease?.isExpired == false)
      let holder = try #require(ledger.lease?.holder)
      #expect(holder.contains("@") && ledger.lease?.runId == run)
      for command in [
        ["migrate", "apply", "users-unify"], ["fix", "users", "--all-documents", "--set", "a=1"],
      ] {
        try await tool.bare(command + tool.place).expectFailure(75, holder, run, "migrate apply users-unify")
      }
      let status = try await tool.run("migrate", "status")
      #expect(status.output.hasSuffix("\(holder) holds the lock: run \(run).\n"))
    } afterwards: { tool in
      try await tool.run("migrate", "apply", "is-active").expect(2)
      #expect(try await tool.ledger().runs.map(\.status) == ["incomplete", "incomplete"])
    }
  }

  /// Documents of a collection, for imports with a commit each.
  private func things(_ tool: Tool, _ count: Int) throws -> [String] {
    let lines = (0..<count).map { documentLine("things/t\($0)", $0) }
    try tool.write(lines.joined(separator: "\n") + "\n", to: "things.jsonl")
    return ["import", "things.jsonl", "--batch-size", "1", "--in-flight", "1"]
  }

  @Test("A run without a lease is recorded once it wrote, and again after it was resumed or undone.")
  func withoutLease() async throws {
    try await withGym { tool, mini, kill, _ in
      let command = try things(tool, 5)
      try await tool.runKilled(at: 3, by: kill, command[0], command[1], "--batch-size", "1")
      try await tool.bare(["runs", "resume", "last"]).expect(0)
      let run = try tool.lastRun()
      var runs = try await tool.ledger().runs
      #expect(
        runs.map(\.runId) == [run] && runs.map(\.command) == ["import"] && runs.map(\.status) == ["done"]
      )
      // Nothing is left to write.
      try await tool.bare(command + tool.place).expect(0)
      #expect(try await tool.ledger().runs.count == 1)
      try await tool.bare(["runs", "undo", run, "-y"]).expect(0)
      runs = try await tool.ledger().runs
      let undo = try #require(runs.first { $0.undoes == run })
      #expect(runs.count == 2 && undo.status == "done")
      #expect(runs.contains { $0.runId == run && $0.status == "undone" && $0.undoneBy == undo.runId })
      #expect(mini.snapshot().allSatisfy { !$0.name.hasPrefix("things/") })
    }
  }

  @Test("A copy is recorded in its target.")
  func copies() async throws {
    let (source, target) = (MiniFirestore.environment("prod"), MiniFirestore.environment("test"))
    try source.put("things/t", fields: #"{"n":{"integerValue":"1"}}"#)
    try await withTwoServers(source.handler, target.handler) { tool in
      try await tool.bare(["copy", "things", "--from", "prod", "--to", "test", "--keep-personal-data", "-y"])
        .expect(0)
      var tool = tool
      tool.place = ["-e", "test"]
      #expect(try await tool.ledger().runs.map(\.command) == ["copy"])
      tool.place = ["-e", "prod"]
      #expect(try await tool.ledger().runs.isEmpty)
    }
  }

  @Test("One that stopped keeps nobody waiting, and a ledger that cannot be written stops nobody.")
  func withoutLeaseStopped() async throws {
    let mini = MiniFirestore()
    let refused = Locked(0)
    let handler: RequestHandler = { request in
      let isThing = request.kind == .commit && request.text.contains("/documents/things/")
      let isEntry = request.kind == .commit && request.text.contains("/_gymmigrate_runs/")
      let isRefused =
        isThing && request.text.contains("/things/t3") || isEntry && refused.withLock { $0 > 0 }
      return isRefused
        ? .response(ServiceError.permissionDenied.response(for: .commit)) : mini.handler(request)
    }
    try await withTool(against: handler) { tool, _ in
      let command = try things(tool, 5)
      try await tool.bare(command + tool.place).expect(77)
      #expect(mini.snapshot().count == 3)
      let runs = try await tool.ledger().runs
      #expect(runs.map(\.status) == ["cleared"] && runs.map(\.isHalfWay) == [false])
      try await tool.run("fix", "things", "--set", "a=1", "--all-documents", "-y").expect(0)
      refused.withLock { $0 = 1 }
      _ = try things(tool, 3)
      let again = try await tool.run("import", "things.jsonl", "--mode", "upsert").expect(0)
      #expect(!again.errors.lowercased().contains("ledger"))
    }
  }

  @Test("The same command takes a killed run up at once, whose lease is its own.")
  func takenUp() async throws {
    try await withGym { tool, mini, kill, _ in
      let run = try await self.kill(tool, by: kill)
      // Not with the same options.
      let other = ["migrate", "apply", "users-unify", "--accept-proposals"]
      try await tool.bare(other + tool.place + Self.small).expect(75)
      try await tool.bare(["runs", "resume", run]).expect(2)
      #expect(try await tool.ledger().runs.map(\.status) == ["incomplete"])
    }
    try await withGym { tool, mini, kill, _ in
      _ = try await self.kill(tool, by: kill)
      try await tool.run("migrate", "apply", "users-unify", "--batch-size", "10", "--in-flight", "1").expect(
        2
      )
      #expect(tool.runs().count == 1)
      #expect(mini.writtenDocuments.allSatisfy { $0.writes == 1 })
      let ledger = try await tool.ledger()
      #expect(ledger.lease == nil && ledger.runs.map(\.status) == ["incomplete"])
    }
  }

  /// What lets others begin after a run that was killed.
  enum WayOut: String, CaseIterable { case resume, undo, clear, unlockAndClear }

  @Test(
    "Others wait for the lease of a killed run, and then for somebody's decision.",
    arguments: WayOut.allCases
  )
  func halfWay(_ way: WayOut) async throws {
    try await withGym { tool, mini, kill, clock in
      let before = mini.lines()
      let run = try await self.kill(tool, by: kill)
      let other = { try await tool.run("migrate", "apply", "is-active") }
      try await other().expectFailure(75, run, "holds the lock", "runs out in")
      var ledger = try await tool.ledger()
      #expect(ledger.runs.map(\.status) == ["running"] && ledger.runs.map(\.isHalfWay) == [false])
      #expect(ledger.lease?.runId == run && ledger.lease?.isExpired == false)

      clock.advance(seconds: 61)
      try await other().expectFailure(
        75,
        "stopped before it was done",
        "gymmigrate runs resume \(run)",
        "gymmigrate migrate undo \(run)",
        "gymmigrate migrate unlock \(run)"
      )
      ledger = try await tool.ledger()
      #expect(ledger.runs.map(\.status) == ["running"] && ledger.runs.map(\.isHalfWay) == [true])
      // The one that was refused has taken the lease over, and given it back.
      #expect(ledger.lease == nil)
      let status = try await tool.run("migrate", "status")
      let advice = "Run \(run) stopped before it was done, and no other begins. Resume it ("
      #expect(status.output.contains(advice))

      switch way {
      case .resume: try await tool.bare(["runs", "resume", run]).expect(2)
      case .undo:
        try await tool.run("migrate", "undo", run).expect(0)
        #expect(mini.lines() == before)
      case .unlockAndClear:
        let unlocked = try await tool.run("migrate", "unlock").expect(0)
        #expect(
          unlocked.errors.contains("The lease is free.") && unlocked.errors.contains(advice),
          "\(unlocked.errors)"
        )
        try await other().expectFailure(75, "stopped before it was done")
        try await tool.run("migrate", "unlock", run).expect(0)
      case .clear: try await tool.run("migrate", "unlock", run).expect(0)
      }
      let statuses = [
        WayOut.resume: ["incomplete"], .undo: ["undone", "done"], .clear: ["cleared"],
        .unlockAndClear: ["cleared"],
      ]
      ledger = try await tool.ledger()
      #expect(ledger.runs.map(\.status) == statuses[way] && !ledger.runs.contains { $0.isHalfWay })
      let expected = [
        WayOut.resume: "incomplete", .undo: "undone", .clear: "cleared", .unlockAndClear: "cleared",
      ]
      let list = try await tool.bare(["runs", "list"])
      let line = list.output.split(separator: "\n").first { $0.hasPrefix(run) }
      #expect(line?.contains("  \(expected[way] ?? "")  ") ?? false, "\(list.output)")
      if way != .resume {
        try await tool.bare(["runs", "resume", run]).expectFailure(64, expected[way] ?? "")
      }
      try await other().expect(2)
      try await tool.run("migrate", "unlock", run).expectFailure(64, "nothing waits for it")
    }
  }

  @Test("On another machine: the lease first, then the run that stopped before it was done.")
  func anotherMachine() async throws {
    try await withGym { tool, mini, kill, clock in
      let run = try await self.kill(tool, by: kill)
      try await withTool { other in
        var other = other
        other.place = tool.place
        try await other.run("migrate", "apply", "users-unify").expectFailure(75, run, "holds the lock")
        // From here nobody knows whether it is dead.
        try await other.run("migrate", "unlock", run).expectFailure(75, "may still be running")
        clock.advance(seconds: 61)
        try await other.run("migrate", "apply", "users-unify")
          .expectFailure(75, "stopped before it was done", "runs resume", "migrate undo", "migrate unlock")
        // What it did is known on its own machine alone.
        try await other.run("migrate", "undo", run).expectFailure(66)
        try await other.run("migrate", "unlock", run).expect(0)
        try await other.run("migrate", "apply", "users-unify").expect(2)
        #expect(try await other.ledger().runs.map(\.status) == ["cleared", "incomplete"])
        // The first machine learns of it from the ledger.
        try await tool.bare(["runs", "resume", run]).expectFailure(64, "it was cleared")
        try await expectCleared(run, tool)
      }
    }
  }

  /// Expects that the folder of a run says what the ledger says, and offers no way on.
  private func expectCleared(
    _ run: String,
    _ tool: Tool,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let list = try await tool.bare(["runs", "list"])
    let line = list.output.split(separator: "\n").first { $0.hasPrefix(run) }
    #expect(line?.contains("  cleared  ") ?? false, "\(list.output)", sourceLocation: location)
    let shown = try await tool.bare(["runs", "show", run, "--json"])
    #expect(shown.output.contains(#""canGoOn":false"#), "\(shown.output)", sourceLocation: location)
    try await tool.bare(["runs", "resume", run]).expectFailure(64, "cleared", at: location)
  }

  @Test(
    "An unlock that is killed at any request leaves no folder of a run that seems to wait, and ends when it is given again.",
    arguments: [
      .request(1), .request(2), .commit(1, .before), .commit(1, .after), .commit(2, .before),
      .commit(2, .after),
    ]
      as [KillSwitch.Point]
  )
  func killedUnlock(_ point: KillSwitch.Point) async throws {
    try await withGym { tool, _, kill, _ in
      let run = try await self.kill(tool, by: kill)
      let folder = tool.names(in: ".gymmigrate/runs/\(run)")
      let unlock = ["migrate", "unlock", run] + tool.place
      let killed = try await kill.run(until: point) {
        try tool.startBare(unlock)
      }
      try #require(killed.signal == SIGKILL, "\(killed.errors)")
      // What only looked has changed nothing; what has begun leaves no folder that seems to wait for somebody.
      let hasBegun = if case .commit = point { true } else { false }
      if hasBegun { try await expectCleared(run, tool) }
      #expect(tool.names(in: ".gymmigrate") == ["runs"] && tool.names(in: ".gymmigrate/runs") == [run])
      #expect(
        tool.names(in: ".gymmigrate/runs/\(run)") == (folder + (hasBegun ? ["verdict.json"] : [])).sorted()
      )
      let again = try await kill.run(until: .never) { try tool.startBare(unlock) }
      if case .commit(2, .after) = point {
        again.expectFailure(64, "it is cleared: nothing waits for it")
      } else {
        again.expect(0)
      }
      #expect(try await tool.ledger().runs.map(\.status) == ["cleared"])
      try await expectCleared(run, tool)
      try await tool.run("migrate", "apply", "is-active").expect(2)
    }
  }

  @Test("A folder that does not say that its run was cleared learns it.", arguments: ["unlock", "resume"])
  func unrecorded(_ way: String) async throws {
    try await withGym { tool, _, kill, _ in
      let run = try await self.kill(tool, by: kill)
      try await tool.run("migrate", "unlock", run).expect(0)
      try FileManager.default.removeItem(atPath: tool.path(".gymmigrate/runs/\(run)/verdict.json"))
      if way == "unlock" {
        try await tool.run("migrate", "unlock", run).expect(0)
      } else {
        try await tool.bare(["runs", "resume", run]).expectFailure(64, "it was cleared")
      }
      try await expectCleared(run, tool)
    }
  }

  @Test("unlock takes the lease away from whoever holds it.")
  func unlock() async throws {
    try await withGym { tool, _, kill, _ in
      try await tool.run("migrate", "unlock").expect(0)
      let run = try await self.kill(tool, by: kill)
      let taken = try await tool.run("migrate", "unlock").expect(0)
      #expect(taken.errors.contains(run))
      #expect(try await tool.ledger().lease == nil)
      try await tool.run("migrate", "apply", "is-active").expectFailure(75, "stopped before it was done")
      try await tool.run("migrate", "unlock", "none").expectFailure(66, "does not know it")
    }
  }

  @Test(
    "An undo that was killed when all was done but its summary is resumed.",
    arguments: [["runs", "resume", "last"], ["migrate", "undo", "last"]]
  )
  func untold(_ command: [String]) async throws {
    try await withGym { tool, mini, _, _ in
      let before = mini.lines()
      try await tool.run("migrate", "apply", "users-unify").expect(2)
      try await tool.run("migrate", "undo", "last").expect(0)
      let undo = try tool.lastRun()
      try FileManager.default.removeItem(atPath: tool.path(".gymmigrate/runs/\(undo)/summary.json"))
      let killed = try await tool.bare(["runs", "list"])
      #expect(killed.output.contains("  killed  "))
      let writes = mini.writtenDocuments.map(\.writes)
      try await tool.bare(command + (command[0] == "runs" ? [] : tool.place)).expect(0)
      let list = try await tool.bare(["runs", "list"])
      #expect(list.output.contains("  undone  ") && list.output.contains("  done  "))
      #expect(mini.lines() == before && mini.writtenDocuments.map(\.writes) == writes)
      let ledger = try await tool.ledger()
      #expect(ledger.lease == nil && ledger.runs.map(\.status) == ["undone", "done"])
      try await tool.run("migrate", "undo", "last").expectFailure(64, "is left to undo")
    }
  }

  // MARK: Files of migrations

  @Test("A migration's file that changed after it was applied is refused, until that is undone.")
  func checksum() async throws {
    let mini = MiniFirestore()
    try mini.put("members/1", fields: #"{"a":{"integerValue":"1"}}"#)
    try await withTool(against: mini.handler) { tool, _ in
      func write(_ number: Int) throws {
        try tool.write(
          "id: set-a\nsummary: X.\ncollection: members\ntouch: false\nsteps:\n  - set: {a: \(number)}\n",
          to: "a.yaml"
        )
      }
      let value = { mini.document("members/1")?.fieldsJSON }
      try write(1)
      // It has nothing to do, so nobody minds.
      try await tool.run("migrate", "apply", "a.yaml").expect(0)
      try write(2)
      try await tool.run("migrate", "apply", "a.yaml").expect(0)
      let run = try tool.lastRun()
      try await tool.run("migrate", "apply", "a.yaml").expect(0)
      try write(3)
      try await tool.run("migrate", "apply", "a.yaml").expectFailure(77, "set-a", run)
      #expect(value() == #"{"a":{"integerValue":"2"}}"#)
      try await tool.run("migrate", "undo", run).expect(0)
      #expect(value() == #"{"a":{"integerValue":"1"}}"#)
      // The other run with the old file changed nothing.
      try await tool.run("migrate", "plan", "a.yaml", "-o", "plan.jsonl").expect(0)
      try await tool.run("migrate", "apply", "--plan", "plan.jsonl").expect(0)
      #expect(value() == #"{"a":{"integerValue":"3"}}"#)
      // A plan counts as what was planned.
      try await tool.run("migrate", "apply", "a.yaml").expect(0)
      try write(4)
      try await tool.run("migrate", "apply", "a.yaml").expectFailure(77, "set-a")
      try await tool.run("migrate", "plan", "a.yaml", "-o", "plan.jsonl").expect(0)
      try await tool.run("migrate", "apply", "--plan", "plan.jsonl").expectFailure(77, "set-a")
      #expect(value() == #"{"a":{"integerValue":"3"}}"#)
    }
  }

  @Test(
    "Names that fix, delete and plans have in the ledger",
    arguments: ["fix", "delete", "soft-delete", "plan"]
  )
  func reserved(_ id: String) async throws {
    try await withTool { tool in
      try tool.write("id: \(id)\nsummary: X.\ncollection: members\nsteps:\n  - trim: a\n", to: "a.yaml")
      try await tool.run("migrate", "plan", "a.yaml").expectFailure(65, "gymmigrate's own")
    }
  }
}
