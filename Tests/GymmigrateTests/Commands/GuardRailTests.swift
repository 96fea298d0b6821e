import Foundation
import TestSupport
import Testing

@Suite("Guard rails: every writing command tries to get past them", .timeLimit(.minutes(60)))
struct GuardRailTests {
  /// A protected database with something of everything, a run on it that can be undone, and a plan for it; `test` is
  /// another database of the same server.
  private func withProd(
    _ body: (Tool, MiniFirestore, HTTPTestServer, _ run: String) async throws -> Void
  )
    async throws
  {
    let mini = try MiniFirestore.withSamples(["exercises", "products", "users"])
    try await withTool(against: mini.handler) { tool, server in
      var tool = tool
      tool.place = []
      try tool.write(
        """
        project: test-project
        schema: gym
        environments:
          prod: { database: (default), endpoint: "\(server.url)", protected: true }
          test: { database: test, endpoint: "\(server.url)" }
        """,
        to: "gymmigrate.yaml"
      )
      try await tool.bare(["migrate", "plan", "users-unify", "-e", "prod", "-o", "plan.jsonl", "-q"]).expect(
        0
      )
      try await tool.bare(["migrate", "apply", "is-active", "-e", "prod", "--confirm", "prod"]).expect(2)
      let run = try #require(tool.runs().last?.split(separator: "/").last)
      try tool.write(Samples.first(3, of: "classes"), to: "classes.jsonl")
      try await body(tool, mini, server, String(run))
    }
  }

  /// Every command that writes, apart from the place.
  private func writers(_ run: String) -> [[String]] {
    [
      ["import", "classes.jsonl"], ["import", "classes.jsonl", "--mode", "upsert"],
      ["migrate", "apply", "users-unify"], ["migrate", "apply", "--all"],
      ["migrate", "apply", "--plan", "plan.jsonl"],
      ["fix", "users", "--all-documents", "--set", "a=1"], ["delete", "products", "--all-documents"],
      ["delete", "products", "--all-documents", "--hard", "--max-delete", "9999"],
      ["migrate", "undo", run], ["runs", "undo", run],
    ]
  }

  @Test("A protected environment is written with --confirm and its very name, and in no other way.")
  func protected() async throws {
    try await withProd { tool, mini, server, run in
      let before = mini.everything()
      let writes = mini.totalWrites
      let port = try #require(server.url.split(separator: ":").last)
      let ways: [[String]] = [
        [], ["--yes"], ["--confirm", "test"], ["--confirm", ""], ["--confirm", "PROD"],
        ["--confirm", "prod "],
        ["--confirm", "pr\u{F3}d"], ["--confirm", "test", "--yes"], ["--confirm", "(default)"],
      ]
      // Names of the same database that are not its own.
      let detours: [[String]] = [
        ["-e", "test", "--database", "(default)"],
        ["--project", "test-project", "--endpoint", "http://LOCALHOST:\(port)/"],
        ["--project", "test-project", "--database", "(default)", "--endpoint", "http://127.0.0.1:\(port)"],
        ["--project", "test-project", "--endpoint", "http://0:\(port)"],
        ["--project", "test-project", "--endpoint", "http://[::ffff:127.0.0.1]:\(port)"],
      ]
      func expectRefused(_ command: [String], _ tool: Tool) async throws {
        let result = try await tool.bare(command)
        #expect(result.exitCode == 77, "\(command)\n\(result.errors)")
        #expect(mini.totalWrites == writes, "\(command)")
      }
      for (index, command) in (writers(run) + [["migrate", "unlock"]]).enumerated() {
        // What does not write one is no way around the other: each command, every way, one detour.
        for way in ways { try await expectRefused(command + ["-e", "prod"] + way, tool) }
        let detour = detours[index % detours.count] + ["--schema", "gym"]
        try await expectRefused(command + detour + ["--yes"], tool)
      }
      for way in ways {
        try await expectRefused(["copy", "products", "--from", "test", "--to", "prod"] + way, tool)
      }
      var variables = tool
      variables.environment = ["GYMMIGRATE_CONFIRM": "prod", "GYMMIGRATE_YES": "1", "GYMMIGRATE_ENV": "prod"]
      for command in writers(run) { try await expectRefused(command, variables) }
      #expect(mini.everything() == before)

      try await tool.bare([
        "import", "classes.jsonl", "-e", "test", "--database", "(default)", "--confirm", "prod",
      ])
      .expect(0)
      #expect(mini.totalWrites == writes + 3)
    }
  }

  @Test("A dry run writes nothing at all, of any command, and asks for no name.")
  func dryRuns() async throws {
    try await withProd { tool, mini, _, run in
      let before = mini.everything()
      let commits = mini.requestCount(.commit)
      for command in writers(run) where !command.contains("--plan") {
        let result = try await tool.bare(command + ["-e", "prod", "--dry-run"])
        #expect([0, 2].contains(result.exitCode), "\(command)\n\(result.errors)")
        #expect(mini.everything() == before, "\(command)")
      }
      #expect(mini.requestCount(.commit) == commits)
    }
  }

  @Test("One database under two names, its default spelled out or not, is not copied onto itself.")
  func oneDatabase() async throws {
    let mini = try MiniFirestore.withSamples(["products"])
    try await withTool(against: mini.handler) { tool, server in
      let port = try #require(server.url.split(separator: ":").last)
      try tool.write(
        """
        environments:
          plain: { project: test-project, endpoint: "\(server.url)" }
          spelled: { project: test-project, database: (default), endpoint: "http://localhost:\(port)" }
          google: { project: test-project }
          spelledGoogle: { project: test-project, database: (default), endpoint: "https://firestore.googleapis.com:443" }
        """,
        to: "gymmigrate.yaml"
      )
      for (from, to) in [
        ("plain", "spelled"), ("spelled", "plain"), ("plain", "plain"), ("google", "spelledGoogle"),
      ] {
        let copy = try await tool.bare([
          "copy", "products", "--from", from, "--to", to, "--mode", "upsert", "--delete-extraneous",
          "--max-delete", "9999", "--yes",
        ])
        copy.expectFailure(64, "\(from) to \(to)", "both are projects/test-project/databases/(default)")
      }
      #expect(server.requests.isEmpty)
    }
  }

  @Test("The emulator's variable leads no command to another place than the protected one.")
  func emulator() async throws {
    let mini = MiniFirestore()
    try await withTool(against: mini.handler) { tool, server in
      var tool = tool
      tool.environment = ["FIRESTORE_EMULATOR_HOST": server.host]
      try tool.write(
        "schema: gym\nenvironments: { prod: { project: test-project, protected: true } }\n",
        to: "gymmigrate.yaml"
      )
      try tool.write(Samples.first(3, of: "classes"), to: "classes.jsonl")
      let reading = [
        ["export", "users", "-o", "u.jsonl"], ["count", "users"], ["check"], ["migrate", "plan", "--all"],
      ]
      // An undo finds its run first.
      let writing = writers("none").filter { !$0.contains("undo") && !$0.contains("--plan") }
      for command in reading + writing.map({ $0 + ["--confirm", "prod"] }) {
        let result = try await tool.bare(command + ["-e", "prod"])
        #expect(result.exitCode == 77 && result.errors.contains("FIRESTORE_EMULATOR_HOST"), "\(command)")
      }
      #expect(server.requests.isEmpty)
    }
  }

  @Test("Nothing is deleted beyond its bound, and no bound is none.")
  func bounds() async throws {
    try await withProd { tool, mini, _, _ in
      let before = mini.everything()
      func products() -> Int { mini.snapshot().count { $0.name.hasPrefix("products/") } }
      let count = products()
      let hard = ["delete", "products", "--all-documents", "--hard", "-e", "prod", "--confirm", "prod"]
      for way in [[], ["--yes"]] { try await tool.bare(hard + way).expectFailure(77, "--max-delete") }
      try await tool.bare(hard + ["--max-delete", "-1"]).expect(64)
      #expect(mini.everything() == before)
      // A run that would go beyond it stops, and can be undone.
      try await tool.bare(hard + ["--max-delete", "3"]).expectFailure(77, "--max-delete allows no more")
      #expect(products() >= count - 3)
      let run = try #require(tool.runs().last?.split(separator: "/").last)
      try await tool.bare(["migrate", "undo", String(run), "-e", "prod", "--confirm", "prod"]).expect(0)
      #expect(products() == count)
      try await tool.bare(hard + ["--max-delete", "\(count)"]).expect(0)
      #expect(products() == 0)
    }
  }
}
