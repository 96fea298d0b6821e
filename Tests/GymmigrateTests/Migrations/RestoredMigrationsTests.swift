import FirestoreModels
import Foundation
import TestSupport
import Testing

@Suite("Migrations after a restore to a moment", .timeLimit(.minutes(60)))
struct RestoredMigrationsTests {
  @Test("A migration whose run was killed before the moment and resumed after it is pending again.")
  func resumed() async throws {
    let mini = MiniFirestore()
    for number in 10..<40 { try mini.put("things/t\(number)", fields: #"{"n":{"integerValue":"1"}}"#) }
    @Sendable func migrated() -> Int { mini.snapshot().count { $0.fieldsJSON.contains(#""a""#) } }
    let kill = KillSwitch(mini.handler, delay: .zero)
    try await withTool(against: kill.handler) { tool, _ in
      try tool.write(
        "id: set-a\nsummary: Sets a.\ncollection: things\nsteps:\n  - set: {a: 1}\n",
        to: "migrations/1-a.yaml"
      )
      func run(_ arguments: [String], until point: KillSwitch.Point = .never) async throws -> RunResult {
        try await kill.run(until: point) { try tool.startBare(arguments) }
      }
      func pending() async throws -> String {
        try await tool.bare(["migrate", "pending"] + tool.place).output
      }
      let up = ["migrate", "up", "-y", "--batch-size", "3", "--in-flight", "1"] + tool.place
      let first = try await run(up, until: .holds { migrated() >= 6 })
      try #require(first.signal == SIGKILL)
      let moment = try #require(mini.snapshot().map(\.updateTime).max())
      try await run(["runs", "resume", "last"]).expect(0)
      #expect(migrated() == 30)
      #expect(try await pending() == "")
      let restored = try await tool.bare(["restore", "--all", "--at", moment] + tool.place).expect(0)
      #expect(restored.errors.contains("pending again: set-a."), "\(restored.errors)")
      #expect((6..<30).contains(migrated()))
      #expect(try await pending().hasPrefix("1-a\tundone"))
      try await run(up).expect(0)
      #expect(migrated() == 30)
    }
  }

  @Test("The plan file of a restore takes back what the restore does, and nothing that was applied since.")
  func planFile() async throws {
    try await withStores { tool in
      let place = ["-e", "test"]
      func setting(_ id: String, in collection: String) -> String {
        "id: \(id)\nsummary: Sets \(id).\ncollection: \(collection)\nsteps:\n  - set: {\(id): 1}\n"
      }
      func pending() async throws -> [String] {
        try await tool.bare(["migrate", "pending"] + place).output.split(separator: "\n").map { line in
          line.split(separator: "\t").prefix(2).joined(separator: " ")
        }
      }
      try await tool.load(["things/t1", "things/t2", "others/o1"].map { documentLine($0, 1) }, into: "test")
      let moment = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)).description
      try tool.write(setting("a", in: "things"), to: "migrations/1-first.yaml")
      try await tool.bare(["migrate", "up", "-q"] + place).expect(0)
      let restore = ["restore", "--all", "--at", moment, "-n", "-o", "plan.jsonl"]
      try await tool.bare(restore + place).expect(0)
      try tool.write(setting("b", in: "others"), to: "migrations/2-second.yaml")
      try await tool.bare(["migrate", "up", "-q"] + place).expect(0)
      #expect(try await pending() == [])

      let apply = ["migrate", "apply", "--plan", "plan.jsonl"] + place
      let applied = try await tool.bare(apply).expect(0)
      #expect(applied.errors.contains("pending again: a."), "\(applied.errors)")
      #expect(applied.errors.contains("which no longer holds: b."), "\(applied.errors)")
      #expect(try await pending() == ["1-first undone"])
      #expect(try await tool.dump("test").count { $0.contains("\"a\"") } == 0)
      try await tool.bare(["migrate", "undo", "last", "-y"] + place).expect(0)
      #expect(try await pending() == [])
    }
  }

  @Test("A restore takes back only what can have touched the collections that it restored.")
  func others() async throws {
    try await withStores { tool in
      let place = ["-e", "test"]
      for (file, id, scope) in [
        ("1-b", "b", "collection: books"), ("2-l", "l", "collection-group: loans"),
        ("3-r", "r", "collection: readers/*/returns"),
      ] {
        let text = "id: \(id)\nsummary: Sets a.\n\(scope)\nsteps:\n  - set: {a: 1}\n"
        try tool.write(text, to: "migrations/\(file).yaml")
      }
      let names = ["books/b1", "readers/r1", "readers/r1/loans/l1", "readers/r1/returns/x1"]
      try await tool.load(names.map { documentLine($0, 1) }, into: "test")
      let moment = Timestamp(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)).description
      try await tool.bare(["migrate", "up", "-y", "-q"] + place).expect(0)
      for (scope, names) in [
        (["books"], "b"), (["readers/r1/loans"], "l"), (["readers", "--no-subcollections"], ""),
        (["readers"], "l, r"), (["--all"], "b, l, r"),
      ] {
        let restored = try await tool.bare(["restore"] + scope + ["--at", moment, "-y"] + place).expect(0)
        let line = restored.errors.split(separator: "\n").first { $0.contains("pending again") }
        #expect(line.map { $0.hasSuffix("again: \(names).") } ?? names.isEmpty, "\(scope): \(line ?? "")")
        if !names.isEmpty { try await tool.bare(["migrate", "undo", "last", "-y"] + place).expect(0) }
      }
    }
  }
}
