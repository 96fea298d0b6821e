import Foundation
import TestSupport
import Testing

@Suite("Plans of several migrations", .timeLimit(.minutes(60)))
struct PlanTogetherTests {
  private struct Line: Decodable {
    var path: String
    var migration: String
  }

  private func lines(_ tool: Tool, _ name: String) throws -> [Line] {
    try tool.text(name).split(separator: "\n").dropLast().map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
  }

  /// The member `plan` of a summary, by collection.
  private func planned(_ json: String) throws -> (collections: [String: [String: Int]], file: String?) {
    let object = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    let plan = try #require(object["plan"] as? [String: Any])
    var collections: [String: [String: Int]] = [:]
    for row in try #require(plan["collections"] as? [[String: Any]]) {
      collections[try #require(row["name"] as? String)] = row.compactMapValues { $0 as? Int }
    }
    return (collections, plan["file"] as? String)
  }

  @Test("Each migration is planned on what those before it leave, and the numbers are those of the apply.")
  func numbers() async throws {
    let mini = MiniFirestore()
    // Both migrations would set isActive of a; only the second one has something to do with b.
    try mini.put("users/a", fields: #"{"n":{"stringValue":" x "},"isActive":{"booleanValue":true}}"#)
    try mini.put("users/b", fields: #"{"n":{"stringValue":"y"},"isActive":{"booleanValue":true}}"#)
    try mini.put("users/c", fields: #"{"n":{"stringValue":"y"}}"#)
    try await withTool(against: mini.handler) { tool, _ in
      try write("one", "[{ set: { isActive: false } }, { trim: n }]", "isActive == true and n != y", tool)
      try write("two", "[{ set: { isActive: false } }]", "isActive == true", tool)
      let before = mini.lines()
      let plan = try await tool.run("migrate", "plan", "one.yaml", "two.yaml", "--json", "-o", "plan.jsonl")
      plan.expect(0)
      #expect(mini.lines() == before)
      let (collections, file) = try planned(plan.output)
      #expect(collections == ["users": ["documents": 2, "create": 0, "update": 2, "delete": 0]])
      #expect(file == "plan.jsonl")
      #expect(plan.errors.contains("See plan.jsonl."))
      #expect(plan.errors.contains("To apply exactly this: gymmigrate migrate apply --plan plan.jsonl"))
      #expect(
        try lines(tool, "plan.jsonl").map { "\($0.path) \($0.migration)" } == ["users/a one", "users/b two"]
      )
      let applied = try await tool.run("migrate", "apply", "one.yaml", "two.yaml", "--json").expect(0)
      #expect(try applied.summary().totals.written == 2)
    }
  }

  private func write(_ id: String, _ steps: String, _ filter: String, _ tool: Tool) throws {
    let text = """
      id: \(id)
      summary: Does \(id).
      collection: users
      where: \(filter)
      steps: \(steps)
      """
    _ = try tool.write(text, to: "\(id).yaml")
  }

  @Test("The changes of several migrations to one document are one, and all of a plan can be applied.")
  func merged() async throws {
    try await withMini(.withSamples(["users", "user_emails", "members"])) { tool, _ in
      let plan = try await tool.run("migrate", "plan", "--all", "--json", "-o", "plan.jsonl").expect(0)
      let lines = try lines(tool, "plan.jsonl")
      #expect(Set(lines.map(\.path)).count == lines.count)
      #expect(lines.contains { $0.migration == "users-unify+members-link" })
      let (collections, _) = try planned(plan.output)
      #expect(collections["users"]?["documents"] == 400)
      let sum = collections.values.reduce(0) {
        $0 + ($1["create"] ?? 0) + ($1["update"] ?? 0) + ($1["delete"] ?? 0)
      }
      #expect(sum == lines.count)
      let applied = try await tool.run("migrate", "apply", "--plan", "plan.jsonl", "--json").expect(0)
      let totals = try applied.summary().totals
      #expect(totals.conflicted == 0 && totals.written == lines.count)
      let ids = try await tool.ledger().runs.flatMap { $0.migrations.map(\.id) }
      #expect(
        ids.contains("users-unify") && ids.contains("members-link") && !ids.contains { $0.contains("+") }
      )
      // Nothing is left to do.
      try await tool.run("migrate", "plan", "--all", "--json", "--exit-code").expect(0)
    }
  }

  @Test("A plan that has a document twice is refused, whoever made the lines.")
  func twice() async throws {
    let mini = MiniFirestore()
    try mini.put("users/a", fields: #"{"n":{"integerValue":"1"}}"#)
    try await withTool(against: mini.handler) { tool, _ in
      try await tool.run("migrate", "plan", "users-unify", "-o", "plan.jsonl").expect(0)
      let line = try "\(#require(tool.text("plan.jsonl").split(separator: "\n").first))\n"
      let other = line.replacingOccurrences(of: "\"users-unify\"", with: "\"is-active\"")
      _ = try tool.write(line + other, to: "plan.jsonl")
      let refused = try await tool.run("migrate", "apply", "--plan", "plan.jsonl").expect(65)
      #expect(refused.errors.contains("line 2 changes the same document as line 1"))
      #expect(mini.totalWrites == 0)
    }
  }
}
