import FirestoreModels
import Foundation
import Logging
import Schema
import Testing

@testable import Files
@testable import FirestoreREST
@testable import Runs
@testable import Tables
@testable import Transfer

@Suite("Files as people have them come in as they are, or with the option that the refusal names")
struct FileKindTests {
  /// A small file, what is said against it, and what it yields with an option then.
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var file: String
    var bytes: [UInt8]
    /// What the refusal says; empty for a file that comes in as it is.
    var says: [String] = []
    /// What the refusal advises; nil for a file that no option helps.
    var helped: (@Sendable (inout ImportJob) -> Void)?
    var yields: FieldMap

    init(
      _ name: String,
      _ file: String,
      _ bytes: [UInt8],
      says: String...,
      helped: (@Sendable (inout ImportJob) -> Void)? = nil,
      yields: FieldMap = [:]
    ) {
      testDescription = name
      (self.file, self.bytes, self.says, self.helped, self.yields) = (file, bytes, says, helped, yields)
    }

    init(
      _ name: String,
      _ text: String,
      says: String...,
      helped: (@Sendable (inout ImportJob) -> Void)? = nil,
      yields: FieldMap = [:]
    ) {
      testDescription = name
      (file, bytes) = ("things.csv", Array(text.utf8))
      (self.says, self.helped, self.yields) = (says, helped, yields)
    }
  }

  private static let ana: FieldMap = ["id": .string("1"), "señor": .string("Ana Solís €")]
  private static let plain: FieldMap = ["id": .string("1"), "n": .integer(2)]
  /// `id;señor`, `1;Ana Solís €`, by the bytes of ñ, í and €.
  private static func text(_ n: UInt8, _ i: UInt8, _ euro: UInt8) -> [UInt8] {
    Array("id;se".utf8) + [n] + Array("or\n1;Ana Sol".utf8) + [i] + Array("s ".utf8) + [euro, 0x0A]
  }
  private static func json(_ text: String) -> [UInt8] { Array(text.utf8) }
  private static let rest =
    "{\n\"name\": \"projects/p/databases/d/documents/users/1\",\n\"fields\": {\"n\": {\"integerValue\": \"2\"}}}"
  private static func wide(_ text: String, isLittle: Bool) -> [UInt8] {
    ("\u{FEFF}" + text).utf16.flatMap { unit in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 255)]
      return isLittle ? bytes.reversed() : bytes
    }
  }
  private static func types(_ text: String) -> @Sendable (inout ImportJob) -> Void {
    { $0.reading.types = HeadingOption.list(parsing: text) ?? [] }
  }
  private static func headings(_ style: HeadingStyle) -> @Sendable (inout ImportJob) -> Void {
    { $0.reading.headings = style }
  }

  static let names: [Case] = [
    Case("capitals", "SOCIOS.CSV", Array("id,n\n1,2\n".utf8), yields: plain),
    Case("a mixed suffix with tabs", "e.Tsv", Array("id\tn\n1\t2\n".utf8), yields: plain),
    Case("bars", "e.psv", Array("id|n\n1|2\n".utf8), yields: plain),
    Case("a text with semicolons", "e.txt", Array("id;n\n1;2\n".utf8), yields: plain),
    Case("no suffix", "socios", Array("id,n\n1,2\n".utf8), yields: plain),
    Case("JSON Lines of another name", "e.NDJSON", Array("{\"name\":\"a/1\"}\n".utf8)),
    Case(
      "a response of the service",
      "e.json",
      json("{\n \"documents\": [\n\(rest)\n ]}"),
      yields: ["n": .integer(2)]
    ),
    Case(
      "an answer of a query",
      "e.json",
      json(
        "[{\"readTime\":\"2026-01-01T00:00:00Z\"},{\"document\":\(rest),\"readTime\":\"2026-01-01T00:00:00Z\"}]"
      ),
      yields: ["n": .integer(2)]
    ),
    Case("a document on several lines", "e.json", json(rest), yields: ["n": .integer(2)]),
    Case(
      "documents by their ids",
      "e.json",
      json("{\"1\": {\"n\": 2}, \"2\": {\"n\": 3}}"),
      yields: ["n": .integer(2)]
    ),
    Case(
      "an array of plain objects",
      "e.json",
      json("[ {\"id\": \"1\",\n \"n\": 2} ]"),
      says: "--id-column",
      helped: { $0.reading.idColumn = "id" },
      yields: plain
    ),
    Case(
      "plain JSON Lines",
      "e.jsonl",
      json("{\"id\":1,\"d\":\"2026-01-01\",\"m\":{\"l\":[1.5,null]}}\n{\"id\":2}\n"),
      says: "--id-column",
      helped: { $0.reading.idColumn = "id" },
      yields: [
        "id": .integer(1), "d": .string("2026-01-01"), "m": .map(["l": .array([.double(1.5), .null])]),
      ]
    ),
    Case(
      "what libraries make of times and points",
      "e.json",
      json(
        "{\"1\":{\"t\":{\"_seconds\":1,\"_nanoseconds\":5},\"g\":{\"_latitude\":19.5,\"_longitude\":-99},\"m\":{\"latitude\":19.5,\"longitude\":-99}}}"
      ),
      yields: [
        "t": Timestamp(seconds: 1, nanoseconds: 5).map { .timestamp($0) } ?? .null,
        "g": .geoPoint(GeoPoint(latitude: 19.5, longitude: -99)),
        "m": .map(["latitude": .double(19.5), "longitude": .integer(-99)]),
      ]
    ),
    Case(
      "points without marks under their type",
      "e.json",
      json("{\"1\":{\"g\":{\"latitude\":19.5,\"longitude\":-99},\"phone\":5512345678}}"),
      helped: types("g=geopoint,phone=text"),
      yields: ["g": .geoPoint(GeoPoint(latitude: 19.5, longitude: -99)), "phone": .string("5512345678")]
    ),
    Case(
      "an object with a member of a query's answer",
      "e.json",
      json("[{\"id\": \"1\", \"n\": 2, \"readTime\": \"5 min\"}]"),
      helped: { $0.reading.idColumn = "id" },
      yields: ["id": .string("1"), "n": .integer(2), "readTime": .string("5 min")]
    ),
    Case(
      "a response with members that none has",
      "e.json",
      json("{\"documents\": [\(rest)], \"total\": 1}"),
      says: "is no response of the service"
    ),
    Case(
      "a number beyond 64 bits",
      "e.json",
      json("{\"1\": {\"n\": 123456789012345678901}}"),
      says: "beyond 64 bits"
    ),
    Case(
      "JSON that is cut off",
      "e.json",
      json("{\"1\": {\"n\": 2}, \"2\": {\"n\""),
      says: "line 1: it ends within"
    ),
    Case("JSON with more behind it", "e.json", json("[]\n]"), says: "line 2: there is more behind the end"),
    Case("a member twice", "e.json", json("{\"1\": {\"n\": 2, \"n\": 3}}"), says: "n: it is given twice"),
    Case("a number too small", "e.json", json("{\"1\": {\"n\": 1e-400}}"), says: "that no double holds"),
    Case(
      "an old workbook",
      "e.xls",
      [0xD0, 0xCF, 0x11, 0xE0, 0xA1],
      says: "old .xls workbook",
      "--convert-to xlsx"
    ),
    Case("an old workbook of another name", "e.csv", [0xD0, 0xCF, 0x11, 0xE0], says: "old .xls workbook"),
    Case("a page named as a workbook", "e.xls", Array("<html><table>".utf8), says: "a page of HTML"),
    Case(
      "an OpenDocument spreadsheet",
      "e.ods",
      [0x50, 0x4B, 3, 4] + Array(repeating: 0, count: 26)
        + Array("mimetypeapplication/vnd.oasis.opendocument.spreadsheet".utf8),
      says: "OpenDocument",
      "--convert-to xlsx"
    ),
  ]

  static let encodings: [Case] = [
    Case("UTF-8 with a mark", "e.csv", [0xEF, 0xBB, 0xBF] + Array("id,n\n1,2\n".utf8), yields: plain),
    Case(
      "UTF-16 from Windows",
      "e.txt",
      wide("id\tseñor\r\n1\tAna Solís €\r\n", isLittle: true),
      yields: ana
    ),
    Case(
      "UTF-16 of other machines",
      "e.csv",
      wide("id;señor\n1;Ana Solís €\n", isLittle: false),
      yields: ana
    ),
    Case(
      "UTF-16 with a pair",
      "e.csv",
      wide("id,a\n1,😀\n", isLittle: true),
      yields: ["id": .string("1"), "a": .string("😀")]
    ),
    Case(
      "Windows-1252",
      "e.csv",
      text(0xF1, 0xED, 0x80),
      says: "the cell is not UTF-8",
      "--encoding windows-1252",
      helped: { $0.reading.encoding = .windows1252 },
      yields: ana
    ),
    Case(
      "ISO-8859-15",
      "e.csv",
      text(0xF1, 0xED, 0xA4),
      says: "the cell is not UTF-8",
      helped: { $0.reading.encoding = .latin9 },
      yields: ana
    ),
    Case(
      "ISO-8859-1",
      "e.csv",
      text(0xF1, 0xED, 0xA4),
      says: "the cell is not UTF-8",
      helped: { $0.reading.encoding = .latin1 },
      yields: ["id": .string("1"), "señor": .string("Ana Solís ¤")]
    ),
    Case(
      "half a character",
      "e.csv",
      wide("id,n\n1,2\n", isLittle: true) + [0x41],
      says: "no character of utf-16le"
    ),
  ]

  static let headings: [Case] = [
    Case(
      "headings as written",
      "id,Teléfono,Fecha de alta,#,No.,2024,a.b\n1,0555,2026-01-02,3,x,9,q\n",
      yields: [
        "id": .string("1"), "Teléfono": .string("0555"),
        "Fecha de alta": Timestamp("2026-01-02T00:00:00Z").map { .timestamp($0) } ?? .null, "#": .integer(3),
        "No.": .string("x"),
        "2024": .integer(9), "a.b": .string("q"),
      ]
    ),
    Case(
      "a colon and no type",
      "id,Hora: inicio\n1,x\n",
      yields: ["id": .string("1"), "Hora: inicio": .string("x")]
    ),
    Case("a type", "id,n:integer\n1,2\n", yields: plain),
    Case("back-quotes", "id,`n`\n1,2\n", yields: plain),
    Case("white space around them", "\u{A0}id , n\n1,2\n", yields: plain),
    Case(
      "a line break",
      "id,\"Fecha\nde alta\"\n1,x\n",
      yields: ["id": .string("1"), "Fecha\nde alta": .string("x")]
    ),
    Case(
      "in a table by export, a dot is a path",
      "export.csv",
      Array("__name__,a.b,Fecha de alta\n1,2,x\n".utf8),
      yields: ["a": .map(["b": .integer(2)]), "Fecha de alta": .string("x")]
    ),
    Case(
      "all bad ones at once",
      "id,n,n,__x__,n\n1,2,3,4,5\n",
      says: "column 3: there is another column for the field n, column 2",
      "column 4: the service reserves names such as __x__",
      "column 5",
      "--skip-columns",
      helped: { $0.reading.skippedColumns = [3, 4, 5] },
      yields: plain
    ),
    Case(
      "values under none",
      "id,n,\n1,2,3\n",
      says: "column 3",
      "--skip-columns 3",
      helped: { $0.reading.skippedColumns = [3] },
      yields: plain
    ),
    Case(
      "no column of ids",
      "Número,n\n1,2\n",
      says: "--id-column",
      "'Número'",
      helped: { $0.reading.idColumn = "Número" },
      yields: ["Número": .string("1"), "n": .integer(2)]
    ),
  ]

  static let tables: [Case] = [
    Case(
      "a title",
      "Reporte de socios\n\nid;n;m;o\n1;2;;\n2;2;3;4\n3;2;3;4\n",
      says: "--header-row 3",
      helped: { $0.reading.headerRow = 3 },
      yields: plain
    ),
    Case(
      "a title as spreadsheets save it, with a quote",
      "Socios \"activos\"x,,,\nid,n,m,o\n1,2,,\n2,1,3,4\n",
      says: "line 1",
      helped: { $0.reading.headerRow = 2 },
      yields: plain
    ),
    Case("a line for Excel", "sep=;\nid;n\n1;2\n", yields: plain),
    Case("returns alone", "id,n\r1,2\r", yields: plain),
    Case(
      "a delimiter that is not usual",
      "id^n\n1^2\n",
      says: "--id-column",
      "'id^n'",
      helped: { $0.reading.delimiter = CSVDelimiter(rawValue: "^") },
      yields: plain
    ),
  ]

  /// With options, nothing is refused before.
  static let options: [Case] = [
    Case(
      "paths",
      "id,a.n\n1,2\n",
      helped: headings(.path),
      yields: ["id": .string("1"), "a": .map(["n": .integer(2)])]
    ),
    Case(
      "snake",
      "id,Fecha de Alta,númeroSocio2\n1,x,y\n",
      helped: headings(.snake),
      yields: ["id": .string("1"), "fecha_de_alta": .string("x"), "numero_socio2": .string("y")]
    ),
    Case(
      "camel",
      "id,FECHA DE ALTA,Año (2024)\n1,x,y\n",
      helped: headings(.camel),
      yields: ["id": .string("1"), "fechaDeAlta": .string("x"), "ano2024": .string("y")]
    ),
    Case(
      "other names",
      "id,Fecha de alta,\"Nombre, completo\"\n1,x,y\n",
      helped: { job in
        job.reading.renames =
          HeadingOption.list(parsing: "Fecha de alta=joinedAt,Nombre, completo=name.full") ?? []
      },
      yields: ["id": .string("1"), "joinedAt": .string("x"), "name": .map(["full": .string("y")])]
    ),
    Case(
      "types by the heading as written",
      "id,Cuota (MXN)\n1,2\n",
      helped: types("Cuota (MXN)=double"),
      yields: ["id": .string("1"), "Cuota (MXN)": .double(2)]
    ),
  ]

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
      options.sources,
      options: options.table,
      rules: options.rules,
      collection: job.collection,
      progress: Runs.Progress(
        terminal: nil,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
        traffic: TrafficCounter()
      )
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

  @Test(arguments: names + encodings + headings + tables + options + foreign + numbers)
  func comesIn(_ example: Case) throws {
    let folder = try ScratchFolder()
    let path = try folder.write(example.bytes, to: example.file)
    if !example.says.isEmpty {
      let failure = #expect(throws: Failure.self) { try read(path, nil) }
      let said = failure?.description ?? ""
      for word in example.says { #expect(said.contains(word), "\(said)") }
      if example.helped == nil { return }
    }
    #expect(try read(path, example.helped).first == example.yields)
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
}
