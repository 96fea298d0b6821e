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

  @Test("A run whose task was killed on this machine is undone at once.")
  func killed() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: (0..<4).map { documentLine("orders/o\($0)", 1) }.joined(separator: "\n"))
    let before = mini.snapshot()
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
      #expect(mini.snapshot() != before)
      let run = try #require(tool.names(in: "S/runs").first)
      try await tool.run("migrate", "undo", run, "--state-dir", "S").expect(0)
      #expect(mini.snapshot() == before)
    }
  }
}
