import FirestoreModels
import Foundation
import TestSupport
import Testing

@Suite("What an import advises helps, and does no harm", .timeLimit(.minutes(60)))
struct ImportAdviceTests {
  private func table(_ cells: [String], _ last: String) -> String {
    "id,precio\n" + (cells + [last]).enumerated().map { "\($0),\"\($1)\"\n" }.joined()
  }

  /// Imports `things.csv` without a schema.
  private func run(_ tool: Tool, _ options: String...) async throws -> RunResult {
    try await tool.bare(
      ["import", "things.csv", "--schema", "none", "--id-column", "id"] + options + tool.place
    )
  }

  @Test("A row of totals is said to be taken for a document; a name in which the word stands is none.")
  func totals() async throws {
    try await withTool { tool in
      for (last, isSaid) in [("TOTAL;;30", true), ("3;Total General;30", true), ("3;Total Fit;30", false)] {
        try tool.write("id;nombre;cuota\n1;Ana;10\n2;Leo;20\n\(last)\n", to: "things.csv")
        let planned = try await run(tool, "-n")
        planned.expect(0)
        #expect(planned.errors.contains("Row 4 is taken for a document, and") == isSaid, "\(planned.errors)")
      }
    }
  }

  @Test("An object without an id is answered with its members, or with that which has it.")
  func idMembers() async throws {
    try await withTool { tool in
      for (object, said) in [
        (#"{"_id": "a", "n": 1}"#, "name the member that has it with --id-column _id"),
        (#"{"code": "a", "n": 1}"#, "with --id-column; its members are code, n"),
      ] {
        try tool.write("[\(object)]", to: "things.json")
        try await tool.bare(["import", "things.json", "--schema", "none", "-n"] + tool.place)
          .expectFailure(65, said)
      }
    }
  }

  @Test("A row of totals below the documents of an export is said to be taken for one.")
  func totalsBelowAnExport() async throws {
    try await withTool { tool in
      try tool.write("__name__,name,n\na,Total,1\nTOTAL,,1\n", to: "things.csv")
      let imported = try await tool.bare(["import", "things.csv", "--schema", "none", "-n"] + tool.place)
      imported.expect(0)
      #expect(imported.errors.contains("Row 3 is taken for a document, and 'TOTAL'"), "\(imported.errors)")
      try tool.write("__name__,name,n\na,Total,1\n", to: "things.csv")
      let others = try await tool.bare(["import", "things.csv", "--schema", "none", "-n"] + tool.place)
      #expect(!others.errors.contains("is taken for a document"), "\(others.errors)")
    }
  }

  @Test("A row of totals without an id is named as what it looks like, and gets no new id by the way.")
  func totalsWithoutID() async throws {
    try await withTool { tool in
      let table = "id;zona;nombre;cuota\n1;a;Ana;10\n2;b;Leo;20\n"
      try tool.write(table + ";;TOTAL;30\n", to: "things.csv")
      let refused = try await run(tool, "-n")
      let said = "row 4, column 1 (id): expected the id of a document; the row looks like the sum of others"
      refused.expectFailure(65, said)
      #expect(!refused.errors.contains("--new-ids"), "\(refused.errors)")
      let taken = try await run(tool, "--new-ids", "uuid", "-n")
      taken.expect(0)
      #expect(taken.errors.contains("Row 4 is taken for a document, and"), "\(taken.errors)")
      // Others lack an id, too.
      try tool.write(table + ";c;Eva;5\n", to: "things.csv")
      try await run(tool, "-n").expectFailure(65, "the id of a document (--new-ids uuid gives one)")
    }
  }

  @Test(
    "What is no id of plain JSON is named as what it is not.",
    arguments: [
      ("2.0", "a text or a whole number"), ("null", "a text or a whole number"), ("\"\"", "an empty text"),
      ("\"a/b\"", "an id without /"),
    ]
  )
  func ids(_ id: String, _ said: String) async throws {
    try await withTool { tool in
      try tool.write("[{\"id\":\(id),\"a\":1}]", to: "things.json")
      try await tool.bare(
        ["import", "things.json", "--schema", "none", "--id-column", "id", "-n"] + tool.place
      )
      .expectFailure(65, said)
    }
  }

  @Test("Of ids with a slash it is said how such rows are imported all the same.")
  func slashes() async throws {
    try await withTool { tool in
      try tool.write("factura,total\nFA-2026/001,5\n", to: "things.csv")
      let line = ["import", "things.csv", "--schema", "none", "-n"] + tool.place
      let advice = "an id without / (without --id-column, --new-ids uuid gives others"
      try await tool.bare(line + ["--id-column", "factura"]).expectFailure(65, advice)
      try await tool.bare(line + ["--new-ids", "uuid"]).expect(0)
    }
  }

  // MARK: Numbers

  @Test("No decimal comma is advised beside numbers with a point before decimals, which it would multiply.")
  func noCommaBesidePoints() async throws {
    try await withTool { tool in
      try tool.write(table(["1.500"] + Array(repeating: "1.5", count: 10), "499,00"), to: "things.csv")
      let result = try await run(tool, "-n")
      result.expectFailure(65, "11 of 12 cells say double")
      #expect(!result.errors.contains("--decimal-comma"), "\(result.errors)")
      try await run(tool, "--types", "precio=double", "-n")
        .expectFailure(65, "others of the column have a point before their decimals, so write it with one")
    }
  }

  @Test(
    "Numbers that look like geo points are numbers with the option that is named.",
    arguments: [["70,5", "81,0", "60,25"], ["1,50", "2,25", "3,75"]]
  )
  func pairsOfNumbers(_ cells: [String]) async throws {
    try await withTool { tool in
      let rows = cells.enumerated().map { "\($0);\($1)\n" }.joined()
      try tool.write("id;precio\n\(rows)", to: "things.csv")
      let plain = try await run(tool, "-n")
      plain.expect(0)
      #expect(plain.errors.contains("text, as 3 cells say; --decimal-comma reads it"), "\(plain.errors)")
      let read = try await run(tool, "-n", "--decimal-comma")
      #expect(read.errors.contains("double, as 3 cells say"), "\(read.errors)")
      try tool.write("id;precio\n1;19,4326\n2;\"19.4326, -99.1332\"\n", to: "things.csv")
      let points = try await run(tool, "-n")
      #expect(!points.errors.contains("--decimal-comma"), "\(points.errors)")
    }
  }

  // MARK: References and the ledger

  @Test("References into the target database are no matter, and those into others are.")
  func references() async throws {
    try await withStores { tool in
      for (database, kept) in [("test", 0), ("other", 1)] {
        let name = "projects/p/databases/\(database)/documents/people/1"
        let line = documentLine("notes/n", 1, #","who":{"referenceValue":"\#(name)"}"#)
        try tool.write(line + "\n", to: "in.jsonl")
        let result = try await tool.bare([
          "import", "in.jsonl", "-e", "test", "--mode", "upsert", "--schema", "none", "-q",
        ]).expect(0)
        #expect(result.errors.contains("Kept as it is: 1 reference") == (kept == 1), "\(result.errors)")
        #expect(result.errors.contains("--source projects/p/databases/other makes") == (kept == 1))
      }
      let table = "__name__,who:reference\nn,projects/p/databases/other/documents/people/2\n"
      try tool.write(table, to: "notes.csv")
      let words = ["import", "notes.csv", "-e", "test", "--mode", "merge", "--schema", "none", "-q"]
      let said = try await tool.bare(words).errors
      #expect(said.contains("--source projects/p/databases/other makes"), "\(said)")
    }
  }

  @Test("The ledger in one of Google's exports is left out, and said.")
  func ledger() async throws {
    try await withStores { tool in
      try await tool.load([documentLine("things/t", 1)], into: "test")
      try await tool.bare(["fix", "things", "--all-documents", "--set", "a=1", "-e", "test"]).expect(0)
      let export = ["export", "_gymmigrate_runs", "things", "-e", "test", "--format", "managed", "-o", "m"]
      try await tool.bare(export).expect(0)
      let result = try await tool.bare(["import", "m", "-e", "stage"]).expect(0)
      #expect(
        result.errors.contains("gymmigrate's own, of that database, and is left out"),
        "\(result.errors)"
      )
      #expect(try await tool.dump("stage").count == 1)
    }
  }

  @Test(
    "The options that are advised for one number of many are all that it needs.",
    arguments: [
      ("7", "499,00", ["--decimal-comma"]), ("1.500", "499,00", ["--decimal-comma"]),
      ("7.5", "$499.00", ["--types", "precio=double", "--currency", "$"]),
      ("7.5", "1,499.00", ["--types", "precio=double", "--currency", "$"]),
      ("7", "16%", ["--types", "precio=double", "--percent", "fraction"]),
    ]
  )
  func wholeAdvice(_ number: String, _ last: String, _ options: [String]) async throws {
    try await withTool { tool in
      try tool.write(table(Array(repeating: number, count: 11), last), to: "things.csv")
      let refused = try await run(tool, "-n")
      refused.expect(65)
      for option in options where option.hasPrefix("--") {
        #expect(refused.errors.contains("\(option) "), "\(refused.errors)")
      }
      if options.count > 1 {
        #expect(refused.errors.contains("--types 'precio=double' with --"), "\(refused.errors)")
      }
      try await tool.bare(
        ["import", "things.csv", "--schema", "none", "--id-column", "id"] + options + tool.place
      ).expect(0)
    }
  }

  @Test(
    "A column of which all cells are such numbers is text, and the options are named.",
    arguments: [
      (["499,00", "1.200,50"], "text, as 2 cells say; --decimal-comma reads it"),
      (
        ["$499.00", "$1,200.50"], "text, as 2 cells say; --types 'precio=double' with --currency '$' reads it"
      ),
      (["1,5", "1.500"], "the first that does not; --decimal-comma reads it (and 1.500 as 1500)"),
      (["1.500,25", "12.000"], "the first that does not; --decimal-comma reads it (and 1.500 as 1500)"),
      (["1,5", "1.5"], "the first that does not."), (["499,00", "about 5"], "text, as 2 cells say."),
    ]
  )
  func wholeColumn(_ cells: [String], _ says: String) async throws {
    try await withTool { tool in
      try tool.write(table(cells.dropLast(), cells[1]), to: "things.csv")
      let result = try await run(tool, "-n")
      #expect(result.errors.contains(says), "\(result.errors)")
    }
  }

  @Test(
    "A phone that a spreadsheet has rounded is refused in CSV, unless its type is said.",
    arguments: [
      ("tel", "5.51235E+11"), ("codigo_barras", "7,50123E+12"), ("cuenta", "1E+17"), ("id", "1.2E+11"),
    ]
  )
  func roundedIdentifiers(_ column: String, _ cell: String) async throws {
    try await withTool { tool in
      let isID = column == "id"
      try tool.write(isID ? "id,n\n\(cell),1\n" : "id,\(column)\n1,\"\(cell)\"\n", to: "things.csv")
      try await run(tool, "-n").expectFailure(65, "a spreadsheet has rounded it")
      try await run(tool, "--types", "\(column)=text", "-n").expect(0)
      try tool.write("id,\(column)2\n1,1E5\n", to: "things.csv")
      try await run(tool, "-n").expect(0)
    }
  }

  // MARK: Cells

  @Test("A cell too many is explained, and --skip-columns leaves it out.", arguments: ["csv", "xlsx"])
  func surplus(_ format: String) async throws {
    try await withTool { tool in
      let text = "id,nombre\na,García, Ana\nb,Leo\n"
      if format == "csv" {
        try tool.write(text, to: "things.csv")
      } else {
        try await Judge.script(
          """
          import sys, openpyxl
          book = openpyxl.Workbook()
          for line in sys.argv[2].split("\\n")[:-1]: book.active.append(line.split(","))
          book.save(sys.argv[1])
          """,
          tool.path("things.xlsx"),
          text
        )
      }
      let command = [
        "import", "things.\(format)", "--schema", "none", "--id-column", "id", "--collection", "things",
      ]
      let says = format == "csv" ? "the row has 3 cells, and the header 2" : "--skip-columns 3 leaves it out"
      try await tool.bare(command + ["-n"] + tool.place).expectFailure(65, says)
      try await tool.bare(command + ["--skip-columns", "3"] + tool.place).expect(0)
    }
  }

  @Test(
    "What nobody sees beside a value is named, and so is why a date is none.",
    arguments: [
      ("remainingVisits", "7\u{A0}", "U+00A0"), ("isActive", "\u{200B}true", "U+200B"),
      ("birthDate", "31/12/1998\u{202F}", "U+202F"),
      ("birthDate", "05/03/98", "a year has four digits"),
      ("birthDate", "1-ene-98", "a year has four digits"),
      ("birthDate", "31/02/2026", "there is no such day"),
      ("birthDate", "2026-02-31", "there is no such day"),
    ]
  )
  func unseen(_ field: String, _ cell: String, _ says: String) async throws {
    try await withTool { tool in
      try tool.write("__name__,\(field)\nm1,\(cell)\n", to: "members.csv")
      try await tool.run("import", "members.csv", "--mode", "merge", "-n").expectFailure(65, says)
    }
  }

  // MARK: Files

  @Test(
    "Controls that ISO 8859 has where Windows has signs are refused.",
    arguments: ["iso-8859-1", "iso-8859-15"]
  )
  func controls(_ encoding: String) async throws {
    try await withTool { tool in
      let bytes = Data(Array("id,nota\na,10".utf8) + [0x80, 0x20, 0x93] + Array("VIP".utf8) + [0x94, 0x0A])
      try bytes.write(to: tool.folder.appendingPathComponent("things.csv"))
      try await run(tool, "--encoding", encoding).expectFailure(65, "--encoding windows-1252")
      try await run(tool, "--encoding", "windows-1252").expect(0)
      let mac = Data(Array("id,nota\na,Jos".utf8) + [0x8E, 0x0A])
      try mac.write(to: tool.folder.appendingPathComponent("things.csv"))
      try await run(tool, "--encoding", encoding).expectFailure(65, "-f MACINTOSH")
      let accents = Data(Array("id,nota\na,a".utf8) + [0xF1, 0x6F, 0xA0, 0x2E, 0x0A])
      try accents.write(to: tool.folder.appendingPathComponent("things.csv"))
      try await run(tool, "--encoding", encoding, "--mode", "upsert").expect(0)
    }
  }

  @Test(
    "What is no table, or holds one further inside, is said with what to do.",
    arguments: [
      ("list.json", #"{"data":[{"id":"a","n":1}],"total":1}"#, "'jq .data FILE > LIST.json' takes out"),
      ("conf.yaml", "project: x\n", "it is YAML, and no table"),
      (
        "review.csv", "document,migration,code,field\nusers/1,m,c,f\n",
        "it is a list of what a migration found"
      ),
      ("large.json", #"[{"id":"a","n":1.0e22}]"#, "--types 'n=double'"),
      (
        "amount.csv", "id,n:double\n1,\"1,170.50\"\n",
        "expected a number; --currency '$' reads commas between thousands."
      ),
      ("ids.csv", "__name__,n\n,1\n", "(--new-ids uuid gives one)"),
    ]
  )
  func noTables(name: String, text: String, said: String) async throws {
    try await withTool { tool in
      try tool.write(text, to: name)
      let ids =
        name == "review.csv" ? ["--new-ids", "uuid"] : name == "ids.csv" ? [] : ["--id-column", "id"]
      let typed = ["import", name, "--collection", "things", "--schema", "none", "-n"] + ids
      try await tool.bare(typed + tool.place).expectFailure(65, said)
    }
  }

  @Test(
    "Bytes that are no text are one line, the zone of dates is said, and apostrophes that may be guards are."
  )
  func saidOnce() async throws {
    try await withTool { tool in
      let rows: [UInt8] = (0..<60).flatMap { Array("\($0),a".utf8) + [0xF1 as UInt8, 0x0A] }
      try Data(Array("id,n\n".utf8) + rows).write(to: tool.folder.appendingPathComponent("things.csv"))
      let bytes = try await run(tool, "-n")
      bytes.expect(65)
      #expect(bytes.errors.contains("the cell is not UTF-8; 59 more like it."), "\(bytes.errors)")
      #expect(bytes.errors.components(separatedBy: "not UTF-8").count == 3, "\(bytes.errors)")
      try tool.write("id,d,z\n1,13/02/2026,2026-01-01T00:00:00Z\n", to: "things.csv")
      let dates = try await run(tool, "-n", "--time-zone", "America/Mexico_City")
      #expect(
        dates.errors.contains("(d): timestamp, dd/MM/yyyy, as 1 cell says; read in America/Mexico_City")
      )
      #expect(dates.errors.contains("(z): timestamp, as 1 cell says."), "\(dates.errors)")
      for (mark, isSaid) in [("", true), ("\u{FEFF}", false)] {
        try tool.write("\(mark)__name__,s\na,'=1+1\nb,x\nc,'t\n", to: "things.csv")
        let typed = ["import", "things.csv", "--schema", "none", "-n"]
        let guards = try await tool.bare(typed + ["-q"] + tool.place)
        #expect(guards.errors.contains("1 text begins with an apostrophe") == isSaid, "\(guards.errors)")
      }
    }
  }

  @Test("A table of headings alone is named, and an empty file is none.")
  func nothing() async throws {
    try await withTool { tool in
      try tool.write("id,n\n", to: "things.csv")
      let result = try await run(tool)
      result.expect(0)
      #expect(result.errors.contains("things.csv: it has no rows"), "\(result.errors)")
      try tool.write("", to: "things.csv")
      try await run(tool).expectFailure(65, "things.csv: it is empty")
    }
  }

  @Test(
    "Tables, plain JSON and SQLite are refused at once where documents with names are wanted.",
    arguments: ["csv", "xlsx", "json", "ndjson", "sqlite"]
  )
  func placeOfDatabase(_ format: String) async throws {
    try await withTool { tool in
      let lines = (1...30).map {
        #"{"fields":{"n":{"integerValue":"\#($0)"}},"name":"things/t\#($0)"}"# + "\n"
      }
      try tool.write(lines.joined(), to: "in.jsonl")
      try await tool.run("import", "in.jsonl").expect(0)
      let place = ["xlsx", "sqlite"].contains(format) ? "things.\(format)" : "tables/"
      let output = place == "tables/" ? ["-o", place, "--format", format] : ["-o", place]
      try await tool.bare(["export", "things"] + output + tool.place).expect(0)
      for command in [
        ["diff", "things", "--from", place, "--to", "local"], ["count", "things", "--from", place],
        ["restore", "things", "--from", place, "--scope", "partial", "-n", "-e", "local"],
      ] {
        let result = try await tool.bare(command)
        result.expectFailure(65, "only JSON Lines and managed exports", "--format jsonl")
        #expect(result.errors.split(separator: "\n").count < 6, "\(result.errors)")
      }
    }
  }
}
