import Foundation
import TestSupport
import Testing

@Suite("The end of divided commands", .timeLimit(.minutes(60)))
struct ShardFinishTests {
  private static let migration = """
    id: trimmed
    summary: Trims users.
    collection: users
    steps:
      - trim: name
    """

  private static let schema = """
    schema: things
    collections:
      users:
        fields: { n: string, name: string }

    """

  /// Divides a command among two tasks that do their work; returns what `finish` prints as JSON, and as text.
  private func finished(_ tool: Tool, _ command: [String]) async throws -> (json: [String: Any], text: String)
  {
    try await tool.bare(["shard", "plan", "--shards", "2", "--to", "W", "--"] + command).expect(0)
    for task in ["0", "1"] { try await tool.bare(["shard", "work", "W", "--task", task]).expect(0) }
    let json = try object(await tool.bare(["shard", "finish", "W", "--json"]))
    return (json, try await tool.bare(["shard", "finish", "W"]).output)
  }

  private func object(_ result: RunResult) throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(result.standardOutput)) as? [String: Any])
  }

  private func same(_ one: Any?, _ other: Any?) -> Bool {
    guard let one = one as? NSObject, let other = other as? NSObject else { return false }
    return one.isEqual(other)
  }

  private func withUsers(_ body: (Tool) async throws -> Void) async throws {
    try await withStores { tool in
      try tool.write(Self.migration, to: "trim.yaml")
      try tool.write(Self.schema, to: "things.yaml")
      let lines = (0..<300).map { number in
        documentLine(
          "users/u\(number)",
          number,
          #","name":{"stringValue":"\#(number % 2 == 0 ? "" : " ")a"}"#
        )
      }
      try await tool.load(lines, into: "test")
      try await body(tool)
    }
  }

  @Test("A plan has the totals of the plan of one process.")
  func plan() async throws {
    try await withUsers { tool in
      let plan = ["migrate", "plan", "trim.yaml", "--schema", "none", "-e", "test"]
      let one = try object(await tool.bare(plan + ["--json"]))
      let (json, text) = try await finished(tool, plan)
      let totals = try #require(json["plan"] as? [String: Any])
      #expect(totals["update"] as? Int == 150 && totals["create"] as? Int == 0)
      #expect(same(totals, one["plan"]), "\(totals)")
      #expect(text.contains("0 to create, 150 to update, 0 to delete, of 300 documents\n"), "\(text)")
    }
  }

  @Test("A check has the findings and the rules of the check of one process, each value as it is.")
  func check() async throws {
    try await withUsers { tool in
      let check = ["check", "--per-document", "--schema", "things.yaml", "-e", "test"]
      let one = try object(await tool.bare(check + ["--json"]))
      let (json, _) = try await finished(tool, check)
      #expect((json["findings"] as? [Any])?.count ?? 0 >= 300)
      #expect((json["rules"] as? [String: Int])?["wrong-type"] == 300)
      for member in ["findings", "rules"] { #expect(same(json[member], one[member]), "\(member)") }
      #expect(json["exitCode"] as? Int == 1)
    }
  }
}
