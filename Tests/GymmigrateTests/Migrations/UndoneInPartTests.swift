import Foundation
import TestSupport
import Testing

/// A run that is undone again, because its first undo left something.
@Suite("Undone in part", .timeLimit(.minutes(30)))
struct UndoneInPartTests {
  /// Two documents, `c/a` and `c/b`, with their IDs in `k`.
  private func withTwo(_ body: (Tool, MiniFirestore) async throws -> Void) async throws {
    let mini = MiniFirestore()
    for id in ["a", "b"] { try mini.put("c/\(id)", fields: Self.fields(id, 0)) }
    try await withTool(against: mini.handler) { tool, _ in try await body(tool, mini) }
  }

  private static func fields(_ id: String, _ number: Int) -> String {
    #"{"k":{"stringValue":"\#(id)"},"n":{"integerValue":"\#(number)"}}"#
  }

  /// Performs a run, and returns its ID.
  private func run(_ tool: Tool, _ command: String...) async throws -> String {
    try await tool.bare(command + ["--schema", "none"] + tool.place).expect(0)
    return try tool.lastRun()
  }

  /// Undoes a run for the second time, after which nothing is left.
  private func undoRest(of run: String, _ tool: Tool) async throws {
    let totals = try await tool.run("runs", "undo", run, "--json").expect(0).summary().totals
    #expect(totals.written == 1 && totals.unchanged == 1 && totals.balance, "\(totals)")
    try await tool.run("runs", "undo", run).expectFailure(64)
  }

  private func number(_ mini: MiniFirestore, _ name: String) -> String? {
    mini.document(name)?.fieldsJSON.components(separatedBy: #""n":{"integerValue":""#).last?.prefix {
      $0 != "\""
    }.description
  }

  @Test("What the first undo put back is settled, whoever changed it since.", arguments: [false, true])
  func changed(byRun: Bool) async throws {
    try await withTwo { tool, mini in
      let first = try await run(tool, "fix", "c", "--all-documents", "--set", "n=1", "--no-touch")
      let later = try await run(tool, "fix", "c", "--where", "k == b", "--set", "n=2", "--no-touch")
      try await tool.run("runs", "undo", first).expect(2)
      #expect(number(mini, "c/a") == "0" && number(mini, "c/b") == "2")
      if byRun {
        _ = try await run(tool, "fix", "c", "--where", "k == a", "--set", "n=7", "--no-touch")
      } else {
        try mini.put("c/a", fields: Self.fields("a", 7))
      }
      try await tool.run("runs", "undo", later).expect(0)
      try await undoRest(of: first, tool)
      #expect(number(mini, "c/a") == "7" && number(mini, "c/b") == "0")
    }
  }

  @Test("What it brought back and somebody deleted since stays deleted.", arguments: [false, true])
  func deleted(byRun: Bool) async throws {
    try await withTwo { tool, mini in
      let first = try await run(tool, "delete", "c", "--all-documents", "--hard", "--max-delete", "2")
      try mini.put("c/b", fields: Self.fields("b", 9))
      try await tool.run("runs", "undo", first).expect(2)
      #expect(number(mini, "c/a") == "0" && number(mini, "c/b") == "9")
      if byRun {
        _ = try await run(tool, "delete", "c", "--id", "a", "--hard", "--max-delete", "1")
      } else {
        mini.remove("c/a")
      }
      mini.remove("c/b")
      try await undoRest(of: first, tool)
      #expect(mini.document("c/a") == nil && number(mini, "c/b") == "0")
    }
  }

  @Test("What it deleted and somebody created since stays.")
  func created() async throws {
    let mini = MiniFirestore()
    try await withTool(against: mini.handler) { tool, _ in
      try tool.write(documentLine("c/a", 1) + "\n" + documentLine("c/b", 3) + "\n", to: "in.jsonl")
      let first = try await run(tool, "import", "in.jsonl", "--mode", "create")
      let later = try await run(tool, "fix", "c", "--where", "n == 3", "--set", "n=2", "--no-touch")
      try await tool.run("runs", "undo", first).expect(2)
      try mini.put("c/a", fields: Self.fields("a", 1))
      try await tool.run("runs", "undo", later).expect(0)
      try await undoRest(of: first, tool)
      #expect(number(mini, "c/a") == "1" && mini.document("c/b") == nil)
    }
  }

  @Test("So is what it put back before it was interrupted, once it has been resumed.")
  func interrupted() async throws {
    try await LastRunTests.withMembers { tool, mini, commits in
      let fix = ["fix", "members", "--all-documents", "--set"]
      try await tool.bare(fix + ["a=1"] + tool.place).expect(0)
      let first = try tool.lastRun()
      try mini.put("members/m8", fields: "{}")
      commits.allow(1)
      try await tool.run("runs", "undo", first, "--batch-size", "4", "--in-flight", "1").expectFailure(77)
      let restored = LastRunTests.members(mini).filter { !$0.value.contains(#""a""#) }.keys.sorted()
      commits.allow(.max)
      try await tool.bare(["runs", "resume", "last"]).expect(2)
      let theirs = try #require(restored.first)
      try mini.put(theirs, fields: #"{"theirs":{"booleanValue":true}}"#)
      let left = mini.document(theirs)?.fieldsJSON
      let again = try await tool.run("runs", "undo", first, "--json").expect(2)
      let totals = try again.summary().totals
      #expect(totals.unchanged == 8 && totals.conflicted == 1, "\(totals)")
      #expect(mini.document(theirs)?.fieldsJSON == left)
    }
  }
}
