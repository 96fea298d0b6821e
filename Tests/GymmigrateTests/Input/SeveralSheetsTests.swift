import Foundation
import TestSupport
import Testing

@Suite(
  "Workbooks of several sheets, and of another zone",
  .enabled(
    if: ProcessInfo.processInfo.environment["GYMMIGRATE_PYTHON"] != nil,
    "openpyxl makes the workbooks."
  ),
  .timeLimit(.minutes(60))
)
struct SeveralSheetsTests {
  /// Makes a workbook of sheets with their rows; `None` is an empty cell.
  private func make(_ path: String, _ sheets: String) async throws {
    let code = """
      import datetime, openpyxl, sys
      book = openpyxl.Workbook(); book.remove(book.active)
      for name, rows, merged in \(sheets):
          sheet = book.create_sheet(name)
          for row in rows: sheet.append(row)
          for area in merged: sheet.merge_cells(area)
      book.save(sys.argv[1])
      """
    try await Judge.python(["-c", code, path]).expect(0)
  }

  private static let notes =
    "[('socios', [['id','nombre','tel'],['a1','Ana','55']], []), ('notas', [['id','nota',None],['n1','Revisar','esto']], [])]"
  private static let titles =
    "[('socios', [['id','nombre','cuota'],['a1','Ana',5],['a2','Leo',6]], []), ('pagos', [['Pagos de 2026'],[],['id','socio','monto'],['p1','a1',5],['p2','a2',6]], [])]"

  @Test(
    "What is advised for one sheet is said with its name, and refused for all where another would lose by it."
  )
  func optionsOfOneSheet() async throws {
    try await withTool { tool in
      try await make(tool.path("book.xlsx"), Self.notes)
      let command = ["import", "book.xlsx", "-e", "local", "--id-column", "id"]
      let asked = try await tool.bare(command + ["-n"]).expect(65)
      #expect(asked.errors.contains("--skip-columns 'notas=3' leaves it out"), "\(asked.errors)")
      let all = try await tool.bare(command + ["--skip-columns", "3", "-n"]).expect(64)
      #expect(
        all.errors.contains("--skip-columns 'notas=3'") && all.errors.contains("'tel'"),
        "\(all.errors)"
      )
      try await tool.bare(command + ["--skip-columns", "note=3", "-n"]).expect(64)
      try await tool.bare(command + ["--skip-columns", "notas=3"]).expect(0)
      let ana = try await tool.bare(["get", "socios/a1", "-e", "local"]).output
      #expect(ana.contains(#""tel":{"stringValue":"55"}"#), "\(ana)")
    }
  }

  @Test("A cell to the right of a table is left out alone where cells that cannot be read are.")
  func cellBesideTable() async throws {
    try await withTool { tool in
      try await make(tool.path("w.xlsx"), "[('w', [['id','v'],['a',1,None,'suelto'],['b',2]], [])]")
      let command = ["import", "w.xlsx", "-e", "local", "--id-column", "id"]
      try await tool.bare(command).expect(65)
      let result = try await tool.bare(command + ["--parse-errors", "skip-field", "--json"]).expect(2)
      let totals = try result.summary().totals
      #expect(totals.written == 2 && totals.review == 1, "\(result.errors)")
    }
  }

  @Test("An id that cannot be read is one error, also where its column is a field.")
  func unreadableID() async throws {
    try await withTool { tool in
      try await make(tool.path("w.xlsx"), "[('w', [['key','a'],[True,1]], [])]")
      let result = try await tool.bare(["import", "w.xlsx", "-e", "local", "--id-column", "key"]).expect(65)
      #expect(!result.errors.contains("in all"), "\(result.errors)")
    }
  }

  @Test("A row of headings below a title is that of one sheet.")
  func headerRows() async throws {
    try await withTool { tool in
      try await make(tool.path("book.xlsx"), Self.titles)
      let command = ["import", "book.xlsx", "-e", "local", "--id-column", "id"]
      let asked = try await tool.bare(command + ["-n"]).expect(65)
      #expect(asked.errors.contains("--header-row 'pagos=3' takes that row"), "\(asked.errors)")
      try await tool.bare(command + ["--header-row", "3", "-n"]).expect(64)
      try await tool.bare(command + ["--header-row", "pagos=3"]).expect(0)
      #expect(try await tool.bare(["count", "--all", "-e", "local", "-q"]).output == "pagos\t2\nsocios\t2\n")
    }
  }

  @Test("Sheets may have their ids under different headings.")
  func columnsOfIDs() async throws {
    try await withTool { tool in
      let sheets = "[('socios', [['id','n'],['a1',1]], []), ('pagos', [['a=b','monto'],['p1',5]], [])]"
      try await make(tool.path("book.xlsx"), sheets)
      let command = ["import", "book.xlsx", "-e", "local", "--id-column", "id"]
      let asked = try await tool.bare(command + ["-n"]).expect(65)
      #expect(asked.errors.contains("--id-column 'pagos=HEADING' is for this sheet alone"), "\(asked.errors)")
      try await tool.bare(command + ["--id-column", "pago=a=b", "-n"]).expect(64)
      try await tool.bare(command + ["--id-column", "Clave", "-n"]).expect(64)
      try await tool.bare(command + ["--id-column", "pagos=a=b"]).expect(0)
      #expect(try await tool.bare(["count", "--all", "-e", "local", "-q"]).output == "pagos\t1\nsocios\t1\n")
      // A heading with the sign is that of every table where it names no sheet.
      let one = ["import", "book.xlsx", "-e", "local", "--mode", "upsert", "--sheet", "pagos"]
      try await tool.bare(one + ["--id-column", "a=b"]).expect(0)
    }
  }

  @Test("A merged title is one, and a text that is asked for takes dates and truth values.")
  func mergedTitle() async throws {
    try await withTool { tool in
      let rows =
        "[['Julio',None,None],['id','INGRESO','cuota'],['1',560,5],['3',None,datetime.date(2026,7,1)],['2',1500,True]]"
      try await make(tool.path("book.xlsx"), "[('gastos', \(rows), ['A1:C1'])]")
      let command = ["import", "book.xlsx", "-e", "local", "--id-column", "id"]
      let asked = try await tool.bare(command + ["-n"]).expect(65)
      #expect(asked.errors.contains("--header-row 2"), "\(asked.errors)")
      try await tool.bare(command + ["--header-row", "2", "--types", "cuota=text"]).expect(0)
      for (id, text) in [("1", "5"), ("3", "2026-07-01"), ("2", "true")] {
        let line = try await tool.bare(["get", "gastos/\(id)", "-e", "local"]).output
        #expect(line.contains(#""cuota":{"stringValue":"\#(text)"}"#), "\(line)")
      }
    }
  }

  @Test("A column of a sheet behind the last heading is named by its number.")
  func behindTheHeadings() async throws {
    try await withTool { tool in
      try await make(
        tool.path("book.xlsx"),
        "[('socios', [['id','n'],['a1','Ana','z'],['a2','Leo','y']], [])]"
      )
      let command = ["import", "book.xlsx", "-e", "local", "--id-column", "id"]
      let asked = try await tool.bare(command + ["-n"]).expect(65)
      #expect(asked.errors.contains("--rename 3=FIELD names it"), "\(asked.errors)")
      try await tool.bare(command + ["--rename", "3=zona"]).expect(0)
      let ana = try await tool.bare(["get", "socios/a1", "-e", "local"]).output
      #expect(ana.contains(#""zona":{"stringValue":"z"}"#), "\(ana)")
    }
  }

  @Test("A sheet that somebody added to an exported workbook is told apart from those of the export.")
  func addedSheet() async throws {
    try await withTool { tool in
      try await make(tool.path("book.xlsx"), "[('alumnos', [['id','n'],['a1',1]], [])]")
      let own = ["--schema", "none"] + tool.place
      let first = try await tool.bare(["import", "book.xlsx", "--id-column", "id"] + own).expect(0)
      #expect(first.errors.contains("To undo: gymmigrate runs undo "), "\(first.errors)")
      for name in ["Resumen", "Copia de seguridad"] {
        try await tool.bare(["export", "alumnos", "-o", "out.xlsx"] + own).expect(0)
        let code = """
          import openpyxl, sys
          book = openpyxl.load_workbook(sys.argv[1])
          book.create_sheet(sys.argv[2]).append(["total", 1])
          book.save(sys.argv[1])
          """
        try await Judge.python(["-c", code, tool.path("out.xlsx"), name]).expect(0)
        let command = ["import", "out.xlsx", "--mode", "merge", "-n"] + own
        let asked = try await tool.bare(command)
        #expect([64, 65].contains(asked.exitCode))
        #expect(asked.errors.contains("--sheet 'alumnos' imports this one alone."), "\(asked.errors)")
        try await tool.bare(command + ["--sheet", "alumnos"]).expect(0)
      }
    }
  }

  @Test("A sheet with the label of a collection leads to it.")
  func labelledSheet() async throws {
    try await withTool { tool in
      let schema =
        "schema: s\ncollections:\n  alumnos:\n    label: { es: Escolares }\n    fields: { n: integer }\n"
      try tool.write(schema, to: "s.yaml")
      try await make(tool.path("book.xlsx"), "[('escolares', [['id','n'],['a1',1]], [])]")
      let asked = try await tool.bare(["import", "book.xlsx", "-n", "--schema", "s.yaml"] + tool.place)
      asked.expectFailure(65, "Did you mean 'alumnos'? --sheet 'escolares=COLLECTION' names it.")
    }
  }

  @Test("A workbook that was exported in another zone comes back as it went, unless a zone is given.")
  func zones() async throws {
    try await withTool { tool in
      try await tool.bare(["import", Samples.file("expenses"), "-e", "local", "-q"]).expect(0)
      try await tool.bare(["export", "expenses", "-e", "local", "-o", "utc.xlsx", "--time-zone", "UTC"])
        .expect(0)
      let command = ["import", "utc.xlsx", "-e", "local", "--mode", "merge", "--validate", "warn", "--json"]
      let back = try await tool.bare(command).expect(0)
      #expect(try back.summary().totals.written == 0)
      let moved = try await tool.bare(command + ["--time-zone", "America/Mexico_City"]).expect(0)
      #expect(try moved.summary().totals.written > 0)
    }
  }
}
