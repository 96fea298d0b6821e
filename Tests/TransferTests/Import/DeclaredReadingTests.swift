import FirestoreModels
import RunSupport
import Schema
import TestSupport
import Testing

@testable import FirestoreREST
@testable import Runs
@testable import Tables
@testable import Transfer

@Suite("People's files are read as the schema says of their collection, where no option says it")
struct DeclaredReadingTests {
  private static let schema = """
    schema: club
    time-zone: America/Mexico_City
    collections:
      members:
        import:
          files: [socios-*.csv, 'Socios *.xlsx']
          sheet: Socios
          encoding: windows-1252
          delimiter: semicolon
          header-row: 2
          id-column: Número
          rename: { Alta: joinedAt, 'Cuota, total': fee }
          types: { Nota: text }
          decimal-comma: true
          date-format: MM/dd/yyyy
          percent: number
          currency: $
          skip-columns: [6]
        fields:
          joinedAt: timestamp
          fee: double
      orders:
        import: { headings: snake, id-column: id, rename: { Precio: plan.price } }
      payments:
        import: { sheet: 2 }
        fields: { amount: double, day: { type: string, format: date } }
    """

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private struct Read {
    var paths: [String] = []
    var fields: [FieldMap] = []
    var notes: [[String]] = []
  }

  private func read(_ files: [String], _ change: (inout ImportJob) -> Void = { _ in }) throws -> Read {
    var job = ImportJob(files: files)
    change(&job)
    let schema = try SchemaReader.schema(parsing: Self.schema, path: "club.yaml")
    let options = try job.options(schema, via: .local)
    let inputs = try ImportInputs(
      options,
      progress: .silent()
    )
    var found = Read()
    found.notes = inputs.tables.map(\.declared)
    for stage in inputs.indices {
      let input = try #require(try inputs.open(stage))
      while let row = try input.next() {
        if let fault = row.faults.first { throw fault.failure }
        let document = try #require(row.document)
        found.paths.append(document.path.string)
        found.fields.append(document.fields)
      }
    }
    return found
  }

  // `Socios`, `Número;Alta;Cuota, total;Año;Nota;x`, `7;01/31/2026;$ 1.200,50;16%;5;9`
  private static let month: [UInt8] =
    Array("Socios activos\nN".utf8) + [0xFA] + Array("mero;Alta;Cuota, total;A".utf8) + [0xF1]
    + Array("o:double;Nota;x\n7;01/31/2026;$ 1.200,50;16%;5;9\n".utf8)
  private static let fields: FieldMap = [
    "joinedAt": Timestamp("2026-01-31T06:00:00Z").map { .timestamp($0) } ?? .null, "fee": .double(1200.5),
    "Año": .double(16), "Nota": .string("5"),
  ]

  @Test("A file of the month needs no option, and what the schema says of it is said.")
  func month() throws {
    let found = try read([try folder.write(Self.month, to: "socios-2026-01.csv")])
    #expect(found.paths == ["members/7"])
    #expect(found.fields == [Self.fields])
    let expected = [
      "encoding windows-1252", "delimiter semicolon", "header-row 2",
      "rename Alta=joinedAt, Cuota, total=fee",
      "types Nota=string", "skip-columns 6", "id-column Número", "decimal-comma true",
      "date-format MM/dd/yyyy",
      "percent number", "currency $",
    ]
    #expect(found.notes == [expected])
  }

  @Test("The command line precedes the schema, option by option and heading by heading.")
  func precedence() throws {
    let text = "Alta|Número|Cuota\n31/01/2026|7|1.5\n"
    let path = try folder.write(Array(text.utf8), to: "socios-x.csv")
    let found = try read([path]) { job in
      job.reading.encoding = .utf8
      (job.reading.delimiter, job.reading.headerRow) = (.pipe, 1)
      (job.reading.dateOrder, job.reading.usesDecimalComma) = (.dayFirst, false)
      job.reading.renames = HeadingOption.list(parsing: "Cuota=fee,Alta=since") ?? []
      job.reading.types = HeadingOption.list(parsing: "Alta=date") ?? []
      job.reading.skippedColumns = [9]
    }
    #expect(
      found.fields == [
        [
          "since": Timestamp("2026-01-31T06:00:00Z").map { .timestamp($0) } ?? .null, "fee": .double(1.5),
        ]
      ]
    )
    #expect(found.notes.first?.contains { $0.hasPrefix("encoding") || $0.hasPrefix("header-row") } == false)
    // A heading of the command line still has to be there.
    let failure = #expect(throws: Failure.self) {
      try read([path]) { job in
        (job.reading.encoding, job.reading.delimiter, job.reading.headerRow) = (.utf8, .pipe, 1)
        job.reading.types = HeadingOption.list(parsing: "Cuota,x=date") ?? []
      }
    }
    #expect(failure?.cause.contains("'Cuota,x', which --types names") == true)
  }

  @Test("What export wrote is read as it is, and a list of rejected rows as to its cells.")
  func ours() throws {
    let export = try folder.write(
      "__name__,fee,joinedAt\n7,1.5,2026-01-31T06:00:00Z\n".utf8,
      to: "members.csv"
    )
    let found = try read([export])
    #expect(found.fields.first?["fee"] == .double(1.5) && found.notes == [[]])
    let rejects = "Número,joinedAt,fee,__reason__,__raw__\n7,01/31/2026,\"1.200,50\",bad,\n"
    let path = try folder.write(Array(rejects.utf8), to: "rejects.csv")
    let corrected = try read([path]) { $0.collection = CollectionPath("members") }
    #expect(corrected.paths == ["members/7"] && corrected.fields.first?["fee"] == .double(1200.5))
    #expect(corrected.fields.first?["joinedAt"] == Self.fields["joinedAt"])
  }

  @Test(
    "What was exported, and saved by a spreadsheet in the encoding of the schema, is read as export writes it."
  )
  func savedExport() throws {
    let table: [UInt8] =
      Array("__name__;fee;A".utf8) + [0xF1] + Array("o\n7;1.5;se".utf8) + [0xF1] + Array("or\n".utf8)
    let found = try read([try folder.write(table, to: "members.csv")])
    #expect(found.paths == ["members/7"] && found.notes == [["encoding windows-1252"]])
    #expect(found.fields == [["fee": .double(1.5), "Año": .string("señor")]])
    let list: [UInt8] = Array("N".utf8) + [0xFA] + Array("mero,fee,__reason__\n7,\"1.200,50\",bad\n".utf8)
    let rejects = try folder.write(list, to: "rejects.csv")
    let corrected = try read([rejects]) { $0.collection = CollectionPath("members") }
    #expect(corrected.paths == ["members/7"] && corrected.fields.first?["fee"] == .double(1200.5))
  }

  @Test("A file that is not as the schema says is refused with what it says, and the option that reads it.")
  func explained() throws {
    let text = "Socios\nNúmero;Cuota\n7;1,5\n"
    let utf8 = try folder.write(Array(text.utf8), to: "socios-x.csv")
    let failure = #expect(throws: Failure.self) { try read([utf8]) }
    let remedy = failure?.remedy ?? ""
    #expect(remedy.contains("Use --encoding utf-8.") && remedy.contains("encoding windows-1252"), "\(remedy)")
    for (sign, option) in [(",", "comma"), ("\t", "tab")] {
      let rows = "Número\(sign)fee\n7\(sign)2\n"
      let path = try folder.write(Array(rows.utf8), to: "socios-y.csv")
      let failure = #expect(throws: Failure.self) {
        try read([path]) { ($0.reading.encoding, $0.reading.headerRow) = (.utf8, nil) }
      }
      // The row of the headings is given here, and such rows are not looked at.
      #expect(failure?.remedy?.contains("delimiter semicolon") == true, "\(option)")
      let free = #expect(throws: Failure.self) {
        try read([path]) {
          $0.collection = CollectionPath("payments")
          ($0.reading.delimiter, $0.reading.idColumn) = (.semicolon, "Número")
        }
      }
      #expect(free?.remedy?.hasPrefix("--delimiter '\(option)'") == true, "\(free?.remedy ?? "")")
    }
  }

  @Test("The headings of a list of rejects are fields, whatever the schema makes of those of the table.")
  func listOfRejects() throws {
    let list = "id,plan.price:integer,n:integer,__reason__,__raw__\n7,5,1,bad,\n"
    let path = try folder.write(Array(list.utf8), to: "rejects.csv")
    let found = try read([path]) { $0.collection = CollectionPath("orders") }
    #expect(found.fields.first?["plan"] == .map(["price": .integer(5)]))
    #expect(found.fields.first?.entries.map(\.name).contains("plan_price") == false)
  }

  @Test("Of another collection, nothing of it counts.")
  func others() throws {
    let path = try folder.write("id,amount\n1,1.5\n".utf8, to: "payments.csv")
    let found = try read([path]) { $0.reading.idColumn = "id" }
    #expect(found.fields.first?["amount"] == .double(1.5) && found.notes == [[]])
  }

  @Test("A day is read however people type it, and stays as export wrote it where nothing is checked.")
  func days() throws {
    func days(_ text: String, _ policy: SchemaPolicy = .reject) throws -> [Value?] {
      let path = try folder.write(Array(text.utf8), to: "payments.csv")
      let found = try read([path]) {
        $0.reading.idColumn = text.hasPrefix("id") ? "id" : nil
        $0.schemaPolicy = policy
      }
      return found.fields.map { $0["day"] }
    }
    let day = Value.string("2026-01-31")
    #expect(try days("id,day\n1,31/01/2026\n2, 2026-1-31\n3,31-ene-2026\n") == [day, day, day])
    for other in ["31/01/2026 18:30", "mañana"] {
      #expect(throws: Failure.self) { try days("id,day\n1,\(other)\n") }
    }
    #expect(try days("__name__,day\n1,31/01/2026\n2,2026-01-31\n") == [day, day])
    #expect(throws: Failure.self) { try days("__name__,day\n1,mañana\n") }
    #expect(try days("__name__,day\n1,31/01/2026\n", .warn) == [.string("31/01/2026")])
  }

  @Test("A date that somebody typed into an exported workbook is a day.", .enabled(if: Judge.hasPython))
  func typedDay() throws {
    var book = HandMadeWorkbook()
    (book.sheets, book.formats) = ([("payments", "")], ["14"])
    let headings = ["__name__", "day"].map(SheetTable.text).joined()
    // 46387 is 31 December 2026.
    book.rows = "<row>\(headings)</row><row>\(SheetTable.text("1"))<c s=\"1\"><v>46053</v></c></row>"
    let found = try read([try book.write(to: folder)])
    #expect(found.fields == [["day": .string("2026-01-31")]])
  }

  @Test("The sheets that the schema names are read, and others are left out.", .enabled(if: Judge.hasPython))
  func sheets() throws {
    var book = HandMadeWorkbook()
    book.sheets = [("Notas", ""), ("Socios", ""), ("payments", "")]
    let path = try book.write(to: folder)
    let schema = try SchemaReader.schema(parsing: Self.schema, path: "club.yaml")
    func sheets(_ path: String, _ collection: String?, _ named: [String] = []) throws -> [String] {
      let collection = collection.flatMap { CollectionPath($0) }
      return try ImportSource.resolve([path], collection: collection, sheets: named, schema: schema)
        .map { "\($0.sheet ?? "")>\($0.collection?.string ?? "")" }
    }
    #expect(try sheets(path, nil) == ["Socios>members", "payments>payments"])
    #expect(try sheets(path, "members") == ["Socios>members"])
    // By its number, where the collection is known.
    #expect(try sheets(path, "payments") == ["Socios>payments"])
    #expect(try sheets(path, nil, ["Notas=members"]) == ["Notas>members"])
    let named = try book.write(to: folder, name: "Socios marzo.xlsx")
    #expect(try sheets(named, nil) == ["Socios>members"])
  }

  @Test("Plain JSON without another id has it in the member that the schema names.")
  func plainJSON() throws {
    let list = try folder.write(Array(#"[{"Número": 7, "fee": 2}]"#.utf8), to: "members.json")
    #expect(try read([list]).paths == ["members/7"])
    let map = try folder.write(Array(#"{"a": {"Número": 7, "fee": 2}}"#.utf8), to: "m.json")
    let found = try read([map]) { $0.collection = CollectionPath("members") }
    #expect(found.paths == ["members/a"] && found.fields == [["Número": .integer(7), "fee": .double(2)]])
  }

  @Test("A schema is written as it is read, with what it says of files.")
  func written() throws {
    let schema = try SchemaReader.schema(parsing: Self.schema, path: "club.yaml")
    let again = try SchemaReader.schema(parsing: SchemaWriter.yaml(schema), path: "club.yaml")
    #expect(again.collections.map(\.imports) == schema.collections.map(\.imports))
  }

  @Test(
    "A sheet is found by its name however accents are composed.",
    .enabled(if: Judge.hasPython),
    arguments: ["Secci\u{F3}n", "Seccio\u{301}n"]
  )
  func composedSheets(name: String) throws {
    var book = HandMadeWorkbook()
    book.sheets = [("Notas", ""), ("Secci\u{F3}n", "")]
    let path = try book.write(to: folder)
    let text =
      "schema: s\ncollections:\n  parts:\n    import: { sheet: \(name) }\n    fields: { v: string }\n"
    let schema = try SchemaReader.schema(parsing: text, path: "s.yaml")
    for (named, schema) in [([], schema), (["\(name)=parts"], .none)] as [([String], DatabaseSchema)] {
      let found = try ImportSource.resolve([path], collection: nil, sheets: named, schema: schema)
      #expect(found.map(\.sheet) == ["Secci\u{F3}n"] && found.map(\.collection?.string) == ["parts"])
    }
    #expect(SheetOption(sheet: name, value: 1).isOf("Secci\u{F3}n"))
  }

  @Test("Of two collections that differ by composition alone, a sheet is that of the one whose name it has.")
  func composedCollections() throws {
    let names = ["Secci\u{F3}n", "Seccio\u{301}n"]
    let text = "schema: s\ncollections:\n" + names.map { "  \($0): { fields: { v: string } }\n" }.joined()
    let schema = try SchemaReader.schema(parsing: text, path: "s.yaml")
    for name in names {
      var book = HandMadeWorkbook()
      book.sheets = [(name, "")]
      let path = try book.write(to: folder)
      let found = try ImportSource.resolve([path], collection: nil, sheets: [], schema: schema)
      #expect(found.compactMap(\.collection).map { UTF8Key($0.string) } == [UTF8Key(name)])
    }
  }

  @Test(
    "Names of files with any characters in them.",
    arguments: [
      ("socios.csv", "socios.csv", true), ("socios.csv", "socios.csv.gz", false), ("*", "x", true),
      ("a*b", "ab", true), ("a*b", "aXXb", true), ("ab*ba", "aba", false), ("*a*a*", "aXa", true),
      ("*a*a*", "a", false), ("a*", "b", false), ("", "a", false),
      ("s\u{F3}c-*.csv", "so\u{301}c-1.csv", true),
      ("so\u{301}c-*", "s\u{F3}c-1", true), ("soc-*", "so\u{301}c-1", false),
    ]
  )
  func patterns(pattern: String, name: String, isOf: Bool) {
    var settings = ImportSettings()
    settings.files = [pattern]
    #expect(settings.isOf(fileNamed: name) == isOf)
  }
}
