import FirestoreModels
import Foundation
import GymModels
import Schema
import TestSupport
import Testing

@testable import Tables
@testable import Transfer

@Suite(
  "The exact values of a workbook",
  .enabled(
    if: Judge.hasOpenpyxl,
    "openpyxl changes and judges the workbooks; GYMMIGRATE_PYTHON names a Python that has it"
  )
)
struct ExactValueTests {
  private let books: ExactValueFixture

  init() throws { books = try ExactValueFixture() }

  // MARK: Round trips

  /// Values of every type, and those that are hard to keep.
  private func values() throws -> [Value] {
    func moment(_ text: String) throws -> Value { .timestamp(try #require(Timestamp(text))) }
    let doubles: [Double] = [
      0, -0.0, 0.1 + 0.2, 1.1 * 1.1, 100, 499.5, 1e15, 123_456_789_012_345, 1_234_567_890_123_456, 0x1p53,
      0x1p63, 1e22,
      1e308, -1e308, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
      2.2250738585072014e-308,
      1e-300,
      1.7976931348623155e308, .nan, .infinity, -.infinity, 0.123456789012345, 0.1234567890123456, 1 / 3,
    ]
    let integers: [Int64] = [
      0, 1, -1, 7, 5_512_345_678, 999_999_999_999_999, 1_000_000_000_000_001, 1 << 53, (1 << 53) + 1,
      -(1 << 53) - 1,
      .max, .min,
    ]
    let texts = [
      "", " ", "Ana", "5512345678", "0055", "7", "7.5", "-0", "NaN", "true", "FALSE", "sí", "null",
      "[VIP] Ana", "[1]",
      "{}", "{", #"{"integerValue":"7"}"#, #"{"longText":1}"#, "2026-01-31", "2026-01-31T18:00:00Z",
      "9007199254740993",
      "0.30000000000000004", "1e400", "a\r\nb\u{1}", "_x0041_", "#N/A",
    ]
    return try [.null, .boolean(true), .boolean(false)] + doubles.map { .double($0) }
      + integers.map { .integer($0) }
      + texts.map { .string($0) } + [
        try moment("2026-12-31T06:00:00Z"), try moment("2026-12-31T05:59:59.999999Z"),
        try moment("2022-10-30T06:30:00Z"), try moment("2022-10-30T07:30:00Z"),
        try moment("0001-01-01T00:00:00Z"),
        try moment("9999-12-31T23:59:59.999999Z"), try moment("1970-01-01T00:00:00.000000001Z"),
        .bytes([]), .bytes([0, 255, 62]), .reference("projects/p/databases/d/documents/users/u1"),
        .reference("projects/other/databases/d/documents/users/u1"), .reference("nowhere"),
        .geoPoint(GeoPoint(latitude: -0.0, longitude: 99.5)), .array([]),
        .array([.integer(1), .string("a"), .null]),
        .array([
          .map(["price": .double(10), "at": moment("2026-01-01T06:00:00Z")]), .integer(.max), .double(.nan),
        ]),
        .array([.bytes([1]), .reference("projects/p/databases/d/documents/a/b"), .array([])]), .map([:]),
        .map(["__type__": .string("__vector__"), "value": .array([.double(1), .double(.nan)])]),
      ]
  }

  @Test(
    "Numbers come back under every number format of a schema.",
    arguments: [
      "#0", "0;-0;0", "0.0##############", "0.0##############E+00", "0", "0.00", "#,##0.00 €", "00000", "0%",
      "000;(000)", "\"TRUE\";\"TRUE\";\"FALSE\"", "0 \"days\"",
    ]
  )
  func numberFormats(format: String) throws {
    var options = books.options
    options.schema = try SchemaReader.schema(
      parsing: """
        schema: shop
        collections:
          orders:
            fields:
              d: { type: double, number-format: '\(format)' }
              i: { type: integer, number-format: '\(format)' }
              n: { type: [integer, double], number-format: '\(format)' }
        """,
      path: "shop.yaml"
    )
    let documents = [-7, 0, 1, 7].flatMap { number in
      [Value.double(Double(number)), .integer(Int64(number))].map { value in
        books.document("\(number)-\(value.typeName)", ["d": value, "i": value, "n": value])
      }
    }
    let path = try books.export(documents, options: options)
    try books.expectSame(try books.read(path, schema: options.schema).documents, documents, format)
  }

  @Test("Every value comes back from a column of every type, also after another program saved the workbook.")
  func everyValueInEveryColumn() throws {
    var documents: [RawDocument] = []
    for (number, value) in try values().enumerated() {
      documents.append(
        books.document(
          "d\(number)",
          FieldMap(ExactValueFixture.columns.map { FieldMap.Entry(name: $0, value: value) })
        )
      )
    }
    try books.expectSame(try books.read(try books.export(documents)).documents, documents)
    let path = try books.export(documents)
    try books.change(path, "")
    try books.expectSame(try books.read(path).documents, documents, "saved by openpyxl")
  }

  @Test(
    "A time typed over one of microseconds, or below it in its format, is what was typed, also with 15 digits."
  )
  func typedTimes() throws {
    func moment(_ text: String) throws -> Value { .timestamp(try #require(Timestamp(text))) }
    let documents = try (0..<3).map {
      books.document("d\($0)", ["t": try moment("2026-05-01T10:00:0\($0).068123Z")])
    }
    let path = try books.export(documents)
    // As LibreOffice saves 03:04:05 and 08:00:01, and a row that was added.
    try books.change(
      path,
      """
      cell("d0", "t").value = 46024.1278356481
      cell("d1", "t").value = 46353.3333449074
      form = cell("d2", "t").number_format
      for given in "d0", "d1": cell(given, "t").number_format = form
      sheet.cell(5, 1, "d3")
      sheet.cell(5, cell("d0", "t").column, 46024.6388888889).number_format = form
      """
    )
    let expected = ["d0": "2026-01-02T09:04:05Z", "d1": "2026-11-27T14:00:01Z", "d3": "2026-01-02T21:20:00Z"]
    for (id, time) in expected { #expect(try books.field("t", of: id, in: path) == moment(time), "\(id)") }
    #expect(try books.field("t", of: "d2", in: path) == moment("2026-05-01T10:00:02.068123Z"))
  }

  @Test("A collection of a path that no name of a sheet holds comes back into itself.", arguments: [90, 300])
  func longPath(length: Int) throws {
    let collection = try #require(CollectionPath("clinics/\(String(repeating: "c", count: length))/results"))
    let documents = [books.document("d", ["s": .string("x")], in: collection)]
    try books.expectSame(try books.read(try books.export(documents)).documents, documents)
  }

  @Test("A map that was chosen as a field is one cell, and comes back.")
  func chosenFields() throws {
    let path = books.folder.file("book.xlsx")
    let writer = try XLSXWriter(path, options: books.options)
    let sheet = try writer.sheet(for: books.orders, fields: [FieldPath(field: "m"), FieldPath(field: "d")])
    let documents = [
      books.document(
        "d1",
        ["m": .map(["city": .string("Oaxaca"), "n": .integer(7)]), "d": .double(0.1 + 0.2)]
      )
    ]
    try sheet.append(contentsOf: documents)
    try sheet.finish()
    try writer.finish()
    #expect(try books.ask(path, #"column("m")[0].value"#) == #"{"city":"Oaxaca","n":7}"#)
    try books.expectSame(try books.read(path).documents, documents)
  }

  @Test("Random documents come back, in columns of every type.", arguments: [1, 2, 3, 4] as [UInt64])
  func randomDocuments(_ seed: UInt64) throws {
    var random = RandomDocuments(seed: seed)
    var pick = SplitMix64(seed: seed)
    let documents = (0..<1000).map { number in
      var fields = random.fields(levels: 2)
      for name in ExactValueFixture.columns where Bool.random(using: &pick) {
        fields[name] =
          switch Int.random(in: 0..<4, using: &pick) {
          case 0: .double(random.double())
          case 1: .integer(random.integer())
          default: random.value(levels: 2)
          }
      }
      return books.document("d\(number)", fields)
    }
    try books.expectSame(try books.read(try books.export(documents)).documents, documents, "seed \(seed)")
  }

  @Test("Documents that look for trouble come back by the gym's schema.", arguments: [5, 6] as [UInt64])
  func trouble(_ seed: UInt64) throws {
    var trouble = FaultInjector(seed: seed)
    let products = try #require(CollectionPath("products"))
    let documents = (0..<1000).map { books.document("p\($0)", trouble.fields(), in: products) }
    var options = books.options
    options.schema = GymSchema.schema
    let found = try books.read(try books.export(documents, options: options), schema: GymSchema.schema)
    try books.expectSame(found.documents, documents, "seed \(seed)")
  }

  @Test("Exact values that exceed a sheet continue on another, and so do rows.")
  func severalSheets() throws {
    let documents = (0..<11).map {
      books.document("d\($0)", ["phone": .integer(Int64($0)), "d": .double(0.1 + 0.2)])
    }
    let path = try books.export(documents, rowsPerSheet: 4)
    // Three rows a sheet below the header; each document has two exact values.
    let sheets = try books.ask(
      path,
      "[f'{it.title} {it.sheet_state} {it.max_row}' for it in book.worksheets]",
      [String].self
    )
    #expect(
      sheets == ["orders visible 4", "orders (2) visible 4", "orders (3) visible 4", "orders (4) visible 3"]
        + ["_exact hidden 4"] + (2...7).map { "_exact (\($0)) hidden 4" } + ["_exact (8) hidden 2"]
    )
    try books.expectSame(try books.read(path).documents, documents)
  }

  // MARK: What people see

  @Test("A cell shows what a person expects, without the type of its value.")
  func shown() throws {
    let path = try books.export([
      books.document(
        "d1",
        [
          "phone": .integer(5_512_345_678), "s": .integer(7), "i": .double(0.1 + 0.2), "d": .string("12.50"),
          "b": .string("sí"), "t": .string("mañana"), "a": .string("[VIP] Ana"),
          "other": .reference("projects/p/databases/d/documents/users/u1"),
          "place": .geoPoint(GeoPoint(latitude: 19.5, longitude: -99)), "photo": .bytes([0, 1, 2]),
          "list": .array([
            .map(["price": .double(10)]), .timestamp(try #require(Timestamp("2026-01-01T06:00:00Z"))),
          ]),
        ]
      ),
      books.document(
        "d2",
        ["s": .timestamp(try #require(Timestamp("2026-01-01T06:00:00Z"))), "i": .boolean(true)]
      ),
    ])
    func text(_ field: String) throws -> String? { try books.ask(path, "str(column('\(field)')[0].value)") }
    #expect(try books.ask(path, "column('phone')[0].value") == "5512345678")
    #expect(
      try books.ask(path, "[column('phone')[0].data_type, column('phone')[0].number_format]") == ["s", "@"]
    )
    #expect(try books.ask(path, "column('s')[0].value") == 7)
    #expect(try books.ask(path, "column('i')[0].value") == 0.3)
    #expect(try books.ask(path, "column('d')[0].value") == "12.50")
    #expect(try text("b") == "sí")
    #expect(try text("t") == "mañana")
    #expect(try text("a") == "[VIP] Ana")
    #expect(try text("other") == "users/u1")
    #expect(try text("place") == "19.5, -99")
    #expect(try text("photo") == "AAEC")
    #expect(try text("list") == #"[{"price":10.0},"2026-01-01 00:00:00"]"#)
    #expect(try books.ask(path, "str(column('s')[1].value)") == "2026-01-01 00:00:00")
    #expect(try books.ask(path, "column('i')[1].value") == true)
    #expect(try books.ask(path, "[it.sheet_state for it in book.worksheets]") == ["visible", "hidden"])
  }

  @Test(
    "The sum of a column is that of the documents, whatever numbers they are.",
    arguments: ["d", "i", "s", "other"]
  )
  func sums(_ column: String) throws {
    var random = SplitMix64(seed: 11)
    let values: [Value] = (0..<2000).map { number in
      switch number % 4 {
      case 0: .integer(Int64.random(in: -100_000...100_000, using: &random))
      case 1: .double(Double(Int.random(in: -10_000_000...10_000_000, using: &random)) / 100)
      // What sums and percentages leave behind, of 16 and of 17 digits.
      case 2: .double(Double.random(in: -1000...1000, using: &random))
      default: .double(Double(Int.random(in: 1...9999, using: &random)) / 100 * 1.16 + 0.1)
      }
    }
    let path = try books.export(values.enumerated().map { books.document("d\($0)", [column: $1]) })
    let numbers: [Double] = values.map {
      switch $0 {
      case .integer(let number): Double(number)
      case .double(let number): number
      default: .nan
      }
    }
    // Every document is a number of the sheet, so that none is left out of a sum.
    #expect(try books.ask(path, "[it.data_type for it in column('\(column)')].count('n')") == values.count)
    let sum = try books.ask(path, "math.fsum(it.value for it in column('\(column)'))", Double.self)
    let expected = numbers.reduce(0, +)
    let size = numbers.reduce(0) { $0 + $1.magnitude }
    // A cell has 16 digits of its number; amounts have no more.
    #expect(abs(sum - expected) <= size * 1e-15, "\(sum) and \(expected)")
    let amounts = values.enumerated().filter { $0.offset % 4 < 2 }.map { numbers[$0.offset] }
    let told = try books.ask(
      path,
      "[it.value for n, it in enumerate(column('\(column)')) if n % 4 < 2]",
      [Double].self
    )
    #expect(told == amounts)
  }

  @Test("No workbook has a hidden sheet without need.")
  func noNeed() throws {
    let path = try books.export([
      books.document(
        "d1",
        [
          "s": .string("Ana"), "phone": .string("5512345678"), "i": .integer(7), "d": .double(499.99),
          "b": .boolean(true),
          "t": .timestamp(try #require(Timestamp("2026-01-01T06:00:00.123Z"))),
          "a": .array([.string("x"), .double(1.5)]),
          "other": .double(123_456_789_012_345), "x": .string("7"), "y": .integer(999_999_999_999_999),
          "z": .null,
        ]
      )
    ])
    #expect(try books.ask(path, "book.sheetnames") == ["orders"])
  }
}
