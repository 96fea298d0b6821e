import Foundation
import TestSupport
import Testing

@Suite("Interruption", .timeLimit(.minutes(60)))
struct InterruptionTests {
  /// What is interrupted.
  enum Work: String, CaseIterable {
    case importing, applying

    var arguments: [String] {
      let small = ["--batch-size", "20", "--in-flight", "3"]
      switch self {
      case .importing: return ["import", Samples.file("users"), Samples.file("user_emails")] + small
      case .applying: return ["migrate", "apply", "--all"] + small
      }
    }

    /// The exit code of an uninterrupted run.
    var exitCode: Int32 { self == .importing ? 0 : 2 }

    func database() throws -> MiniFirestore {
      self == .importing ? MiniFirestore() : try MiniFirestore.withSamples(["users", "user_emails"])
    }

    /// Compares with what an uninterrupted run makes.
    func judge(_ mini: MiniFirestore, _ tool: Tool) async throws {
      let samples = try Samples.text(["user_emails", "users"])
      if self == .importing {
        #expect(try mini.snapshot() == MiniFirestore.canonical(jsonLines: samples))
      } else {
        try? FileManager.default.removeItem(atPath: tool.path("before"))
        try Samples.copy(["users", "user_emails"], to: tool.path("before"))
        try await Judge.expect(tool.path("before"), into: tool.path("expected"))
        try mini.dump(to: tool.path("after"))
        try await Judge.compare(tool.path("expected"), tool.path("after"))
      }
      // Whatever was applied and not heard of was found out and not written again.
      #expect(mini.writtenDocuments.allSatisfy { $0.writes == 1 })
    }
  }

  /// Runs the command that a run told to resume, as a shell reads it.
  private func goOn(_ tool: Tool, _ line: String) async throws -> RunResult {
    let prefix = "To resume: "
    try #require(line.hasPrefix(prefix), "\(line)")
    let script = "gymmigrate() { \"$BINARY\" \"$@\"; }\n\(line.dropFirst(prefix.count))"
    return try await BinaryRunner(executable: "/bin/sh").run(
      ["-c", script],
      environment: ["BINARY": tool.runner.executable],
      directory: tool.folder
    )
  }

  @Test(
    "After INT, TERM or HUP what is in flight is settled, and the last line is the command that resumes.",
    arguments: Work.allCases,
    [SIGINT, SIGTERM, SIGHUP]
  )
  func signalled(_ work: Work, _ signal: Int32) async throws {
    let mini = try work.database()
    let faults = mini.faults(
      FaultRule([.commit], .always, .drip(chunk: 64, interval: .milliseconds(3))),
      maximumConsecutive: .max
    )
    try await withTool(against: faults.handler) { tool, _ in
      let running = Later<RunningBinary>()
      faults.before(.commit, 4) { _ in running.get()?.send(signal) }
      let result = try await tool.bare(work.arguments + tool.place + ["--json"], as: running)
      result.expect(128 + signal)
      let summary = try result.summary()
      #expect(summary.status == "interrupted")
      #expect(summary.exitCode == 128 + signal)
      // Every commit that the server applied was heard of.
      #expect(summary.totals.written == mini.totalWrites)
      #expect(summary.totals.written > 0)
      #expect(result.complaints.count <= 1)
      #expect(!result.errors.contains("not made") && !result.errors.contains("cancelled"), "\(result.errors)")
      #expect(result.lastLine == "To resume: \(summary.resumeCommand ?? "?")")

      faults.setOn(false)
      let resumed = try await goOn(tool, result.lastLine)
      resumed.expect(work.exitCode)
      try await work.judge(mini, tool)
    }
  }

  @Test("A name that a shell would take apart is quoted in the command that resumes.")
  func quoting() async throws {
    let mini = MiniFirestore()
    let faults = mini.faults(FaultRule([.commit], .first(2), .error(.permissionDenied)))
    try await withTool(against: faults.handler) { tool, _ in
      let file = try tool.write(Samples.text("exercises"), to: "it's $HOME; a *.jsonl")
      let result = try await tool.run("import", file)
      result.expectFailure(77)
      faults.setOn(false)
      try await goOn(tool, result.lastLine).expect(0)
      #expect(mini.snapshot().count == 20)
    }
  }

  @Test("What was to say little when it began says how it ended when it is resumed.")
  func resumedAloud() async throws {
    let mini = MiniFirestore()
    let faults = mini.faults(FaultRule([.commit], .first(2), .error(.permissionDenied)))
    try await withTool(against: faults.handler) { tool, _ in
      try await tool.run("import", Samples.file("exercises"), "-q").expectFailure(77)
      faults.setOn(false)
      let resumed = try await tool.bare(["runs", "resume", "last"]).expect(0)
      #expect(resumed.errorLines.contains { $0.hasPrefix("Done in ") }, "\(resumed.errors)")
      #expect(resumed.lastLine.hasPrefix("To undo: "))
    }
  }

  @Test(
    "KILL at any commit, and the same command again: the database of an uninterrupted run.",
    arguments: Work.allCases,
    Settings.seeds(3)
  )
  func killed(_ work: Work, _ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let commit = Int.random(in: 1...9, using: &random)
    let applies = Bool.random(using: &random)
    let mini = try work.database()
    let running = Later<RunningBinary>()
    let faults = mini.faults(
      FaultRule([.commit], .number(commit), .end(running, applied: applies)),
      FaultRule([.commit], .always, .delay(.milliseconds(5))),
      maximumConsecutive: .max
    )
    try await withTool(against: faults.handler) { tool, _ in
      let result = try await tool.bare(work.arguments + tool.place, as: running)
      #expect(result.signal == SIGKILL, "seed \(seed): \(result.errors)")
      faults.setOn(false)
      try await tool.bare(work.arguments + tool.place).expect(work.exitCode)
      try await work.judge(mini, tool)
    }
  }

  @Test("KILL at any moment leaves an embedded store that works on.", arguments: Settings.seeds(2))
  func killedLocal(_ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    try await withTool { tool in
      let files = try Samples.all().map { Samples.file($0) }
      for attempt in 0..<3 {
        let process = try tool.startBare(["import"] + files + tool.place)
        // Any moment will do, so a nap is no guess.
        try await Task.sleep(for: .milliseconds(Int.random(in: 50...900, using: &random)))
        process.send(SIGKILL)
        let result = await process.wait()
        #expect(
          result.signal == SIGKILL || result.exitCode == 0,
          "seed \(seed), \(attempt): \(result.errors)"
        )
      }
      let finished = try await tool.bare(["import"] + files + tool.place + ["--json"]).expect(0)
      #expect(try finished.summary().totals.read == 5009)
      try await tool.run("export", "--all", "-o", "out/", "--format", "jsonl").expect(0)
      for name in try Samples.all() where name != "groups" {
        #expect(try tool.text("out/\(name).jsonl") == Samples.text(name), "seed \(seed): \(name)")
      }
    }
  }

  @Test("A second signal stops at once.")
  func twice() async throws {
    let mini = MiniFirestore()
    let running = Later<RunningBinary>()
    // The record of times before them is given up at once, and the run could end before the second signal.
    let isOfDocuments: @Sendable (TestRequest) -> Bool = {
      String(decoding: $0.body, as: UTF8.self).contains("documents/exercises/")
    }
    let stopping = Fault.end(running, with: SIGINT)
    let faults = mini.faults(
      FaultRule([.commit], .number(1), stopping, where: isOfDocuments),
      FaultRule([.commit], .always, .stall, where: isOfDocuments),
      maximumConsecutive: .max
    )
    try await withTool(against: faults.handler) { tool, server in
      // A commit in flight is waited for up to 75 s.
      let process = try tool.start("import", Samples.file("exercises"), timeout: .seconds(1800))
      running.set(process)
      #expect(await process.waitForText("Stopping", on: .errors))
      process.send(SIGINT)
      let result = await process.wait()
      result.expect(130)
      #expect(result.signal == nil)
      #expect(mini.snapshot().isEmpty)
      let command = "To resume after that: gymmigrate runs resume \(try tool.lastRun())"
      #expect(result.lastLine.hasSuffix(command), "\(result.errors)")
    }
  }

  @Test(
    "A read in flight is not waited for.",
    arguments: [
      ["export", "users", "-o", "users.csv"], ["migrate", "plan", "users-unify"],
    ]
  )
  func reading(_ command: [String]) async throws {
    let mini = try MiniFirestore.withSamples(["users"])
    let faults = mini.faults(FaultRule([.list], .number(3), .stall))
    try await withTool(against: faults.handler) { tool, _ in
      let running = Later<RunningBinary>()
      faults.before(.list, 3) { _ in running.get()?.send(SIGINT) }
      try await tool.bare(command + tool.place + ["--page-size", "50"], as: running).expect(130)
      #expect(tool.names(in: ".") == [".gymmigrate"])
    }
  }

  /// With the times of the file, the commit is that of the record that precedes such writes.
  @Test(
    "A commit that the service refuses to take again and again does not hold up the end.",
    arguments: [["--keep-times"], ["--server-times", "--schema", "gym"]]
  )
  func backoff(_ options: [String]) async throws {
    let mini = MiniFirestore()
    let running = Later<RunningBinary>()
    let faults = mini.faults(
      FaultRule([.commit], .always, .error(.resourceExhausted)),
      maximumConsecutive: .max
    )
    try await withTool(against: faults.handler) { tool, server in
      faults.before(.commit, 3) { _ in running.get()?.send(SIGINT) }
      // One chunk: the input has ended long before.
      let result = try await tool.bare(
        ["import", Samples.file("exercises")] + options + tool.place,
        as: running
      ).expect(130)
      #expect(result.lastLine.hasPrefix("To resume: gymmigrate runs resume "))
      #expect(mini.totalWrites == 0)
      // It would be sent some twenty times before it is given up.
      #expect(server.requests(.commit).count < 10)
    }
  }

  @Test("Nor do refusals of the ledger and its lock.")
  func refusedLedger() async throws {
    let mini = try MiniFirestore.withSamples(["users"])
    let running = Later<RunningBinary>()
    let faults = ScriptedFaults(
      mini.handler,
      // The lease and the entry of the run are written before.
      rules: [FaultRule([.commit], .from(3), .error(.resourceExhausted))],
      maximumConsecutive: .max
    )
    try await withTool(against: faults.handler) { tool, server in
      faults.before(.commit, 5) { _ in running.get()?.send(SIGINT) }
      let result = try await tool.bare(["migrate", "apply", "is-active"] + tool.place, as: running)
      result.expect(130)
      #expect(result.errors.contains("it runs out in a minute"))
      // Each of the two would be sent some twenty times before it is given up.
      #expect(server.requests(.commit).count < 30)
    }
  }
}
