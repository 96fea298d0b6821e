import Foundation
import TestSupport
import Testing

@Suite("Diff", .timeLimit(.minutes(60)))
struct DiffTests {
  private static let monday = [
    documentLine("a/1", 1), documentLine("a/2", 2, #","s":{"stringValue":"x"}"#), documentLine("a/3/b/1", 1),
    documentLine("c/1", 1),
    documentLine("__x/1", 1), documentLine("a/__id7__", 7),
  ]

  /// a/__id7__ is gone, a/2 and c/1 differ, d/1 and a/3/b/2 are new.
  private static let tuesday = [
    documentLine("d/1", 1), documentLine("a/2", 2, #","s":{"stringValue":"y"}"#), documentLine("a/1", 1),
    documentLine("c/1", 2),
    documentLine("a/3/b/2", 1), documentLine("a/3/b/1", 1), documentLine("__x/1", 1),
  ]
  private static let marks = [
    "+ a/__id7__", "* a/2", "- a/3/b/2", "* c/1", "- d/1",
  ]

  private func write(_ tool: Tool) throws {
    try tool.write(Self.monday.joined(separator: "\n"), to: "monday.jsonl")
    try tool.write(Self.tuesday.joined(separator: "\n"), to: "tuesday.jsonl")
  }

  @Test(
    "What an import reads and a snapshot is not is refused as a whole.",
    arguments: ["csv", "xlsx", "json"]
  )
  func noSnapshot(_ format: String) async throws {
    try await withTool { tool in
      try await tool.load(["a/1": ["n": i(1)], "a/2": ["n": i(2)]])
      let file = "out/a.\(format)"
      try tool.createFolder("out")
      try await tool.run("export", "a", "-o", file).expect(0)
      let comparison = ["diff", "--all", "--to", "local", "--from"]
      for place in ["out", file] {
        try await tool.bare(comparison + [place]).expectFailure(
          65,
          "only JSON Lines and managed exports"
        )
      }
      try await tool.bare(["check", "--from", "out", "--schema", "gym"]).expectFailure(65, "--format jsonl")
      try await tool.run("restore", "a", "--from", "out", "--scope", "partial").expectFailure(
        65,
        "--format jsonl"
      )
    }
  }

  @Test("Two snapshots in any order are compared in the order of names, with rclone's signs.")
  func snapshots() async throws {
    try await withTool { tool in
      try write(tool)
      let both = ["diff", "--from", "monday.jsonl", "--to", "tuesday.jsonl"]
      let all = try await tool.bare(both + ["--all"]).expect(1)
      #expect(all.output == Self.marks.joined(separator: "\n") + "\n")
      let equal = try await tool.bare(both + ["a", "--no-subcollections", "--show-equal"]).expect(1)
      #expect(equal.output == "+ a/__id7__\n= a/1\n* a/2\n")
      try await tool.bare(both + ["__x"]).expect(0)
      try await tool.bare(both + ["a/*/b", "c", "--ignore-fields", "n"]).expect(1)
      try await tool.bare(both + ["c", "--ignore-fields", "n"]).expect(0)

      let detail = try await tool.bare(both + ["a", "--detail"])
      #expect(detail.output.contains("* a/2\n    s: \"x\" -> \"y\"\n"))
      let csv = try await tool.bare(both + ["a", "--fields-diff", "--format", "csv"])
      #expect(
        csv.output == """
          mark,path,field,from,to\r
          +,a/__id7__,,,\r
          *,a/2,s,"{""stringValue"":""x""}","{""stringValue"":""y""}"\r
          -,a/3/b/2,,,\r

          """
      )
      let json = try await tool.bare(
        both + ["--all", "--detail", "--format", "json", "-o", "d.json", "--json"]
      ).expect(1)
      let summary = try json.summary()
      #expect(summary.status == "differences")
      #expect(
        summary.differences
          == Summary.Differences(same: 3, onlyInFrom: 1, onlyInTo: 2, different: 2, unreadable: 0)
      )
      let entries = try JSONSerialization.jsonObject(with: Data(tool.text("d.json").utf8)) as? [[String: Any]]
      #expect(entries?.map { "\($0["mark"] ?? "") \($0["path"] ?? "")" } == Self.marks)
      let same = try await tool.bare(["diff", "--all", "--from", "monday.jsonl", "--to", "monday.jsonl"])
      same.expect(0)
      #expect(same.output.isEmpty)
      let none = try await tool.bare(
        ["diff", "--all", "--from", "monday.jsonl", "--to", "monday.jsonl", "--format", "json"]
      )
      #expect(none.output == "[]\n")
    }
  }

  @Test("A file of differences is in the format of its name, or refused.")
  func fileOfDifferences() async throws {
    try await withTool { tool in
      try write(tool)
      let both = ["diff", "--from", "monday.jsonl", "--to", "tuesday.jsonl", "--all", "-o"]
      for name in ["d.jsonl", "d.json", "d.csv", "d.txt", "d"] {
        try await tool.bare(both + [name]).expect(1)
      }
      struct Line: Decodable { var mark, path: String }
      func shown(_ lines: [Line]) -> [String] { lines.map { "\($0.mark) \($0.path)" } }
      let lines = try tool.text("d.jsonl").split(separator: "\n").map {
        try JSONDecoder().decode(Line.self, from: Data($0.utf8))
      }
      #expect(shown(lines) == Self.marks)
      #expect(
        shown(try JSONDecoder().decode([Line].self, from: Data(tool.text("d.json").utf8))) == Self.marks
      )
      #expect(try tool.text("d.csv").hasPrefix("mark,path\r\n+,a/__id7__\r\n"))
      #expect(try tool.text("d.txt") == Self.marks.joined(separator: "\n") + "\n")
      #expect(try tool.text("d") == tool.text("d.txt"))
      try await tool.bare(both + ["d.xlsx"]).expectFailure(64, "does not name a format")
    }
  }

  @Test("The record of a comparison has the arguments that variables added.")
  func record() async throws {
    try await withTool { tool in
      try write(tool)
      var tool = tool
      tool.environment["GYMMIGRATE_PAGE_SIZE"] = "7"
      try await tool.bare(["diff", "--all", "--from", "monday.jsonl", "--to", "monday.jsonl"]).expect(0)
      let run = try #require(tool.runs().first)
      let record = try JSONSerialization.jsonObject(with: Data(tool.text("\(run)/run.json").utf8))
      let arguments = (record as? [String: Any])?["arguments"] as? [String]
      #expect(
        arguments == ["diff", "--page-size=7", "--all", "--from", "monday.jsonl", "--to", "monday.jsonl"]
      )
    }
  }

  @Test("An environment and its export are the same; what changed since is told from either side.")
  func environment() async throws {
    try await withStores { tool in
      try await tool.load(Self.monday, into: "stage")
      for (name, options) in [("folder/", []), ("zipped/", ["--gzip"])] {
        try await tool.bare(
          ["export", "--all", "--subcollections", "-e", "stage", "-o", name, "--format", "jsonl"] + options
        ).expect(0)
        try await tool.bare(["diff", "--all", "--from", name, "--to", "stage"]).expect(0)
      }
      try await tool.load([documentLine("a/1", 5), documentLine("e/1", 1)], into: "stage", mode: "upsert")
      let there = try await tool.bare(["diff", "--all", "--from", "folder", "--to", "stage"]).expect(1)
      #expect(there.output == "* a/1\n- e/1\n")
      let back = try await tool.bare(["diff", "--all", "--from", "stage", "--to", "folder", "--json"])
      back.expect(1)
      #expect(back.output.contains(#""environment":{"path":"folder"},"source":{"name":"stage""#))
      let test = try await tool.bare(["diff", "a", "--from", "stage", "--to", "test"]).expect(1)
      #expect(test.output == "+ a/__id7__\n+ a/1\n+ a/2\n+ a/3/b/1\n")
    }
  }

  @Test("What cannot be read is told, the rest is compared, and the end is 2.")
  func unreadable() async throws {
    try await withTool { tool in
      try write(tool)
      try tool.write(Self.monday.joined(separator: "\n") + "\n{\"name\":7}\n", to: "broken.jsonl")
      let result = try await tool.bare(["diff", "--all", "--from", "broken.jsonl", "--to", "tuesday.jsonl"])
      result.expect(2)
      #expect(result.output.hasPrefix("! broken.jsonl:7: "))
      #expect(result.output.hasSuffix("\n" + Self.marks.joined(separator: "\n") + "\n"))
    }
  }

  @Test("A collection whose documents make no sense is passed over, and the others are compared.")
  func senselessCollection() async throws {
    let prod = MiniFirestore.environment("prod")
    let test = MiniFirestore.environment("test")
    for mini in [prod, test] {
      try mini.load(jsonLines: [documentLine("a/1", 1), documentLine("b/1", 1)].joined(separator: "\n"))
    }
    try test.load(jsonLines: documentLine("b/2", 2))
    // A document without a name, in one collection of one side.
    let senseless: RequestHandler = { request in
      guard request.kind == .list, request.rawPath.hasSuffix("/a") else { return prod.handler(request) }
      return .json(#"{"documents":[{"fields":{}}]}"#)
    }
    try await withTwoServers(senseless, test.handler) { tool in
      let result = try await tool.bare([
        "diff", "a", "b", "--from", "prod", "--to", "test", "--no-subcollections", "--read-time", "none",
      ]).expect(2)
      #expect(result.output.hasPrefix("! a: ") && result.output.hasSuffix("\n- b/2\n"), "\(result.output)")
    }
  }

  @Test("What is asked for wrongly is refused at once.")
  func refused() async throws {
    try await withTool { tool in
      try write(tool)
      let cases: [([String], Int32)] = [
        (["--all", "--from", "monday.jsonl", "--to", "nowhere"], 66),
        (["--all", "--from", "monday.jsonl", "--to", "-"], 64),
        (["--from", "monday.jsonl", "--to", "local"], 64),
        (["--all", "a", "--from", "monday.jsonl", "--to", "local"], 64),
        (["a", "--from", "monday.jsonl", "--from-project", "p", "--to", "local"], 64),
        (["a", "--from", "monday.jsonl", "--to", "local", "--json", "-o", "-"], 64),
        (["a", "--from", "monday.jsonl", "--to", "local", "-e", "local"], 64),
        (["a", "--from", "monday.jsonl", "--to", "local", "-o", "no/such/folder"], 73),
        (["nothing*", "--from", "monday.jsonl", "--to", "tuesday.jsonl"], 66),
      ]
      for (arguments, code) in cases {
        let result = try await tool.bare(["diff"] + arguments)
        #expect(result.exitCode == code, "\(arguments)\n\(result.errors)")
      }
    }
  }
}
