import Foundation
import TestSupport
import Testing

@Suite("Files that are no input are refused, with what to do instead", .timeLimit(.minutes(60)))
struct ForeignFilesTests {
  @Test(
    "An export for BigQuery does not come back: neither its folder nor a file of it, whatever the format."
  )
  func bigQuery() async throws {
    let mini = MiniFirestore()
    try mini.load(jsonLines: [documentLine("p/1", 1), documentLine("q/1", 1)].joined(separator: "\n"))
    try await withTool(against: mini.handler) { tool, _ in
      try tool.write(
        "schema: x\ncollections: {p: {fields: {n: integer}}, q: {fields: {n: integer}}}",
        to: "x.yaml"
      )
      let schema = ["--schema", "x.yaml"]
      for output in ["bq/", "one.json.gz"] {
        let names = output == "bq/" ? ["p", "q"] : ["p"]
        try await tool.bare(
          ["export"] + names + ["-o", output, "--format", "bigquery", "--no-subcollections"] + tool.place
            + schema
        ).expect(0)
      }
      let before = mini.totalChanges
      for words in [
        ["bq/"], ["bq/p.ndjson"], ["one.json.gz"], ["bq/q.ndjson", "--format", "json"],
        ["bq/p.ndjson", "--format", "jsonl"], ["bq/p.ndjson", "--collection", "r", "-n"],
      ] {
        try await tool.bare(["import"] + words + tool.place + schema)
          .expectFailure(65, "it is a table for BigQuery", "--format jsonl")
      }
      #expect(mini.totalChanges == before)
      // Another schema beside a file says nothing of its rows.
      try tool.write(#"[{"name":"n"},{"name":"m"}]"#, to: "mine/p.schema.json")
      try tool.write(#"{"__name__":"7","n":1}"#, to: "mine/p.ndjson")
      try await tool.bare(["import", "mine/p.ndjson"] + tool.place + schema).expect(0)
      #expect(mini.document("p/7") != nil)
    }
  }

  @Test("A SQLite database is known by its content.")
  func database() async throws {
    try await withTool { tool in
      try tool.write(documentLine("p/1", 1), to: "p.jsonl")
      try await tool.run("import", "p.jsonl", "-q").expect(0)
      try await tool.run("export", "p", "-o", "p.sqlite", "-q").expect(0)
      try FileManager.default.copyItem(atPath: tool.path("p.sqlite"), toPath: tool.path("p.csv"))
      for words in [["p.sqlite"], ["p.sqlite", "--collection", "z"], ["p.csv"]] {
        try await tool.bare(["import"] + words + tool.place)
          .expectFailure(
            65,
            "it is a SQLite database",
            "export --all -e mirror:\(words[0]) -o FILE.jsonl",
            "mirror push"
          )
      }
      // As the refusal says.
      try await tool.bare(["export", "--all", "-e", "mirror:p.sqlite", "-o", "again.jsonl"]).expect(0)
      #expect(try tool.text("again.jsonl").contains("p/1"))
    }
  }

  @Test("What stops an import is said for all files at once, tables or not.")
  func all() async throws {
    try await withTool { tool in
      try tool.write("x;y\n1;2\n", to: "b.csv")
      try tool.write(#"[{"n":1}]"#, to: "c.json")
      try tool.write("{\"name\":\"d/1\"}\nno json\n", to: "d.jsonl")
      try tool.write(documentLine("e/1", 1), to: "e.jsonl")
      for (files, tell) in [
        (["b.csv", "c.json", "d.jsonl", "e.jsonl"], ["b.csv", "c.json", "d.jsonl"]),
        (["c.json", "e.jsonl", "d.jsonl"], ["c.json", "d.jsonl"]),
      ] {
        let result = try await tool.bare(["import"] + files + ["-n", "--schema", "none"] + tool.place)
        result.expect(65)
        #expect(result.complaints.count == tell.count, "\(result.errors)")
        for (line, file) in zip(result.complaints, tell) {
          #expect(line.contains(file) && !line.contains("Besides: "), "\(result.errors)")
        }
      }
      try await tool.run("import", "e.jsonl", "--schema", "none").expect(0)
    }
  }

  @Test("A value that is none is refused with what is meant or possible.")
  func values() async throws {
    try await withTool { tool in
      try tool.write(#"{"name":"a/1","fields":{"x":{"strinValue":"a"}}}"#, to: "a.jsonl")
      try await tool.run("import", "a.jsonl").expectFailure(65, "'strinValue'; did you mean 'stringValue'?")
      try tool.write(#"[{"id":"1","big":9223372036854775808}]"#, to: "a.json")
      let big =
        ["import", "a.json", "--collection", "a", "--id-field", "id", "--schema", "none"] + tool.place
      try await tool.bare(big).expectFailure(65, "big: it does not fit 64 bits", "--types 'big=double'")
      try await tool.bare(big + ["--types", "big=double"]).expect(0)
      try tool.write(#"[{"id":"1","big":9007199254740993.0}]"#, to: "a.json")
      for types in [[], ["--types", "big=double"]] {
        try await tool.bare(big + types).expectFailure(65, "a number that no double holds")
      }
    }
  }

  @Test("The number of a column is not advised as its name where it is the heading of another one.")
  func numbersAsHeadings() async throws {
    try await withTool { tool in
      try tool.write("id,3,\n1,2,x\n", to: "a.csv")
      let words = ["import", "a.csv", "--schema", "none", "--id-column", "id", "-n"] + tool.place
      let errors = try await tool.bare(words).expect(65).errors
      let advice = "(a heading in the file names it, --skip-columns 3 leaves it out)"
      #expect(errors.contains(advice), "\(errors)")
    }
  }

  @Test("What is almost right is taken, or answered with what is right.")
  func almostRight() async throws {
    try await withTool { tool in
      func run(_ file: String, _ options: String...) async throws -> RunResult {
        let words = ["import", file, "--collection", "things", "--schema", "none", "--id-column", "id", "-n"]
        return try await tool.bare(words + options + tool.place)
      }
      let latin = Array("id,n\n1,Sol".utf8) + [0xED] + Array("s\n".utf8)
      try Data(latin).write(to: tool.folder.appendingPathComponent("latin.csv"))
      for name in ["latin1", "Latin-1", "ISO-8859-1"] {
        try await run("latin.csv", "--encoding", name).expect(0)
      }
      try tool.write("id,activo,nota,o\n1,sí,no,TRUE\n2,NO,quizá,no\n", to: "words.csv")
      let words = try await run("words.csv").errors
      for (heading, isSaid) in [("activo", true), ("nota", false), ("o", true)] {
        #expect(words.contains("--types '\(heading)=boolean'") == isSaid, "\(words)")
      }
      try await run("words.csv", "--types", "activo=boolean,o=boolean").expect(0)
      try tool.write("id,n\n1,2\n", to: "table.xlsx")
      try await run("table.xlsx").expectFailure(65, "import it with --format csv")
      try await run("table.xlsx", "--format", "csv").expect(0)
      try tool.write("", to: "empty.json")
      #expect(try await run("empty.json").errors.contains("It has 0 bytes: it may be cut off."))
      try await tool.bare(["report", "month", "2025-10", "--html", "r.html"])
        .expectFailure(64, "Did you mean --output?")
    }
  }

  @Test("A dry run that leaves something to review ends as the run would.")
  func review() async throws {
    try await withTool { tool in
      try tool.write("id,price:double\n5,zzz\n6,1.5\n", to: "pac.csv")
      for flags in [["-n"], []] {
        let words = [
          "import", "pac.csv", "--id-column", "id", "--parse-errors", "skip-field", "--schema", "none",
        ]
        try await tool.bare(words + flags + tool.place).expect(2)
      }
    }
  }
}
