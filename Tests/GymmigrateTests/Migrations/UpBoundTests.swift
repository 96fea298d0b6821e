import TestSupport
import Testing

@Suite("Deletions among the migrations of a folder", .timeLimit(.minutes(60)))
struct UpBoundTests {
  private static let setting = "id: a\nsummary: Sets a.\ncollection: things\nsteps:\n  - set: {a: 1}\n"
  private static let deleting =
    "id: gone\nsummary: S.\ncollection: things\nwhere: n > 1\nsteps:\n  - delete: hard\n"

  @Test(
    "A deletion that nobody allowed refuses all of them before the first is applied, and -n says what it needs."
  )
  func refused() async throws {
    try await withStores { tool in
      try tool.write(Self.setting, to: "migrations/1-a.yaml")
      try tool.write(Self.deleting, to: "migrations/2-gone.yaml")
      try await tool.load((1...3).map { documentLine("things/t\($0)", $0) }, into: "test")
      let before = try await tool.dump("test")
      let up = ["migrate", "up", "-e", "test"]
      try await tool.bare(up).expectFailure(77, "no maximum was given")
      try await tool.bare(up + ["--max-delete", "1"]).expectFailure(77, "nothing was written", "by gone")
      #expect(try await tool.dump("test") == before)
      for given in [[], ["--max-delete", "1"], ["--max-delete=0"]] {
        let planned = try await tool.bare(up + ["-n"] + given).expect(0)
        let offered = "To apply this: gymmigrate migrate up -e test --max-delete 2\n"
        #expect(planned.errors.contains(offered), "\(planned.errors)")
      }
      try await tool.bare(up + ["--max-delete", "2"]).expect(0)
      #expect(try await tool.dump("test").count == 1)
    }
  }

  /// The reads of all commands so far, by the ledger of costs.
  private func reads(_ tool: Tool) throws -> Int {
    try tool.text(".gymmigrate/costs.jsonl").matches(of: /"reads":([0-9]+)/).reduce(0) {
      $0 + (Int($1.1) ?? 0)
    }
  }

  @Test("What is read of the ledgers, also for a gate, is a part of the bound and of the bills.")
  func ledgers() async throws {
    try await withStores { tool in
      try tool.write(Self.setting, to: "migrations/1-a.yaml")
      let gate = "\npromote: { stage: { after: test } }\n"
      try tool.write(try tool.text("gymmigrate.yaml") + gate, to: "gymmigrate.yaml")
      for environment in ["test", "stage"] {
        try await tool.load((1...3).map { documentLine("things/t\($0)", $0) }, into: environment)
      }
      let fix = ["fix", "things", "--all-documents", "-e", "test", "-q", "--set"]
      for number in 1...9 { try await tool.bare(fix + ["b=\(number)"]).expect(0) }
      try await tool.bare(["migrate", "up", "-e", "test", "-q"]).expect(0)
      let up = ["migrate", "up", "-e", "stage"]
      for bound in [3, 13] {
        let before = try reads(tool)
        try await tool.bare(up + ["--max-reads", "\(bound)"]).expectFailure(75, "--max-reads \(bound)")
        #expect(try reads(tool) - before <= bound)
      }
      let before = try reads(tool)
      let done = try await tool.bare(up + ["--json"]).expect(0)
      let billed = done.output.matches(of: /"billed":\{[^}]*"reads":([0-9]+)/).compactMap { Int($0.1) }
      let recorded = try reads(tool) - before
      #expect(billed.count == 3 && billed.reduce(0, +) == recorded, "\(done.output)")
      for command in [["pending"], ["status"], ["status", "--environments", "test,stage"], ["up"]] {
        let place = command.count > 1 ? [] : ["-e", "stage"]
        let said = try await tool.bare(["migrate"] + command + place).expect(0)
        #expect(said.errorLines.contains { $0.hasPrefix("Billed: ") }, "\(command): \(said.errors)")
      }
    }
  }

  @Test("A plan shows twenty collections, those of a pattern as one, and says how many more there are.")
  func collections() async throws {
    try await withStores { tool in
      let lines = (10...34).flatMap { ["g\($0)/d", "h/\($0)"].map { documentLine("\($0)/m/x", 1) } }
      try await tool.load(lines, into: "test")
      let step = "collection-group: m\nsteps:\n  - set: {a: 1}\n"
      try tool.write("id: a\nsummary: S.\n\(step)", to: "a.yaml")
      let plan = try await tool.bare(["migrate", "plan", "a.yaml", "-e", "test", "--examples", "0"]).expect(0)
      #expect(plan.output.split(separator: "\n").count { $0.hasPrefix("  g") } == 20, "\(plan.output)")
      // The pattern comes behind them.
      #expect(plan.output.contains("\n  and 6 more collections\n"))
      try tool.write(
        tool.text("a.yaml").replacing("collection-group: m", with: "collection: h/*/m"),
        to: "a.yaml"
      )
      let pattern = try await tool.bare(["migrate", "plan", "a.yaml", "-e", "test", "--examples", "0"])
      #expect(
        pattern.output.contains("\n  h/*/m: 0 to create, 25 to update, 0 to delete\n"),
        "\(pattern.output)"
      )
    }
  }
}
