import FirestoreModels
import Foundation
import Schema
import Testing

@testable import Tables

@Suite("Links and cells that stand out in a workbook")
struct SheetExtrasTests {
  private static let schema = """
    schema: shop
    collections:
      orders:
        fields:
          customerId: { type: string, reference: customers }
          due: { type: timestamp, highlight: { within-days: 3 } }
          total: { type: double, highlight: { min: 100, max: 200.5 } }
      customers:
        fields:
          name: string
    """

  /// Writes orders of some customers before the customers, and returns the parts of the sheet of orders.
  private func book(
    _ folder: ScratchFolder,
    customers: [String],
    announcing names: [String],
    links: Bool = true
  ) throws -> String {
    var options = XLSXOptions(timeZone: try LocalTimeZone(named: "UTC"))
    options.links = links
    options.schema = try SchemaReader.schema(parsing: Self.schema, path: "shop.yaml")
    let writer = try XLSXWriter(folder.file("out.xlsx"), options: options)
    writer.announce(try names.map { try #require(CollectionPath($0)) })
    let orders = try writer.sheet(for: try #require(CollectionPath("orders")))
    let sheet = try writer.sheet(for: try #require(CollectionPath("customers")))
    for (index, customer) in customers.enumerated() {
      let path = try #require(DocumentPath("orders/o\(index)"))
      try orders.append(RawDocument(path: path, fields: ["customerId": .string(customer)]))
    }
    try sheet.append(
      RawDocument(path: try #require(DocumentPath("customers/c-1")), fields: ["name": .string("Ana")])
    )
    try orders.finish()
    try sheet.finish()
    try writer.finish()
    return try part("xl/worksheets/sheet1.xml", of: folder.file("out.xlsx"))
  }

  private func part(_ name: String, of book: String) throws -> String {
    var text: [UInt8] = []
    guard var stream = try ZIPEntry.open(name, in: book) else { return "" }
    while true {
      var piece = [UInt8](repeating: 0, count: 4096)
      let count = try piece.withUnsafeMutableBytes { try stream.read(into: $0) }
      if count == 0 { return String(decoding: text, as: UTF8.self) }
      text += piece.prefix(count)
    }
  }

  private func ids(_ folder: ScratchFolder) throws -> [String] {
    var reader = try TableReader(folder.file("out.xlsx"), sheet: "orders")
    var ids: [String] = []
    while try reader.next() { ids.append(reader.row[1]) }
    return Array(ids.dropFirst())
  }

  @Test("A reference leads to the row of its document, and is read as the id.")
  func links() throws {
    let folder = try ScratchFolder()
    let xml = try book(folder, customers: ["c-1", "gone", "007"], announcing: ["orders", "customers"])
    for id in ["c-1", "gone", "007"] {
      let formula =
        "IFERROR(HYPERLINK(\"#'customers'!A\"&amp;MATCH(\"\(id)\",'customers'!$A:$A,0),\"\(id)\"),\"\(id)\")"
      #expect(xml.contains("t=\"str\"><f>\(formula)</f><v>\(id)</v>"), "\(xml)")
    }
    #expect(try ids(folder) == ["c-1", "gone", "007"])
  }

  @Test("Without the option, ids are plain text.")
  func noLinks() throws {
    let folder = try ScratchFolder()
    let xml = try book(folder, customers: ["c-1", "007"], announcing: ["orders", "customers"], links: false)
    #expect(!xml.contains("<f>"))
    #expect(try ids(folder) == ["c-1", "007"])
  }

  @Test("The id of every link that is written is read from its formula.")
  func idsInFormulas() throws {
    let schema = try SchemaReader.schema(parsing: Self.schema, path: "shop.yaml")
    let columns = schema.columns(of: try #require(CollectionPath("orders")))
    for name in ["customers", "it's \"1\"", "MATCH(\"a\",", "ñ), \"a\"),\"a\")"] {
      let links = try #require(SheetLinks(SheetExtras(columns), to: [UTF8Key("customers"): name]))
      for id in ["a", "007", "A-b_c.d@e", String(repeating: "z", count: 200)] {
        let formula = try #require(id.withCString { links.formula(for: $0, in: 1) })
        let bytes = formula.dropFirst().dropLast().map { UInt8(bitPattern: $0) }
        #expect(SheetLinks.id(inFormula: bytes[...]).map { String(decoding: $0, as: UTF8.self) } == id)
      }
    }
  }

  @Test("What would mean something in a formula is text, and so is all where the other sheet is not there.")
  func plain() throws {
    let hostile = [
      "a\"b", "a*", "a?", "~a", "=1+1", "a'b", "a b", "á", "a&b", "<a>", "_x0041_",
      String(repeating: "a", count: 201),
    ]
    let folder = try ScratchFolder()
    #expect(!(try book(folder, customers: hostile, announcing: ["orders", "customers"])).contains("<f>"))
    #expect(try ids(folder) == hostile)
    let long = String(repeating: "a", count: 200)
    #expect(try book(try ScratchFolder(), customers: [long], announcing: ["customers"]).contains("<f>"))
    #expect(!(try book(try ScratchFolder(), customers: ["c-1"], announcing: ["orders"])).contains("<f>"))
  }

  @Test("Sheets have the names that were announced, also where others would take them first.")
  func names() throws {
    let folder = try ScratchFolder()
    let options = XLSXOptions(timeZone: try LocalTimeZone(named: "UTC"))
    let writer = try XLSXWriter(folder.file("out.xlsx"), options: options)
    writer.announce([try #require(CollectionPath("b"))])
    for name in ["B", "b", "b"] {
      try writer.sheet(for: try #require(CollectionPath(name))).finish()
    }
    try writer.finish()
    #expect(try XLSXPackage(folder.file("out.xlsx")).sheets.map(\.name) == ["B (2)", "b", "b (3)"])
  }

  @Test("Conditions are about numbers and dates alone, below the header.")
  func highlights() throws {
    let xml = try book(try ScratchFolder(), customers: ["c-1", "c-2"], announcing: [])
    #expect(xml.contains("<conditionalFormatting sqref=\"C2:C3\">"))
    #expect(xml.contains("<formula>AND(ISNUMBER($C2),INT($C2)&gt;=TODAY(),INT($C2)&lt;=TODAY()+3)</formula>"))
    #expect(xml.contains("<conditionalFormatting sqref=\"D2:D3\">"))
    #expect(xml.contains("<formula>AND(ISNUMBER($D2),$D2&gt;=100,$D2&lt;=200.5)</formula>"))
    #expect(!(try book(try ScratchFolder(), customers: [], announcing: [])).contains("conditionalFormatting"))
    let columns = [0: "A", 25: "Z", 26: "AA", 701: "ZZ", 702: "AAA", 16_383: "XFD"]
    for (index, name) in columns { #expect(SheetExtras.name(ofColumn: index) == name) }
  }
}
