import TestSupport
import Testing

@Suite(
  "Changes whose time is in another field than the one by which they are looked for",
  .timeLimit(.minutes(60))
)
struct ChangeTimeTests {
  private let mini = MiniFirestore()

  /// Pulls a mirror and exports, by a schema or none, and calls `body`.
  private func withThings(by schema: String, _ body: (Tool) async throws -> Void) async throws {
    let time = #"{"timestampValue":"2020-01-01T00:00:00Z"}"#
    for id in 1...3 {
      try mini.put(
        "things/\(id)",
        fields: #"{"s":{"stringValue":"old"},"updatedAt":\#(time),"mod":\#(time)}"#
      )
    }
    try await withTool(against: mini.handler) { tool, server in
      var tool = tool
      tool.place = Array(tool.at(server).dropFirst(2))
      for field in ["updatedAt", "mod"] {
        let text = """
          schema: t
          collections:
            things: { update-time: \(field), fields: { s: string, updatedAt: timestamp, mod: timestamp } }
          """
        try tool.write(text, to: "\(field).yaml")
      }
      try await tool.run("mirror", "pull", "-o", "m.sqlite", "--schema", schema).expect(0)
      try await tool.run("export", "things", "-o", "nightly", "--dated", "--schema", schema).expect(0)
      try await body(tool)
    }
  }

  private func fix(_ document: String, by schema: String, _ tool: Tool) async throws {
    let filter = "__name__ == things/\(document)"
    try await tool.run("fix", "things", "--where", filter, "--set", "s=new", "--schema", schema).expect(0)
  }

  /// Returns how many changed documents a pull by a schema finds, and how many documents an increment has.
  private func found(by schema: String, _ tool: Tool) async throws -> [Int] {
    try await tool.run("mirror", "pull", "-o", "m.sqlite", "--schema", schema).expect(0)
    try await tool.run("export", "things", "-o", "nightly", "--dated", "--since", "last", "--schema", schema)
      .expect(0)
    let increment: String = try tool.text("nightly/latest/things.jsonl")
    let export = ["export", "things", "-e", "mirror:m.sqlite", "-o", "-", "--format", "jsonl", "-q"]
    let mirror: String = try await tool.bare(export).output
    let changed: Int = mirror.split(separator: "\n").count { $0.contains("new") }
    let lines: Int = increment.split(separator: "\n").count
    return [changed, lines]
  }

  @Test("If the schema names another time of last change, what was changed by the former one is found.")
  func otherField() async throws {
    try await withThings(by: "updatedAt.yaml") { tool in
      try await fix("1", by: "updatedAt.yaml", tool)
      #expect(try await found(by: "mod.yaml", tool) == [1, 3])
      // From then on, changes are found by that field.
      try await fix("2", by: "mod.yaml", tool)
      #expect(try await found(by: "mod.yaml", tool) == [2, 1])
    }
  }

  @Test("What a run changed by a schema that names another time of last change is found without that schema.")
  func otherSchema() async throws {
    try await withThings(by: "none") { tool in
      try await fix("1", by: "mod.yaml", tool)
      #expect(try await found(by: "none", tool) == [1, 3])
    }
  }
}
