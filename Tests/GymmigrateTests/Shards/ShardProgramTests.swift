import Foundation
import TestSupport
import Testing

@Suite("Sharded migrations that run a program", .timeLimit(.minutes(60)))
struct ShardProgramTests {
  private static let migration = """
    id: role
    summary: Writes roles.
    collection: users
    touch: false
    steps:
      - run: [python3, role.py]

    """

  /// - Parameter trap: What is done at `users/u250`.
  private static func program(_ trap: String) -> String {
    ProgramTests.head + """
      import signal
      def kill(victim):
        if os.path.exists('marker'): return
        open('marker', 'w').close()
        os.kill(victim, signal.SIGKILL)
      for name, fields in lines():
        if name == 'users/u250':
          \(trap)
        fields['role'] = {'stringValue': name[-1]}
        say({'name': name, 'fields': fields})

      """
  }

  /// `test` and `stage` with users, and a plan of two tasks for `test`.
  private func withPlan(_ trap: String, _ body: (Tool) async throws -> Void) async throws {
    try await withStores { tool in
      var tool = tool
      tool.place = ["-e", "test"]
      let lines = (0..<800).map { documentLine("users/u\($0)", $0) }
      for environment in ["test", "stage"] { try await tool.load(lines, into: environment) }
      try tool.write(Self.migration, to: "role.yaml")
      try tool.write(Self.program(trap), to: "role.py")
      let plan = ["shard", "plan", "--shards", "2", "--to", "W", "--"]
      try await tool.bare(plan + Self.apply + ["-e", "test", "--processes", "2"]).expect(0)
      try await body(tool)
    }
  }

  private static let apply = ["migrate", "apply", "role.yaml", "--schema", "none"]

  private func work(_ tool: Tool, _ task: Int) async throws -> RunResult {
    try await tool.bare(["shard", "work", "W", "--task", "\(task)"])
  }

  private static let killed = [
    "kill(os.getppid())", "kill(os.getpid())",
  ]

  @Test(
    "A task whose process or whose program is killed is begun again: all is as one process leaves it",
    arguments: killed
  )
  func apply(_ trap: String) async throws {
    try await withPlan(trap) { tool in
      let before = try await tool.dump("test")
      let codes = [try await work(tool, 0).exitCode, try await work(tool, 1).exitCode]
      #expect(codes.contains { $0 != 0 } && tool.exists("marker"))
      for task in 0..<2 { try await work(tool, task).expect(0) }
      let finished = try await tool.bare(["shard", "finish", "W", "--json"]).expect(0)
      let summary = try finished.summary()
      #expect(summary.totals.balance && summary.totals.read == 800 && summary.totals.written == 800)
      try await tool.bare(Self.apply + ["-e", "stage", "-q"]).expect(0)
      #expect(try await tool.dump("test") == tool.dump("stage"))
      try await tool.run("migrate", "undo", summary.runId, "--state-dir", "W", "-q").expect(0)
      #expect(try await tool.dump("test") == before)
    }
  }

  @Test("Another program than that of the plan is refused, and a deletion, which no bound can allow.")
  func refused() async throws {
    try await withPlan("say({'delete': True, 'name': name})\n    continue") { tool in
      let program = try tool.text("role.py")
      try tool.write(program + "# Another.\n", to: "role.py")
      try await work(tool, 0).expectFailure(78, "files are not those of the plan")
      try tool.write(program, to: "role.py")
      // Each of the two has its part, and one of them the document.
      var failures: [RunResult] = []
      for task in 0..<2 { failures.append(try await work(tool, task)) }
      failures.removeAll { $0.exitCode == 0 }
      #expect(failures.map(\.exitCode) == [77])
      failures.first?.expectFailure(77, "users/u250: the program wants it deleted")
    }
  }
}
