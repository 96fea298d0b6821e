import Files
import FirestoreModels
import Foundation
import GymModels
import Schema
import Testing

@testable import Tables

/// A workbook as openpyxl sees it.
private struct Sheet: Decodable {
  var name: String
  var freeze: String?
  var filter: String?
  var bold: Bool
  var widths: [String: Double]
  var rows: [[Cell?]]

  struct Cell: Decodable, Equatable {
    var type: String
    var text: String?
    var number: Double?
    var truth: Bool?
    var format: String

    init(from decoder: any Decoder) throws {
      var list = try decoder.unkeyedContainer()
      type = try list.decode(String.self)
      if type == "b" {
        truth = try list.decode(Bool.self)
      } else if type == "n", let value = try list.decodeIfPresent(Double.self) {
        number = value
      } else if type != "n" {
        text = try list.decodeIfPresent(String.self)
      }
      format = try list.decode(String.self)
    }
  }
}

private func documentPath(_ text: String) throws -> DocumentPath { try #require(DocumentPath(text)) }
private func collectionPath(_ text: String) throws -> CollectionPath { try #require(CollectionPath(text)) }
private func moment(_ text: String) throws -> Value { .timestamp(try #require(Timestamp(text))) }

private func sheets(_ path: String) throws -> [Sheet] {
  try JSONDecoder().decode([Sheet].self, from: try Judge.run([Judge.script("read_xlsx.py"), path]))
}

@Suite(.enabled(if: Judge.hasOpenpyxl, "openpyxl is the judge; GYMMIGRATE_PYTHON names a Python that has it"))
struct XLSXWriterTests {
  private let options: XLSXOptions

  init() throws {
    var options = XLSXOptions(timeZone: try LocalTimeZone(named: "America/Mexico_City"))
    options.schema = GymSchema.schema
    self.options = options
  }

  @Test func cellsHaveTheirTypes() throws {
    let folder = try ScratchFolder()
    let writer = try XLSXWriter(folder.file("out.xlsx"), options: options)
    let products = try writer.sheet(for: try collectionPath("products"))
    try products.append(contentsOf: [
      RawDocument(
        path: try documentPath("products/p1"),
        fields: [
          "name": .string("Agua <1 L> & \u{1}_x0041_\r\n\tñ🏋"), "price": .double(10.5), "stock": .integer(7),
          "sku": .string("007"), "isActive": .boolean(true), "createdAt": try moment("2022-07-01T12:00:00Z"),
          "updatedAt": try moment("2026-07-01T12:00:00Z"), "description": .string(""), "imageURL": .null,
          "costPrice": .double(.nan),
        ]
      ),
      RawDocument(
        path: try documentPath("products/p2"),
        fields: [
          "price": .integer(10), "stock": .integer((1 << 53) + 1), "sku": .integer(7),
          "createdAt": try moment("1900-03-01T05:59:59Z"), "updatedAt": try moment("1900-03-01T07:00:00Z"),
          "extra": .string("55"), "isActive": .string("si"),
        ]
      ),
      RawDocument(
        path: try documentPath("products/p3"),
        fields: [
          "createdAt": try moment("9999-12-31T23:59:59Z"), "updatedAt": try moment("0001-01-01T00:00:00Z"),
        ]
      ),
    ])
    try products.finish()
    try writer.finish()
    #expect(folder.names == ["out.xlsx"])
    #expect(writer.receipt?.bytes == (try contents(folder.file("out.xlsx")).count))

    let sheet = try #require(try sheets(folder.file("out.xlsx")).first)
    #expect(sheet.name == "products")
    #expect(sheet.freeze == "A2")
    #expect(sheet.filter == "A1:P4")
    #expect(sheet.bold)
    let header = sheet.rows[0].map { $0?.text ?? "" }
    #expect(header.first == "__name__" && header.last == "extra")
    func cell(_ row: Int, _ name: String) throws -> Sheet.Cell? {
      sheet.rows[row][try #require(header.firstIndex(of: name))]
    }
    // openpyxl leaves the escapes of control characters in place.
    #expect(try cell(1, "name")?.text == "Agua <1 L> & _x0001__x005F_x0041__x000D_\n\tñ🏋")
    #expect(try cell(1, "price")?.number == 10.5)
    #expect(try cell(1, "stock")?.number == 7)
    #expect(try cell(1, "sku")?.text == "007")
    #expect(try cell(1, "sku")?.format == "@")
    #expect(try cell(1, "isActive")?.truth == true)
    #expect(try cell(1, "createdAt")?.text == "2022-07-01T07:00:00")
    #expect(try cell(1, "createdAt")?.type == "d")
    #expect(try cell(1, "updatedAt")?.text == "2026-07-01T06:00:00")
    #expect(try cell(1, "description")?.format == "@")
    #expect(try cell(1, "description")?.text == nil)
    #expect(try cell(1, "imageURL")?.text == "null")
    #expect(try cell(1, "costPrice")?.text == "NaN")
    #expect(try cell(1, "category") == nil)
    #expect(try cell(2, "price")?.number == 10)
    #expect(try cell(2, "stock")?.text == "9007199254740993")
    // What is of another type than its column's is shown without that.
    #expect(try cell(2, "sku")?.text == "7")
    #expect(try cell(2, "sku")?.format == "@")
    #expect(try cell(2, "isActive")?.text == "si")
    #expect(try cell(2, "extra")?.text == "55")
    // The last second before Excel's calendar is right, and the first hour after, in the local time of then.
    #expect(try cell(2, "createdAt")?.type == "s")
    #expect(try cell(2, "updatedAt")?.type == "d")
    #expect(try cell(3, "createdAt")?.text == "9999-12-31T17:59:59")
    #expect(try cell(3, "updatedAt")?.text == "0001-01-01T00:00:00Z")
  }

  @Test("A schema's number formats and widths reach the cells and columns.")
  func formatsOfASchema() throws {
    let folder = try ScratchFolder()
    var options = XLSXOptions(timeZone: try LocalTimeZone(named: "UTC"))
    options.schema = try SchemaReader.schema(
      parsing: """
        schema: shop
        collections:
          products:
            fields:
              name: { type: string, width: 40 }
              price: { type: double, number-format: "#,##0.00 €" }
              stock: { type: integer, number-format: "0000", width: 7.5 }
              weight: double
        """,
      path: "shop.yaml"
    )
    let writer = try XLSXWriter(folder.file("out.xlsx"), options: options)
    let products = try writer.sheet(for: try collectionPath("products"))
    try products.append(contentsOf: [
      RawDocument(
        path: try documentPath("products/p1"),
        fields: [
          "name": .string("Tea"), "price": .double(1234.5), "stock": .integer(7), "weight": .double(0.25),
        ]
      )
    ])
    try products.finish()
    try writer.finish()

    let sheet = try #require(try sheets(folder.file("out.xlsx")).first)
    #expect(sheet.rows[0].map { $0?.text } == ["__name__", "name", "price", "stock", "weight"])
    #expect(sheet.rows[1].map { $0?.format } == ["@", "General", "#,##0.00 €", "0000", "General"])
    #expect(sheet.rows[1].compactMap { $0?.number } == [1234.5, 7, 0.25])
    // A workbook holds the width with the cell's padding of some pixels.
    #expect(try (40..<41).contains(#require(sheet.widths["B"])))
    #expect(try (7.5..<8.5).contains(#require(sheet.widths["D"])))
  }

  @Test func furtherSheetsAndSeveralCollectionsFedInTurns() throws {
    let folder = try ScratchFolder()
    let writer = try XLSXWriter(folder.file("out.xlsx"), options: options, rowsPerSheet: 4)
    let a = try writer.sheet(for: try collectionPath("notes"))
    let b = try writer.sheet(for: try collectionPath("Notes"))
    let empty = try writer.sheet(for: try collectionPath("user_emails"))
    for number in 0..<7 {
      try a.append(
        RawDocument(path: try documentPath("notes/n\(number)"), fields: ["n": .integer(Int64(number))])
      )
      if number < 2 { try b.append(RawDocument(path: try documentPath("Notes/x\(number)"), fields: [:])) }
    }
    try b.finish()
    try a.finish()
    try empty.finish()
    try writer.finish()
    let sheets = try sheets(folder.file("out.xlsx"))
    #expect(sheets.map(\.name) == ["notes", "Notes (2)", "user_emails", "notes (3)", "notes (4)"])
    #expect(sheets.map(\.rows.count) == [4, 3, 1, 4, 2])
    #expect(sheets.allSatisfy { $0.freeze == "A2" && $0.bold })
    #expect(sheets[4].rows[1].map { $0?.text ?? "\($0?.number ?? -1)" } == ["n6", "6.0"])
    #expect(sheets[2].rows[0].map { $0?.text } == ["__name__", "email", "primaryUserId", "createdAt"])
    #expect(sheets[2].filter == "A1:D1")
  }

  @Test func longTextsAreNotCutSilently() throws {
    let folder = try ScratchFolder()
    let writer = try XLSXWriter(folder.file("out.xlsx"), options: options)
    let sheet = try writer.sheet(for: try collectionPath("notes"))
    let fits = String(repeating: "x", count: 32_767)
    let astral = String(repeating: "🏋", count: 16_384)
    let controls = String(repeating: "\u{1}", count: 6000)
    for (index, text) in [fits, fits + "y", astral, controls].enumerated() {
      try sheet.append(RawDocument(path: try documentPath("notes/n\(index)"), fields: ["t": .string(text)]))
    }
    try sheet.finish()
    try writer.finish()
    let read = try sheets(folder.file("out.xlsx"))
    #expect(read.map(\.name) == ["notes", "long texts"])
    let cells = read[0].rows.dropFirst().map { $0[1]?.text ?? "" }
    #expect(cells[0] == fits)
    func mark(_ number: Int, _ shown: String) -> String {
      LongTextMark.text(number: number, parts: 8, shown: shown.utf8) + shown + "…"
    }
    #expect(cells[1] == mark(1, String(repeating: "x", count: 200)))
    #expect(cells[2] == mark(2, String(repeating: "🏋", count: 100)))
    func whole(_ number: Double) -> String {
      read[1].rows.filter { $0[0]?.number == number }.map { $0[5]?.text ?? "" }.joined()
    }
    #expect(whole(1) == fits + "y")
    #expect(whole(2) == astral)
    #expect(whole(3) == String(repeating: "_x0001_", count: 6000))
    #expect(
      read[1].rows[1].prefix(4).map { $0?.text ?? "\($0?.number ?? -1)" } == ["1.0", "notes", "n1", "t"]
    )
  }

  @Test(arguments: [1, 2] as [UInt64])
  func whateverComesIsAWorkbook(seed: UInt64) throws {
    var trouble = FaultInjector(seed: seed)
    let folder = try ScratchFolder()
    let writer = try XLSXWriter(folder.file("out.xlsx"), options: options)
    let sheet = try writer.sheet(for: try collectionPath("products"))
    for number in 0..<200 {
      try sheet.append(RawDocument(path: try documentPath("products/p\(number)"), fields: trouble.fields()))
    }
    try sheet.finish()
    try writer.finish()
    #expect(try sheets(folder.file("out.xlsx"))[0].rows.count == 201, "seed \(seed)")
  }

  @Test func aDroppedWorkbookLeavesNothing() throws {
    let folder = try ScratchFolder()
    do {
      let writer = try XLSXWriter(folder.file("out.xlsx"), options: options)
      let sheet = try writer.sheet(for: try collectionPath("notes"))
      try sheet.append(RawDocument(path: try documentPath("notes/n"), fields: [:]))
      #expect(!folder.names.contains("out.xlsx"))
    }
    #expect(folder.names.isEmpty)
    let blocker = try folder.write("x".utf8, to: "file")
    #expect(throws: Failure.self) { try XLSXWriter("\(blocker)/out.xlsx", options: options) }
  }
}
