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
        let planned = try await tool.bare(up + ["-n"] + given)
        planned.expect(0)
        let offered = "To apply this: gymmigrate migrate up -e test --max-delete 2\n"
        #expect(planned.errors.contains(offered), "\(planned.errors)")
      }
      try await tool.bare(up + ["--max-delete", "2"]).expect(0)
      #expect(try await tool.dump("test").count == 1)
    }
  }

  @Test("A plan shows twenty collections, those of a pattern as one, and says how many more there are.")
  func collections() async throws {
    try await withStores { tool in
      let lines = (10...34).flatMap { ["g\($0)/d", "h/\($0)"].map { documentLine("\($0)/m/x", 1) } }
      try await tool.load(lines, into: "test")
      let step = "collection-group: m\nsteps:\n  - set: {a: 1}\n"
      try tool.write("id: a\nsummary: S.\n\(step)", to: "a.yaml")
      let plan = try await tool.bare(["migrate", "plan", "a.yaml", "-e", "test", "--examples", "0"])
      plan.expect(0)
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
