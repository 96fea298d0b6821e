import Foundation
import TestSupport
import Testing

@Suite("env reset and env seed", .timeLimit(.minutes(60)))
struct EnvResetTests {
  private static let seed = Samples.repository.appendingPathComponent("samples/seed").path

  /// A database with collections, subcollections, and documents below missing ones.
  private static func store() throws -> MiniFirestore {
    let mini = try MiniFirestore.withSamples(["products", "payments", "groups"])
    for number in 1...20 {
      try mini.put("missing/m\(number)/below/b", fields: #"{"a":{"integerValue":"1"}}"#)
      try mini.put("products/p\(number)/deep/d/deeper/e", fields: "{}")
    }
    return mini
  }

  /// The documents that are not the ledger's.
  private static func own(_ mini: MiniFirestore) -> [String: String] {
    mini.lines().filter { !$0.key.hasPrefix("_gymmigrate") }
  }

  @Test("Everything is gone, whatever it is below, and an undo brings it back.")
  func everything() async throws {
    let mini = try Self.store()
    let before = Self.own(mini)
    try await withTool(against: mini.handler) { tool, _ in
      let maximum = String(before.count)
      let planned = try await tool.run("env", "reset", "-n", "--json").expect(0)
      #expect(try planned.summary().totals.skipped == before.count)
      #expect(mini.requestCount(.commit) == 0)
      let reset = try await tool.run("env", "reset", "--max-delete", maximum, "--json").expect(0)
      let totals = try reset.summary().totals
      #expect(totals.deleted == before.count && totals.balance)
      #expect(Self.own(mini).isEmpty)
      #expect(
        reset.errors.contains("in all \(before.count.formatted(.number.locale(.init(identifier: "en_US"))))")
      )
      try await tool.bare(["runs", "undo", "last"] + tool.place).expect(0)
      #expect(Self.own(mini) == before)
    }
  }

  @Test("With more documents than allowed nothing is deleted, also when the run is resumed or given again.")
  func bound() async throws {
    let mini = try Self.store()
    let before = Self.own(mini)
    let command = ["env", "reset", "--max-delete", String(before.count - 1)]
    try await withTool(against: mini.handler) { tool, _ in
      for _ in 1...2 {
        try await tool.bare(command + tool.place).expectFailure(77, "--max-delete allows \(before.count - 1)")
        try await tool.bare(["runs", "resume", "last"]).expectFailure(64, "before it wrote anything")
        #expect(Self.own(mini) == before)
      }
    }
  }

  @Test(
    "Killed anywhere and resumed, the database is empty; undone, it is as it was.",
    arguments: Settings.seeds(4)
  )
  func killed(_ seed: UInt64) async throws {
    var random = SplitMix64(seed: seed)
    let mini = try Self.store()
    let before = Self.own(mini)
    let kill = KillSwitch(mini.handler, delay: .milliseconds(5))
    try await withTool(against: kill.handler) { tool, _ in
      // The first two commits are those of the lease and of the ledger.
      let commit = Int.random(in: 1...20, using: &random)
      let timing = KillSwitch.Point.Timing.allCases.randomElement(using: &random) ?? .after
      let arguments = [
        "env", "reset", "--max-delete", "5000", "--batch-size", "50", "--in-flight", "2",
      ]
      let result = try await kill.run(until: .commit(commit, timing)) {
        try tool.startBare(arguments + tool.place)
      }
      try #require(result.signal == SIGKILL, "seed \(seed): \(result.errors)")
      let stopped = try tool.lastRun()
      try await tool.bare(["runs", "resume", stopped]).expect(0)
      #expect(Self.own(mini).isEmpty, "seed \(seed): \(timing) \(commit)")
      try await tool.bare(["runs", "undo", stopped] + tool.place).expect(0)
      #expect(Self.own(mini) == before, "seed \(seed): \(timing) \(commit)")
    }
  }

  @Test("A protected environment is refused under every name, and whatever is confirmed.")
  func protected() async throws {
    try await withTool { tool in
      try tool.write(
        """
        project: shop
        environments:
          main: { database: live-data, protected: true }
          other: { database: live-data }
          test: { database: test }
        """,
        to: "gymmigrate.yaml"
      )
      let ways = [
        ["main"], ["other"], ["main", "--confirm", "main"], ["other", "--confirm", "main", "--yes"],
        ["--project", "shop", "--database", "live-data"], ["test", "--database", "live-data"],
        ["--project", "shop", "--database", "live-data", "--confirm", "main"],
        ["--project", "unknown", "--database", "prod"], ["--project", "unknown"],
        ["--project", "shop", "--database", "live-data", "--endpoint", "https://proxy.example"],
      ]
      for way in ways {
        for more in [[], ["-n"]] {
          try await tool.bare(["env", "reset"] + way + ["--max-delete", "9"] + more).expectFailure(
            77,
            "protected"
          )
          try await tool.bare(["env", "seed"] + way + ["--from", Self.seed] + more).expectFailure(
            77,
            "protected"
          )
        }
      }
      try await tool.bare(["env", "reset", "-e", "test", "--max-delete", "9"]).expectFailure(
        64,
        "not with -e"
      )
      try await tool.bare(["env", "reset", "test"]).expectFailure(77, "--max-delete")
      #expect(tool.runs().isEmpty)
    }
  }

  @Test("A fresh test database in two commands, in which check finds nothing.")
  func fresh() async throws {
    try await withTool { tool in
      try await tool.run("import", Samples.file("users"), Samples.file("groups"), "--validate", "off").expect(
        0
      )
      for _ in 1...2 {
        try await tool.bare(["env", "reset", "local", "--max-delete", "5000"]).expect(0)
        try await tool.bare(["env", "seed", "local", "--from", Self.seed]).expect(0)
        try await tool.run("check").expect(0)
      }
      // Seeding again writes nothing.
      let again = try await tool.bare(["env", "seed", "local", "--from", Self.seed, "--json"]).expect(0)
      #expect(try again.summary().totals.written == 0)
    }
  }

  @Test("From an environment come the catalogues, and nothing of people, within a bill at its prices.")
  func catalogues() async throws {
    let source = try MiniFirestore.withSamples(["users", "products", "membership_plans", "exercises"])
    try await HTTPTestServer.withServer(source.handler) { server in
      try await withTool { tool in
        try tool.write(
          """
          project: sajarubox
          schema: gym
          environments:
            origin:
              project: test-project
              database: (default)
              endpoint: "\(server.url)"
              prices: { reads: 100000, writes: 1, deletes: 1 }
          """,
          to: "gymmigrate.yaml"
        )
        let seed = ["env", "seed", "local", "--from", "origin"]
        try await tool.bare(seed + ["--max-cost", "1"]).expectFailure(75, "--max-cost 1")
        try await tool.bare(seed).expect(0)
        let counted = try await tool.run("count", "--all")
        let names = Set(counted.output.split(separator: "\n").compactMap { $0.split(separator: "\t").first })
        #expect(names.contains("products") && names.contains("membership_plans"))
        #expect(!names.contains("users"))
      }
    }
  }
}
