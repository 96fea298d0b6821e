import Foundation
import TestSupport
import Testing

@Suite("One document twice in the input", .timeLimit(.minutes(60)))
struct DuplicateDocumentTests {
  private func withImport(_ body: (Tool, MiniFirestore) async throws -> Void) async throws {
    let mini = MiniFirestore()
    try await withTool(against: mini.handler) { tool, _ in try await body(tool, mini) }
  }

  /// Inputs in which `t/a` occurs twice, and what is said of it.
  struct Input: Sendable, CustomTestStringConvertible {
    var testDescription: String { arguments.joined(separator: " ") }
    var files: [(String, String)]
    var arguments: [String]
    var places: [String]
  }

  private static let lines = [documentLine("t/a", 1), documentLine("t/b", 2), documentLine("t/a", 3)]
  private static let inputs: [Input] = [
    Input(
      files: [("t.jsonl", lines.joined(separator: "\n"))],
      arguments: ["t.jsonl"],
      places: ["t.jsonl", "line 3 has the same document as line 1"]
    ),
    // The schema of the sample says nothing of it, so that lines are looked at without being decoded.
    Input(
      files: [("t.jsonl", lines.joined(separator: "\n\n"))],
      arguments: ["t.jsonl", "--validate", "off"],
      places: ["line 5 has the same document as line 1"]
    ),
    Input(
      files: [("t.csv", "__name__,n\na,1\nb,2\na,3\n")],
      arguments: ["t.csv"],
      places: ["t.csv", "line 4 has the same document as line 2"]
    ),
    Input(
      files: [("x.csv", "key,n\na,1\n\"a\",3\n")],
      arguments: ["x.csv", "--id-column", "key", "--collection", "t"],
      places: ["line 3 has the same document as line 2"]
    ),
    Input(
      files: [("in/a.jsonl", lines[0]), ("in/b.jsonl", "\n" + lines[2])],
      arguments: ["in"],
      places: ["in/b.jsonl", "line 2 has the same document as line 1 of in/a.jsonl"]
    ),
    Input(
      files: [("a.jsonl", lines[0]), ("t.csv", "__name__,n\nb,2\na,3\n")],
      arguments: ["a.jsonl", "t.csv"],
      places: ["t.csv", "line 3 has the same document as line 1 of a.jsonl"]
    ),
    Input(
      files: [("a.jsonl", documentLine("g/1/t/a", 1)), ("b.jsonl", documentLine("g/2/t/a", 3))],
      arguments: ["a.jsonl", "b.jsonl", "--collection", "t", "--flatten"],
      places: ["b.jsonl", "line 1 has the same document as line 1 of a.jsonl"]
    ),
  ]

  @Test("It is refused before the first write, with both places, in every mode.", arguments: inputs)
  func refused(_ input: Input) async throws {
    try await withImport { tool, mini in
      try tool.createFolder("in")
      for (name, text) in input.files { try tool.write(text + "\n", to: name) }
      for mode in ["create", "upsert", "merge", "replace"] {
        let result = try await tool.bare(["import"] + input.arguments + ["--mode", mode] + tool.place)
        result.expect(65)
        let complaint = try #require(result.complaints.first)
        for place in input.places { #expect(complaint.contains(place), "\(result.errors)") }
      }
      try await tool.bare(["import", "-n"] + input.arguments + tool.place).expect(65)
      try await tool.bare(["import", "--parse-errors", "skip-row"] + input.arguments + tool.place).expect(65)
      #expect(mini.everything().isEmpty)
      let list = try tool.text("\(try #require(tool.runs().last))/duplicates.csv")
      #expect(list.split(separator: "\r\n").count == 2)
    }
  }

  @Test("--duplicates decides, and counts the others.", arguments: inputs, ["first", "last"])
  func decided(_ input: Input, _ policy: String) async throws {
    try await withImport { tool, mini in
      try tool.createFolder("in")
      for (name, text) in input.files { try tool.write(text + "\n", to: name) }
      let command = ["import"] + input.arguments + ["--mode", "upsert", "--duplicates", policy, "--json"]
      for isDry in [true, false] {
        let result = try await tool.bare(command + (isDry ? ["-n"] : []) + tool.place).expect(0)
        let totals = try result.summary().totals
        #expect(totals.superseded == 1 && totals.balance && totals.written == (isDry ? 0 : totals.read - 1))
      }
      let fields = try #require(mini.document("t/a")?.fieldsJSON)
      #expect(fields.contains(#""n":{"integerValue":"\#(policy == "first" ? 1 : 3)"}"#), "\(fields)")
    }
  }

  @Test("Standard input is looked through before anything is written, too.", arguments: ["jsonl", "csv"])
  func standardInput(_ format: String) async throws {
    try await withImport { tool, mini in
      let text = format == "csv" ? "__name__,n\na,1\na,3\n" : Self.lines.joined(separator: "\n")
      let command = ["import", "-", "--format", format, "--collection", "t"] + tool.place
      let refused = try await tool.bare(command, input: Array(text.utf8))
      refused.expectFailure(65, "import -:", "has the same document as")
      #expect(mini.everything().isEmpty)
      try await tool.bare(command + ["--duplicates", "last"], input: Array(text.utf8)).expect(0)
      #expect(mini.document("t/a")?.fieldsJSON == #"{"n":{"integerValue":"3"}}"#)
    }
  }

  @Test("What is rejected is no other document; names with other bytes are others.")
  func rejected() async throws {
    try await withImport { tool, mini in
      try tool.write("__name__,n:integer\na,x\na,2\na,y\n\u{E9},1\ne\u{301},2\n", to: "t.csv")
      let lines = [
        #"{"name":"u/a","fields":{"n":{"integerValue":"x"}}}"#, documentLine("u/a", 2),
        documentLine("_gymmigrate/x", 1), documentLine("_gymmigrate/x", 2),
      ]
      try tool.write(lines.joined(separator: "\n"), to: "u.jsonl")
      let result = try await tool.run("import", "t.csv", "u.jsonl", "--parse-errors", "skip-row", "--json")
      result.expect(2)
      let totals = try result.summary().totals
      #expect(totals.written == 4 && totals.rejected == 5 && totals.superseded == 0)
      #expect(mini.document("t/a")?.fieldsJSON == #"{"n":{"integerValue":"2"}}"#)
      #expect(mini.document("u/a")?.fieldsJSON == #"{"n":{"integerValue":"2"}}"#)
    }
  }

  @Test("Increments follow the whole export that they add to, and nothing else does.")
  func increments() async throws {
    try await withImport { tool, mini in
      func export(
        _ name: String,
        _ number: Int,
        at time: String,
        since: String?,
        of database: String = "d"
      ) throws {
        try tool.createFolder(name)
        try tool.write(documentLine("t/a", number) + "\n", to: "\(name)/t.jsonl")
        let increment = since.map { #","since":"\#($0)""# } ?? ""
        try tool.write(
          #"{"toolVersion":"1","environment":"e","database":"projects/p/databases/\#(database)","readTime":"\#(time)","files":[{"file":"t.jsonl","collection":"t","documents":1,"bytes":1,"sha256":"0"\#(increment)}]}"#,
          to: "\(name)/manifest.json"
        )
      }
      try export("whole", 1, at: "2026-01-01T00:00:00Z", since: nil)
      try export("first", 2, at: "2026-01-02T00:00:00Z", since: "2026-01-01T00:00:00Z")
      try export("second", 3, at: "2026-01-03T00:00:00Z", since: "2026-01-02T00:00:00Z")
      try export("later", 4, at: "2026-01-04T00:00:00Z", since: nil)
      try export("other", 5, at: "2026-01-04T00:00:00Z", since: "2026-01-02T00:00:00Z", of: "x")
      for wrong in [["whole", "later"], ["whole", "first", "first"]] {
        try await tool.bare(["import"] + wrong + ["--mode", "upsert"] + tool.place).expect(65)
      }
      try await tool.bare(["import", "whole", "other", "--mode", "upsert"] + tool.place)
        .expectFailure(64, "it is an increment of projects/p/databases/x")
      for wrong in [["first", "whole"], ["whole", "second", "first"]] {
        try await tool.bare(["import"] + wrong + ["--mode", "upsert"] + tool.place)
          .expectFailure(64, "Name the whole export first")
      }
      #expect(mini.everything().isEmpty)
      let result = try await tool.run("import", "whole", "first", "second", "--mode", "upsert", "--json")
      result.expect(0)
      let totals = try result.summary().totals
      #expect(totals.superseded == 2 && totals.written == 1 && totals.balance)
      #expect(mini.document("t/a")?.fieldsJSON == #"{"n":{"integerValue":"3"}}"#)
    }
  }
}
