import Foundation
import Synchronization
import TestSupport
import Testing

/// A record holds the job itself: its words are replaced by rubbish, and nothing that follows is any different.
@Suite("Jobs in records", .timeLimit(.minutes(30)))
struct RecordedJobTests {
  private static func lines(_ count: Int, from first: Int = 0) -> String {
    (first..<first + count).map { documentLine("things/t\($0)", $0) }.joined(separator: "\n") + "\n"
  }

  private static let migration =
    "id: mark\nsummary: Marks.\ncollection: things\nsteps:\n  - set: {seen: true}\n"

  /// The documents of a store, without those of the program itself.
  private static func things(_ mini: MiniFirestore) -> [String: String] {
    mini.lines().filter { $0.key.hasPrefix("things/") }
  }

  /// Runs `body` on a store with things, whose changes are refused while `isDown`.
  private func withThings(
    _ body: (Tool, MiniFirestore, _ isDown: LockedFlag) async throws -> Void
  ) async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: Self.lines(9))
    let isDown = LockedFlag()
    let refusal = Reaction.json(
      #"{"error":{"code":403,"status":"PERMISSION_DENIED","message":"not now"}}"#,
      status: 403
    )
    let handler: RequestHandler = { request in
      let isChange = request.kind == .commit && request.text.contains("documents/things/")
      return isChange && isDown.value ? refusal : mini.handler(request)
    }
    try await withTool(against: handler) { tool, _ in
      try tool.write(Self.lines(9, from: 5), to: "new.jsonl")
      try tool.write(Self.migration, to: "mark.yaml")
      try await body(tool, mini, isDown)
    }
  }

  @Test(
    "A run is resumed and undone as what it was",
    arguments: [
      ["import", "new.jsonl", "--mode", "create"],
      ["fix", "things", "--where", "n >= 3", "--set", "it=is", "--set", "n=7", "--schema", "none"],
      ["delete", "things", "--id", "t1", "--id", "t7", "--hard", "--max-delete", "2", "--schema", "none"],
      ["migrate", "apply", "mark.yaml", "--schema", "none"],
    ]
  )
  func run(_ command: [String]) async throws {
    let whole = Later<[String: String]>()
    try await withThings { tool, mini, _ in
      try await tool.bare(command + tool.place).expect(0)
      whole.set(Self.things(mini))
    }
    try await withThings { tool, mini, isDown in
      let before = Self.things(mini)
      isDown.set(true)
      try await tool.bare(command + tool.place).expect(77)
      isDown.set(false)
      let record = "\(try #require(tool.runs().last))/run.json"
      try replaceWords(in: record, tool)
      let resumed = try await tool.bare(["runs", "resume", "last", "-q"]).expect(0)
      #expect(!resumed.errors.contains("Done in"), "\(resumed.errors)")
      #expect(Self.things(mini) == whole.get())
      #expect(Self.things(mini) != before)
      // Which database it was is not said again.
      isDown.set(true)
      try await tool.bare(["runs", "undo", "last"]).expect(77)
      isDown.set(false)
      try replaceWords(in: "\(try #require(tool.runs().last))/run.json", tool)
      try await tool.bare(["runs", "resume", "last"]).expect(0)
      #expect(Self.things(mini) == before)
    }
  }

  @Test(
    "A sharded run is worked on and finished as what was planned",
    arguments: [
      ["import", "new.jsonl", "--mode", "upsert"], ["migrate", "apply", "mark.yaml", "--schema", "none"],
    ]
  )
  func shards(_ command: [String]) async throws {
    let whole = Later<[String: String]>()
    try await withThings { tool, mini, _ in
      try await tool.bare(command + tool.place).expect(0)
      whole.set(Self.things(mini))
    }
    try await withThings { tool, mini, _ in
      let before = Self.things(mini)
      try await tool.bare(
        ["shard", "plan", "--shards", "2", "--to", "W", "--"] + command + tool.place
      ).expect(0)
      try replaceWords(in: "W/plan.json", member: "command", tool)
      let run = try #require(tool.names(in: "W/runs").first)
      try replaceWords(in: "W/runs/\(run)/run.json", tool)
      for task in ["0", "1"] { try await tool.bare(["shard", "work", "W", "--task", task]).expect(0) }
      try await tool.bare(["shard", "finish", "W"]).expect(0)
      #expect(Self.things(mini) == whole.get())
      try await tool.bare(["runs", "undo", run, "--state-dir", "W"]).expect(0)
      #expect(Self.things(mini) == before)
    }
  }

  @Test("The parts of an export are those of the plan's job")
  func export() async throws {
    try await withThings { tool, _, _ in
      let export = ["export", "things", "--where", "n == 4", "--schema", "none"] + tool.place
      try await tool.bare(export + ["-o", "one.jsonl"]).expect(0)
      try await tool.bare(["shard", "plan", "--shards", "1", "--to", "W", "--"] + export).expect(0)
      try replaceWords(in: "W/plan.json", member: "command", tool)
      try await tool.bare(["shard", "work", "W", "--task", "0"]).expect(0)
      try await tool.bare(["shard", "finish", "W"]).expect(0)
      let parts = try tool.names(in: "W/parts").filter { $0.hasSuffix(".jsonl") }.map {
        try tool.text("W/parts/\($0)")
      }
      let one = try tool.text("one.jsonl")
      #expect(parts.joined() == one && one.contains("things/t4") && !one.contains("things/t5"))
    }
  }

  @Test("What a person answered, and who signs, is in no record")
  func secrets() async throws {
    try await withThings { tool, _, _ in
      try tool.write("ya29.very-secret", to: "token")
      try await tool.bare(
        [
          "import", "new.jsonl", "--mode", "upsert", "--confirm", "nobody", "-y", "--access-token-file",
          "token",
        ]
          + tool.place
      ).expect(0)
      let text = try tool.text("\(try #require(tool.runs().last))/run.json")
      let record = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let job = try JSONSerialization.data(withJSONObject: try #require(record["job"]))
      let shown = String(decoding: job, as: UTF8.self)
      #expect(!shown.contains("nobody") && !shown.contains("confirm") && !shown.contains("very-secret"))
      #expect(shown.contains("token"))
    }
  }
}

/// A flag that a server and a test share.
final class LockedFlag: Sendable {
  private let flag = Mutex(false)

  var value: Bool { flag.withLock { $0 } }

  func set(_ value: Bool) { flag.withLock { $0 = value } }
}
