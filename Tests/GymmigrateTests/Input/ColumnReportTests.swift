import FirestoreModels
import Foundation
import TestSupport
import Testing

@Suite("What is guessed of a table is said, and people decide where cells disagree", .timeLimit(.minutes(60)))
struct ColumnReportTests {
  private func rows(_ cells: [String]) -> String {
    "id,price,folio\n" + cells.enumerated().map { "d\($0),\"\($1)\",7\n" }.joined()
  }

  @Test(
    "Each guess is a line on standard error and in columns.csv, also with -n; values are in the file alone."
  )
  func reports() async throws {
    try await withTool { tool in
      try tool.write(rows(["1", "2", "SECRET"]), to: "things.csv")
      for arguments in [["-n"], []] {
        let result = try await tool.bare(
          ["import", "things.csv", "--id-column", "id"] + arguments + tool.place
        ).expect(0)
        #expect(
          result.errors.contains(
            "things.csv column 2 (price): text; 2 of 3 cells say integer, and row 4 is the first that does not."
          )
        )
        #expect(result.errors.contains("things.csv column 3 (folio): text, by its name."))
        #expect(!result.errors.contains("SECRET"))
        let run = try #require(tool.runs().last)
        let bytes = try Data(contentsOf: tool.folder.appendingPathComponent("\(run)/columns.csv"))
        #expect(bytes.starts(with: [0xEF, 0xBB, 0xBF]), "as every list, for Excel")
        #expect(
          try tool.text("\(run)/columns.csv") == """
            \u{FEFF}file,column,heading,type,cells,most,agreeing,row,value\r
            "things.csv","2","price","text","3","integer","2","4","SECRET"\r
            "things.csv","3","folio","text","","by name","","",""\r

            """
        )
        #expect(!(try tool.text("\(run)/operation.log")).contains("SECRET"))
        let mode = try FileManager.default.attributesOfItem(
          atPath: tool.folder.appendingPathComponent("\(run)/columns.csv").path
        )[.posixPermissions]
        #expect(mode as? Int == 0o600)
      }
    }
  }

  @Test("Options that say how numbers are written count for a guess.")
  func writtenNumbers() async throws {
    try await withTool { tool in
      try tool.write("id;v;p;b\n1;1.200,50 €;16%;true\n2;99,00 €;5%;false\n", to: "eu.csv")
      try tool.write("id,v,p,b\n1,\"$1,200\",EUR,true\n2,$99,MXN,false\n", to: "us.csv")
      for (file, options, types) in [
        ("eu.csv", ["--decimal-comma", "--currency", "€", "--percent", "fraction"], ["double", "double"]),
        ("us.csv", ["--currency", "$,EUR"], ["integer", "text"]),
      ] {
        let words = ["import", file, "--collection", "c", "--id-column", "id", "--schema", "none"]
        let result = try await tool.bare(words + options + tool.place).expect(0)
        for (index, type) in (types + ["boolean"]).enumerated() {
          let line = "\(file) column \(index + 2) (\("vpb".dropFirst(index).prefix(1))): \(type)"
          #expect(result.errors.contains(line), "\(line): \(result.errors)")
        }
        let documents = try await tool.documents()
        let expected = file == "eu.csv" ? Self.european : Self.american
        #expect(try documents == parsed(expected))
        try await tool.run("delete", "c", "--all-documents", "--hard", "--max-delete", "2", "-q").expect(0)
      }
    }
  }

  private static let european: Documents = [
    "c/1": ["id": s("1"), "v": d(1200.5), "p": d(0.16), "b": b(true)],
    "c/2": ["id": s("2"), "v": d(99), "p": d(0.05), "b": b(false)],
  ]

  private static let american: Documents = [
    "c/1": ["id": s("1"), "v": i(1200), "p": s("EUR"), "b": b(true)],
    "c/2": ["id": s("2"), "v": i(99), "p": s("MXN"), "b": b(false)],
  ]

  @Test("More than nine tenths of a type stop the import with the rows; what decides is said and works.")
  func stops() async throws {
    try await withTool { tool in
      try tool.write(rows(Array(repeating: "1.5", count: 10) + ["499,00"]), to: "things.csv")
      func run(_ options: String...) async throws -> RunResult {
        try await tool.bare(["import", "things.csv", "--id-column", "id", "-n"] + options + tool.place)
      }
      for options in [["--parse-errors", "stop"], ["--parse-errors", "skip-row"]] {
        try await tool.bare(["import", "things.csv", "--id-column", "id"] + options + tool.place)
          .expectFailure(
            65,
            "column 2 (price): 10 of 11 cells say double, and 1 cell does not: row 12",
            "price:double",
            "--types"
          )
      }
      try await run("--types", "price=double").expectFailure(
        65,
        "row 12, column 2 (price): expected a number"
      )
      try await run("--types", "price=text").expect(0)
      try await run("--types", "prize=text").expectFailure(65, "'prize'")
      try tool.write(rows(Array(repeating: "1,5", count: 10) + ["499.000,00"]), to: "things.csv")
      try await run("--decimal-comma").expect(0)
      try tool.write(rows(["01/02/2026", "02/13/2026"]), to: "things.csv")
      try await run("--date-format", "dd/MM/yyyy", "--types", "price=date").expectFailure(
        65,
        "row 3, column 2"
      )
      try await run("--date-format", "MM/dd/yyyy").expect(0)
    }
  }

  @Test("A rejected row of dates with the month first is read in that order again.")
  func rejectedRows() async throws {
    try await withTool { tool in
      try tool.write("id,since,n:int\na,01/02/2026,x\nb,02/13/2026,1\n", to: "things.csv")
      try await tool.run("import", "things.csv", "--id-column", "id", "--parse-errors", "skip-row").expect(2)
      let run = try #require(tool.runs().last)
      let rejects = try tool.text("\(run)/rejects.csv")
      #expect(rejects.contains("since:MM/dd/yyyy"))
      try tool.write(rejects.replacingOccurrences(of: ",x,", with: ",2,"), to: "mended.csv")
      try await tool.run("import", "mended.csv", "--collection", "things", "--id-column", "id").expect(0)
      try await tool.run("export", "things", "-o", "out.jsonl").expect(0)
      #expect(try tool.text("out.jsonl").contains("2026-01-02T06:00:00Z"))
    }
  }

  @Test(
    "An edited reference and geo point keep their types, in CSV and in a workbook.",
    arguments: ["csv", "xlsx"]
  )
  func editedCells(_ format: String) async throws {
    try await withTool { tool in
      let name = "projects/p/databases/d/documents/cars"
      try tool.write(
        (1...3).map { number in
          #"{"fields":{"car":{"referenceValue":"\#(name)/c\#(number)"},"at":{"geoPointValue":{"latitude":1,"longitude":\#(number)}},"path":{"stringValue":"cars/c\#(number)"}},"name":"things/t\#(number)"}"#
            + "\n"
        }.joined(),
        to: "in.jsonl"
      )
      try await tool.run("import", "in.jsonl").expect(0)
      try await tool.run("export", "things", "-o", "things.\(format)").expect(0)
      if format == "csv" {
        let lines = try tool.text("things.csv").components(separatedBy: "\r\n")
        let edited = lines.map { line in
          line.hasPrefix("t2,")
            ? line.replacingOccurrences(of: #""{""referenceValue"":""\#(name)/c2""}""#, with: "cars/c9")
              .replacingOccurrences(
                of: #""{""geoPointValue"":{""latitude"":1.0,""longitude"":2.0}}""#,
                with: "\"1, 9\""
              ) : line
        }
        try tool.write(edited.joined(separator: "\r\n"), to: "things.csv")
      } else {
        try await Judge.script(
          """
          import sys, openpyxl
          book = openpyxl.load_workbook(sys.argv[1])
          sheet = book.worksheets[0]
          heads = [cell.value for cell in sheet[1]]
          for row in sheet.iter_rows(min_row=2):
              if row[0].value == "t2":
                  row[heads.index("car")].value = "cars/c9"
                  row[heads.index("at")].value = "1, 9"
          book.save(sys.argv[1])
          """,
          tool.folder.appendingPathComponent("things.xlsx").path
        )
      }
      try await tool.run("import", "things.\(format)", "--mode", "merge").expect(0)
      try await tool.run("export", "things", "-o", "out.jsonl").expect(0)
      let lines = try tool.text("out.jsonl").split(separator: "\n")
      #expect(lines[1].contains("/documents/cars/c9\"") && lines[1].contains("referenceValue"), "\(lines[1])")
      #expect(
        lines[1].contains(#""longitude":9"#) && lines[1].contains(#""path":{"stringValue":"cars/c2"}"#),
        "\(lines[1])"
      )
      let original = try tool.text("in.jsonl").split(separator: "\n")
      for index in [0, 2] {
        #expect(lines[index].contains(#"{"referenceValue":"\#(name)/c\#(index + 1)"}"#), "\(original[index])")
      }
    }
  }
}
