import FirestoreModels
import TestSupport
import Testing

@testable import Tables

/// Rows go to the library as they come: documents of a response without becoming values, and columns that appear late.
@Suite struct SheetPageTests {
  private let books: ExactValueFixture

  init() throws { books = try ExactValueFixture() }

  /// The bytes of a workbook's sheets, in their order.
  private func sheets(_ path: String) throws -> [[UInt8]] {
    var sheets: [[UInt8]] = []
    while var entry = try ZIPEntry.open("xl/worksheets/sheet\(sheets.count + 1).xml", in: path) {
      var bytes: [UInt8] = []
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        let count = try buffer.withUnsafeMutableBytes { try entry.read(into: $0) }
        if count == 0 { break }
        bytes += buffer[..<count]
      }
      sheets.append(bytes)
    }
    return sheets
  }

  private func numbers(ofRowsIn sheet: [UInt8]) -> [Int] {
    String(decoding: sheet, as: UTF8.self).split(separator: "<row r=\"").dropFirst().compactMap {
      Int($0.prefix { $0 != "\"" })
    }
  }

  private func documents(_ count: Int, seed: UInt64) -> [RawDocument] {
    var random = RandomDocuments(seed: seed)
    return (0..<count).map { number in
      var document = random.document()
      document.path = DocumentPath(books.orders, "d\(number)")
      // Often as the schema has it, so that cells of every kind occur.
      if number % 2 == 0 {
        document.fields["s"] = .string(random.text())
        document.fields["phone"] = .string(random.text())
        document.fields["i"] = .integer(random.integer())
        document.fields["d"] = .double(random.double())
      }
      return document
    }
  }

  /// The documents on the tape of a response.
  private func page(_ documents: [RawDocument]) throws -> DocumentPage {
    final class Owner: Sendable {
      nonisolated(unsafe) let parser: JSONParser
      nonisolated(unsafe) let root: JSONCursor
      init(_ json: [UInt8]) throws {
        let parser = JSONParser()
        root = try json.withUnsafeBytes { try parser.parseHolding($0) }
        self.parser = parser
      }
    }
    var json = JSONWriter()
    json.array { list in for document in documents { list.document(document) } }
    let owner = try Owner(json.bytes)
    let decoder = WireDecoder()
    let wire = try owner.root.elements.map { try decoder.wireDocument($0, prefix: nil) }
    return .wire(WirePage(wire, owner: owner) { Failure(.internal, "read", cause: $0.description) })
  }

  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func aSheetIsTheSameFromATape(seed: UInt64) throws {
    let documents = documents(120, seed: seed)
    let path = books.folder.file("tape.xlsx")
    let writer = try XLSXWriter(path, options: books.options, rowsPerSheet: 90)
    let sheet = try writer.sheet(for: books.orders)
    for start in stride(from: 0, to: documents.count, by: 40) {
      try sheet.append(try page(Array(documents[start..<start + 40])))
    }
    try sheet.finish()
    try writer.finish()
    #expect(sheet.documentCount == documents.count)
    let memory = try books.export(documents, rowsPerSheet: 90)
    let passed = try sheets(path)
    #expect(try passed == sheets(memory))
    #expect(passed.prefix(2).map { numbers(ofRowsIn: $0) } == [Array(1...90), Array(1...32)])
  }

  @Test("A column of the last document is in the header of all sheets, and every row is there once.")
  func aLateColumn() throws {
    let text = String(repeating: "x", count: 400)
    var documents = (0..<2000).map {
      books.document("d\($0)", ["s": .string(text), "i": .integer(Int64($0)), "early": .string("e\($0)")])
    }
    documents[1999].fields["late"] = .string("<last>")
    let path = try books.export(documents, rowsPerSheet: 1500)
    let sheets = try sheets(path)
    #expect(sheets.map { numbers(ofRowsIn: $0) } == [Array(1...1500), Array(1...502)])
    for sheet in sheets {
      let xml = String(decoding: sheet, as: UTF8.self)
      let header = try #require(xml.split(separator: "<row r=\"2\"").first)
      #expect(header.contains("<t>early</t>") && header.contains("<t>late</t>"))
      #expect(xml.contains("<dimension ref=\"A1:K\(sheet == sheets[0] ? 1500 : 502)\"/>"))
    }
    let read = try books.read(path)
    #expect(read.faults.isEmpty)
    try books.expectSame(read.documents, documents)
  }

  @Test func aWriterThatIsDroppedLeavesNothing() throws {
    let documents = (0..<3000).map {
      books.document("d\($0)", ["s": .string(String(repeating: "x", count: 300))])
    }
    do {
      let writer = try XLSXWriter(books.folder.file("dropped.xlsx"), options: books.options)
      let sheet = try writer.sheet(for: books.orders)
      try sheet.append(contentsOf: documents)
    }
    #expect(books.folder.names.isEmpty)
  }

  @Test func aFailureOfTheThreadReachesWhoeverWrites() throws {
    let thread = LibraryThread()
    let failure = Failure(.cannotWrite, "write", cause: "it is full")
    try thread.run { () throws(Failure) in throw failure }
    #expect(throws: failure) { try thread.drain() }
    #expect(throws: failure) { try thread.run { () throws(Failure) in Issue.record("it ran") } }
    thread.stop()
  }
}
