import FirestoreModels
import Foundation
import Testing

@testable import Tables
@testable import Transfer

@Suite struct ExportOutputTests {
  private func export(
    _ output: ExportOutput,
    _ collections: [String] = ["users", "members"]
  ) throws -> [FileReport] {
    for name in collections {
      let collection = try #require(CollectionPath(name))
      let writer = try output.writer(for: collection)
      try writer.append(contentsOf: [
        RawDocument(path: DocumentPath(collection, "a"), fields: ["id": .string("a")]),
        RawDocument(path: DocumentPath(collection, "b"), fields: [:]),
      ])
      try writer.finish()
    }
    return try output.finish()
  }

  @Test func aFolderHoldsAFileACollection() throws {
    let folder = try ScratchFolder()
    let zone = try LocalTimeZone(named: "UTC")
    let formats: [(ExportFormat, String)] = [
      (.csv(CSVOptions()), "csv"), (.xlsx(XLSXOptions(timeZone: zone)), "xlsx"), (.jsonLines(), "jsonl"),
      (.jsonLines(gzip: true), "jsonl.gz"),
    ]
    for (format, ending) in formats {
      let path = folder.file(ending)
      let output = try ExportOutput(.folder(path), format)
      #expect(!FileManager.default.fileExists(atPath: path))
      let reports = try export(output)
      #expect(reports.map(\.path) == ["\(path)/users.\(ending)", "\(path)/members.\(ending)"])
      #expect(reports.allSatisfy { $0.documents == 2 })
      for report in reports {
        let entry = try #require(report.manifestEntry)
        #expect(entry.bytes == (try contents(report.path).count))
        guard Judge.hasPython else { continue }
        let judged = try Judge.run([
          "-c", "import hashlib,sys; print(hashlib.sha256(open(sys.argv[1],'rb').read()).hexdigest())",
          report.path,
        ])
        #expect(String(decoding: judged, as: UTF8.self) == entry.sha256 + "\n")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 2)
    }
  }

  @Test func aFileHoldsSeveralCollectionsWhereItsFormatCan() throws {
    let folder = try ScratchFolder()
    let zone = try LocalTimeZone(named: "UTC")
    let lines = try export(try ExportOutput(.file(folder.file("all.jsonl")), .jsonLines()))
    #expect(lines.count == 1)
    #expect(lines.first?.documents == 4)
    #expect(lines.first?.collection == nil)
    #expect(try contents(folder.file("all.jsonl")).filter { $0 == UInt8(ascii: "\n") }.count == 4)
    let book = try export(
      try ExportOutput(.file(folder.file("all.xlsx")), .xlsx(XLSXOptions(timeZone: zone)))
    )
    #expect(book.first?.documents == 4)
    let failure = #expect(throws: Failure.self) {
      try export(try ExportOutput(.file(folder.file("all.csv")), .csv(CSVOptions())))
    }
    #expect(failure?.kind == .usage)
    let one = try export(try ExportOutput(.file(folder.file("one.csv")), .csv(CSVOptions())), ["users"])
    #expect(one.first?.collection?.string == "users")
  }
}
