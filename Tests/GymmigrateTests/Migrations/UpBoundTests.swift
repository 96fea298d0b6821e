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

  @Test("A plan shows twenty collections, and says how many more there are.")
  func collections() async throws {
    try await withStores { tool in
      try await tool.load((10...34).map { documentLine("g/\($0)/m/x", $0) }, into: "test")
      let step = "collection: g/*/m\nsteps:\n  - set: {a: 1}\n"
      try tool.write("id: a\nsummary: S.\n\(step)", to: "a.yaml")
      let plan = try await tool.bare(["migrate", "plan", "a.yaml", "-e", "test", "--examples", "0"])
      plan.expect(0)
      #expect(plan.output.split(separator: "\n").count { $0.hasPrefix("  g/") } == 20, "\(plan.output)")
      #expect(plan.output.contains("\n  and 5 more collections\n"))
    }
  }
}
