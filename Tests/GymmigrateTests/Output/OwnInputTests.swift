import Foundation
import TestSupport
import Testing

@Suite("No output replaces what the command reads", .timeLimit(.minutes(30)))
struct OwnInputTests {
  private static let migration = "id: q\nsummary: x\ncollection: c\nsteps:\n  - set: { q: 1 }\n"

  @Test("A backup, a migration, a configuration and a file of an exported folder stay as they are")
  func inputs() async throws {
    try await withTool { tool in
      try tool.write(#"{"fields":{"n":{"integerValue":"1"}},"name":"c/1"}"# + "\n", to: "in.jsonl")
      try await tool.run("import", "in.jsonl", "--schema", "none").expect(0)
      try await tool.run("export", "c", "-o", "back.jsonl", "--schema", "none").expect(0)
      try await tool.run("export", "c", "-o", "f/", "--format", "jsonl", "--schema", "none").expect(0)
      try tool.write(Self.migration, to: "m.yaml")
      try tool.write("schema: s\ncollections:\n  c:\n    fields: { n: integer, q: integer }\n", to: "s.yaml")
      let files = ["back.jsonl", "f/c.jsonl", "m.yaml", "s.yaml"]
      let before = try files.map { try tool.text($0) }
      let none = ["--schema", "none"]
      for words in [
        ["restore", "c", "--from", "back.jsonl", "-o", "back.jsonl", "-n"] + none,
        ["restore", "c", "--from", "f/", "--scope", "partial", "-o", "f/c.jsonl", "-n"] + none,
        ["restore", "c", "--from", "back.jsonl", "--html", "./back.jsonl", "-n"] + none,
        ["migrate", "plan", "m.yaml", "-o", "m.yaml"] + none,
        ["migrate", "plan", "m.yaml", "--html", "m.yaml"] + none,
        ["fix", "c", "--all-documents", "--set", "q=1", "-n", "--html", "s.yaml", "--schema", "s.yaml"],
        ["export", "c", "-o", "s.yaml", "--format", "jsonl", "--schema", "s.yaml"],
      ] {
        let result = try await tool.bare(words + tool.place)
        result.expectFailure(73, "the command reads it, too")
        #expect(try files.map { try tool.text($0) } == before, "\(words)")
      }
      try await tool.bare(["diff", "c", "--from", "back.jsonl", "--to", "f/", "-o", "back.jsonl"] + none)
        .expectFailure(73, "the command reads it, too")
      #expect(try tool.text("back.jsonl") == before[0])
      try await tool.bare(["migrate", "plan", "m.yaml", "-o", "p", "--html", "p"] + none + tool.place)
        .expectFailure(64, "two options name it")
      try await tool.bare(["migrate", "plan", "m.yaml", "-o", "p", "--html", "./p"] + none + tool.place)
        .expectFailure(64, "two options name it")
      #expect(!tool.exists("p"))
      // What the plan has replaced is no input of the restore that is applied then.
      try await tool.bare(["fix", "c", "--all-documents", "--set", "n=5"] + none + tool.place).expect(0)
      for number in [2, 3] {
        try await tool.bare(["fix", "c", "--all-documents", "--set", "n=\(number)"] + none + tool.place)
          .expect(0)
        let restore = ["restore", "c", "--from", "back.jsonl", "-o", "plan.jsonl", "--html", "plan.html"]
        try await tool.bare(restore + none + tool.place).expect(0)
      }
    }
  }
}
