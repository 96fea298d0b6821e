import FirestoreModels
import Foundation
import RunSupport
import Schema
import Testing

@testable import Files
@testable import FirestoreREST
@testable import Runs
@testable import Tables
@testable import Transfer

@Suite("Tables and JSON as people have them")
struct PeoplesFilesTests {
  private static let ana: FieldMap = ["id": .string("1"), "señor": .string("Ana Solís €")]
  private static func json(_ text: String) -> [UInt8] { Array(text.utf8) }
  private static func wide(_ text: String, isLittle: Bool) -> [UInt8] {
    ("\u{FEFF}" + text).utf16.flatMap { unit in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 255)]
      return isLittle ? bytes.reversed() : bytes
    }
  }

  /// The documents of a file, or why it is refused.
  private func read(_ path: String, _ change: ((inout ImportJob) -> Void)?) throws -> [FieldMap] {
    var job = ImportJob(files: [path])
    job.collection = CollectionPath("things")
    job.reading.idColumn = "id"
    if path.lowercased().contains("json") || path.hasSuffix("export.csv") { job.reading.idColumn = nil }
    change?(&job)
    var options = try job.options(.none, via: .local)
    options.table.database = DatabaseName(project: "p", database: "d")
    let inputs = try ImportInputs(
      options,
      progress: .silent()
    )
    var found: [FieldMap] = []
    for stage in inputs.indices {
      let input = try #require(try inputs.open(stage))
      while let row = try input.next() {
        if let fault = row.faults.first { throw fault.failure }
        found.append(try #require(row.document).fields)
      }
    }
    return found
  }

  @Test(
    "--percent number takes a number that a sheet shows as percent as it shows it",
    .enabled(if: Judge.hasPython)
  )
  func percentOfSheets() throws {
    let folder = try ScratchFolder()
    var book = HandMadeWorkbook()
    book.formats = ["9", "10", "2"]
    book.rows = """
      <row><c t="inlineStr"><is><t>id</t></is></c><c t="inlineStr"><is><t>v:double</t></is></c></row>
      <row><c t="inlineStr"><is><t>a</t></is></c><c s="1"><v>7.0000000000000007E-2</v></c></row>
      <row><c t="inlineStr"><is><t>b</t></is></c><c t="inlineStr"><is><t>16%</t></is></c></row>
      <row><c t="inlineStr"><is><t>c</t></is></c><c s="3"><v>0.16</v></c></row>
      <row><c t="inlineStr"><is><t>d</t></is></c><c s="2"><v>0.16</v></c></row>
      """
    let path = try book.write(to: folder)
    func values(_ percent: TableReading.Percent) throws -> [Value?] {
      try read(path) { $0.reading.percent = percent }.map { $0["v"] }
    }
    #expect(try values(.number) == [.double(7), .double(16), .double(0.16), .double(16)])
    #expect(try values(.fraction) == [.double(0.07), .double(0.16), .double(0.16), .double(0.16)])
  }

  @Test(
    "Under the type double, a whole number is refused of which no double has the digits.",
    arguments: [
      ("9007199254740993", nil), ("12345678901234567", nil), ("9007199254740992", 9_007_199_254_740_992),
      ("1152921504606847000", 0x1p60), ("-0", -0.0),
    ] as [(String, Double?)]
  )
  func digitsOfDoubles(number: String, expected: Double?) throws {
    let folder = try ScratchFolder()
    for (name, text) in [
      ("things.csv", "id,v\na,\(number)\n"), ("things.json", #"[{"id":"a","v":\#(number)}]"#),
    ] {
      let path = try folder.write(text.utf8, to: name)
      func values() throws -> [FieldMap] {
        try read(path) { job in
          job.reading.idColumn = "id"
          job.reading.types = [HeadingOption(heading: "v", value: ColumnType(.double))]
        }
      }
      guard let expected else {
        let failure = #expect(throws: Failure.self) { try values() }
        #expect(failure?.description.contains("digits") == true, "\(name)")
        continue
      }
      #expect(try values().map { $0["v"] } == [.double(expected)], "\(name)")
    }
  }

  @Test("A workbook is one by its content, whatever its name.")
  func workbooks() throws {
    let folder = try ScratchFolder()
    for name in ["things.XLSX", "things.xlsm", "things.csv", "things"] {
      let collection = CollectionPath(nil, "things")
      let writer = try XLSXWriter(
        folder.file(name),
        options: XLSXOptions(timeZone: try LocalTimeZone(named: "UTC"))
      )
      let sheet = try writer.sheet(for: collection)
      try sheet.append(RawDocument(path: DocumentPath(collection, "1"), fields: ["n": .integer(2)]))
      try sheet.finish()
      try writer.finish()
      #expect(try read(folder.file(name)) { $0.reading.idColumn = nil } == [["n": .integer(2)]], "\(name)")
      #expect(try read(folder.file(name)) { ($0.reading.idColumn, $0.sheets) = (nil, ["1"]) }.count == 1)
    }
  }

  @Test(
    "A title in merged cells above the headings of a sheet is proposed to be left out.",
    .enabled(if: Judge.hasPython)
  )
  func titles() throws {
    let folder = try ScratchFolder()
    func row(_ number: Int, _ cells: String...) -> String {
      "<row r=\"\(number)\">\(cells.map { "<c t=\"inlineStr\"><is><t>\($0)</t></is></c>" }.joined())</row>"
    }
    var book = HandMadeWorkbook()
    book.rows = row(1, "Socios") + row(3, "id", "a", "b") + row(4, "1", "x", "y")
    book.behind = "<mergeCells><mergeCell ref=\"A1:C2\"/></mergeCells>"
    let path = try book.write(to: folder)
    let failure = #expect(throws: Failure.self) { try read(path, nil) }
    #expect(failure?.description.contains("--header-row 3") == true)
    let expected: FieldMap = ["id": .string("1"), "a": .string("x"), "b": .string("y")]
    #expect(try read(path) { $0.reading.headerRow = 3 } == [expected])
  }

  @Test(
    "A title of a table of two columns is known by the empty row below it.",
    arguments: [("\n", true), ("", false)]
  )
  func titleOfTwoColumns(gap: String, isTitle: Bool) throws {
    let folder = try ScratchFolder()
    let path = try folder.write(
      "Campos del catálogo,\n\(gap)campo,significado\na,alta\nb,baja\n".utf8,
      to: "t.csv"
    )
    let failure = #expect(throws: Failure.self) { try read(path, nil) }
    #expect(failure?.description.contains("--header-row") == isTitle)
  }

  @Test("UTF-8 is not taken for another encoding, and a mark counts more than the option.")
  func encodingsThatAreWrong() throws {
    let folder = try ScratchFolder()
    let path = try folder.write("id,señor\n1,Ana Solís €\n".utf8, to: "e.csv")
    let failure = #expect(throws: Failure.self) { try read(path) { $0.reading.encoding = .windows1252 } }
    #expect(failure?.cause.contains("it is UTF-8") == true)
    let marked = try folder.write([0xEF, 0xBB, 0xBF] + Array("id,señor\n1,Ana Solís €\n".utf8), to: "m.csv")
    #expect(try read(marked) { $0.reading.encoding = .windows1252 } == [Self.ana])
  }

  @Test("The types of plain JSON are those of the schema, and a response says whether it is all of them.")
  func plainJSON() throws {
    let folder = try ScratchFolder()
    let schema = """
      schema: shop
      collections:
        things:
          fields:
            price: double
            since: timestamp
            friend: reference
            id: string
      """
    let text = #"[{"id":"1","price":2,"since":"2026-01-02","friend":"things/2","note":"2026-01-02"}]"#
    let path = try folder.write(text.utf8, to: "things.json")
    var options = TableOptions(timeZone: try LocalTimeZone(named: "UTC"))
    options.schema = try SchemaReader.schema(parsing: schema, path: "shop.yaml")
    options.idColumn = "id"
    options.database = DatabaseName(project: "p", database: "d")
    let source = try #require(try ImportSource.resolve([path], schema: options.schema).first)
    let row = try JSONInput(source, options: options, into: nil).next()
    #expect(
      row?.document?.fields == [
        "id": .string("1"), "price": .double(2),
        "since": Timestamp("2026-01-02T00:00:00Z").map { .timestamp($0) } ?? .null,
        "friend": .reference("projects/p/databases/d/documents/things/2"), "note": .string("2026-01-02"),
      ]
    )
    for (type, text) in [("timestamp", "soon"), ("integer", "1.5"), ("boolean", "1"), ("text", "true")] {
      options.types = try #require(HeadingOption<ColumnType>.list(parsing: "x=\(type)"))
      let value = text == "soon" ? "\"soon\"" : text
      let path = try folder.write(Self.json("[{\"id\": \"1\", \"x\": \(value)}]"), to: "x.json")
      let source = try #require(try ImportSource.resolve([path], schema: options.schema).first)
      let faults = try JSONInput(source, options: options, into: nil).next()?.faults
      #expect(faults?.first?.expected.contains("expected") == true, "\(type)")
    }
    let more = try folder.write(Self.json("{\"documents\": [], \"nextPageToken\": \"x\"}"), to: "more.json")
    let next = try #require(try ImportSource.resolve([more], schema: .none).first)
    let input = try JSONInput(next, options: options, into: nil)
    #expect(try input.next() == nil && input.notices.count == 1)
  }

  @Test("A file longer than a piece is decoded as a whole.")
  func longFiles() throws {
    let folder = try ScratchFolder()
    let rows = (0..<60_000).map { "\($0);Ana Solís 😀 \($0)\n" }
    let path = try folder.write(Self.wide("id;señor\n" + rows.joined(), isLittle: true), to: "long.csv")
    let found = try read(path, nil)
    #expect(found.count == rows.count)
    #expect(found.last?["señor"] == .string("Ana Solís 😀 59999"))
    #expect(found.indices.allSatisfy { found[$0]["señor"] == .string("Ana Solís 😀 \($0)") })
  }

  @Test("Of several files, all that stops the import is said.")
  func severalFiles() throws {
    let folder = try ScratchFolder()
    let a = try folder.write("id,n,n\n1,2,3\n".utf8, to: "a.csv")
    let b = try folder.write("x,n\n1,2\n".utf8, to: "b.csv")
    let failure = #expect(throws: Failure.self) { try read(a) { ($0.files, $0.flattens) = ([a, b], true) } }
    let said = failure?.description ?? ""
    #expect(
      said.contains("a.csv: row 1, column 3") && said.contains("b.csv: it has no column 'id'"),
      "\(said)"
    )
  }

  private static let node = """
    {"__collections__": {"users": {"1": {"n": 2,
      "t": {"__datatype__": "timestamp", "value": {"_seconds": 1, "_nanoseconds": 5}},
      "g": {"__datatype__": "geopoint", "value": {"_latitude": 19.5, "_longitude": -99}},
      "r": [{"__datatype__": "documentReference", "value": "users/2"}],
      "__collections__": {"visits": {"v1": {"n": 1, "__collections__": {}}}}}, "2": {"__collections__": {}}}, "empty": {}}}
    """

  @Test("What is below a document of node-firestore-import-export is a document of its own.")
  func below() throws {
    let folder = try ScratchFolder()
    let source = ImportSource(path: try folder.write(Self.node.utf8, to: "e.json"), format: .json)
    var options = TableOptions(timeZone: try LocalTimeZone(named: "UTC"))
    options.database = DatabaseName(project: "p", database: "d")
    for (collection, root) in [(nil, "users"), (CollectionPath("people"), "people")] {
      let input = try JSONInput(source, options: options, into: collection)
      var paths: [String] = []
      while let row = try input.next() { paths.append(try #require(row.path?.string, "\(row.faults)")) }
      #expect(paths == ["\(root)/1", "\(root)/1/visits/v1", "\(root)/2"])
      let again = try JSONInput(source, options: options, into: collection)
      try again.skip(through: 2)
      #expect(try again.next()?.path?.string == "\(root)/2")
    }
  }
}
