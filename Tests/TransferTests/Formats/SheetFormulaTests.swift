import FirestoreModels
import Testing

@testable import Tables

@Suite("Formulas in the sheets of workbooks", .enabled(if: Judge.hasPython, "Python makes the workbooks"))
struct SheetFormulaTests {
  /// Attributes of a cell, its formula, and a result that may be stored behind it.
  private static let formulas = [
    ("", "<f>B1</f>", "<v>7</v>"), ("t=\"str\"", "<f>B1</f>", "<v>a</v>"),
    ("", "<f t=\"array\" ref=\"B2\">B1</f>", "<v>7</v>"),
    ("", "<f t=\"shared\" ref=\"B2:B9\" si=\"0\">A1</f>", "<v>7</v>"),
    ("", "<f t=\"shared\" si=\"0\"/>", "<v>7</v>"), ("t=\"b\"", "<f>TRUE()</f>", "<v>1</v>"),
    ("t=\"e\"", "<f>NA()</f>", "<v>#N/A</v>"), ("s=\"1\"", "<f>TODAY()</f>", "<v>46387</v>"),
    ("", "<f t=\"dataTable\" ref=\"B2:B2\" dt2D=\"0\" dtr=\"0\" r1=\"A1\"/>", "<v>7</v>"),
    ("t=\"s\"", "<f>B1</f>", "<v>0</v>"), ("t=\"inlineStr\"", "<f>B1</f>", "<is><t>a</t></is>"),
  ]

  @Test(
    "A formula without a stored result is refused with its place, whatever its kind and that of its column.",
    arguments: formulas
  )
  func withoutResult(attributes: String, formula: String, result: String) throws {
    var table = try SheetTable()
    table.book.formats = ["14"]
    table.book.sharedStrings = ["<t>a</t>"]
    for heading in ["text", "whole", "number", "truth", "time", "other"] {
      let fault = try table.fault(heading, "<c \(attributes)>\(formula)</c>")
      #expect(fault?.hasPrefix("row 2, column 2: ") == true, "\(heading)")
      #expect(
        fault?.contains("a formula without a stored result; save the workbook in a spreadsheet") == true
      )
    }
    let isText = attributes.contains("str") || attributes.contains("inlineStr")
    let empty = try table.fault("other", "<c \(attributes)>\(formula)<v/></c>")
    #expect((empty == nil) == isText, "\(empty ?? "")")
    let space = try table.fault("other", "<c \(attributes)>\(formula)<v> </v></c>")
    #expect((space == nil) == isText, "\(space ?? "")")
    let stored = try table.fault("other", "<c \(attributes)>\(formula)\(result)</c>")
    #expect(stored == nil || attributes.contains("\"e\""), "\(stored ?? "")")
  }

  @Test("An empty text that a program wrote into a cell is an empty cell, as people see it.")
  func emptyText() throws {
    var table = try SheetTable()
    table.book.sharedStrings = ["<t/>"]
    let one = "<c><v>1</v></c>"
    for cell in [SheetTable.text(""), "<c t=\"s\"><v>0</v></c>", "<c t=\"inlineStr\"><is/></c>"] {
      let found = try table.read(
        ["text", "other", "guessed", "whole"],
        [[cell, cell, cell, one], [SheetTable.text("a"), SheetTable.text("b"), one, cell]]
      )
      #expect(found.faults.isEmpty, "\(found.faults)")
      #expect(
        found.fields == [
          ["whole": .integer(1)], ["text": .string("a"), "other": .string("b"), "guessed": .integer(1)],
        ],
        "\(cell)"
      )
    }
  }

  @Test("A stored empty text is an empty cell.")
  func emptyResult() throws {
    var table = try SheetTable()
    for value in ["<v></v>", "<v/>"] {
      let found = try table.read(
        ["text", "whole"],
        [["<c t=\"str\"><f>B1</f>\(value)</c>", "<c><v>1</v></c>"]]
      )
      #expect(found.faults.isEmpty && found.fields == [["whole": .integer(1)]])
    }
  }

  @Test(
    "The other cells of an array formula without a result have none either, also where they are not there."
  )
  func spills() throws {
    var table = try SheetTable()
    let plain = "<c><v>1</v></c>"
    for type in ["array", "dataTable"] {
      let found = try table.read(
        ["whole", "number", "other"],
        [
          [plain, "<c><f t=\"\(type)\" ref=\"C2:$D$3\">A1:B2</f></c>", "<c/>"], [plain],
          [plain, plain, plain],
        ]
      )
      #expect(
        found.faults.map { String($0.prefix(15)) } == [
          "row 2, column 3", "row 2, column 4", "row 3, column 3", "row 3, column 4",
        ]
      )
      let stored = try table.read(
        ["whole", "number"],
        [[plain, "<c><f t=\"\(type)\" ref=\"C2:C3\">A1</f><v>1</v></c>"], [plain]]
      )
      #expect(stored.faults.isEmpty && stored.fields.count == 2)
    }
  }

  @Test("The id of a link is in its formula, however another program writes the sheet.")
  func links() throws {
    var table = try SheetTable()
    let sheets = ["'customers'!$A:$A", "customers!$A:$A", "$customers.$A$1:$A$1048576", "'a''\"\"b'!$A:$A"]
    for (sheet, result) in zip(sheets, ["", "<v></v>", "<v>c-1</v>", "<v>#NAME?</v>"]) {
      let formula =
        "IFERROR(HYPERLINK(&quot;#'customers'!A&quot;&amp;MATCH(&quot;c-1&quot;,\(sheet),0),&quot;c-1&quot;),&quot;c-1&quot;)"
      #expect(try table.value("text", "<c><f>\(formula)</f>\(result)</c>") == .string("c-1"))
    }
    for other in [
      "HYPERLINK(&quot;#a&quot;,&quot;c-1&quot;)",
      "IFERROR(HYPERLINK(&quot;#a!A&quot;&amp;MATCH(&quot;c-2&quot;,a!$A:$A,0),&quot;c-1&quot;),&quot;c-1&quot;)",
      "IFERROR(HYPERLINK(&quot;#a!A&quot;&amp;MATCH(&quot;c-1&quot;,a!$A:$A,0),&quot;c-2&quot;),&quot;c-1&quot;)",
    ] {
      #expect(try table.fault("text", "<c><f>\(other)</f></c>") != nil)
    }
  }

  @Test(
    "Where cells are read as texts alone, such as headings, a formula without a result and an error are refused."
  )
  func texts() throws {
    var book = HandMadeWorkbook()
    let folder = try ScratchFolder()
    for (cell, cause) in [
      ("<c><f>A1</f></c>", "a formula without"), ("<c t=\"e\"><v>#N/A</v></c>", "an error"),
    ] {
      book.rows = "<row><c><v>1</v></c>\(cell)</row>"
      let path = try book.write(to: folder)
      let failure = #expect(throws: Failure.self) {
        var reader = try TableReader(path)
        _ = try reader.nextTexts()
      }
      #expect(failure?.cause.contains("sheet Hoja1, row 1, column 2: the cell is \(cause)") == true)
    }
  }

  @Test("So many cells of array formulas that marking them would take long are refused.")
  func manySpills() throws {
    var book = HandMadeWorkbook()
    book.rows = "<row><c><f t=\"array\" ref=\"A1:XFD1048576\">1</f></c></row>"
    let folder = try ScratchFolder()
    let path = try book.write(to: folder)
    let failure = #expect(throws: Failure.self) {
      var reader = try TableReader(path)
      _ = try reader.next()
    }
    #expect(failure?.cause.contains("row 1: too many formulas") == true)
  }
}
