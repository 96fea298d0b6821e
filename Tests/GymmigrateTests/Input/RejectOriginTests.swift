import Foundation
import TestSupport
import Testing

@Suite(
  "Lists of rejected rows that a spreadsheet saved are read as the tables that the rows come from",
  .enabled(
    if: ProcessInfo.processInfo.environment["GYMMIGRATE_PYTHON"] != nil,
    "openpyxl makes the workbooks."
  ),
  .timeLimit(.minutes(60))
)
struct RejectOriginTests {
  private static let forms = ["csv", "xlsx"]

  /// Replaces `BAD` by 5 in a list, moves its columns, and saves it as a spreadsheet does.
  private func save(_ list: String, as file: String, in tool: Tool) async throws {
    let code = """
      import csv, datetime, io, re, sys
      source, target = sys.argv[1:]
      text = open(source, encoding='utf-8-sig', newline='').read()
      sign = next(sign for sign in ';,' if sign in text.splitlines()[0])
      rows = [[{'BAD': '5'}.get(cell, cell) for cell in reversed(row)]
              for row in csv.reader(io.StringIO(text, newline=''), delimiter=sign)]
      def typed(cell):
          if re.fullmatch(r'-?[1-9][0-9]*', cell): return int(cell)
          if re.fullmatch(r'-?[0-9]+[.,][0-9]+', cell): return float(cell.replace(',', '.'))
          if re.fullmatch(r'[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9:]+', cell): return datetime.datetime.fromisoformat(cell)
          return cell or None
      if target.endswith('.csv'):
          with open(target, 'w', encoding='utf-8-sig', newline='') as lines: csv.writer(lines, delimiter=sign).writerows(rows)
      else:
          import openpyxl
          book = openpyxl.Workbook()
          for row in rows: book.active.append([typed(cell) for cell in row])
          book.save(target)
      """
    try await Judge.python(["-c", code, tool.path(list), tool.path(file)]).expect(0)
  }

  /// The documents of a collection, as lines.
  private func documents(_ collection: String, _ place: [String], _ tool: Tool) async throws -> String {
    try await tool.bare(
      ["export", collection, "-o", "-", "--format", "jsonl", "--schema", "none", "-q"] + place
    )
    .output
  }

  private func list(_ tool: Tool, _ name: String = "rejects.csv") throws -> String {
    "\(try #require(tool.runs().last))/\(name)"
  }

  // MARK: Exports

  private static let schema = """
    schema: club
    time-zone: America/Mexico_City
    collections:
      c:
        import: { "null": nada, decimal-comma: true, skip-columns: [3] }
        fields: { n: integer, ts: timestamp }
    """

  @Test(
    "A list of rows of an export has its token for null, its zone, its decimal comma and its database",
    arguments: [
      ("o/", ["--null", "NULL"], #""u":{"nullValue":null}"#), ("o/", [], #""u":{"nullValue":null}"#),
      ("o/", ["--null", ""], #""tel":{"stringValue":"null"}"#),
      ("o.xlsx", ["--null", "NULL"], #""u":{"nullValue":null}"#),
      ("o/", ["--plain", "--time-zone", "Asia/Tokyo"], #""ts":{"timestampValue":"2026-01-01T12:00:00Z"}"#),
      ("o.xlsx", ["--time-zone", "Asia/Tokyo"], #""ts":{"timestampValue":"2026-01-01T12:00:00Z"}"#),
      ("o/", ["--plain", "--delimiter", "semicolon", "--decimal-comma"], #""fee":{"doubleValue":2.5}"#),
      ("o/", [], #""fee":{"doubleValue":2.5}"#), ("o/", [], "/databases/saved-FORM/documents/cars/c1"),
    ]
  )
  func exports(output: String, options: [String], expected: String) async throws {
    try await withTool { tool in
      try tool.write(Self.schema, to: "club.yaml")
      let row = #"p1,1,2026-01-01T12:00:00Z,null,2.5,cars/c1,"{""stringValue"":""null""}""#
      try tool.write("__name__,n,ts,u,fee,r:reference,tel\n\(row)\n", to: "seed.csv")
      try await tool.run("import", "seed.csv", "--collection", "c", "--schema", "none").expect(0)
      let format = output.hasSuffix("/") ? ["--format", "csv"] : []
      try await tool.bare(
        ["export", "c", "-o", output, "--schema", "club.yaml"] + format + options + tool.place
      ).expect(0)
      if output.hasSuffix("/") {
        let sign = options.contains("semicolon") ? ";" : ","
        let text = try tool.text("o/c.csv")
        try tool.write(text.replacing("p1\(sign)1\(sign)", with: "p1\(sign)BAD\(sign)"), to: "o/c.csv")
      } else {
        let code =
          "import openpyxl, sys; b = openpyxl.load_workbook(sys.argv[1]); b['c']['B2'].value = 'BAD'; b.save(sys.argv[1])"
        try await Judge.python(["-c", code, tool.path(output)]).expect(0)
      }
      for form in Self.forms {
        let place = ["--schema", "club.yaml", "-e", "local", "--database", "saved-\(form)"]
        try await tool.bare(["import", output, "--parse-errors", "skip-row"] + place).expect(2)
        try await save(try list(tool), as: "mended.\(form)", in: tool)
        try await tool.bare(["import", "mended.\(form)", "--collection", "c"] + place).expect(0)
        let found = try await documents("c", Array(place.dropFirst(2)), tool)
        #expect(found.contains(expected.replacing("FORM", with: form)), "\(form): \(found)")
        #expect(found.contains(#""n":{"integerValue":"5"}"#), "\(form): \(found)")
      }
    }
  }

  @Test("A document that breaks the schema is listed with its references into the target")
  func references() async throws {
    try await withTool { tool in
      try tool.write("schema: s\ncollections:\n  c:\n    fields: { n: integer }\n", to: "s.yaml")
      try tool.write("__name__,n,r:reference\np1,uno,cars/c1\n", to: "seed.csv")
      try await tool.run("import", "seed.csv", "--collection", "c", "--schema", "none").expect(0)
      try await tool.run("export", "c", "-o", "o/", "--format", "jsonl", "--schema", "none").expect(0)
      let place = ["--schema", "s.yaml", "-e", "local", "--database", "saved"]
      try await tool.bare(
        ["import", "o/", "--validate", "reject", "--parse-errors", "skip-row"] + place
      ).expect(2)
      let rejects = try tool.text(list(tool, "rejects.jsonl"))
      #expect(rejects.contains("/databases/saved/documents/cars/c1"), "\(rejects)")
    }
  }

  // MARK: People's tables

  private static let declared = """
    schema: t
    collections:
      c:
        import: { id-column: id, skip-columns: 2 }
        fields: { n: integer, u: string }
    """

  @Test(
    "A list of rows of people's tables has the same fields, wherever its columns are",
    arguments: [
      (["--schema", "s.yaml"], "id,junk,n,u\na,J,BAD,x\n", #""u":{"stringValue":"x"}"#),
      (
        ["--schema", "none", "--id-column", "id", "--skip-columns", "2"], "id,junk,n,u\na,J,BAD,x\n",
        #""u":{"stringValue":"x"}"#
      ),
      (["--schema", "none", "--id-column", "1"], ",n,u\na,BAD,x\n", #""u":{"stringValue":"x"}"#),
      (
        ["--schema", "none", "--id-column", "id", "--header-row", "2"], "Socios,,\nid,n,u\na,BAD,x\n",
        #""u":{"stringValue":"x"}"#
      ),
      (
        ["--schema", "none", "--id-column", "id", "--date-format", "MM/dd/yyyy", "--time-zone", "UTC"],
        "id,n,d:dd/MM/yyyy\na,BAD,03/01/2026\n", #""d":{"timestampValue":"2026-01-03T00:00:00Z"}"#
      ),
      (["--schema", "none"], "__name__,n,tel\na,BAD,+52 33\n", #""tel":{"stringValue":"+52 33"}"#),
      (["--schema", "none"], "__name__,n,tel:any\na,BAD,'+52 33\n", #""tel":{"stringValue":"'+52 33"}"#),
    ]
  )
  func people(options: [String], text: String, expected: String) async throws {
    try await withTool { tool in
      try tool.write(Self.declared, to: "s.yaml")
      try tool.write(text, to: "c.csv")
      let id = options.contains("id") ? #""id":{"stringValue":"a"},"# : ""
      let number = #""n":{"integerValue":"5"}"#
      let fields = expected.hasPrefix(#""d""#) ? "\(expected),\(id)\(number)" : "\(id)\(number),\(expected)"
      for form in Self.forms {
        let place = ["-e", "local", "--database", "saved-\(form)"]
        let words = ["--collection", "c", "--types", "n=integer"] + options + place
        try await tool.bare(["import", "c.csv", "--parse-errors", "skip-row"] + words).expect(2)
        try await save(try list(tool), as: "mended.\(form)", in: tool)
        try await tool.bare(["import", "mended.\(form)"] + words).expect(0)
        #expect(
          try await documents("c", place, tool) == "{\"fields\":{\(fields)},\"name\":\"c/a\"}\n",
          "\(form)"
        )
      }
    }
  }

  @Test(
    "A row with a new id has it in the list, so that it completes its document",
    arguments: ["n,u", "id,n,u"]
  )
  func newIDs(header: String) async throws {
    try await withTool { tool in
      try tool.write("\(header)\n\(header.hasPrefix("id") ? "," : "")BAD,x\n", to: "c.csv")
      for form in Self.forms {
        let place = ["--schema", "none", "-e", "local", "--database", "saved-\(form)"]
        let id = header.hasPrefix("id") ? ["--id-column", "id"] : []
        let words = ["--collection", "c", "--types", "n=integer", "--new-ids", "uuid"] + id + place
        try await tool.bare(["import", "c.csv", "--parse-errors", "skip-field"] + words).expect(2)
        let rejects = try list(tool)
        let before = try await documents("c", Array(place.dropFirst(2)), tool)
        try await save(rejects, as: "mended.\(form)", in: tool)
        try await tool.bare(["import", "mended.\(form)", "--mode", "merge"] + words).expect(0)
        let after = try await documents("c", Array(place.dropFirst(2)), tool)
        #expect(after.replacing(#""n":{"integerValue":"5"},"#, with: "") == before, "\(form): \(after)")
        #expect(after != before, "\(form)")
      }
    }
  }

  // MARK: Sheets

  @Test("A list of rows of one sheet takes the options of that sheet, beside those of others")
  func sheets() async throws {
    try await withTool { tool in
      let code = """
        import openpyxl, sys
        book = openpyxl.Workbook(); book.active.title = 'Hoja 1'
        for row in (['Id', 'n', 'x'], ['a', 'BAD', 1], ['b', 2, 3]): book.active.append(row)
        other = book.create_sheet('Hoja 2')
        for row in (['Clave', 'n', 'junk', 'y'], ['a', 'BAD', 'J', 1], ['b', 3, 'K', 2]): other.append(row)
        book.save(sys.argv[1])
        """
      try await Judge.python(["-c", code, tool.path("c.xlsx")]).expect(0)
      let options = [
        "--sheet", "Hoja 1=h1", "--sheet", "2=h2", "--id-column", "Hoja 1=Id", "--id-column", "Hoja 2=Clave",
        "--skip-columns", "Hoja 2=3", "--types", "n=integer,y=double",
      ]
      for form in Self.forms {
        let place = ["--schema", "none", "-e", "local", "--database", "saved-\(form)"]
        try await tool.bare(["import", "c.xlsx", "--parse-errors", "skip-row"] + options + place).expect(2)
        let lists = [try list(tool), try list(tool, "rejects-2.csv")]
        for (collection, list) in zip(["h1", "h2"], lists) {
          try await save(list, as: "mended.\(form)", in: tool)
          try await tool.bare(["import", "mended.\(form)", "--collection", collection] + options + place)
            .expect(0)
        }
        let first = try await documents("h1", Array(place.dropFirst(2)), tool)
        #expect(
          first.contains(#"{"Id":{"stringValue":"a"},"n":{"integerValue":"5"},"x":{"integerValue":"1"}}"#)
        )
        let second = try await documents("h2", Array(place.dropFirst(2)), tool)
        #expect(
          second.contains(#"{"Clave":{"stringValue":"a"},"n":{"integerValue":"5"},"y":{"doubleValue":1.0}}"#)
        )
      }
      // A sheet that no list is of is missed where a workbook is imported.
      let place = ["--schema", "none", "-n"] + tool.place
      try await tool.bare(["import", "c.xlsx", "--sheet", "Hoja 3=h3"] + place).expect(66)
    }
  }
}
