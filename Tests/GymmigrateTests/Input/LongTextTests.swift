import Foundation
import TestSupport
import Testing

@Suite(
  "Texts that exceed a cell, whose sheet somebody edited",
  .enabled(
    if: ProcessInfo.processInfo.environment["GYMMIGRATE_PYTHON"] != nil,
    "openpyxl edits the workbooks."
  ),
  .timeLimit(.minutes(60))
)
struct LongTextTests {
  private static let text = "Hola mundo. " + (0..<6800).map { String(99_999 - $0) }.joined()

  /// Exports a document with a long text, edits the rows of its sheet (`rows`, `cell` in the first sheet), and merges the workbook.
  private func merge(_ script: String, _ body: (Tool, RunResult) async throws -> Void) async throws {
    try await withTool { tool in
      let line = #"{"name":"notes/n1","fields":{"text":{"stringValue":"\#(Self.text)"}}}"#
      try tool.write(line + "\n", to: "in.jsonl")
      try await tool.run("import", "in.jsonl").expect(0)
      try await tool.run("export", "notes", "-o", "notes.xlsx").expect(0)
      try await Judge.script(
        """
        import sys, openpyxl
        book = openpyxl.load_workbook(sys.argv[1])
        cell = book["notes"].cell(2, 2)
        sheet = book["long texts"]
        rows = [[it.value for it in row] for row in sheet.iter_rows(min_row=2)]
        \(script)
        sheet.delete_rows(2, 99)
        for row in rows: sheet.append(row)
        book.save(sys.argv[1])
        """,
        tool.path("notes.xlsx")
      )
      try await body(tool, try await tool.run("import", "notes.xlsx", "--mode", "merge", "--json"))
    }
  }

  @Test("The numbers of the parts count, not the order of their rows.")
  func sorted() async throws {
    try await merge("rows.reverse()") { _, result in
      result.expect(0)
      let totals = try result.summary().totals
      #expect(totals.unchanged == 1, "\(result.errors)")
    }
  }

  @Test(
    "A part that lacks, or is there twice, is refused with its row.",
    arguments: [
      ("del rows[2]", "row 4: part 4 of text 1 has no part 3 before it"),
      ("rows[2][4] = 2", "row 4: part 2 of text 1 is there twice"),
      ("rows[2][5] = None", "row 4: expected the number of a text, that of a part of it, and the part"),
      ("rows.pop()", "expected all parts of text 1 in the sheet 'long texts'"),
      ("rows.clear()", "expected all parts of text 1 in the sheet 'long texts'"),
    ]
  )
  func missing(_ script: String, _ message: String) async throws {
    try await merge(script) { _, result in
      result.expect(65)
      #expect(result.errors.contains(message), "\(result.errors)")
    }
  }

  @Test(
    "The text of another document is refused, which a sheet of another workbook brings under the same number."
  )
  func foreign() async throws {
    let script = """
      rows = [row[:2] + ["n9"] + row[3:5] + [row[5].replace("Hola", "Adios")] for row in rows]
      """
    try await merge(script) { _, result in
      result.expect(65)
      #expect(result.errors.contains("begins otherwise and was written for another cell"), "\(result.errors)")
    }
  }

  @Test("The text may be edited from its first word on, and grow by a part, where its cell stays as it is.")
  func edited() async throws {
    let script = """
      rows[0][5] = rows[0][5].replace("Hola", "Adios")
      rows.append(rows[0][:4] + [len(rows) + 1, " Fin."])
      """
    try await merge(script) { tool, result in
      result.expect(0)
      try await tool.run("export", "notes", "-o", "out.jsonl").expect(0)
      let text = "Adios\(Self.text.dropFirst(4)) Fin."
      #expect(try tool.text("out.jsonl").contains(#""stringValue":"\#(text)""#))
    }
    try await merge(script + "\ncell.value = cell.value.replace('Hola', 'Adios')") { _, result in
      result.expect(65)
      #expect(result.errors.contains("leave it so and edit the text in the sheet"), "\(result.errors)")
    }
  }
}
