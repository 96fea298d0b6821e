import Foundation
import TestSupport
import Testing

@Suite("What the tasks of a plan have in common", .timeLimit(.minutes(60)))
struct ShardSamenessTests {
  private static func schema(_ type: String, _ comment: String = "") -> String {
    "\(comment)schema: things\ncollections:\n  users:\n    fields: { n: \(type), name: string }\n"
  }

  private static let changed = "the schema has changed since the tasks were planned"

  private static let lines = (0..<300).map {
    documentLine("users/u\($0)", $0, #","name":{"stringValue":" a"}"#)
  }

  /// `test` with users, and files that import them and change their names.
  private func withUsers(_ body: (Tool) async throws -> Void) async throws {
    try await withStores { tool in
      try await tool.load(Self.lines, into: "test")
      try tool.write(Self.lines.map { "\($0)\n" }.joined(), to: "in/a.jsonl")
      try tool.write(
        "id: trimmed\nsummary: S.\ncollection: users\nsteps:\n  - trim: name\n",
        to: "trim.yaml"
      )
      try tool.write(Self.schema("integer"), to: "things.yaml")
      try await body(tool)
    }
  }

  private func plan(_ tool: Tool, _ place: String, _ command: [String]) async throws {
    try await tool.bare(["shard", "plan", "--shards", "2", "--to", place, "--"] + command).expect(0)
  }

  private func work(_ tool: Tool, _ place: String, _ task: Int) async throws -> RunResult {
    try await tool.bare(["shard", "work", place, "--task", "\(task)"])
  }

  @Test(
    "A task with another schema than that of the plan is refused (65), whatever it does; other comments are no other schema.",
    arguments: [
      (["migrate", "apply", "trim.yaml", "-e", "test"], true),
      (["migrate", "plan", "trim.yaml", "-e", "test"], false),
      (["import", "in", "-e", "stage"], true),
      (["copy", "users", "--from", "test", "--to", "stage", "-y"], true),
      (["export", "users", "-e", "test"], false),
      (["check", "--per-document", "-e", "test"], false),
    ]
  )
  func schema(_ command: [String], writes: Bool) async throws {
    try await withUsers { tool in
      try await plan(tool, "W", command + ["--schema", "things.yaml"])
      try await work(tool, "W", 0).expect(0)
      try tool.write(Self.schema("double"), to: "things.yaml")
      try await work(tool, "W", 1).expectFailure(65, Self.changed)
      try tool.write(Self.schema("integer", "# Ours.\n"), to: "things.yaml")
      try await work(tool, "W", 1).expect(0)
      // What was written needs no schema any more; what was read is put together by it.
      try tool.write(Self.schema("double"), to: "things.yaml")
      let finished = try await tool.bare(["shard", "finish", "W"])
      if writes { finished.expect(0) } else { finished.expectFailure(65, Self.changed) }
    }
  }

  @Test(
    "Rules that mask less than those of the plan are refused (65), and no part has what they would leave."
  )
  func mask() async throws {
    try await withUsers { tool in
      func schema(_ rule: String) -> String {
        """
        schema: things
        collections:
          users:
            mask: keep
            fields:
              n: { type: integer, mask: keep }
              name: { type: string, mask: \(rule) }

        """
      }
      try tool.write("0123456789abcdef0123456789abcdef0123456789abcdef\n", to: "key")
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: tool.path("key"))
      try tool.write(schema("drop"), to: "things.yaml")
      let export = ["export", "users", "-e", "test", "--schema", "things.yaml"]
      try await plan(tool, "W", export + ["--mask", "--mask-key-file", "key"])
      try await work(tool, "W", 0).expect(0)
      try tool.write(schema("keep"), to: "things.yaml")
      try await work(tool, "W", 1).expectFailure(65, Self.changed)
      let parts = tool.names(in: "W/parts")
      #expect(!parts.isEmpty)
      for part in parts { #expect(try !tool.text("W/parts/\(part)").contains("name\":{")) }
    }
  }

  @Test("A task with another storageBucket than that of the plan is refused (78).")
  func bucket() async throws {
    try await withUsers { tool in
      try await plan(tool, "W", ["export", "users", "-e", "test"])
      let open = try tool.text("gymmigrate.yaml")
      let other = open.replacing("test: {", with: "test: { storageBucket: other-files,")
      #expect(other != open)
      try tool.write(other, to: "gymmigrate.yaml")
      try await work(tool, "W", 0).expectFailure(78, "storageBucket")
      try tool.write(open, to: "gymmigrate.yaml")
      try await work(tool, "W", 0).expect(0)
    }
  }

  @Test(
    "A task of an import reads the files of the plan: no more of them (65), and none that is gone (66), which 'finish' needs no more."
  )
  func files() async throws {
    try await withUsers { tool in
      try await plan(tool, "W", ["import", "in", "-e", "stage", "--schema", "none"])
      try tool.write(documentLine("users/late", 1) + "\n", to: "in/b.jsonl")
      try await work(tool, "W", 0).expectFailure(65, "in/b.jsonl", "not those of the plan")
      try FileManager.default.removeItem(atPath: tool.path("in/b.jsonl"))
      try FileManager.default.moveItem(atPath: tool.path("in/a.jsonl"), toPath: tool.path("a.jsonl"))
      try await work(tool, "W", 0).expectFailure(66, "in/a.jsonl", "there is no such file")
      try FileManager.default.moveItem(atPath: tool.path("a.jsonl"), toPath: tool.path("in/a.jsonl"))
      for task in 0..<2 { try await work(tool, "W", task).expect(0) }
      try FileManager.default.removeItem(atPath: tool.path("in"))
      try await tool.bare(["shard", "finish", "W"]).expect(0)
      #expect(try await tool.dump("stage").count == Self.lines.count)
    }
  }

  @Test("The end of a divided migration needs its file no more.")
  func migration() async throws {
    try await withUsers { tool in
      try await plan(tool, "W", ["migrate", "apply", "trim.yaml", "-e", "test", "--schema", "none"])
      for task in 0..<2 { try await work(tool, "W", task).expect(0) }
      try FileManager.default.removeItem(atPath: tool.path("trim.yaml"))
      try await tool.bare(["shard", "finish", "W"]).expect(0)
    }
  }
}
