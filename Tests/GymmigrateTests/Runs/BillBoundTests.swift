import Foundation
import TestSupport
import Testing

@Suite("A bound on the bill", .timeLimit(.minutes(60)))
struct BillBoundTests {
  @Test("A reading command ends before the request that could be billed more, and leaves nothing half.")
  func reads() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: (1...10).map { documentLine("a/\($0)", $0) }.joined(separator: "\n"))
    try await withTool(against: mini.handler) { tool, _ in
      let export = ["export", "a", "-o", "a.jsonl", "--no-subcollections"] + tool.place
      let few = try await tool.bare(export + ["--max-reads", "9"])
      few.expectFailure(75, "--max-reads 9", "Allow more")
      // The same command would end at the same request.
      #expect(!few.errors.contains("To resume"))
      #expect(!tool.names(in: ".").contains("a.jsonl"))
      // The time of the service, whether it reads at a moment, and the page after the last document.
      let enough = try await tool.bare(export + ["--max-reads", "14", "--json"])
      enough.expect(0)
      let json = try JSONSerialization.jsonObject(with: Data(enough.standardOutput)) as? [String: Any]
      let billed = try #require(json?["billed"] as? [String: Int])
      #expect((11...14).contains(billed["reads"] ?? 0) && billed["writes"] == 0)
      #expect(try tool.text("a.jsonl").split(separator: "\n").count == 10)
      let none = try await tool.run("count", "a", "--max-reads", "0", "--json")
      none.expectFailure(75, "--max-reads 0")
      #expect(try none.summary().resumeCommand == nil)
      #expect(try await tool.run("count", "a", "--max-reads", "3").output == "a\t10\n")
    }
  }

  @Test(
    "A run that writes goes on with a larger bound, and is never billed more than the bound of the whole."
  )
  func writes() async throws {
    let mini = MiniFirestore()
    try await withTool(against: mini.handler) { tool, _ in
      try tool.write((1...50).map { documentLine("a/\($0)", $0) }.joined(separator: "\n"), to: "a.jsonl")
      let first = try await tool.bare(
        ["import", "a.jsonl", "--batch-size", "5", "--max-writes", "30"] + tool.place
      )
      first.expectFailure(75, "--max-writes 30", "Allow more")
      let run = try tool.lastRun()
      #expect(
        first.lastLine == "To resume: gymmigrate runs resume \(run) --max-writes MORE",
        "\(first.errors)"
      )
      let done = mini.snapshot().count
      #expect(done > 0 && mini.totalWrites <= 30)
      try await tool.bare(["runs", "resume", "last"]).expect(75)
      #expect(mini.snapshot().count == done && mini.totalWrites <= 30)
      let last = try await tool.bare(["runs", "resume", "last", "--max-writes", "100", "--json"])
      last.expect(0)
      #expect(mini.snapshot().count == 50)
      let json = try JSONSerialization.jsonObject(with: Data(last.standardOutput)) as? [String: Any]
      let billed = try #require(json?["billed"] as? [String: Int])
      // The documents, and of each process the ledger and the lock.
      #expect((50 + 6...62).contains((billed["writes"] ?? 0) + (billed["deletes"] ?? 0)))
      #expect(
        try tool.text("\(try #require(tool.runs().last))/billed.json").contains(
          "\"writes\":\(billed["writes"] ?? 0)"
        )
      )
    }
  }

  @Test("What one process cannot keep is refused.")
  func refusals() async throws {
    let mini = MiniFirestore()
    try await withTool(against: mini.handler) { tool, _ in
      let divided = ["export", "a", "--max-reads", "9"] + tool.place
      try await tool.bare(["shard", "plan", "--shards", "2", "--to", "s", "--"] + divided)
        .expectFailure(64, "a bound is of one process")
      try await tool.run("managed", "list", "--max-reads", "9").expectFailure(64, "Leave out --max-reads")
      try await tool.run("count", "a", "--max-reads", "few").expect(64)
    }
  }
}
