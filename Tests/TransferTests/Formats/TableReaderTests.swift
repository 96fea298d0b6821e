import FirestoreModels
import Foundation
import TestSupport
import Testing

@testable import Schema
@testable import Tables

/// Every cell of a table as `kind text`, row by row with the row's number.
private func table(_ path: String, sheet: String? = nil) throws -> [String] {
  var reader = try TableReader(path, sheet: sheet)
  var rows: [String] = []
  while try reader.next() {
    let row = reader.row
    rows.append(
      "\(row.number): " + (0..<row.count).map { "\(row.kind($0)) \(row[$0])" }.joined(separator: " | ")
    )
  }
  #expect(try !reader.next())
  return rows
}

@Suite(.enabled(if: Judge.hasPython, "Python makes the workbooks"))
struct TableReaderTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  @Test func cellsOfEveryType() throws {
    var book = HandMadeWorkbook()
    book.sharedStrings = [
      "<t>uno</t>", "<r><t>d</t></r><r><t xml:space=\"preserve\">os </t></r><rPh><t>no</t></rPh>", "<t/>",
    ]
    book.formats = [
      "14", "dd/mm/yyyy\\ hh:mm", "h:mm", "@", "0.00", "[Red]0;&quot;d&quot;0",
      "&quot;TRUE&quot;;&quot;TRUE&quot;;&quot;FALSE&quot;",
    ]
    book.rows = """
      <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>2</v></c></row>
      <row r="3"><c r="A3"><v>7</v></c><c r="C3" t="b"><v>1</v></c><c r="D3" t="b"><v>0</v></c><c r="E3" t="e"><v>#N/A</v></c></row>
      <row><c s="1"><v>46387</v></c><c s="2"><v>46387.770833333336</v></c><c s="3"><v>0.77083333333333337</v></c><c s="4"/><c/><c s="5"><v>1.50</v></c><c s="6"><v>3</v></c></row>
      <row r="9" spans="1:2"><c r="AA9" t="inlineStr"><is><t>a_x0001_b_x005F_x0041_ &amp; ñ</t></is></c><c t="str"><f>A1</f><v>f</v></c><c t="str"><f>B1</f><v></v></c><c t="d"><v>2026-12-31</v></c></row>
      <row r="10"/><row r="11"><c r="B11" s="1"/></row>
      <row r="12"><c s="7"><f>1>0</f><v>1</v></c><c s="7"><v>0</v></c><c s="7"><v>2</v></c><c s="7"/></row>
      """
    let path = try book.write(to: folder)
    #expect(
      try table(path) == [
        "1: text uno | text dos  | text ",
        "3: number 7 | missing  | boolean true | boolean false | error #N/A",
        "4: date 2026-12-31T00:00:00 | date 2026-12-31T18:30:00 | time 18:30 | missing  | missing  | number 1.5 | number 3",
        "9: " + String(repeating: "missing  | ", count: 26)
          + "text a\u{1}b_x0041_ & ñ | text f | missing  | date 2026-12-31",
        "12: boolean true | boolean false | number 2 | missing ",
      ]
    )
  }

  /// Days by hand: 1 is 1 January 1900, 60 the 29 February that never was, 61 is 1 March; in the calendar of 1904, 0 is
  /// 1 January 1904.
  @Test(arguments: [
    ("", "1", "date 1900-01-01T00:00:00"), ("", "59", "date 1900-02-28T00:00:00"),
    ("", "60", "impossibleDate 1900-02-29"), ("", "61", "date 1900-03-01T00:00:00"),
    ("", "25569", "date 1970-01-01T00:00:00"), ("", "45351", "date 2024-02-29T00:00:00"),
    ("", "2958465.9999999999", "impossibleDate 2958466"), ("", "2958465.5", "date 9999-12-31T12:00:00"),
    ("", "45351.999988425923", "date 2024-02-29T23:59:59"),
    ("", "45351.00000001157", "date 2024-02-29T00:00:00.001"),
    ("", "46387.770833333336", "date 2026-12-31T18:30:00"),
    ("", "46387.77083333334", "date 2026-12-31T18:30:00"),
    ("", "45351.999999999", "date 2024-03-01T00:00:00"), ("", "-1", "impossibleDate -1"),
    ("", "1e300", "impossibleDate 1e+300"),
    ("date1904=\"1\"", "0", "date 1904-01-01T00:00:00"),
    ("date1904=\"true\"", "24107", "date 1970-01-01T00:00:00"),
  ])
  func daysAreThoseOfTheCalendar(properties: String, serial: String, expected: String) throws {
    var book = HandMadeWorkbook()
    book.workbookProperties = properties
    book.formats = ["22"]
    book.rows =
      "<row><c t=\"inlineStr\"><is><t>h</t></is></c></row><row><c s=\"1\"><v>\(serial)</v></c></row>"
    #expect(try table(book.write(to: folder)).last == "2: \(expected)")
  }

  /// The text is what libxlsxwriter makes of a number: 16 digits.
  @Test(arguments: [1, 2, 3]) func microsecondsComeBack(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var texts = 0
    for _ in 0..<20_000 {
      // 1 March 1900 to 4 June 2079; whole milliseconds from then on.
      let isFine = Bool.random(using: &random)
      let local = Int64.random(
        in: isFine ? -2_203_891_200..<3_453_148_800 : 3_453_148_800..<253_402_300_800,
        using: &random
      )
      let nanoseconds =
        isFine
        ? Bool.random(using: &random)
          // Beside a whole millisecond, where what people type is near.
          ? Int32.random(in: 0..<1000, using: &random) * 1_000_000
            + (Bool.random(using: &random) ? 1000 : 999_000)
          : Int32.random(in: 0..<1_000_000, using: &random) * 1000
        : Int32.random(in: 0..<1000, using: &random) * 1_000_000
      // What people type is read to the millisecond, whatever digits a program keeps.
      let day = local.flooredDivision(by: 86_400)
      let typed = Double(day + 25_569) + Double(local - day * 86_400) / 86_400
      for isMarked in [false, true] {
        #expect(
          SheetDate.split(typed, isFine: isMarked).microseconds == Int(local - day * 86_400) * 1_000_000,
          "seed \(seed): \(typed)"
        )
      }
      // With the 16 digits of a program that writes no more.
      let digits = try #require(Double(String(format: "%.16G", typed)))
      #expect(
        SheetDate.split(digits, isFine: true).microseconds == Int(local - day * 86_400) * 1_000_000,
        "seed \(seed): \(digits)"
      )
      // A microsecond that would look like what people type is text.
      guard let serial = SheetDate.serial(local: local, nanoseconds: nanoseconds) else {
        texts += 1
        continue
      }
      let text = withVaList([serial]) { arguments in
        var bytes = [CChar](repeating: 0, count: 40)
        vsnprintf(&bytes, bytes.count, "%.16G", arguments)
        return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
      let found = SheetDate.split(try #require(Double(text)), isFine: true)
      #expect(
        Int64(found.day - 25_569) == day
          && found.microseconds == Int(local - day * 86_400) * 1_000_000 + Int(nanoseconds) / 1000,
        "seed \(seed): \(local), \(nanoseconds)"
      )
    }
    #expect(texts > 0 && texts < 4000, "\(texts)")
    #expect(SheetDate.serial(local: 3_453_148_800, nanoseconds: 1000) == nil)
    #expect(SheetDate.serial(local: 0, nanoseconds: 1) == nil)
  }

  @Test(arguments: [
    ("General", "number"), ("0.00E+00", "number"), ("#,##0 \"días\"", "number"), ("[$-80A]dd/mm/yy", "date"),
    ("mmm\\-yy", "date"), ("mm:ss", "time"), ("[h]:mm:ss", "duration"), ("[MM]", "duration"),
    ("[Red]h:mm", "time"), ("@", "text"), ("0_d", "number"),
    ("[Red]0;[Blue]d", "number"), ("yyyy-mm-dd;@", "date"), ("\\d0", "number"), ("*d0", "number"),
    ("0.0##############", "double"), ("#0", "integer"), ("0;-0;0", "integer"), ("0;\\-0;0", "integer"),
    ("yyyy\\-mm\\-dd\\ hh:mm:ss;@", "fineDate"),
    ("yyyy-mm-dd hh:mm:ss", "exportedDate"), ("yyyy\\-mm\\-dd\\ hh:mm:ss", "exportedDate"),
    (#""TRUE";"TRUE";"FALSE""#, "boolean"),
    (#""VERDADERO";"VERDADERO";"FALSO""#, "boolean"), (#""WAHR";"WAHR";"FALSCH""#, "boolean"),
    (#""TRUE";"FALSE";"TRUE""#, "number"),
    ("0%", "percent"), (#"0"%""#, "percentSign"), (#"#,##0.0\ \%;-0"#, "percentSign"),
    (#"00" %""#, "percentSign"), (#""%"0"#, "number"), ("0_%", "number"), (#"0" % de IVA""#, "number"),
  ])
  func formatsThatAreDates(code: String, form: String) {
    #expect("\(XLSXStyles.form(of: code))" == form)
  }

  @Test func sheetsAndEmptyOnes() throws {
    var book = HandMadeWorkbook()
    book.sheets = [("oculta", "state=\"hidden\""), ("Uno & dos", "")]
    book.rows = "<row/><row r=\"5\"><c t=\"inlineStr\"><is><t>x</t></is></c></row>"
    book.sheets[1].0 = "Uno &amp; dos"
    let path = try book.write(to: folder)
    let sheets = try XLSXPackage(path).sheets
    #expect(sheets.map(\.name) == ["oculta", "Uno & dos"] && sheets.map(\.isHidden) == [true, false])
    #expect(try table(path, sheet: "Uno & dos") == ["5: text x"])
    #expect(throws: Failure.self) { _ = try TableReader(path, sheet: "tres") }
    book.rows = ""
    #expect(try table(book.write(to: folder, name: "empty.xlsx")).isEmpty)
  }

  // MARK: What is refused

  private func refused(_ book: HandMadeWorkbook, _ cause: String) throws {
    let path = try book.write(to: folder)
    let failure = #expect(throws: Failure.self) { try table(path) }
    #expect(
      failure?.kind == .inputMalformed && failure?.path == path && failure?.cause.contains(cause) == true,
      "\(failure?.description ?? "")"
    )
  }

  @Test func mergedCells() throws {
    var book = HandMadeWorkbook()
    book.rows = "<row r=\"2\"><c t=\"b\"><v>1</v></c></row><row><c><v>1</v></c></row>"
    book.behind = "<mergeCells><mergeCell ref=\"A2:B2\"/></mergeCells>"
    try refused(book, "row 2: the cells A2:B2 are merged in the header")
    book.behind = "<mergeCells><mergeCell ref=\"A3:A9\"/></mergeCells>"
    try refused(book, "row 3: the cells A3:A9 are merged")
    // What is above, beside and behind the table is not part of it.
    for area in ["A1:F1", "C2:D3", "A4:F9"] {
      book.behind = "<mergeCells><mergeCell ref=\"\(area)\"/></mergeCells>"
      #expect(try table(book.write(to: folder)).count == 2, "\(area)")
    }
  }

  @Test("Merged cells have the value of the first, or only that one has it, as an option says.")
  func unmergedCells() throws {
    func row(_ number: Int, _ cells: String...) -> String {
      let cells = cells.map { $0.isEmpty ? "<c/>" : "<c t=\"inlineStr\"><is><t>\($0)</t></is></c>" }
      return "<row r=\"\(number)\">\(cells.joined())</row>"
    }
    var book = HandMadeWorkbook()
    book.rows =
      row(1, "id", "", "") + row(2, "", "a", "b") + row(3, "1", "x", "") + row(4, "2", "", "y")
      + row(5, "", "", "")
      + row(6, "3", "z", "z")
    let areas = ["A1:A2", "B3:B5", "B3:C3", "A6:C6"]
    book.behind = "<mergeCells>\(areas.map { "<mergeCell ref=\"\($0)\"/>" }.joined())</mergeCells>"
    let path = try book.write(to: folder)
    func rows(_ unmerge: TableReading.Unmerge) throws -> [[String]] {
      var reading = TableReading()
      (reading.headerRow, reading.unmerge) = (2, unmerge)
      var reader = try TableReader(path, reading: reading)
      var rows: [[String]] = []
      while try reader.next() { rows.append(reader.row.texts) }
      return rows
    }
    // The header is filled from above, and row 5 has nothing of its own.
    #expect(try rows(.fill) == [["id", "a", "b"], ["1", "x", "x"], ["2", "x", "y"], ["3", "3", "3"]])
    #expect(try rows(.first) == [["", "a", "b"], ["1", "x", ""], ["2", "", "y"], ["3", "", ""]])
  }

  @Test("A percentage under merged cells, where nobody sees it, is none.")
  func coveredPercentage() throws {
    var book = HandMadeWorkbook()
    book.formats = ["0%"]
    book.rows = "<row r=\"1\"><c><v>1</v></c><c s=\"1\"><v>0.5</v></c></row>"
    book.behind = "<mergeCells><mergeCell ref=\"A1:B1\"/></mergeCells>"
    var reading = TableReading()
    reading.unmerge = .first
    var reader = try TableReader(try book.write(to: folder), reading: reading)
    #expect(try reader.next())
    #expect(reader.row.percents.isEmpty)
  }

  @Test("What stands under merged cells, where nobody sees it, is no value of theirs.", arguments: ["A", ""])
  func coveredCells(first: String) throws {
    func row(_ number: Int, _ cells: String...) -> String {
      let cells = cells.map { $0.isEmpty ? "<c/>" : "<c t=\"inlineStr\"><is><t>\($0)</t></is></c>" }
      return "<row r=\"\(number)\">\(cells.joined())</row>"
    }
    var book = HandMadeWorkbook()
    book.rows =
      row(1, "id", "a", "b") + row(2, "1", first, "h") + row(3, "2", "h", "h") + row(4, "3", "o", "o")
      + row(5, "4", first, "h") + row(6, "5", "o", "o")
    book.behind = "<mergeCells><mergeCell ref=\"B2:C3\"/><mergeCell ref=\"B5:C5\"/></mergeCells>"
    let path = try book.write(to: folder)
    func rows(_ unmerge: TableReading.Unmerge) throws -> [[String]] {
      var reading = TableReading()
      reading.unmerge = unmerge
      var reader = try TableReader(path, reading: reading)
      var rows: [[String]] = []
      while try reader.next() { rows.append((0..<3).map { reader.row[$0] }) }
      return Array(rows.drop { $0.first == "id" })
    }
    let (o3, o5) = (["3", "o", "o"], ["5", "o", "o"])
    #expect(try rows(.fill) == [["1", first, first], ["2", first, first], o3, ["4", first, first], o5])
    #expect(try rows(.first) == [["1", first, ""], ["2", "", ""], o3, ["4", first, ""], o5])
  }

  @Test func hostileXML() throws {
    var book = HandMadeWorkbook()
    book.prologue =
      "<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;&lol;\">]>"
    try refused(book, "DOCTYPE")
    book.prologue = ""
    book.rows = String(repeating: "<row>", count: 200) + String(repeating: "</row>", count: 200)
    try refused(book, "deep")
    book.rows = "<row><c><v>1</v></row>"
    try refused(book, "xl/worksheets/sheet1.xml: line 1: mismatched tag")
    book.rows = "<row r=\"2\"><c><v>1</v></c></row><row r=\"2\"/>"
    try refused(book, "row 2 follows row 2")
    book.rows = "<row r=\"1048577\"/>"
    try refused(book, "row 1048577 follows row 0")
    book.rows = "<row><c r=\"XFE1\"/></row>"
    try refused(book, "row 1 has too many columns")
    book.rows = "<row><c r=\"B1\"/><c r=\"A1\"/></row>"
    try refused(book, "row 1: cell A1 follows column 2")
    book.rows = "<row><c t=\"s\"><v>3</v></c></row>"
    try refused(book, "sheet Hoja1, row 1, column 1: its text is not in the workbook")
    book.rows = "<row><c/><c><v>seven</v></c></row>"
    try refused(book, "sheet Hoja1, row 1, column 2: its number is invalid")
    book.rows =
      "<row><c t=\"inlineStr\"><is><t>" + String(repeating: "a", count: 300_000) + "</t></is></c></row>"
    try refused(book, "longer than a cell can hold")
    book.rows = "<row a=\"" + String(repeating: "a", count: 3 << 20) + "\"/>"
    try refused(book, "a tag is longer than")
  }

  @Test func bombs() throws {
    var parts = HandMadeWorkbook().parts
    // A megabyte of nothing, 64 times: it deflates to a thousandth.
    parts[parts.count - 1].head = "<worksheet><sheetData>"
    parts[parts.count - 1].text =
      String(repeating: "<row/>", count: 8) + String(repeating: " ", count: 1 << 20)
    parts[parts.count - 1].repeat = 64
    let path = try HandMadeWorkbook.write(parts, to: folder.file("bomb.xlsx"))
    let failure = #expect(throws: Failure.self) { try table(path) }
    #expect(failure?.cause.contains("inflates to more than 32 MiB") == true, "\(failure?.description ?? "")")
  }

  @Test func damagedFiles() throws {
    var book = HandMadeWorkbook()
    var random = SplitMix64(seed: 5)
    book.rows = (1...400).map { _ in
      "<row><c><v>\(Double.random(in: 0...1, using: &random))</v></c></row>"
    }.joined()
    let path = try book.write(to: folder)
    let bytes = try contents(path)
    #expect(try table(path).count == 400)
    // Cut anywhere, it is told to be cut; with a byte changed, it is read as it was or refused, and never crashes.
    for cut in stride(from: 1, to: bytes.count, by: 97) {
      let file = try folder.write(bytes[..<cut], to: "cut.xlsx")
      let failure = #expect(throws: Failure.self, "cut at \(cut)") { try table(file) }
      #expect(failure?.kind == .inputMalformed)
    }
    var refusals = 0
    for at in stride(from: 40, to: bytes.count, by: 31) {
      var changed = bytes
      changed[at] ^= 0x55
      let file = try folder.write(changed, to: "changed.xlsx")
      do {
        _ = try table(file)
      } catch let failure as Failure {
        #expect(failure.kind == .inputMalformed, "at \(at): \(failure)")
        refusals += 1
      }
    }
    #expect(refusals > 20)
  }

  @Test func otherFiles() throws {
    func cause(_ path: String) -> String {
      do {
        _ = try TableReader(path, format: .xlsx)
        return "none"
      } catch {
        return error.cause
      }
    }
    #expect(cause(try folder.write("id,a\n".utf8, to: "a.xlsx")) == "it is not an XLSX workbook")
    #expect(cause(try folder.write([], to: "b.xlsx")) == "it is not an XLSX workbook")
    #expect(cause(try folder.write([0xD0, 0xCF, 0x11, 0xE0, 0xA1], to: "c.xlsx")).contains("old .xls"))
    let zip = try HandMadeWorkbook.write(
      [.init(name: "word/document.xml", text: "<a/>")],
      to: folder.file("d.xlsx")
    )
    #expect(cause(zip) == "it is a ZIP file but not a workbook")
    #expect(throws: Failure.self) { _ = try TableReader(folder.file("nowhere.xlsx")) }
    // A workbook is one whatever it is called.
    let renamed = try HandMadeWorkbook(rows: "<row><c><v>1</v></c></row>").write(to: folder, name: "book.bin")
    #expect(try table(renamed) == ["1: number 1"])
  }

  @Test func rowsWithoutAValueAreNoRows() throws {
    var book = HandMadeWorkbook()
    book.formats = ["@"]
    let text = { (text: String) in "<c t=\"inlineStr\"><is><t xml:space=\"preserve\">\(text)</t></is></c>" }
    book.rows = """
      <row r="1">\(text(" "))\(text(""))</row><row r="2">\(text("a"))\(text("b"))</row><row r="4"><c s="1"/><c/></row>
      <row r="5">\(text("\u{A0}"))\(text("\u{200B}"))</row><row r="6"><c s="1"/><c><v>0</v></c></row>
      """
    var reader = try TableReader(book.write(to: folder))
    var numbers: [Int] = []
    while try reader.next() { numbers.append(reader.row.number) }
    #expect(numbers == [2, 6])
    #expect(reader.notices() == ["3 rows without a value were skipped, the first in row 1."])
  }

  @Test("Hidden rows below the header, and hidden columns of it, are said.")
  func hiddenRowsAndColumns() throws {
    let cells = "<c><v>1</v></c><c><v>2</v></c>"
    var book = HandMadeWorkbook()
    book.rows = """
      <row>\(cells)</row><row hidden="1">\(cells)</row><row hidden="0">\(cells)</row>
      <row hidden="true">\(cells)</row><row hidden="1"><c/></row>
      """
    func notices(of columns: [Int]? = nil) throws -> [String] {
      var reader = try TableReader(book.write(to: folder))
      while try reader.next() {}
      return reader.notices(of: columns).filter { $0.contains("hidden") }
    }
    #expect(try notices() == ["2 hidden rows (the first is row 2) of the sheet are read, too."])
    book.behind = #"<cols><col min="1" max="1"/><col min="2" max="9" hidden="1"/></cols>"#
    #expect(
      try notices() == [
        "2 hidden rows (the first is row 2) and 1 hidden column (2) of the sheet are read, too."
      ]
    )
    book.rows = "<row>\(cells)</row><row>\(cells)</row>"
    #expect(try notices() == ["1 hidden column (2) of the sheet is read, too."])
    #expect(try notices(of: [0]).isEmpty)
  }

  @Test func manySharedStringsAreFoundInAnyOrder() throws {
    var book = HandMadeWorkbook()
    // Some are longer than a page of the table, most are short.
    let texts = (0..<3000).map { $0 % 100 == 7 ? String(repeating: "\($0) ", count: 3000) : "t\($0)" }
    book.sharedStrings = texts.map { "<t xml:space=\"preserve\">\($0)</t>" }
    var random = SplitMix64(seed: 3)
    let order = (0..<5000).map { _ in Int.random(in: 0..<texts.count, using: &random) } + Array(texts.indices)
    book.rows = order.map { "<row><c t=\"s\"><v>\($0)</v></c></row>" }.joined()
    var reader = try TableReader(book.write(to: folder))
    for index in order {
      #expect(try reader.next())
      #expect(reader.row[0] == texts[index])
    }
  }

  @Test(.enabled(if: Judge.hasOpenpyxl, "openpyxl writes the workbook"))
  func whatOpenpyxlWrites() throws {
    let path = folder.file("openpyxl.xlsx")
    let script = """
      import datetime, sys, openpyxl
      book = openpyxl.Workbook()
      sheet = book.active
      sheet.title = "users"
      sheet.append(["__name__", "fullName", "visits", "createdAt", "isActive", "horaInicio", "phone"])
      sheet.append(["u1", "Ana \\u00d1", 7, datetime.datetime(2026, 12, 31, 23, 59, 59), True, datetime.time(18, 30), "0055"])
      sheet.append(["u2", None, 1.5, datetime.date(2024, 2, 29), False, "=1+1", 5512345678])
      sheet["B3"] = "   x  "
      sheet.append(["u3", "a\\nb", None, datetime.datetime(2026, 1, 1, 0, 0, 0, 250000)])
      book.save(sys.argv[1])
      """
    try Judge.run(["-c", script, path])
    let found = try table(path)
    #expect(
      found == [
        "1: text __name__ | text fullName | text visits | text createdAt | text isActive | text horaInicio | text phone",
        "2: text u1 | text Ana Ñ | number 7 | date 2026-12-31T23:59:59 | boolean true | time 18:30 | text 0055",
        "3: text u2 | text    x   | number 1.5 | date 2024-02-29T00:00:00 | boolean false | formula =1+1 | number 5512345678",
        "4: text u3 | text a\nb | missing  | date 2026-01-01T00:00:00.250",
      ]
    )
  }
}
