import Foundation
import TestSupport
import Testing

@Suite("What an import knows of how an export wrote its files", .timeLimit(.minutes(20)))
struct ExportWritingTests {
  private static let schema = """
    schema: club
    collections:
      d:
        fields:
          n: integer
          at: timestamp
          name: { type: string, label: { en: Name, es: Nombre } }
    """

  /// The documents of a store, as lines.
  private func stored(_ tool: Tool, in folder: String) async throws -> String {
    try await tool.bare(
      [
        "export", "d", "-o", "-", "--format", "jsonl", "-e", "local", "--state-dir", folder, "--schema",
        "none", "-q",
      ]
    ).output
  }

  private func place(_ folder: String, _ schema: String = "none") -> [String] {
    ["-e", "local", "--state-dir", folder, "--schema", schema]
  }

  @Test(
    "A folder and a workbook come back with the token for null, the delimiter and the decimal comma of their export."
  )
  func token() async throws {
    try await withTool { tool in
      try tool.write(
        #"{"name":"d/a","fields":{"note":{"nullValue":null},"x":{"doubleValue":1.5},"z":{"stringValue":"b"}}}"#,
        to: "d.jsonl"
      )
      try await tool.bare(["import", "d.jsonl", "-q"] + place("s")).expect(0)
      let before = try await stored(tool, in: "s")
      for (output, options, recorded) in [
        ("o/", ["--format", "csv", "--null", "NULO"], #""nullText":"NULO""#),
        ("e/", ["--format", "csv", "--null", ""], #""nullText":"""#),
        ("w.xlsx", ["--null", "NULO"], nil), ("v.xlsx", ["--null", ""], nil),
        ("c/", ["--format", "csv", "--delimiter", "^"], #""delimiter":"^""#),
        ("p/", ["--format", "csv", "--plain", "--decimal-comma"], #""usesDecimalComma":true"#),
      ] as [(String, [String], String?)] {
        try await tool.bare(["export", "d", "-o", output, "-q"] + options + place("s")).expect(0)
        if let recorded { #expect(try tool.text("\(output)manifest.json").contains(recorded), "\(output)") }
        let state = "s-\(output.prefix(1))"
        try await tool.bare(["import", output] + place(state)).expect(0)
        if output == "e/" || output == "v.xlsx" || output == "p/" { continue }
        #expect(try await stored(tool, in: state) == before, "\(output)")
      }
      #expect(try await stored(tool, in: "s-p").contains(#""x":{"doubleValue":1.5}"#))
      // An option is stronger, and a spreadsheet may have saved the file with another delimiter.
      try await tool.bare(["import", "o/", "--null", "null"] + place("given")).expect(0)
      #expect(try await stored(tool, in: "given").contains(#""note":{"stringValue":"NULO"}"#))
      try tool.write(tool.text("c/d.csv").replacing("^", with: ";"), to: "c/d.csv")
      try await tool.bare(["import", "c/"] + place("saved")).expect(0)
      #expect(try await stored(tool, in: "saved") == before)
    }
  }

  @Test("The recorded decimal comma does not multiply what another program saved with points.")
  func pointsOfAnotherProgram() async throws {
    try await withTool { tool in
      try tool.write(#"{"name":"d/a","fields":{"x":{"doubleValue":1.125}}}"#, to: "d.jsonl")
      try await tool.bare(["import", "d.jsonl", "-q"] + place("s")).expect(0)
      let options = ["--format", "csv", "--plain", "--decimal-comma", "--delimiter", "semicolon", "-q"]
      try await tool.bare(["export", "d", "-o", "p/"] + options + place("s")).expect(0)
      let written = try tool.text("p/d.csv")
      try tool.write(written.replacing("1,125", with: "2,125"), to: "p/d.csv")
      try await tool.bare(["import", "p/"] + place("commas")).expect(0)
      #expect(try await stored(tool, in: "commas").contains(#"{"doubleValue":2.125}"#))
      try tool.write(written.replacing(",", with: ".").replacing(";", with: ","), to: "p/d.csv")
      for input in ["p/", "p/d.csv"] {
        try await tool.bare(["import", input] + place("none")).expectFailure(
          65,
          "or --no-decimal-comma has to"
        )
      }
      for (option, value) in [
        ("--no-decimal-comma", #"{"doubleValue":1.125}"#), ("--decimal-comma", #"{"integerValue":"1125"}"#),
      ] {
        try await tool.bare(["import", "p/", option] + place("s\(option)")).expect(0)
        #expect(try await stored(tool, in: "s\(option)").contains(value))
      }
    }
  }

  @Test(
    "A folder of plain JSON names its schema, and one that is shorter or edited is said.",
    arguments: ["json", "ndjson"]
  )
  func plainJSON(format: String) async throws {
    try await withTool { tool in
      try tool.write(Self.schema, to: "club.yaml")
      let lines = (1...3).map { number in
        #"{"name":"d/m\#(number)","fields":{"n":{"integerValue":"\#(number)"},"at":{"timestampValue":"2026-01-0\#(number)T00:00:00Z"}}}"#
      }
      try tool.write(lines.joined(separator: "\n") + "\n", to: "d.jsonl")
      try await tool.bare(["import", "d.jsonl", "-q"] + place("s")).expect(0)
      try await tool.bare(["export", "d", "-o", "o/", "--format", format, "-q"] + place("s", "club.yaml"))
        .expect(0)
      let other = try await tool.bare(["import", "o/"] + place("a")).expect(0)
      #expect(
        other.errors.contains("exported with the schema 'club', and imported with none."),
        "\(other.errors)"
      )
      let same = try await tool.bare(["import", "o/"] + place("b", "club.yaml")).expect(0)
      #expect(!same.errors.contains("exported with") && !same.errors.contains("manifest"), "\(same.errors)")
      #expect(try await stored(tool, in: "b") == stored(tool, in: "s"))
      // The last of three documents is lost, and a value is no integer any more.
      let file = "o/d.\(format)"
      let edited = try tool.text(file).split(separator: "\n").filter { !$0.contains("m3") }.joined(
        separator: "\n"
      )
      .replacing("\"n\":1", with: "\"n\":\"uno\"")
      let end = format == "json" ? edited.replacing(",\n]", with: "\n]") : edited
      try tool.write(end + "\n", to: file)
      let cut = try await tool.bare(["import", "o/", "--validate", "warn"] + place("c", "club.yaml"))
      #expect(cut.errors.contains("it is not as the export wrote it"), "\(cut.errors)")
    }
  }

  @Test("A folder of NDJSON that lost its last line has fewer documents than its manifest says.")
  func cutOff() async throws {
    try await withTool { tool in
      let lines = (1...3).map { documentLine("d/m\($0)", $0) }
      try tool.write(lines.joined(separator: "\n") + "\n", to: "d.jsonl")
      try await tool.bare(["import", "d.jsonl", "-q"] + place("s")).expect(0)
      try await tool.bare(["export", "d", "-o", "o/", "--format", "ndjson", "-q"] + place("s")).expect(0)
      let kept = try tool.text("o/d.ndjson").split(separator: "\n").dropLast().joined(separator: "\n")
      try tool.write(kept + "\n", to: "o/d.ndjson")
      let cut = try await tool.bare(["import", "o/"] + place("a")).expect(0)
      #expect(cut.errors.contains("it has 2, and the manifest says 3 documents"), "\(cut.errors)")
    }
  }

  @Test("Headings that are labels are said where the schema is another.")
  func labels() async throws {
    try await withTool { tool in
      try tool.write(Self.schema, to: "club.yaml")
      try tool.write(#"{"name":"d/a","fields":{"name":{"stringValue":"Ana"}}}"#, to: "d.jsonl")
      try await tool.bare(["import", "d.jsonl", "-q"] + place("s")).expect(0)
      for (output, options) in [("l/", ["--format", "csv"]), ("l.xlsx", [])] as [(String, [String])] {
        let export = ["export", "d", "-o", output, "--header", "spanish", "-q"] + options
        try await tool.bare(export + place("s", "club.yaml")).expect(0)
        let other = try await tool.bare(["import", output, "-n"] + place("a-\(output.count)"))
        #expect(other.errors.contains("The headings are its labels in 'es'"), "\(other.errors)")
      }
    }
  }

  @Test("The apostrophe of --excel is taken off ids in UTF-16, and said where the file has lost its mark.")
  func apostrophes() async throws {
    try await withTool { tool in
      try tool.write(documentLine("d/-MabcDEF", 1), to: "d.jsonl")
      try await tool.bare(["import", "d.jsonl", "-q"] + place("s")).expect(0)
      try await tool.bare(["export", "d", "-o", "d.csv", "--excel", "-q"] + place("s")).expect(0)
      let text = try tool.text("d.csv").replacing("\u{FEFF}", with: "")
      #expect(text.contains("'-MabcDEF"))
      try tool.write(text, to: "plain.csv")
      let command = ["--collection", "d", "--mode", "upsert"] + place("s")
      let said = try await tool.bare(["import", "plain.csv", "-n"] + command).expect(0)
      #expect(said.errors.contains("1 id among them: the documents may then exist twice."), "\(said.errors)")
      let wideText = try Data([0xFF, 0xFE]) + #require(text.data(using: .utf16LittleEndian))
      try wideText.write(to: URL(fileURLWithPath: tool.path("wide.csv")))
      let wide = try await tool.bare(["import", "wide.csv"] + command).expect(0)
      #expect(!wide.errors.contains("apostrophe"), "\(wide.errors)")
      #expect(try await !stored(tool, in: "s").contains("'-MabcDEF"))
    }
  }

  @Test(
    "A cell of further fields that is no map is refused with its place.",
    arguments: ["hello", "5", "\"[1,2]\"", #""{""stringValue"":""k""}""#, "true"]
  )
  func rest(cell: String) async throws {
    try await withTool { tool in
      let map = #""{""mapValue"":{""fields"":{""b"":{""integerValue"":""1""}}}}""#
      try tool.write("__name__,a,__rest__\nm0,1,\nm1,1,{}\nm2,2,null\nm3,3,\(map)\n", to: "d.csv")
      try await tool.run("import", "d.csv", "--schema", "none").expect(0)
      try tool.write("__name__,a,__rest__\nm4,1,\(cell)\n", to: "d.csv")
      try await tool.run("import", "d.csv", "--schema", "none")
        .expectFailure(65, "row 2, column 3 (__rest__): expected a map of further fields")
    }
  }

  @Test("A position that a table does not reach is refused or said.")
  func positions() async throws {
    try await withTool { tool in
      try tool.write("id,a,b\nx,1,2\n", to: "d.csv")
      let command = ["import", "d.csv", "--id-column", "id", "-e", "local", "--schema", "none"]
      for option in [["--header-row", "99"], ["--skip-rows", "98"]] {
        try await tool.bare(command + option).expectFailure(65, "it has no row from row 99 on")
      }
      for option in [["--skip-columns", "33"], ["--rename", "33=c"]] {
        let said = try await tool.bare(command + option + ["-n"]).expect(0)
        #expect(said.errors.contains("It has 3 columns, and none for \(option[0]) 33"), "\(said.errors)")
      }
      let right = try await tool.bare(command + ["--skip-columns", "3", "-n"])
      #expect(!right.errors.contains("and none for"), "\(right.errors)")
    }
  }

  @Test("--rename and --headings leave the exact values of a workbook to its columns.")
  func renamed() async throws {
    try await withTool { tool in
      let fields =
        #""carRef":{"referenceValue":"projects/local/databases/(default)/documents/cars/c1"},"blob":{"bytesValue":"AAE="},"note":{"stringValue":""},"x":{"doubleValue":0.30000000000000004}"#
      try tool.write(#"{"name":"d/a","fields":{\#(fields)}}"#, to: "d.jsonl")
      try await tool.bare(["import", "d.jsonl", "-q"] + place("s")).expect(0)
      try await tool.bare(["export", "d", "-o", "w.xlsx", "-q"] + place("s")).expect(0)
      try await tool.bare(["export", "d", "-o", "w.csv", "-q"] + place("s")).expect(0)
      for (state, options) in [
        ("r", ["--rename", "carRef=auto,blob=note,note=blob,x=y"]), ("h", ["--headings", "snake"]),
      ] {
        let book = try await tool.bare(["import", "w.xlsx"] + options + place("x\(state)")).expect(0)
        #expect(!book.errors.contains("exact values"), "\(book.errors)")
        try await tool.bare(["import", "w.csv", "--collection", "d"] + options + place("c\(state)")).expect(0)
        #expect(try await stored(tool, in: "x\(state)") == stored(tool, in: "c\(state)"))
      }
      #expect(try await stored(tool, in: "xr").contains(#""note":{"bytesValue":"AAE="}"#))
      // A type that is given is stronger, unless it is that of the value.
      try await tool.bare(["import", "w.xlsx", "--types", "carRef=text,x=double"] + place("t")).expect(0)
      let typed = try await stored(tool, in: "t")
      #expect(typed.contains(#""carRef":{"stringValue":"cars/c1"}"#), "\(typed)")
      #expect(typed.contains("0.30000000000000004"), "\(typed)")
    }
  }
}
