import FirestoreModels
import Foundation
import Schema
import Testing

@testable import Tables

@Suite("A sheet for people, in a workbook of tables")
struct SummarySheetTests {
  private func workbook(_ folder: ScratchFolder) throws -> XLSXWriter {
    try XLSXWriter(folder.file("out.xlsx"), options: XLSXOptions(timeZone: LocalTimeZone(named: "UTC")))
  }

  private let summary = SummarySheet(
    title: "Numbers",
    sections: [
      .init(
        "By colour",
        headings: ["Colour", "Number"],
        rows: [[.text("red"), .count(7)], [.text("\u{1}blue"), .count(2)]],
        chart: .bars
      ),
      .init("By day", headings: ["Day", "Number"], rows: [], chart: .columns, empty: "none"),
    ]
  )

  @Test("It stands before the tables that are written before it, and no reader takes it for a table.")
  func place() throws {
    let folder = try ScratchFolder()
    let writer = try workbook(folder)
    let place = try writer.summary(named: "Summary")
    // A collection of that name has a sheet of another name.
    let notes = try writer.sheet(for: try #require(CollectionPath("Summary")))
    let path = try #require(DocumentPath("Summary/n1"))
    try notes.append(RawDocument(path: path, fields: ["text": .string("x")]))
    try notes.finish()
    try place.write(summary)
    try writer.finish()
    let package = try XLSXPackage(folder.file("out.xlsx"))
    #expect(package.sheets.map(\.name) == ["Summary", "Summary (2)"])
    #expect(package.sheets.map(\.isSummary) == [true, false])
    #expect(package.sheets.map(\.isHidden) == [false, false])
    var reader = try TableReader(folder.file("out.xlsx"))
    var rows: [[String]] = []
    while try reader.next() { rows.append((0..<reader.row.count).map { reader.row[$0] }) }
    #expect(rows == [["__name__", "text"], ["n1", "x"]])
    var numbers = try TableReader(folder.file("out.xlsx"), sheet: "Summary")
    var shown: [String] = []
    while try numbers.next() {
      shown.append((0..<numbers.row.count).map { numbers.row[$0] }.joined(separator: "|"))
    }
    #expect(
      shown == ["Numbers", "By colour", "Colour|Number", "red|7", "\u{1}blue|2", "By day", "none"]
    )
  }

  @Test("A chart shows the cells of its section, and where there are none there is no chart.")
  func charts() throws {
    let folder = try ScratchFolder()
    let writer = try workbook(folder)
    try writer.summary(named: "Summary").write(summary)
    try writer.finish()
    let book = folder.file("out.xlsx")
    func part(_ name: String) throws -> String? {
      var text: [UInt8] = []
      guard var stream = try ZIPEntry.open(name, in: book) else { return nil }
      while true {
        var piece = [UInt8](repeating: 0, count: 4096)
        let count = try piece.withUnsafeMutableBytes { try stream.read(into: $0) }
        if count == 0 { break }
        text += piece.prefix(count)
      }
      return String(decoding: text, as: UTF8.self)
    }
    let chart = try #require(try part("xl/charts/chart1.xml"))
    // Title, blank row, heading of the section, headings: the rows are the fifth and the sixth.
    #expect(chart.contains("<c:f>Summary!$A$5:$A$6</c:f>") && chart.contains("<c:f>Summary!$B$5:$B$6</c:f>"))
    #expect(try part("xl/charts/chart2.xml") == nil)
  }
}
