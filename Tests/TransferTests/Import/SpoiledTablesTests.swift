import FirestoreModels
import Schema
import Testing

@testable import Files
@testable import Tables
@testable import Transfer

@Suite("Tables that a comma, a spreadsheet or their own header spoils")
struct SpoiledTablesTests {
  private static let schema = """
    schema: shop
    collections:
      shop:
        fields:
          day: { type: string, format: date }
          hour: { type: string, format: time }
    """

  private let folder: ScratchFolder
  private var options: TableOptions

  init() throws {
    folder = try ScratchFolder()
    options = TableOptions(timeZone: try LocalTimeZone(named: "UTC"))
  }

  /// Opens a table whose ids are in the column `id`, or in `__name__`.
  private func open(
    _ path: String,
    in collection: String = "things",
    types: String? = nil
  ) throws -> TableInput {
    var options = options
    options.schema = try SchemaReader.schema(parsing: Self.schema, path: "shop.yaml")
    if let types { options.types = try #require(HeadingOption<ColumnType>.list(parsing: types)) }
    let place = CollectionPath(nil, collection)
    let source = try #require(
      try ImportSource.resolve([path], collection: place, schema: options.schema).first
    )
    let reader = try TableReader(source, options)
    let isOurs = try Self.headings(of: reader).contains("__name__")
    options.idColumn = isOurs ? nil : "id"
    let plan = try #require(
      try TableSurvey.plan(of: source, collection: place, options: options) { _, _ in }
    )
    return try TableInput(source, plan: plan, options: options, stage: 0)
  }

  private static func headings(of reader: consuming TableReader) throws -> [String] {
    try reader.next() ? reader.row.texts : []
  }

  /// The rows of a table, each the fields of its document or what is wrong with it.
  private func rows(_ input: TableInput) throws -> [(fields: FieldMap?, faults: [String])] {
    var rows: [(fields: FieldMap?, faults: [String])] = []
    while let row = try input.next() { rows.append((row.document?.fields, row.faults.map(\.failure.cause))) }
    return rows
  }

  private func csv(_ text: String) throws -> String { try folder.write(text.utf8, to: "things.csv") }

  /// A workbook of cells in XML.
  private func sheet(_ rows: [[String]], formats: [String] = []) throws -> String {
    var book = HandMadeWorkbook()
    book.formats = formats
    book.rows = rows.map { "<row>\($0.joined())</row>" }.joined()
    return try book.write(to: folder)
  }

  // MARK: Rows

  @Test(
    "A row with an empty cell too many is refused, unless the first row has it as well, also in a run that goes on.",
    arguments: [
      ("1,2,ok\n2,1,200,\n3,4,\n", [false, true, false]), ("1,2,,\n2,1,,\n3,4,x\n", [false, false, false]),
      ("1,2,,\n2,1,,,\n3,4,,\n", [false, true, false]), ("1,2,3,4\n2,1,3,\n3,4,5\n", [true, true, false]),
    ]
  )
  func surplus(_ text: String, _ refused: [Bool]) throws {
    let path = try csv("id,n,note\n\(text)")
    let found = try rows(open(path, types: "n=text,note=text"))
    #expect(found.map { !$0.faults.isEmpty } == refused)
    #expect(found.map { $0.fields == nil } == refused)
    for row in found where !row.faults.isEmpty {
      #expect(row.faults[0].contains(" cells, and the header 3; a cell that contains the delimiter"))
    }
    let input = try open(path, types: "n=text,note=text")
    try input.skip(through: 2)
    #expect(try rows(input).map { !$0.faults.isEmpty } == Array(refused.dropFirst()))
  }

  @Test(
    "The header is no document where it stands again, and says nothing of the types.",
    arguments: [false, true]
  )
  func headerAgain(inSheet: Bool) throws {
    if inSheet, !Judge.hasPython { return }
    let table = [
      ["id", "n", "city"], ["1", "5", "León"], ["id", "n", ""], ["id", "", ""], ["2", "7", "city"],
    ]
    let text = table.map { $0.joined(separator: ",") + "\n" }.joined()
    let path = try inSheet ? sheet(table.map { $0.map(cell) }) : csv(text)
    let input = try open(path)
    let found = try rows(input)
    #expect(found.map { $0.faults.count } == [0, 1, 0, 0])
    #expect(found[1].faults.first?.contains("it is the header again") == true)
    #expect(found[0].fields?["n"] == .integer(5) && found[3].fields?["n"] == .integer(7))
  }

  private func cell(_ text: String) -> String {
    if text.isEmpty { return "<c/>" }
    return Int(text) == nil || text == "1" || text == "2" ? SheetTable.text(text) : "<c><v>\(text)</v></c>"
  }

  // MARK: Cells

  @Test(
    "A column in which a sheet shows some numbers as percent is said.",
    .enabled(if: Judge.hasPython),
    arguments: [
      (["15", "0.2%", "5"], "1 of 3 numbers shown as percent, the first in row 3"),
      (["0.1%", "0.2%"], nil), (["15", "5"], nil),
    ] as [([String], String?)]
  )
  func percents(_ cells: [String], _ says: String?) throws {
    let rows = cells.enumerated().map { index, cell in
      let style = cell.hasSuffix("%") ? " s=\"1\"" : ""
      return [SheetTable.text("d\(index)"), "<c\(style)><v>\(cell.filter { $0 != "%" })</v></c>"]
    }
    let path = try sheet([["id", "v"].map(SheetTable.text)] + rows, formats: ["9"])
    let input = try open(path)
    _ = try self.rows(input)
    #expect(input.warnings.count == (says == nil ? 0 : 1), "\(input.warnings)")
    if let says { #expect(input.warnings.first?.contains(says) == true, "\(input.warnings)") }
  }

  @Test(
    "With --percent, a number that a sheet shows as percent is none without the sign.",
    .enabled(if: Judge.hasPython)
  )
  func askedPercents() throws {
    func number(_ id: String, _ cell: String) -> [String] { [SheetTable.text(id), cell] }
    let path = try sheet(
      [
        ["id", "v"].map(SheetTable.text), number("a", "<c s=\"1\"><v>0.07</v></c>"),
        number("b", SheetTable.text("8%")), number("c", "<c><v>3</v></c>"),
      ],
      formats: ["9"]
    )
    var table = self
    table.options.percent = .number
    let input = try table.open(path, types: "v=double")
    _ = try rows(input)
    let said = "1 of 3 numbers without a percent sign, the first in row 4"
    #expect(input.notices.contains { $0.contains(said) } && input.warnings.isEmpty, "\(input.notices)")
  }

  @Test(
    "An error of a spreadsheet is refused in CSV, unless its column is said to be text.",
    arguments: ["#N/D", " #¡REF!", "#ERROR!", "#SPILL!", "#####", "Err:502"]
  )
  func errors(_ error: String) throws {
    for heading in ["id", "__name__"] {
      let path = try csv("\(heading),title,n\n1,\(error),2\n2,Niebla,3\n3,#N,\(error)\n")
      let found = try rows(open(path))
      #expect(found.map { $0.faults.count } == [1, 0, 1])
      #expect(found[0].faults.first?.contains("the cell is an error of the spreadsheet, and --types") == true)
      #expect(found[1].fields?["n"] == .integer(3))
      let said = try rows(open(path, types: "title=text,n=text"))
      #expect(said.allSatisfy { $0.faults.isEmpty } && said[2].fields?["n"] == .string(error))
      let id = try rows(open(csv("\(heading),n\n\(error),2\n")))[0].faults
      #expect(id.contains { $0.contains("the cell is an error of the spreadsheet") }, "\(id)")
    }
    var table = self
    table.options.nullText = "#N/A"
    #expect(try table.rows(table.open(csv("id,n\n1,#N/A\n")))[0].fields?["n"] == .null)
  }

  @Test(
    "A phone that a spreadsheet has rounded is refused as a text of a sheet, too.",
    .enabled(if: Judge.hasPython)
  )
  func roundedPhones() throws {
    for heading in ["id", "__name__"] {
      let cells = [[heading, "phone", "note"], ["1", "6.00112E+08", "6.00112E+08"]]
      let path = try sheet(cells.map { $0.map(SheetTable.text) })
      let found = try rows(open(path))[0].faults
      #expect(found.count == 1 && found[0].contains("a spreadsheet has rounded it"), "\(found)")
      #expect(try rows(open(path, types: "phone=text"))[0].faults.isEmpty)
    }
  }

  @Test("Days and times of day are read however people type them, also in a table with ids of export.")
  func daysAndTimes() throws {
    for heading in ["id", "__name__"] {
      let path = try csv("\(heading),day,hour\n1,20260131,9:05\n2,20260231,24:05\n")
      let found = try rows(open(path, in: "shop"))
      #expect(
        found[0].fields?["day"] == .string("2026-01-31") && found[0].fields?["hour"] == .string("09:05")
      )
      #expect(found[1].fields?["day"] == .string("20260231") && found[1].fields?["hour"] == .string("24:05"))
    }
    var table = self
    table.options.keepsDays = true
    let kept = try table.rows(table.open(csv("__name__,day,hour\n1,20260131,9:05\n"), in: "shop"))
    #expect(kept[0].fields?["day"] == .string("20260131") && kept[0].fields?["hour"] == .string("9:05"))
  }
}
