import Foundation
import TestSupport
import Testing

@Suite("A table loses, merges and renames nothing without a word", .timeLimit(.minutes(60)))
struct LosslessTableTests {
  /// The lines of the documents after an import of a table `things.csv`.
  private func imported(
    _ text: String,
    _ arguments: String...,
    expecting code: Int32 = 0,
    saying words: [String] = []
  ) async throws -> [String] {
    let mini = MiniFirestore()
    try await withTool(against: mini.handler) { tool, _ in
      try tool.write(text, to: "things.csv")
      let result = try await tool.bare(
        ["import", "things.csv", "--validate", "off"] + arguments + tool.place
      ).expect(code)
      for word in words { #expect(result.errors.contains(word), "\(word): \(result.errors)") }
    }
    return mini.snapshot().map(\.jsonLine)
  }

  private static func line(_ id: String, _ fields: String) -> String {
    #"{"fields":{\#(fields)},"name":"things/\#(id)"}"#
  }

  // MARK: Rows without a value

  @Test(
    "A row of delimiters, of white space or of empty texts is no row, and is counted.",
    arguments: [",,", " ,\u{A0},\t", "\"\",\"\",\"\"", "\u{200B},,"]
  )
  func blankRows(row: String) async throws {
    let found = try await imported(
      "\(row)\r\n__name__,a,b\r\n\(row)\r\nx,1,\r\n\(row)\r\ny,,\r\n\(row)\r\n",
      saying: ["4 rows without a value were skipped, the first in row 1."]
    )
    #expect(found == [Self.line("x", #""a":{"integerValue":"1"}"#), Self.line("y", "")])
  }

  @Test("With new ids, a row of delimiters makes no document either.")
  func blankRowsWithNewIDs() async throws {
    let found = try await imported(
      "a,b\n1,2\n,\n",
      "--new-ids",
      "auto",
      saying: ["One row without a value was skipped, in row 3."]
    )
    #expect(found.count == 1)
  }

  // MARK: Rows and files that are cut off

  @Test(
    "A row with fewer cells than the header is refused with its line, and padded where that is asked for."
  )
  func shortRows() async throws {
    let text = "__name__,a:string,b:string,\nx,1,2,\ny,Leo\nz,3,\n"
    let refused = try await imported(
      text,
      expecting: 65,
      saying: ["line 3: it has 2 cells, and the header 3", "--short-rows pad"]
    )
    #expect(refused.isEmpty)
    let padded = try await imported(text, "--short-rows", "pad")
    #expect(padded.contains(Self.line("y", #""a":{"stringValue":"Leo"}"#)) && padded.count == 3)
  }

  @Test("A last line without its end is named, also compressed and with tabs.")
  func unterminated() async throws {
    let notice = "Line 2, the last one, has no line end"
    let found = try await imported("__name__,a\nx,49", saying: [notice])
    #expect(found == [Self.line("x", #""a":{"integerValue":"49"}"#)])
    try await withMini { tool, _ in
      for (name, text) in [
        ("things.tsv", "__name__\ta\nx\t49"), ("things.csv.gz", "__name__,a\nx,49"),
        ("whole.csv", "__name__,a\nx,49\n"), ("things.tsv.gz", "__name__\ta\nx\t49"),
      ] {
        let path = tool.path(name)
        if name.hasSuffix(".gz") {
          try tool.write(text, to: "plain")
          let gzip = Process()
          gzip.executableURL = URL(fileURLWithPath: "/bin/sh")
          gzip.arguments = ["-c", "gzip -c \"$0\" > \"$1\"", tool.path("plain"), path]
          try gzip.run()
          gzip.waitUntilExit()
        } else {
          try tool.write(text, to: name)
        }
        let result = try await tool.run("import", name, "--validate", "off", "-n", "--collection", "things")
        #expect(result.errors.contains(notice) == (name != "whole.csv"), "\(name): \(result.errors)")
      }
    }
  }

  @Test(
    "A table without headings is refused, however it is empty.",
    arguments: ["", "\u{FEFF}", "\r\n\r\n"]
  )
  func withoutHeadings(text: String) async throws {
    let found = try await imported(
      text,
      "--id-column",
      "key",
      expecting: 65,
      saying: ["it is empty, without headings"]
    )
    #expect(found.isEmpty)
    try await withMini { tool, _ in
      let options = ["-", "--format", "csv", "--collection", "things", "--id-column", "key"]
      try await tool.bare(["import"] + options + tool.place, input: Array(text.utf8))
        .expectFailure(65, "it is empty, without headings")
    }
  }

  // MARK: Cells of a type

  @Test(
    "What is no whole number is refused in a column of integers, and never 0.",
    arguments: ["NaN", "Infinity", "-Infinity", " NaN ", "NaN%", "$NaN", "-"]
  )
  func noInteger(cell: String) async throws {
    let options = ["--percent", "number", "--currency", "$"]
    let found = try await imported(
      "__name__,n:integer\nx,\(cell)\n",
      options[0],
      options[1],
      options[2],
      options[3],
      expecting: 65,
      saying: ["expected a whole number"]
    )
    #expect(found.isEmpty)
  }

  @Test("A blank cell is no value of a type, and never empty bytes.", arguments: [" ", "\t", "  "])
  func blankCells(cell: String) async throws {
    for type in ["bytes", "integer", "double", "boolean", "timestamp", "array", "reference", "geopoint"] {
      let found = try await imported("__name__,a,v:\(type)\nx,1,\(cell)\n", expecting: 65)
      #expect(found.isEmpty, "\(type)")
    }
  }

  @Test("Spaces and tabs around a value that is not text say nothing.")
  func spacesAround() async throws {
    for type in ["bytes", "integer", "double", "boolean", "timestamp", "array", "reference", "geopoint"] {
      let found = try await imported("__name__,v:\(type)\nx,null \ny,\"\t{\"\"nullValue\"\":null}\"\n")
      let null = #""v":{"nullValue":null}"#
      #expect(found == [Self.line("x", null), Self.line("y", null)], "\(type)")
    }
    let guessed = try await imported("id,v\nx,[1]\ny, [2] \nz,null \n", "--id-column", "id")
    func line(_ id: String, _ value: String) -> String {
      Self.line(id, "\"id\":{\"stringValue\":\"\(id)\"},\"v\":{\(value)}")
    }
    func array(_ number: Int) -> String { "\"arrayValue\":{\"values\":[{\"integerValue\":\"\(number)\"}]}" }
    #expect(guessed == [line("x", array(1)), line("y", array(2)), line("z", #""nullValue":null"#)])
  }

  @Test("A full name without an id is no document of a collection called projects.")
  func namesWithoutIDs() async throws {
    let name = "projects/p/databases/d/documents/users"
    for text in ["__name__,v:reference\nx,\(name)\n", "__name__,v\n\(name),1\n"] {
      let found = try await imported(text, expecting: 65)
      #expect(found.isEmpty)
    }
    try await withMini { tool, mini in
      try tool.write(#"{"name":"\#(name)"}"# + "\n", to: "in.jsonl")
      try await tool.bare(["import", "in.jsonl"] + tool.place).expectFailure(65, "is not a document name")
      #expect(mini.snapshot().isEmpty)
    }
  }

  @Test("A double whose digits before the decimals no double has is refused.")
  func lostDigits() async throws {
    let found = try await imported(
      "__name__,v:double\nx,9007199254740993.0\n",
      expecting: 65,
      saying: ["expected a number that a double holds: it would lose digits"]
    )
    #expect(found.isEmpty)
  }

  // MARK: Rejected rows

  @Test(
    "A row that cannot be read is kept as it was, is refused until it is filled, and comes back mended.",
    arguments: [
      (Array("y,Le\"o,2".utf8), "y,Le\"o,2"), (Array("y,\"Leo\"x,2".utf8), "y,\"Leo\"x,2"),
      (Array("y,Sol".utf8) + [0xED] + Array("s\\,2".utf8), "bytes:y,Sol\\xEDs\\\\,2"),
      (Array("y,Leo,2,lost".utf8), "y,Leo,2,lost"), (Array("y,Leo".utf8), "y,Leo"),
      (Array("=y,Le\"o,2".utf8), "'=y,Le\"o,2"),
    ] as [([UInt8], String)]
  )
  func rawRecords(record: [UInt8], kept: String) async throws {
    try await withMini { tool, mini in
      let options = ["--collection", "things", "--validate", "off"]
      let bytes = Array("__name__,a:string,b:integer\nx,Ana,1\n".utf8) + record + Array("\nz,Eva,3\n".utf8)
      try Data(bytes).write(to: URL(fileURLWithPath: tool.path("things.csv")))
      try await tool.bare(["import", "things.csv", "--parse-errors", "skip-row"] + options + tool.place)
        .expect(2)
      #expect(mini.snapshot().map(\.name) == ["things/x", "things/z"])
      let rejects = try tool.text(#require(tool.runs().last) + "/rejects.csv")
      let quoted = kept.contains { $0 == "," } ? "\"\(kept.replacing("\"", with: "\"\""))\"" : kept
      #expect(
        rejects.hasPrefix("\u{FEFF}__name__,a:string,b:integer,__reason__,__raw__\r\n,,,"),
        "\(rejects)"
      )
      #expect(rejects.hasSuffix(",\(quoted)\r\n"), "\(rejects)")
      // As it is, it is refused, and what it was is kept.
      try tool.write(rejects, to: "again.csv")
      try await tool.bare(["import", "again.csv"] + options + tool.place).expectFailure(
        65,
        "row 2: expected the values of the row"
      )
      try await tool.bare(["import", "again.csv", "--parse-errors", "skip-row"] + options + tool.place)
        .expect(2)
      #expect(try tool.text(#require(tool.runs().last) + "/rejects.csv").hasSuffix(",\(quoted)\r\n"))
      try tool.write(rejects.replacing("\r\n,,,", with: "\r\ny,Leo,2,"), to: "mended.csv")
      try await tool.bare(["import", "mended.csv"] + options + tool.place).expect(0)
      #expect(
        mini.document("things/y")?.jsonLine
          == Self.line("y", #""a":{"stringValue":"Leo"},"b":{"integerValue":"2"}"#)
      )
    }
  }

  @Test("Texts of rejected rows that look like formulas are guarded, and come back as they were.")
  func guardedRejects() async throws {
    try await withMini { tool, mini in
      let options = ["--collection", "things", "--validate", "off"]
      try tool.write("__name__,a:string,b:string,n:integer\n=x,＝1+1,'@y,uno\n", to: "things.csv")
      try await tool.bare(["import", "things.csv", "--parse-errors", "skip-row"] + options + tool.place)
        .expect(2)
      let rejects = try tool.text(#require(tool.runs().last) + "/rejects.csv")
      #expect(rejects.contains("\r\n'=x,'＝1+1,''@y,uno,"))
      try tool.write(rejects.replacing(",uno,", with: ",-1,"), to: "mended.csv")
      try await tool.bare(["import", "mended.csv"] + options + tool.place).expect(0)
      #expect(
        mini.snapshot().map(\.jsonLine) == [
          Self.line(
            "=x",
            #""a":{"stringValue":"＝1+1"},"b":{"stringValue":"'@y"},"n":{"integerValue":"-1"}"#
          )
        ]
      )
    }
  }

  // MARK: Ids

  /// Ids that would be values in any other cell.
  static let ids = [
    "null", #"{"stringValue":"ok"}"#, "[x", "{", "true", "007", "1e5", "2026-01-01", "NaN", "=1+1", "-7", "'",
    "\"",
  ]

  @Test("An id is a name and never a value, through every format.", arguments: ["csv", "excel", "xlsx"])
  func idsAreNames(format: String) async throws {
    try await withMini { tool, mini in
      var lines: [String] = []
      for (index, id) in Self.ids.enumerated() {
        let name = String(decoding: try JSONEncoder().encode("things/\(id)"), as: UTF8.self)
        lines.append(#"{"fields":{"n":{"integerValue":"\#(index)"}},"name":\#(name)}"#)
      }
      try tool.write(lines.joined(separator: "\n") + "\n", to: "things.jsonl")
      try await tool.run("import", "things.jsonl").expect(0)
      let before = mini.snapshot().map(\.jsonLine)
      #expect(before.count == Self.ids.count)
      let file = format == "xlsx" ? "things.xlsx" : "things.csv"
      try await tool.bare(
        ["export", "things", "-o", file] + (format == "excel" ? ["--excel"] : []) + tool.place
      ).expect(0)
      // Another collection, whose name replaces theirs.
      try await tool.run("import", file, "--collection", "copies", "--validate", "off").expect(0)
      let copies = mini.snapshot().map(\.jsonLine).filter { $0.contains("\"copies/") }
      #expect(copies.map { $0.replacing("\"copies/", with: "\"things/") } == before)
      // They are there: nothing is created or changed.
      let again = try await tool.run("import", file, "--mode", "merge", "--validate", "off", "--json")
      again.expect(0)
      #expect(try again.summary().totals.written == 0)
    }
  }

  @Test("In a column of ids, too, a cell is a name, and the field has its text.")
  func idColumn() async throws {
    let found = try await imported(
      "code,n\nnull,1\n\"{\"\"stringValue\"\":\"\"ok\"\"}\",2\n[x,3\n",
      "--id-column",
      "code"
    )
    #expect(
      Set(found) == [
        Self.line("null", #""code":{"stringValue":"null"},"n":{"integerValue":"1"}"#),
        Self.line(
          #"{\"stringValue\":\"ok\"}"#,
          #""code":{"stringValue":"{\"stringValue\":\"ok\"}"},"n":{"integerValue":"2"}"#
        ),
        Self.line("[x", #""code":{"stringValue":"[x"},"n":{"integerValue":"3"}"#),
      ]
    )
  }

  @Test(
    "White space and invisible characters around an id are refused with row and column, and kept where that is asked for.",
    arguments: [" x", "x ", "x\u{A0}", "\tx", "\u{200B}x", "x\u{FEFF}", "\"x\n\"", "x\u{3000}", "x\u{2028}"]
  )
  func spaces(id: String) async throws {
    let refused = try await imported(
      "__name__,n\ny,1\n\(id),2\n",
      expecting: 65,
      saying: ["row 3, column 1 (__name__): expected an id without white space around it", "--keep-spaces"]
    )
    #expect(refused.isEmpty)
    #expect(try await imported("code,n\n\(id),2\n", "--id-column", "code", expecting: 65).isEmpty)
    #expect(try await imported("__name__,n\n\(id),2\n", "--new-ids", "uuid", expecting: 65).isEmpty)
    let kept = try await imported("__name__,n\n\(id),2\n", "--keep-spaces")
    #expect(kept.count == 1 && kept.first?.contains("\"things/x\"") == false)
  }

  @Test("White space in a path counts for each of its ids.")
  func spacesInPaths() async throws {
    try await withMini { tool, mini in
      try tool.write("__name__,n\ng1/members/ u1,1\n", to: "groups~members.csv")
      try await tool.run("import", "groups~members.csv", "--validate", "off")
        .expectFailure(65, "row 2, column 1 (__name__)", "U+0020")
      try tool.write("__name__,n\ng1 /members/u1,1\n", to: "groups~members.csv")
      try await tool.run("import", "groups~members.csv", "--validate", "off").expectFailure(65, "U+0020")
      #expect(mini.snapshot().isEmpty)
    }
  }

  // MARK: The delimiter

  @Test(
    "A first line that names the delimiter does so, and is no header.",
    arguments: [
      "sep=;\r\n__name__;a:string\r\nx;1,5\r\n", "SEP=,\n__name__,a:string\nx,\"1,5\"\n",
      "sep=\\t\n__name__\ta:string\nx\t1,5\n", "sep=\t\n__name__\ta:string\nx\t1,5\n",
      "\u{FEFF}\"sep=;\"\n__name__;a:string\nx;1,5\n",
    ]
  )
  func separatorLine(text: String) async throws {
    #expect(try await imported(text) == [Self.line("x", #""a":{"stringValue":"1,5"}"#)])
  }

  @Test("A first line that names a delimiter that nobody reads is refused.")
  func unknownSeparator() async throws {
    #expect(try await imported("sep=a\n__name__:a\nx:1\n", expecting: 65, saying: ["sep= names"]).isEmpty)
  }
}
