import Files
import FirestoreModels
import Schema
import TestSupport
import Testing

@testable import Tables
@testable import Transfer

@Suite("Types of columns that nobody says are guessed from all cells, and reported")
struct ColumnGuessTests {
  private let folder: ScratchFolder
  private var options: TableOptions

  init() throws {
    folder = try ScratchFolder()
    options = TableOptions(timeZone: try LocalTimeZone(named: "UTC"))
    options.database = DatabaseName(project: "p", database: "target")
    options.idColumn = "k"
  }

  /// Reads a table of one column beside that of the ids.
  private func read(
    _ cells: [String],
    heading: String = "x",
    _ options: TableOptions? = nil
  ) throws -> (guess: ColumnGuess?, values: [Value?]) {
    let options = options ?? self.options
    let rows = cells.enumerated().map {
      "d\($0);\"\($1.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\""))\"\n"
    }
    let name = options.idColumn ?? "__name__"
    let path = try folder.write("\(name);\(heading)\n\(rows.joined())".utf8, to: "own.csv")
    let collection = CollectionPath(nil, "things")
    let source = try #require(try ImportSource.resolve([path], collection: collection, schema: .none).first)
    let plan = try #require(
      try TableSurvey.plan(of: source, collection: collection, options: options) { _, _ in }
    )
    let input = try TableInput(source, plan: plan, options: options, stage: 0)
    var values: [Value?] = []
    while let row = try input.next() {
      let field = row.document?.fields.entries.first { $0.name != "k" }
      values.append(row.faults.isEmpty ? field?.value : nil)
    }
    return (plan.guesses.first, values)
  }

  // MARK: Types

  @Test("An array of numbers is a vector where the schema says so.")
  func vectors() throws {
    var options = options
    options.schema = try SchemaReader.schema(
      parsing: "schema: s\ncollections:\n  things:\n    fields: { x: vector, y: [vector, array] }\n",
      path: "s.yaml"
    )
    let cells = ["[0.5,1,-2]", "[]", #"[1,"a"]"#, "[9007199254740993]"]
    let arrays: [Value] = [
      .array([]), .array([.integer(1), .string("a")]), .array([.integer(9_007_199_254_740_993)]),
    ]
    let vector = Value.array([.double(0.5), .double(1), .double(-2)])
    #expect(
      try read(cells, options).values == [.map(["__type__": .string("__vector__"), "value": vector])] + arrays
    )
    let other = Value.array([.double(0.5), .integer(1), .integer(-2)])
    #expect(try read(cells, heading: "y", options).values == [other] + arrays)
  }

  @Test(
    arguments: [
      (["1", "-2", "0"], .integer), (["9007199254740992"], .integer), (["9007199254740993"], .string),
      (["1", "2.5"], .double), (["1.5e3", "NaN", "1e-7", "2"], .double), (["1E5", "2.5e3"], .double),
      (["1E5", "12E4"], .double), (["1E5", "7"], .string), (["12E4", "A1"], .string),
      (["1E5", "2.5"], .string),
      (["true", "FALSE"], .boolean), (["true", "sí"], .string), (["sí", "no"], .string),
      (["verdadero", "falso"], .string), (["VERDADERO"], .string), (["1", "true"], .string),
      (["yes"], .string),
      (["2026-12-31", "2026-12-31T18:30:00Z"], .timestamp), (["[1]", "[]"], .array),
      (["[1]", "[VIP]"], .string),
      (["007"], .string), (["1,200"], .string), (["16%"], .string), (["$5"], .string), (["499,00"], .string),
      (["+5"], .string), (["-0"], .string), (["-"], .string), ([" 7 ", "\t8"], .integer),
      (["1", "null", ""], .integer), (["", "null"], .any), ([#"{"a":1}"#], .string),
      ([#"{"integerValue":"7"}"#], .any), ([#"{"integerValue":"7"}"#, "a"], .string),
    ] as [([String], Column.ValueType)]
  )
  func types(cells: [String], expected: Column.ValueType) throws {
    #expect(try read(cells).guess?.type == expected, "\(cells)")
  }

  @Test(
    "Dates of a sheet beside texts with a day over 12 may have day and month swapped, unless one has such a day.",
    .enabled(if: Judge.hasPython),
    arguments: [
      // 1 February, 3 April and 15 April 2026 as a sheet has them.
      (["46054", "01/15/2026", "46115", "01/25/2026"], 2), (["46054", "15/01/2026"], 1),
      (["46054", "15/01/2026", "46127"], 0), (["46054", "15/01/2026", "01/02/2026"], 0),
      (["46054", "01/15/2026", "46127"], 0), (["46054", "01/15/2026", "01/02/2026"], 0),
      (["46054", "46115"], 0), (["01/15/2026", "01/25/2026"], 0), (["46054", "a/b"], 0),
    ] as [([String], Int)]
  )
  func swappedDates(_ cells: [String], _ expected: Int) throws {
    #expect(try sheet(cells, under: "x").plan.guesses.first?.swappedDates == expected)
    // Under a type, the day comes first.
    let isRead = !cells.contains { $0.hasPrefix("01/15") || $0.hasPrefix("01/25") || $0 == "a/b" }
    guard isRead else { return }
    let typed = try sheet(cells, under: "x:timestamp")
    let input = try TableInput(typed.source, plan: typed.plan, options: options, stage: 0)
    while let row = try input.next() { #expect(row.faults.isEmpty) }
    #expect(input.warnings.contains { $0.contains("swapped day and month") } == (expected > 0))
  }

  /// A sheet with a column of dates, as numbers, and texts, which have a slash.
  private func sheet(
    _ cells: [String],
    under heading: String
  ) throws -> (source: ImportSource, plan: TablePlan) {
    func text(_ text: String) -> String { "<c t=\"inlineStr\"><is><t>\(text)</t></is></c>" }
    var book = HandMadeWorkbook()
    book.formats = ["14"]
    let rows = cells.enumerated().map { index, cell in
      "<row>\(text("d\(index)"))\(cell.contains("/") ? text(cell) : "<c s=\"1\"><v>\(cell)</v></c>")</row>"
    }
    book.rows = "<row>\(text("k"))\(text(heading))</row>\(rows.joined())"
    let collection = CollectionPath(nil, "things")
    let path = try book.write(to: folder)
    let source = try #require(try ImportSource.resolve([path], collection: collection, schema: .none).first)
    let plan = try TableSurvey.plan(of: source, collection: collection, options: options) { _, _ in }
    return (source, try #require(plan))
  }

  @Test("What is said of the numbers of a sheet", .enabled(if: Judge.hasPython))
  func numbersOfSheets() throws {
    func text(_ text: String) -> String { "<c t=\"inlineStr\"><is><t>\(text)</t></is></c>" }
    func input(_ cells: [String], _ headings: [String], _ options: TableOptions) throws -> TableInput {
      var book = HandMadeWorkbook()
      let rows = cells.enumerated().map { "<row>\(text("d\($0)"))\($1)</row>" }
      book.rows = "<row>\(headings.map(text).joined())</row>\(rows.joined())"
      let collection = CollectionPath(nil, "things")
      let path = try book.write(to: folder)
      let source = try #require(try ImportSource.resolve([path], collection: collection, schema: .none).first)
      let plan = try #require(
        try TableSurvey.plan(of: source, collection: collection, options: options) { _, _ in }
      )
      let input = try TableInput(source, plan: plan, options: options, stage: 0)
      while let row = try input.next() { #expect(row.faults.isEmpty) }
      return input
    }
    for (cells, isSaid) in [
      ([text("1.200"), text("1.000")], true), (["<c><v>1.2</v></c>", "<c><v>1.125</v></c>"], false),
    ] {
      for type in ["double", "number"] {
        let warnings = try input(cells, ["k", "x:\(type)"], options).warnings
        #expect(warnings.contains { $0.contains("each point has three digits") } == isSaid, "\(warnings)")
      }
    }
    var exported = options
    exported.idColumn = nil
    for count in [9, 10] {
      let cells = Array(repeating: "<c><v>1.5</v></c>", count: count) + ["<c><v>50</v></c>"]
      let notices = try input(cells, ["__name__", "x"], exported).notices
      let said = "a whole number in 1 cell beside 10 doubles, the first in row 12; --types 'x=double'"
      #expect(notices.contains { $0.contains(said) } == (count == 10), "\(notices)")
    }
  }

  @Test(
    "Dates with a year of two digits are text, and that the century is not known is said.",
    arguments: [
      (["01/02/26", "31/12/25 18:30"], true), (["12/31/26"], true), (["26-12-31"], true),
      (["1.2.26", ""], true), (["01/02/26", "01/02/2026", "?"], false), (["01/02/26", "soon"], false),
      (["45/13/99"], false), (["1/2/3"], false), (["01/02-26"], false), (["01/02/2026"], false),
    ]
  )
  func shortYears(_ cells: [String], _ isSaid: Bool) throws {
    let guess = try #require(try read(cells).guess)
    #expect(guess.type == .string, "\(cells)")
    #expect(ColumnReport.description(guess).contains("century") == isSaid, "\(cells)")
  }

  @Test(
    "That points of whole numbers were taken for those between thousands is said.",
    arguments: [
      (["41.387", "2.154"], true), (["7", "1.200"], true), (["7", "41387"], false),
      (["1,5", "1.200"], false),
    ]
  )
  func points(_ cells: [String], _ isSaid: Bool) throws {
    var options = options
    options.usesDecimalComma = true
    let guess = try #require(try read(cells, options).guess)
    #expect(guess.type == (cells.contains("1,5") ? .double : .integer), "\(cells)")
    #expect(ColumnReport.description(guess).contains("between thousands") == isSaid, "\(cells)")
  }

  @Test(
    "Day and month are never guessed from each other.",
    arguments: [
      (["01/02/2026", "03-04-2026"], .string, nil), (["05/05/2026"], .string, nil),
      (["01/02/2026", "13/02/2026"], .timestamp, .dayFirst),
      (["01/02/2026", "02/13/2026 18:30"], .timestamp, .monthFirst),
      (["13/02/2026", "02/13/2026"], .string, nil), (["2026-12-31", "01/02/2026"], .string, nil),
      (["2026-12-31", "13/02/2026", "01/02/2026 6:30 p. m."], .timestamp, .dayFirst),
    ] as [([String], Column.ValueType, DateOrder?)]
  )
  func dates(cells: [String], expected: Column.ValueType, order: DateOrder?) throws {
    let guess = try #require(try read(cells).guess)
    #expect(guess.type == expected && guess.dateOrder == order, "\(cells)")
  }

  @Test func datesAreReadInTheirOrder() throws {
    #expect(
      try read(["01/02/2026", "02/13/2026"]).values[0]
        == .timestamp(#require(Timestamp("2026-01-02T00:00:00Z")))
    )
    #expect(
      try read(["01/02/2026", "13/02/2026"]).values[0]
        == .timestamp(#require(Timestamp("2026-02-01T00:00:00Z")))
    )
    var options = options
    options.dateOrder = .monthFirst
    #expect(
      try read(["01/02/2026"], options).values == [.timestamp(#require(Timestamp("2026-01-02T00:00:00Z")))]
    )
    #expect(try read(["13/02/2026"], options).values == [.string("13/02/2026")])
    // Under a type, the day comes first unless somebody says otherwise.
    #expect(
      try read(["01/02/2026"], heading: "x:date", options).values == [
        .timestamp(#require(Timestamp("2026-01-02T00:00:00Z")))
      ]
    )
    #expect(
      try read(["01/02/2026"], heading: "x:date").values == [
        .timestamp(#require(Timestamp("2026-02-01T00:00:00Z")))
      ]
    )
    #expect(
      try read(["01/02/2026"], heading: "x:MM-dd-yyyy").values == [
        .timestamp(#require(Timestamp("2026-01-02T00:00:00Z")))
      ]
    )
    options.dateOrder = .yearFirst
    #expect(try read(["01/02/2026", "2026-12-31"], heading: "x:date", options).values[0] == nil)
  }

  @Test(
    "Where more than nine tenths agree on a type that the rest is not, people decide.",
    arguments: [
      ("1", "-", 1, 10, true), ("1", "-", 1, 9, false), ("2.5", "N/A", 1, 10, true),
      ("1", "499,00", 2, 18, false),
      ("1", "499,00", 2, 19, true), ("true", "sí", 1, 10, true), ("13/02/2026", "02/13/2026", 1, 10, true),
      ("01/02/2026", "-", 1, 10, false), ("Ana", "7", 1, 10, false), ("1", "1E5", 1, 10, true),
      (#"{"referenceValue":"projects/p/databases/d/documents/a/b"}"#, "?", 1, 10, true),
    ]
  )
  func stops(most: String, other: String, others: Int, count: Int, stops: Bool) throws {
    let cells = Array(repeating: most, count: count) + Array(repeating: other, count: others)
    let guess = try #require(try read(cells).guess)
    #expect(guess.stops == stops && guess.type == .string)
    if stops { #expect(guess.rows == (0..<others).map { count + 2 + $0 } && guess.value == other) }
  }

  @Test func reportNamesCellsWithoutTheirValues() throws {
    let guess = try #require(try read(["1", "2", "SECRET", "3", "x"]).guess)
    #expect(
      ColumnReport.description(guess)
        == "text; 3 of 5 cells say integer, and row 4 is the first that does not"
    )
    #expect(guess.value == "SECRET")
    #expect(
      try read(["a", "1", "b", "c", "2"]).guess.map { ColumnReport.description($0) }
        == "text; 3 of 5 cells say text, and row 3 is the first that does not; the texts are in row 2, 4, 5"
    )
    #expect(
      try read(["Ana", "7"], heading: "telefono").guess.map { ColumnReport.description($0) }
        == "text, by its name"
    )
    #expect(
      try read(["01/02/2026"]).guess.map { ColumnReport.description($0) }?.contains("--date-format") == true
    )
    #expect(
      try read([#"{"a":1}"#]).guess.map { ColumnReport.description($0) }?.contains("JSON objects") == true
    )
  }

  // MARK: Options

  @Test(
    arguments: [
      ("499,00", .double(499)), ("1.234,56", .double(1234.56)), ("1.234", .integer(1234)),
      ("-1.234.567", .integer(-1_234_567)),
      ("1234,5", .double(1234.5)), ("0,5", .double(0.5)), ("10.5", .string("10.5")),
      ("1.23", .string("1.23")),
      ("1,2,3", .string("1,2,3")), ("0.123", .string("0.123")), ("12.34.567", .string("12.34.567")),
      ("7", .integer(7)),
      ("1.5,0", .string("1.5,0")), (".123", .string(".123")), ("1,5.000", .string("1,5.000")),
    ] as [(String, Value)]
  )
  func decimalComma(cell: String, expected: Value) throws {
    var options = options
    options.usesDecimalComma = true
    #expect(try read([cell], options).values == [expected])
    let typed = try read([cell], heading: "x:double", options).values[0]
    switch expected {
    case .string: #expect(typed == nil)
    case .integer(let number): #expect(typed == .double(Double(number)))
    default: #expect(typed == expected)
    }
  }

  @Test func typesByHeading() throws {
    var options = options
    options.types = try #require(HeadingOption<ColumnType>.list(parsing: "x=double,k=text"))
    #expect(try read(["7"], options).values == [.double(7)])
    #expect(try read(["7"], heading: "x:integer", options).values == [.double(7)])
    #expect(try read(["7"], options).guess == nil)
    #expect(
      HeadingOption<ColumnType>.list(parsing: "a,b=c=int,d=dd/MM/yyyy")?.map(\.heading) == ["a,b=c", "d"]
    )
    for text in ["a=int,b", "a=decimal"] { #expect(HeadingOption<ColumnType>.list(parsing: text) == nil) }
  }

  // MARK: References and geo points

  private let reference = Value.reference("projects/p/databases/target/documents/cars/c1")

  @Test func typedAddresses() throws {
    #expect(try read(["cars/c1", "/cars/c1"], heading: "x:reference").values == [reference, reference])
    let full = "projects/q/databases/d/documents/cars/c1"
    #expect(try read([full], heading: "x:reference").values == [.reference(full)])
    #expect(try read(["cars", "cars//c1", "7"], heading: "x:reference").values == [nil, nil, nil])
    let point = Value.geoPoint(GeoPoint(latitude: 19.4326, longitude: -99.1332))
    #expect(
      try read(["19.4326, -99.1332", "19.4326,-99.1332"], heading: "x:point").values == [point, point]
    )
    let zero = Value.geoPoint(GeoPoint(latitude: 51.5, longitude: -0.0))
    #expect(try read(["51.5, -0", "51.5, -0.0"], heading: "x:point").values == [zero, zero])
    #expect(try read(["91, 0", "1", "1,2,3"], heading: "x:geopoint").values == [nil, nil, nil])
    #expect(try read(["AQI=", "?"], heading: "x:bytes").values == [.bytes([1, 2]), nil])
  }

  /// A text beside references is one that somebody typed; texts that read so are written as REST JSON.
  @Test(arguments: ["k", nil]) func cellsKeepTheTypeOfTheOthers(idColumn: String?) throws {
    var options = options
    options.idColumn = idColumn
    let rest = #"{"referenceValue":"projects/p/databases/d/documents/cars/c2"}"#
    #expect(try read(["cars/c1", rest], options).values[0] == reference)
    #expect(try read(["cars/c1"], options).values == [.string("cars/c1")])
    let point = #"{"geoPointValue":{"latitude":1,"longitude":2}}"#
    #expect(
      try read([point, "3, 4.5"], options).values[1] == .geoPoint(GeoPoint(latitude: 3, longitude: 4.5))
    )
    #expect(try read([point, "cars/c1"], options).values[1] == .string("cars/c1"))
  }

  @Test func textsThatReadAsAddressesAreMarked() throws {
    var text = try CellText()
    for (string, isPlain) in [
      ("cars/c1", false), ("1.5, 2", false), ("sí y/o no", true), ("https://a.b/c", true), ("1E5", true),
    ] {
      var out: [UInt8] = []
      text.append(.string(string), as: .any, to: &out)
      #expect(out.elementsEqual(string.utf8) == isPlain, "\(string)")
    }
  }
}
