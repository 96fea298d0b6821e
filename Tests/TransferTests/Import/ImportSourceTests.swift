import FirestoreModels
import TestSupport
import Testing

@testable import Files
@testable import Schema
@testable import Tables
@testable import Transfer

@Suite("The sheets of a workbook that an import reads")
struct ImportSourceTests {
  /// Writes a workbook with a document for each collection, and returns the sheets that an import reads.
  private func sheets(of collections: [String], text: String) throws -> [String?] {
    let folder = try ScratchFolder()
    let path = folder.file("book.xlsx")
    let writer = try XLSXWriter(path, options: XLSXOptions(timeZone: try LocalTimeZone(named: "UTC")))
    for name in collections {
      let collection = try #require(CollectionPath(name))
      let sheet = try writer.sheet(for: collection)
      try sheet.append(RawDocument(path: DocumentPath(collection, "d"), fields: ["text": .string(text)]))
      try sheet.finish()
    }
    try writer.finish()
    return try ImportSource.resolve([path], collection: CollectionPath("all"), schema: .none).map(\.sheet)
  }

  @Test("The sheet of long texts is no collection, and one of that name is.")
  func longTexts() throws {
    let names = ["notes", "long texts"]
    #expect(try sheets(of: names, text: "short") == names)
    #expect(try sheets(of: names, text: String(repeating: "x", count: 40_000)) == names)
    #expect(try sheets(of: ["notes"], text: String(repeating: "x", count: 40_000)) == ["notes"])
  }
}
