import Foundation
import TestSupport
import Testing

@Suite("Files of an import go by their own rules, whatever is beside them", .timeLimit(.minutes(30)))
struct SourcesTogetherTests {
  private static let schema = """
    schema: shop
    collections:
      payments:
        immutable: { when: status == completed }
        fields: { status: { type: string, required: true }, amount: double, extra: any }
      others: { fields: { n: integer } }
      things: { fields: { n: integer, open: { type: boolean, default: true } } }

    """

  private static let payments = [
    #"{"fields":{"amount":{"doubleValue":1.5},"status":{"stringValue":"completed"}},"name":"payments/p1"}"#,
    #"{"fields":{"extra":{"mapValue":{"fields":{"k":{"stringValue":"v"}}}},"status":{"stringValue":"open"}},"name":"payments/p2"}"#,
    #"{"fields":{"amount":{"doubleValue":3.5},"status":{"stringValue":"completed"}},"name":"payments/p3"}"#,
  ]

  /// What may be beside a table: nothing, a table, lines of JSON, plain JSON, and the folder of an export.
  private static let beside = [nil, "others.csv", "others.jsonl", "others.json", "back/"] as [String?]

  /// Writes the schema and the files of ``beside``.
  private func prepare(_ tool: Tool) async throws {
    try tool.write(Self.schema, to: "shop.yaml")
    try tool.write("__name__,n\no1,1\n", to: "others.csv")
    try tool.write(documentLine("others/o1", 1) + "\n", to: "others.jsonl")
    try tool.write(#"[{"__name__":"o1","n":1}]"#, to: "others.json")
    try await tool.load([documentLine("others/o1", 1)], into: "stage")
    try await tool.bare(["export", "others", "-e", "stage", "--format", "jsonl", "-o", "back/", "-q"]).expect(
      0
    )
  }

  private func run(_ tool: Tool, _ files: [String?], _ more: String...) async throws -> RunResult {
    try await tool.bare(
      ["import"] + files.compactMap { $0 } + ["-e", "test", "--schema", "shop.yaml"] + more
    )
  }

  @Test(
    "A table is checked as by reject.",
    arguments: [
      ("p1,2", "amount", "immutable"), ("p2,x", "extra", "structure-lost"),
      ("p9,7", "amount", "required-missing"),
    ]
  )
  func rejects(_ row: String, _ heading: String, _ code: String) async throws {
    try await withStores { tool in
      try await prepare(tool)
      try await tool.load(Self.payments, into: "test")
      try tool.write("__name__,\(heading)\n\(row)\n", to: "payments.csv")
      for other in Self.beside {
        for files in [["payments.csv", other], [other, "payments.csv"]] {
          let result = try await run(tool, files, "--mode", "merge", "--json").expect(2)
          let rejects = try tool.list("rejects.jsonl", of: result.summary().runId)
          #expect(rejects.compactMap { $0["code"] as? String } == [code], "\(files)")
        }
      }
      let stored = try await tool.dump("test").filter { $0.contains(#""payments/"#) }
      #expect(stored == Set(Self.payments))
    }
  }

  @Test("Lines of JSON beside a table are checked as by warn, and counted alone.")
  func warns() async throws {
    try await withStores { tool in
      try await prepare(tool)
      try await tool.load(Self.payments, into: "test")
      try tool.write("__name__,amount\np1,2\n", to: "payments.csv")
      try tool.write(
        Self.payments[2].replacingOccurrences(of: "3.5", with: "4.5") + "\n",
        to: "more.jsonl"
      )
      let result = try await run(tool, ["payments.csv", "more.jsonl"], "--mode", "merge").expect(2)
      let said = "1 document was changed that the schema declares immutable, the first by name payments/p3"
      #expect(result.errors.contains(said), "\(result.errors)")
      let stored = try await tool.dump("test")
      #expect(stored.contains(Self.payments[0]) && !stored.contains(Self.payments[2]))
    }
  }

  @Test("Fields that a table has no column for are counted, also where another table has one.")
  func losses() async throws {
    try await withStores { tool in
      try await prepare(tool)
      let texts = #","a":{"stringValue":"x"},"b":{"stringValue":"y"}"#
      let things = ["t1", "t2"].map { documentLine("things/\($0)", 1, texts) }
      try tool.write("__name__,n,a\nt1,1,x\n", to: "one/things.csv")
      try tool.write("__name__,n,b\nt2,1,y\n", to: "two/things.csv")
      try tool.write("__name__,n,__rest__\nt2,1,\n", to: "rest/things.csv")
      func said(_ files: [String?], _ more: [String] = []) async throws -> String {
        try await tool.load(things, into: "test", mode: "upsert")
        let words = ["-e", "test", "--schema", "none", "--mode", "upsert", "-q"] + more
        return try await tool.bare(["import"] + files.compactMap { $0 } + words).expect(0).errors
      }
      let one = "1 document loses 1 field that no column is for (b), the first by name things/t1"
      for other in Self.beside + ["rest/things.csv"] {
        let errors = try await said(["one/things.csv", other])
        #expect(errors.contains(one), "\(other ?? "alone"): \(errors)")
      }
      for dry in [true, false] {
        let errors = try await said(["one/things.csv", "two/things.csv"], dry ? ["-n"] : [])
        let lose = dry ? "would lose" : "lose"
        #expect(errors.contains("2 documents \(lose) 2 fields that no column is for (a, b)"), "\(errors)")
      }
      // A column for all other fields is one for each of them.
      #expect(try await !said(["rest/things.csv"]).contains("no column is for"))
    }
  }

  @Test(
    "Values that give way to defaults because a table has no column for them are counted.",
    arguments: [true, false]
  )
  func defaults(isDry: Bool) async throws {
    try await withStores { tool in
      try await prepare(tool)
      let open = { (value: Bool) in #","open":{"booleanValue":\#(value)}"# }
      let things = [documentLine("things/t1", 1, open(false)), documentLine("things/t2", 1, open(true))]
      try await tool.load(things, into: "test")
      try tool.write("__name__,n\nt1,2\nt2,2\nt3,2\n", to: "things.csv")
      let words = ["things.csv", "-e", "test", "--schema", "shop.yaml", "--defaults"] + (isDry ? ["-n"] : [])
      let result = try await tool.bare(["import", "--mode", "upsert"] + words).expect(0)
      let get = isDry ? "would get" : "gets"
      let said =
        "things: 1 document \(get) the default of 1 field that no column is for (open), the first by name things/t1. --mode merge keeps their values."
      #expect(result.errors.contains(said) && !result.errors.contains(" lose"), "\(result.errors)")
      #expect(
        try await !tool.bare(["import", "--mode", "merge"] + words).expect(0).errors.contains("no column")
      )
    }
  }

  @Test("The folder of an export keeps its times of last change.", arguments: beside.dropLast())
  func times(_ other: String?) async throws {
    try await withStores { tool in
      try await prepare(tool)
      func product(_ price: Int, _ year: Int) -> String {
        #"{"fields":{"price":{"doubleValue":\#(price).5},"updatedAt":{"timestampValue":"\#(year)-06-01T00:00:00Z"}},"name":"products/q1"}"#
      }
      let place = ["-e", "test", "--schema", "gym"]
      try await tool.load([product(5, 2025)], into: "test")
      try await tool.bare(["export", "products", "--format", "jsonl", "-o", "old/", "-q"] + place).expect(0)
      for files in [["old/", other], [other, "old/"]] {
        try await tool.load([product(9, 2026)], into: "test", mode: "upsert")
        let words = ["import", "--mode", "upsert", "--validate", "off", "-q"] + place
        try await tool.bare(words + files.compactMap { $0 }).expect(0)
        let stored = try await tool.dump("test")
        #expect(stored.contains(product(5, 2025)), "\(stored)")
      }
    }
  }

  @Test(
    "References go by the database of their own file, and those of a file without one are kept, with a warning."
  )
  func references() async throws {
    try await withStores { tool in
      func line(_ name: String, _ database: String) -> String {
        documentLine(name, 1, #","who":{"referenceValue":"projects/p/databases/\#(database)/documents/a/b"}"#)
      }
      for name in ["prod", "stage"] {
        try await tool.load([line("\(name)/x", name), line("\(name)/y", "third")], into: name)
        let words = ["export", name, "-e", name, "--format", "jsonl", "-o", "\(name)/", "-q"]
        try await tool.bare(words).expect(0)
      }
      try tool.write(line("others/x", "stage") + "\n", to: "others.jsonl")
      let files = ["prod/", "others.jsonl", "stage/"]
      let place = ["-e", "test", "--schema", "none"]
      let result = try await tool.bare(["import"] + files + place).expect(0)
      #expect(result.errors.contains("Kept as they are: 2 references."), "\(result.errors)")
      let unknown = "Kept as it is: 1 reference: the database that it comes from is not known"
      #expect(result.errors.contains(unknown), "\(result.errors)")
      let kept = [line("others/x", "stage"), line("prod/y", "third"), line("stage/y", "third")]
      let rewritten = [line("prod/x", "test"), line("stage/x", "test")]
      #expect(try await tool.dump("test") == Set(kept + rewritten))
      // What the command says goes for all files.
      let given = ["--mode", "upsert", "--source", "projects/p/databases/stage"]
      try await tool.bare(["import"] + files + place + given).expect(0)
      let all =
        ["others/x", "stage/x"].map { line($0, "test") } + [line("prod/x", "prod")] + kept.dropFirst()
      #expect(try await tool.dump("test") == Set(all))
    }
  }

  @Test(
    "A document that breaks the schema counts for its own collection, whatever file it is in.",
    arguments: [
      ("in.jsonl", #"{"name":"things/a","fields":{"n":{"stringValue":"x"}}}"#),
      ("in.json", #"[{"name":"things/a","fields":{"n":{"stringValue":"x"}}}]"#),
      ("things.json", #"[{"__name__":"a","n":"x"}]"#), ("things.csv", "__name__,n\na,x\n"),
    ]
  )
  func counted(_ file: String, _ text: String) async throws {
    try await withMini { tool, _ in
      try tool.write("schema: t\ncollections: {things: {fields: {n: integer}}}\n", to: "t.yaml")
      try tool.write(text + "\n", to: file)
      let command = ["import", file, "--schema", "t.yaml", "--validate", "reject", "--json"]
      let result = try await tool.bare(
        command + ["--parse-errors", "skip-row"] + tool.place.dropFirst(2)
      ).expect(2)
      let counted = try result.summary().collections.filter { $0.counts.rejected > 0 }
      #expect(counted.map(\.name) == ["things"], "\(result.output)")
      #expect(counted.first?.counts.read == 1)
    }
  }

  @Test("A resumed import goes by the rules of each file for what it had written before, too.")
  func resumed() async throws {
    try await LastRunTests.withMembers { tool, _, commits in
      let lines = (4..<9).map { documentLine("members/m\($0)", 1) }
      try tool.write(lines.joined(separator: "\n") + "\n", to: "in.jsonl")
      try tool.write("__name__,n\n" + (0..<4).map { "m\($0),1\n" }.joined(), to: "members.csv")
      // The second commit has documents of both files.
      commits.allow(2)
      let command = ["import", "in.jsonl", "members.csv", "--mode", "upsert", "--schema", "none"]
      let small = ["--batch-size", "4", "--in-flight", "1"]
      try await tool.bare(command + small + tool.place.dropFirst(2)).expect(77)
      commits.allow(.max)
      let said = try await tool.bare(["runs", "resume", "last"]).expect(0).errors
      let lost = "4 documents lose 1 field that no column is for (unit), the first by name members/m0"
      #expect(said.contains(lost), "\(said)")
    }
  }
}
