import TestSupport
import Testing

@Suite("Migrations of a database that several environments name", .timeLimit(.minutes(60)))
struct SeveralNamesTests {
  private static let names = ["stage", "staging", "real"]

  /// A database that is called stage, staging, and, protected, real; its gate is that of one of them.
  private func withNames(
    _ header: String,
    gate: String,
    _ body: (Tool, _ url: String) async throws -> Void
  )
    async throws
  {
    try await withStore { tool, url in
      var tool = tool
      tool.place = []
      let lines = (Self.names + ["test"]).map { name in
        let database = name == "test" ? name : "main"
        let more = name == "real" ? ", protected: true" : ""
        return "  \(name): { database: \(database), endpoint: \"\(url)\"\(more) }\n"
      }
      try tool.write("project: p\nenvironments:\n\(lines.joined())\(gate)", to: "gymmigrate.yaml")
      try tool.write(
        "id: a\nsummary: S.\n\(header)collection: things\nsteps:\n  - set: {a: 1}\n",
        to: "migrations/1-a.yaml"
      )
      try tool.write(documentLine("things/t1", 1) + "\n", to: "things.jsonl")
      for name in ["test", "stage"] {
        try await tool.bare(["import", "things.jsonl", "-e", name, "--confirm", "real"]).expect(0)
      }
      try await body(tool, url)
    }
  }

  @Test("A gate of one name holds for all of them, and opens for all of them.", arguments: Self.names)
  func gates(_ guarded: String) async throws {
    try await withNames("", gate: "promote: { \(guarded): { after: test } }\n") { tool, url in
      let places =
        Self.names.map { ["-e", $0] }
        + [
          ["--project", "p", "--database", "main", "--endpoint", url], ["-e", "test", "--database", "main"],
        ]
      let before = try await tool.dump("stage")
      for place in places {
        try await tool.bare(["migrate", "up", "--confirm", "real"] + place)
          .expectFailure(77, "cannot apply in \(guarded): 1-a is pending in test")
      }
      #expect(try await tool.dump("stage") == before)
      try await tool.bare(["migrate", "up", "-e", "test"]).expect(0)
      try await tool.bare(["migrate", "up", "-e", "staging", "--confirm", "real"]).expect(0)
      #expect(try await tool.dump("stage") != before)
    }
  }

  @Test(
    "A migration for one name is for the database, by whatever name it is reached.",
    arguments: Self.names
  )
  func environments(_ name: String) async throws {
    try await withNames("environments: [\(name)]\n", gate: "") { tool, _ in
      for place in Self.names {
        let pending = try await tool.bare(["migrate", "pending", "-e", place]).expect(0)
        #expect(pending.output.hasPrefix("1-a\tpending"), "\(place): \(pending.output)\(pending.errors)")
      }
      let status = ["migrate", "status", "--environments", "stage,staging,real,test"]
      func states() async throws -> [Substring] {
        try await tool.bare(status).expect(0).output.split(separator: "\n").last?.split(separator: " ") ?? []
      }
      #expect(try await states() == ["1-a", "pending", "pending", "pending", "-"])
      let before = try await tool.dump("stage")
      try await tool.bare(["migrate", "up", "-e", "staging", "--confirm", "real"]).expect(0)
      #expect(try await tool.dump("stage") != before)
      #expect(try await states().count { $0.hasPrefix("verified") } == 3)
    }
  }
}
