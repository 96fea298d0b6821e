import Foundation
import TestSupport
import Testing

@Suite("Tables: values at an edge, and what others save", .timeLimit(.minutes(60)))
struct SheetEdgeTests {
  private static func line(_ name: String, _ fields: [(String, String)]) -> String {
    if fields.isEmpty { return "{\"name\":\"\(name)\"}" }
    let members = fields.sorted { $0.0 < $1.0 }.map { "\"\($0.0)\":{\($0.1)}" }
    return "{\"fields\":{\(members.joined(separator: ","))},\"name\":\"\(name)\"}"
  }

  private static func text(_ text: String) -> String { "\"stringValue\":\"\(text)\"" }
  private static func integer(_ number: String) -> String { "\"integerValue\":\"\(number)\"" }
  private static func moment(_ text: String) -> String { "\"timestampValue\":\"\(text)\"" }
  private static let null = "\"nullValue\":null"

  /// Ids and phones with leading zeros, integers of 19 digits, dates at the edges of days and of calendars, and the three
  /// ways of having no text; in columns that the catalogue knows, in ones of another type, and in unknown ones.
  private static var edges: [String] {
    let texts = [
      "0055", "0", "007", "+52 55", "1e5", "1E400", "TRUE", "null", "2026-12-31", "9007199254740993", " ",
    ]
    let integers = [
      "9223372036854775807", "-9223372036854775808", "9007199254740992", "9007199254740993", "0", "-1",
      "1000000000000000000",
    ]
    let moments = [
      // Midnight at the gym, the last moment before it, midnight in UTC.
      "2026-12-31T06:00:00Z", "2026-12-31T05:59:59.999999Z",
      "2027-01-01T00:00:00Z", "2026-12-31T23:59:59.999Z",
      // The hour that came twice at the gym, both times; the end of the one that was left out.
      "2022-10-30T06:30:00Z", "2022-10-30T07:30:00Z", "2022-04-03T08:00:00Z", "2022-04-03T07:59:59Z",
      // The edges of Excel's calendar and of Firestore's.
      "1900-01-01T06:36:36Z", "1900-02-28T23:59:59Z", "1900-03-01T06:36:36Z", "9999-12-31T23:59:59.999999Z",
      "0001-01-01T00:00:00Z", "2024-02-29T05:59:59Z",
    ]
    let blanks = [text(""), null, nil]
    var lines: [String] = []
    for (number, value) in texts.enumerated() {
      lines.append(
        line(
          "members/0\(number)",
          [("phone", text(value)), ("memberId", text(value)), ("age", text(value)), ("other", text(value))]
        )
      )
    }
    for (number, value) in integers.enumerated() {
      lines.append(
        line(
          "products/00\(number)",
          [
            ("stock", integer(value)), ("price", integer(value)), ("sku", integer(value)),
            ("other", integer(value)),
          ]
        )
      )
    }
    for (number, value) in moments.enumerated() {
      lines.append(
        line(
          "expenses/\(number)",
          [("date", moment(value)), ("other", moment(value)), ("category", moment(value))]
        )
      )
    }
    for (number, value) in blanks.enumerated() {
      let names = ["name", "price", "isActive", "createdAt", "other", "priceHistory"]
      lines.append(line("classes/\(number)", value.map { value in names.map { ($0, value) } } ?? []))
    }
    return lines
  }

  @Test(
    "Values at an edge come back as they went, by CSV and by workbook, in the gym's zone and in another.",
    arguments: [
      (["csv"], [String]()), (["csv", "--time-zone", "America/Mexico_City", "--header", "spanish"], []),
      (["csv", "--excel", "--delimiter", "semicolon"], []), (["csv", "--null", "\\N"], ["--null", "\\N"]),
      (["xlsx"], []), (["xlsx", "--header", "english"], []),
      (["xlsx", "--time-zone", "Pacific/Auckland"], ["--time-zone", "Pacific/Auckland"]),
      (["xlsx", "--time-zone", "UTC"], ["--time-zone", "UTC"]),
    ]
  )
  func edges(_ format: [String], _ reading: [String]) async throws {
    try await withStores { tool in
      try await tool.load(Self.edges, into: "stage")
      try await tool.bare(["export", "--all", "-e", "stage", "-o", "tables/", "--format"] + format).expect(0)
      try await tool.bare(["import", "tables/", "-e", "test"] + reading).expect(0)
      #expect(try await tool.dump("test") == Set(Self.edges))
      let diff = try await tool.bare(["diff", "--all", "--from", "stage", "--to", "test", "--detail"])
      diff.expect(0)
      #expect(diff.output.isEmpty)
    }
  }

  @Test(
    "A cell that was cleared has no value, whatever its format; an empty text that was exported comes back.",
    arguments: [("upsert", ""), ("merge", #""phone":{"stringValue":"0055"},"#)]
  )
  func clearedCells(_ mode: String, _ phone: String) async throws {
    try await withTool { tool in
      let fields = #""nota":{"stringValue":""},"phone":{"stringValue":"0055"},"z":{"stringValue":"x"}"#
      try tool.write(#"{"fields":{\#(fields)},"name":"people/p1"}"# + "\n", to: "in.jsonl")
      try await tool.run("import", "in.jsonl", "--schema", "none").expect(0)
      try await tool.run("export", "people", "--schema", "none", "-o", "people.xlsx").expect(0)
      // As a spreadsheet saves it: the cell keeps its format, which is that of texts.
      try await Judge.script(
        """
        import re, sys, zipfile
        with zipfile.ZipFile(sys.argv[1]) as book:
            parts = {name: book.read(name) for name in book.namelist()}
        name = "xl/worksheets/sheet1.xml"
        cell = rb'(<c r="[A-Z]2" s="[0-9]+") t="inlineStr"><is><t>0055</t></is></c>'
        parts[name], cleared = re.subn(cell, rb"\\1/>", parts[name])
        assert cleared == 1
        with zipfile.ZipFile(sys.argv[1], "w") as book:
            for name, part in parts.items():
                book.writestr(name, part)
        """,
        tool.path("people.xlsx")
      )
      try await tool.run("import", "people.xlsx", "--schema", "none", "--mode", mode).expect(0)
      try await tool.run("export", "people", "--schema", "none", "-o", "out.jsonl").expect(0)
      let expected = #"{"nota":{"stringValue":""},\#(phone)"z":{"stringValue":"x"}}"#
      #expect(try tool.text("out.jsonl") == #"{"fields":\#(expected),"name":"people/p1"}"# + "\n")
    }
  }

  @Test("A workbook that LibreOffice saved is imported as what people see in it.")
  func libreOffice() async throws {
    let book = Samples.repository.appendingPathComponent("Tests/Resources/people.xlsx").path
    try await withStores { tool in
      let all = try await tool.bare([
        "import", book, "--validate", "off", "-e", "test", "-n", "--id-column", "code",
      ])
      #expect(
        all.errors.contains("hidden sheets are left out: 'scratch'. --sheet NAME imports one."),
        "\(all.errors)"
      )
      let quiet = try await tool.bare([
        "import", book, "--validate", "off", "-e", "test", "-n", "-q", "--id-column", "code",
      ])
      #expect(quiet.errors.contains("hidden sheets are left out: 'scratch'"), "\(quiet.errors)")
      // Under the two rows that are empty is the header; the sheet that is hidden is nobody's.
      try await tool.bare([
        "import", book, "--validate", "off", "-e", "test", "--sheet", "visitors", "--id-column", "code",
      ])
      .expect(0)
      try await tool.bare(["import", book, "--validate", "off", "-e", "test", "--sheet", "products"]).expect(
        0
      )
      let visitors = [
        Self.line(
          "visitors/v1",
          [
            ("code", Self.text("v1")), ("name", Self.text("Íñigo")), ("n", Self.integer("3")),
            ("share", "\"doubleValue\":0.125"), ("paid", "\"doubleValue\":1499.9"),
            ("ok", "\"booleanValue\":true"), ("day", Self.moment("2026-12-31T06:00:00Z")),
            // Summer time was five hours behind UTC.
            ("moment", Self.moment("2022-07-02T04:59:59Z")), ("at", Self.text("18:30")),
            ("twice", Self.integer("6")), ("label", Self.text("Íñigo 3")), ("zip", Self.text("01234")),
            ("note", Self.text("dos\\nlíneas")),
          ]
        ),
        Self.line(
          "visitors/v2",
          [
            ("code", Self.text("v2")), ("name", Self.text("Íñigo")), ("n", Self.integer("-1")),
            ("share", "\"doubleValue\":1.0"), ("paid", "\"doubleValue\":0.0"),
            ("ok", "\"booleanValue\":false"), ("day", Self.moment("2024-02-29T06:00:00Z")),
            ("moment", Self.moment("2024-02-29T18:00:00Z")), ("at", Self.text("00:00")),
            // A formula that shows nothing is an empty cell.
            ("twice", Self.integer("-2")), ("zip", Self.text("99999")), ("note", Self.text(" a  b ")),
          ]
        ),
      ]
      let product = Self.line(
        "products/007",
        [
          ("price", "\"doubleValue\":18.0"), ("createdAt", Self.moment("2026-01-01T06:00:00Z")),
          ("sku", Self.text("9223372036854775807")),
        ]
      )
      #expect(try await tool.dump("test") == Set(visitors + [product]))
    }
  }

  @Test(
    "openpyxl reads every cell of the sample gym's workbooks with its type and its value.",
    .enabled("openpyxl is the judge; GYMMIGRATE_PYTHON names a Python that has it") {
      await Judge.has("openpyxl")
    }
  )
  func openpyxl() async throws {
    try await withTool { tool in
      let judge = Samples.repository.appendingPathComponent("Tests/Judges/typed_cells.py").path
      try await tool.bare(["import"] + Samples.all().map { Samples.file($0) } + tool.place).expect(0)
      let zone = "America/Mexico_City"
      try await tool.run("export", "--all", "-o", "books/", "--format", "xlsx", "--time-zone", zone).expect(0)
      let books = tool.names(in: "books").filter { $0.hasSuffix(".xlsx") }
      #expect(try books.map { String($0.dropLast(5)) } == Samples.all())
      for book in books {
        let result = try await Judge.python([
          judge, tool.path("books/\(book)"), Samples.file(String(book.dropLast(5))), zone,
        ])
        #expect(result.exitCode == 0, "\(book): \(result.output.suffix(2000)) \(result.errors.suffix(500))")
      }
    }
  }
}
