import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Tasks that are stopped", .timeLimit(.minutes(60)))
struct ShardStopTests {
  @Test(
    "A task that is stopped, at work or waiting for another process, ends with the command that resumes it."
  )
  func stopped() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: (0..<50).map { documentLine("orders/o\($0)", $0) }.joined(separator: "\n"))
    let isStuck = Mutex(false)
    try await withTool(against: { request in
      isStuck.withLock { $0 } ? .stall : mini.handler(request)
    }) { tool, _ in
      let export = ["export", "orders"] + tool.place
      try await tool.bare(["shard", "plan", "--shards", "1", "--to", "S", "--"] + export).expect(0)
      isStuck.withLock { $0 = true }
      let working = try tool.startBare(["shard", "work", "S", "--task", "0"], timeout: .seconds(600))
      while !tool.exists("S/claims/00000.json") { try await Task.sleep(for: .milliseconds(20)) }
      // The engine says which task it is; whoever resumes it may be a person.
      var engine = tool
      engine.environment["CLOUD_RUN_TASK_INDEX"] = "0"
      let waiting = try engine.startBare(["shard", "work", "S"], timeout: .seconds(600))
      #expect(await waiting.waitForText("waiting for its end", on: .errors))
      for process in [waiting, working] {
        process.send(SIGTERM)
        let result = await process.wait()
        result.expectFailure(143)
        #expect(result.lastLine == "To resume: gymmigrate shard work S --task 0", "\(result.errors)")
      }
      isStuck.withLock { $0 = false }
      try await tool.bare(["shard", "work", "S", "--task", "0"]).expect(0)
    }
  }

  /// A run in `S` of one task, which was killed at its second write; `before` is the database before it.
  private func withKilled(
    _ body: (Tool, MiniFirestore, _ run: String, _ before: [String: String]) async throws -> Void
  ) async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: (0..<4).map { documentLine("orders/o\($0)", 1) }.joined(separator: "\n"))
    let before = Self.orders(mini)
    let running = Later<RunningBinary>()
    let faults = mini.faults(
      FaultRule(
        [.commit],
        .number(2),
        .end(running, applied: true),
        where: { $0.text.contains("/documents/orders/") }
      )
    )
    try await withTool(against: faults.handler) { tool, _ in
      try tool.write((0..<4).map { documentLine("orders/o\($0)", 2) + "\n" }.joined(), to: "in.jsonl")
      let load = ["import", "in.jsonl", "--mode", "upsert", "--batch-size", "1", "--in-flight", "1"]
      try await tool.bare(["shard", "plan", "--shards", "1", "--to", "S", "--"] + load + tool.place).expect(0)
      let result = try await tool.bare(["shard", "work", "S", "--task", "0"], as: running)
      #expect(result.signal == SIGKILL, "\(result.errors)")
      faults.setOn(false)
      #expect(Self.orders(mini) != before)
      try await body(tool, mini, try #require(tool.names(in: "S/runs").first), before)
    }
  }

  private static func orders(_ mini: MiniFirestore) -> [String: String] {
    mini.lines().filter { $0.key.hasPrefix("orders/") }
  }

  @Test("A run whose task was killed on this machine is undone at once.")
  func killed() async throws {
    try await withKilled { tool, mini, run, before in
      try await tool.run("migrate", "undo", run, "--state-dir", "S").expect(0)
      #expect(Self.orders(mini) == before)
    }
  }

  @Test("Without its folder, a range that has begun to write is neither undone nor begun again (66).")
  func lost() async throws {
    try await withKilled { tool, mini, run, before in
      let after = Self.orders(mini)
      func move(_ name: String, to other: String) throws {
        try FileManager.default.moveItem(atPath: tool.path(name), toPath: tool.path(other))
      }
      func expectMissing(_ name: String) async throws {
        try await tool.run("migrate", "undo", run, "--state-dir", "S").expectFailure(66, name, "begun")
        #expect(Self.orders(mini) == after)
      }
      let folder = "S/tasks/00000/00000"
      try move(folder, to: "lost")
      try await expectMissing(folder)
      try await tool.bare(["shard", "work", "S", "--task", "0"])
        .expectFailure(66, folder, "range 0 has begun to write", "gymmigrate restore")
      #expect(Self.orders(mini) == after)
      // The task has made an empty folder.
      try await expectMissing(folder)
      try FileManager.default.removeItem(atPath: tool.path(folder))
      try move("lost", to: folder)
      // A process that took over had continued in a copy, which alone has all.
      try move("S/begun/00000", to: "S/begun/00000-1")
      try await expectMissing("\(folder)-1")
      try await tool.bare(["shard", "work", "S", "--task", "0"]).expectFailure(66, "\(folder)-1")
      try move("S/tasks", to: "lost")
      try await expectMissing("S/tasks")
      try move("lost", to: "S/tasks")
      // A plan of a version that did not record it.
      try FileManager.default.removeItem(atPath: tool.path("S/begun"))
      try await tool.run("migrate", "undo", run, "--state-dir", "S").expect(0)
      #expect(Self.orders(mini) == before)
    }
  }

  @Test("A task that is refused in the middle of a range names what ends the whole run.")
  func refused() async throws {
    try await withKilled { tool, mini, run, before in
      // As many bytes, written later.
      try tool.write(tool.text("in.jsonl"), to: "in.jsonl")
      let refused = try await tool.bare(["shard", "work", "S", "--task", "0"])
      let undo = "migrate undo \(run) --state-dir \(tool.path("S"))"
      refused.expectFailure(65, "resume \(run)", "in.jsonl has changed", "(gymmigrate \(undo))")
      try await tool.bare(undo.split(separator: " ").map(String.init)).expect(0)
      #expect(Self.orders(mini) == before)
    }
  }

  @Test(
    "The commands that end a divided run work as long as it holds the lock, also if its plan was killed."
  )
  func planned() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: (0..<20).map { documentLine("orders/o\($0)", $0) }.joined(separator: "\n"))
    let running = Later<RunningBinary>()
    let faults = mini.faults(
      FaultRule(
        [.commit],
        .number(1),
        .end(running, applied: true),
        where: { $0.text.contains("/documents/_gymmigrate_runs/") }
      )
    )
    try await withTool(against: faults.handler) { tool, _ in
      try tool.write("id: m\nsummary: S.\ncollection: orders\nsteps:\n  - set: {m: 1}\n", to: "m.yaml")
      let apply = ["migrate", "apply", "m.yaml"] + tool.place
      func plan(_ place: String) -> [String] {
        ["shard", "plan", "--shards", "2", "--to", place, "--"] + apply
      }
      let killed = try await tool.bare(plan("K"), as: running)
      #expect(killed.signal == SIGKILL, "\(killed.errors)")
      faults.setOn(false)
      for place in ["K", "W"] {
        if place == "W" { try await tool.bare(plan(place)).expect(0) }
        let held = try await tool.bare(apply)
        held.expectFailure(75, "shard finish \(tool.path(place))", "migrate undo", "migrate unlock")
        // Who cannot begin leaves no plan.
        try await tool.bare(plan("other")).expectFailure(75, "shard finish \(tool.path(place))")
        #expect(!tool.exists("other/plan.json"))
        let run = try #require(tool.names(in: "\(place)/runs").first)
        try await tool.run("migrate", "undo", run, "--state-dir", place).expect(0)
        // The one range may be that of either task.
        var refused = 0
        for task in ["0", "1"] {
          let worked = try await tool.bare(["shard", "work", place, "--task", task])
          if worked.exitCode == 64, worked.errors.contains("it was undone") { refused += 1 }
        }
        #expect(refused == 1)
      }
      try await tool.bare(apply).expect(0)
      #expect(Self.orders(mini).values.allSatisfy { $0.contains("\"m\"") })
    }
  }
}
