import Foundation
import TestSupport
import Testing

@Suite("What the ledger says of migrations", .timeLimit(.minutes(60)))
struct LedgerTruthTests {
  private static let setting = "id: set-a\nsummary: Sets a.\ncollection: things\nsteps:\n  - set: {a: 1}\n"

  /// Three things in `test`, and a folder of one migration.
  private func withFolder(_ text: String = setting, _ body: (Tool) async throws -> Void) async throws {
    try await withStores { tool in
      try tool.write(text, to: "migrations/1-a.yaml")
      try await tool.load((1...3).map { documentLine("things/t\($0)", $0) }, into: "test")
      try await body(tool)
    }
  }

  private func pending(_ tool: Tool) async throws -> String {
    let result = try await tool.bare(["migrate", "pending", "-e", "test"]).expect(0)
    return result.output.split(separator: "\n").map { line in
      line.split(separator: "\t").prefix(2).joined(separator: " ")
    }.joined(separator: ", ")
  }

  private func status(_ tool: Tool) async throws -> String {
    let result = try await tool.bare(["migrate", "status", "--environments", "test"]).expect(0)
    return String(result.output.split(separator: "\n").last ?? "")
  }

  @Test("A run that was to change what others had changed meanwhile applied nothing, or not all.")
  func conflicts() async throws {
    try await withFolder { tool in
      let apply = ["migrate", "apply", "--plan", "p.jsonl", "-e", "test"]
      try await tool.bare(["migrate", "plan", "set-a", "-e", "test", "-o", "p.jsonl"]).expect(0)
      try await tool.bare(apply).expect(0)
      #expect(try await pending(tool) == "")
      // All is as it was planned.
      try await tool.bare(apply).expect(0)
      #expect(try await pending(tool) == "", "the first run stands")
      try await tool.bare(["migrate", "undo", "last", "-e", "test", "-y"]).expect(0)
      try await tool.bare(apply).expect(2)
      #expect(try await pending(tool) == "1-a undone")
      try await tool.bare(["migrate", "plan", "set-a", "-e", "test", "-o", "q.jsonl"]).expect(0)
      try await tool.load([documentLine("things/t1", 9)], into: "test", mode: "upsert")
      try await tool.bare(["migrate", "apply", "--plan", "q.jsonl", "-e", "test"]).expect(2)
      #expect(try await pending(tool) == "1-a in conflict")
      try await tool.bare(["migrate", "up", "-e", "test", "-q"]).expect(0)
      #expect(try await pending(tool) == "")
      #expect(try await tool.dump("test").allSatisfy { $0.contains("\"a\":") })
    }
  }

  @Test("A file in place of a name of the folder is said to be one.")
  func fileForName() async throws {
    try await withFolder { tool in
      try tool.write(Self.setting, to: "other.yaml")
      try await tool.bare(["migrate", "test", "other.yaml", "--from", "test"])
        .expectFailure(64, "it is a file", "takes the migrations of a folder by their names")
    }
  }

  @Test("What is pending after an undo is applied though its file changed, or refused before anything is.")
  func changedAfterUndo() async throws {
    try await withFolder { tool in
      let (place, apply) = (["-e", "test"], ["migrate", "apply", "--plan", "p.jsonl", "-e", "test"])
      try await tool.bare(["migrate", "plan", "set-a", "-o", "p.jsonl"] + place).expect(0)
      try await tool.load([documentLine("things/t3", 9)], into: "test", mode: "upsert")
      try await tool.bare(apply).expect(2)
      let first = try tool.lastRun()
      // Nothing is left that it could change.
      try await tool.bare(apply).expect(2)
      try await tool.bare(["migrate", "undo", first, "-y"] + place).expect(0)
      try tool.write(Self.setting.replacing("a: 1", with: "a: 2"), to: "migrations/1-a.yaml")
      try tool.write(
        "id: zero\nsummary: Sets z.\ncollection: things\nsteps:\n  - set: {z: 1}\n",
        to: "migrations/0-z.yaml"
      )
      #expect(try await pending(tool) == "0-z pending, 1-a undone")
      try await tool.bare(["migrate", "up", "-y", "-q"] + place).expect(0)
      #expect(try await tool.dump("test").allSatisfy { $0.contains(#""a":{"integerValue":"2"}"#) })
    }
  }

  @Test("A file that changed while a run with it stands is refused before those before it are applied.")
  func changedBehindOthers() async throws {
    try await withFolder { tool in
      let place = ["-e", "test"]
      try await tool.bare(["migrate", "apply", "set-a", "-q"] + place).expect(0)
      let first = try tool.lastRun()
      try await tool.load([documentLine("things/t4", 4)], into: "test")
      try await tool.bare(["migrate", "apply", "set-a", "-q"] + place).expect(0)
      let second = try tool.lastRun()
      // What the second run wrote stays.
      try await tool.bare(["migrate", "undo", first, "-y", "-q"] + place).expect(0)
      try tool.write(Self.setting.replacing("a: 1", with: "a: 2"), to: "migrations/1-a.yaml")
      try tool.write(
        "id: zero\nsummary: Sets z.\ncollection: things\nsteps:\n  - set: {z: 1}\n",
        to: "migrations/0-z.yaml"
      )
      let before = try await tool.dump("test")
      for command in [["pending"], ["up", "-n"], ["up", "-y"]] {
        try await tool.bare(["migrate"] + command + place).expectFailure(77, "set-a", second, "SHA-256")
      }
      #expect(try await tool.dump("test") == before)
    }
  }

  @Test(
    "An apply that finds nothing to change leaves a migration verified; a verification that finds something does not."
  )
  func verified() async throws {
    try await withFolder { tool in
      try await tool.bare(["migrate", "up", "-e", "test", "-q"]).expect(0)
      try await tool.bare(["migrate", "apply", "set-a", "-e", "test", "-q"]).expect(0)
      #expect(try await status(tool).contains(" verified"))
      try await tool.load([documentLine("things/t4", 4)], into: "test")
      let verify = ["migrate", "verify", "set-a", "--record", "-e", "test", "-q"]
      try await tool.bare(verify).expect(1)
      #expect(try await status(tool).contains(" applied"))
      try await tool.bare(["migrate", "apply", "set-a", "-e", "test", "-q"]).expect(0)
      try await tool.bare(verify).expect(0)
      #expect(try await status(tool).contains(" verified"))
    }
  }

  @Test("What a reset or a restore takes back is pending again, until that is undone.")
  func takenBack() async throws {
    try await withFolder { tool in
      try await tool.bare(["export", "--all", "-e", "test", "-o", "before/", "--format", "jsonl", "-q"])
        .expect(0)
      try await tool.bare(["migrate", "up", "-e", "test", "-q"]).expect(0)
      try await tool.bare(["export", "--all", "-e", "test", "-o", "after/", "--format", "jsonl", "-q"])
        .expect(0)
      let restore = ["restore", "--all", "-e", "test", "-y", "--max-delete", "9", "--from"]
      try await tool.bare(restore + ["after/", "-q"]).expect(0)
      #expect(try await pending(tool) == "", "that is how it left them")
      let restored = try await tool.bare(restore + ["before/"]).expect(0)
      #expect(restored.errors.contains("pending again: set-a."), "\(restored.errors)")
      #expect(try await pending(tool) == "1-a undone")
      try await tool.bare(["migrate", "undo", "last", "-e", "test", "-y"]).expect(0)
      #expect(try await pending(tool) == "")
      let other = ["restore", "elsewhere", "-e", "test", "-y", "--from", "before/"]
      _ = try await tool.bare(other)
      #expect(try await pending(tool) == "", "it is about another collection")
      try await tool.bare(["env", "reset", "test", "--max-delete", "9", "-y"]).expect(0)
      #expect(try await pending(tool) == "1-a undone")
      try await tool.load([documentLine("things/t1", 1)], into: "test")
      try await tool.bare(["migrate", "up", "-e", "test", "-q"]).expect(0)
      #expect(try await pending(tool) == "")
      #expect(try await tool.dump("test").allSatisfy { $0.contains("\"a\":") })
    }
  }

  @Test(
    "A migration that deletes for good and has nothing to delete needs no bound; a plan names the bound that it needs."
  )
  func deletions() async throws {
    let text =
      "id: gone\nsummary: Deletes.\nirreversible: It is meant.\ncollection: things\nwhere: ['n > 2']\nsteps:\n  - delete: hard\n"
    try await withFolder(text) { tool in
      let plan = try await tool.bare(["migrate", "up", "-e", "test", "-n"]).expect(0)
      #expect(plan.errors.contains("--max-delete 1"), "\(plan.errors)")
      try await tool.bare(["migrate", "up", "-e", "test", "-y"]).expectFailure(77, "--max-delete")
      try await tool.bare(["delete", "things", "--id", "t3", "--hard", "--max-delete", "1", "-e", "test"])
        .expect(0)
      try await tool.bare(["migrate", "up", "-e", "test", "-y"]).expect(0)
      #expect(try await pending(tool) == "")
    }
  }

  @Test("An undo that could not put all back says how many are left.")
  func inPart() async throws {
    try await withFolder { tool in
      try await tool.bare(["migrate", "up", "-e", "test", "-q"]).expect(0)
      try await tool.load([documentLine("things/t1", 9)], into: "test", mode: "upsert")
      try await tool.bare(["migrate", "down", "-e", "test", "-y", "-q"]).expect(2)
      #expect(try await pending(tool) == "1-a undone in part")
      let status = try await status(tool)
      #expect(status.contains("undone in part, ") && status.hasSuffix("1 not undone"), "\(status)")
      // The import, then the rest of what it stood in the way of.
      for _ in 1...2 {
        try await tool.bare(["migrate", "undo", "last", "-e", "test", "-y", "-q"]).expect(0)
      }
      #expect(try await pending(tool) == "1-a undone")
      let whole = try await self.status(tool)
      #expect(!whole.contains("in part") && !whole.contains("not undone"), "\(whole)")
      #expect(try await tool.dump("test").allSatisfy { !$0.contains("\"a\":") })
    }
  }

  @Test("A reset leaves nothing that would have to be undone.")
  func resetInPart() async throws {
    try await withFolder { tool in
      try await tool.bare(["migrate", "up", "-e", "test", "-q"]).expect(0)
      try await tool.load([documentLine("things/t1", 9)], into: "test", mode: "upsert")
      try await tool.bare(["migrate", "down", "-e", "test", "-y", "-q"]).expect(2)
      try await tool.bare(["env", "reset", "test", "--max-delete", "9", "-y"]).expect(0)
      #expect(try await pending(tool) == "1-a undone")
    }
  }

  @Test("Who writes without migrations of a file reads none of the entries that nothing waits for.")
  func entries() async throws {
    try await withFolder { tool in
      func billed(_ number: Int) async throws -> Int {
        let result = try await tool.bare([
          "fix", "things", "--where", "n == 1", "--set", "b=\(number)", "-e", "test", "--json",
        ]).expect(0)
        return try result.billedReads()
      }
      let first = try await billed(1)
      for number in 2...5 { _ = try await billed(number) }
      #expect(try await billed(6) == first)
    }
  }
}

extension RunResult {
  /// The member of a summary that has reads, as `billed` or `cost`.
  func billedReads(_ member: String = "billed") throws -> Int {
    let json = try JSONSerialization.jsonObject(with: Data(standardOutput)) as? [String: Any]
    let cost = try #require(json?[member] as? [String: Any])
    return try #require(cost["reads"] as? Int)
  }
}
