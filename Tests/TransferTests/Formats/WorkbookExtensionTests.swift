import FirestoreModels
import Foundation
import Testing

@testable import Tables

/// What other programs add to the parts of a workbook is none of its values.
@Suite(.enabled(if: Judge.hasPython, "Python makes the workbooks"))
struct WorkbookExtensionTests {
  private static let ofMain = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
  private static let ofRelations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// A text, a date (1 January 2026 is day 46023) and a number.
  private static var book: HandMadeWorkbook {
    var book = HandMadeWorkbook()
    book.sharedStrings = ["<t>uno</t>"]
    book.formats = ["yyyy-mm-dd"]
    book.rows = #"<row r="1"><c t="s"><v>0</v></c><c s="1"><v>46023</v></c><c><v>5</v></c></row>"#
    return book
  }

  private static let cells = ["text uno", "date 2026-01-01T00:00:00", "number 5"]

  /// Returns the cells of ``book`` after texts of its parts were replaced.
  private func cells(_ changes: [(old: String, new: String)]) throws -> [String] {
    var made = 0
    let parts = Self.book.parts.map { part in
      var part = part
      for change in changes where part.text.contains(change.old) {
        part.text = part.text.replacing(change.old, with: change.new)
        made += 1
      }
      return part
    }
    #expect(made >= changes.count, "a change was not made")
    var reader = try TableReader(HandMadeWorkbook.write(parts, to: folder.file("book.xlsx")))
    var found: [String] = []
    while try reader.next() {
      let row = reader.row
      found += (0..<row.count).map { "\(row.kind($0)) \(row[$0])" }
    }
    return found
  }

  /// An extension and what it precedes.
  @Test(arguments: [
    (
      "<cellXfs>",
      #"<dxfs><dxf><numFmt numFmtId="164" formatCode="0.00"/></dxf></dxfs><cellXfs>"#
    ),
    (
      "</styleSheet>",
      #"<dxfs><dxf><numFmt numFmtId="164" formatCode="0.00"/></dxf></dxfs></styleSheet>"#
    ),
    (
      "</styleSheet>",
      #"<extLst><ext xmlns:x="urn:x"><x:numFmts><x:numFmt numFmtId="164" formatCode="0"/></x:numFmts></ext></extLst></styleSheet>"#
    ),
    ("</cellXfs>", #"</cellXfs><x:cellXfs xmlns:x="urn:x"><x:xf numFmtId="14"/></x:cellXfs>"#),
    ("<cellXfs>", #"<cellXfs><extLst><ext><xf numFmtId="14"/></ext></extLst>"#),
    ("<v>5</v>", #"<v>5</v><extLst><ext><x:v xmlns:x="urn:x">9</x:v></ext></extLst>"#),
    ("<v>5</v>", "<v>5</v><extLst><ext><v>9</v></ext></extLst>"),
    ("<v>5</v>", #"<v>5<x:n xmlns:x="urn:x">9</x:n></v>"#),
    ("<c><v>5</v>", #"<c x:t="s" x:s="1" xmlns:x="urn:x"><v>5</v>"#),
    (
      "<v>5</v>",
      #"<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><mc:Choice Requires="x"><v>9</v></mc:Choice><mc:Fallback><v>5</v></mc:Fallback></mc:AlternateContent>"#
    ),
    ("<t>uno</t>", "<t>uno</t><extLst><ext><t>dos</t></ext></extLst>"),
    ("<t>uno</t>", #"<t>uno</t><x:t xmlns:x="urn:x">dos</x:t>"#),
    (
      "</sheetData>",
      #"</sheetData><extLst><ext><row r="9"><c t="str"><v>z</v></c></row></ext></extLst>"#
    ),
    ("</sheetData>", #"</sheetData><row xmlns="urn:x" r="9"><c t="str"><v>z</v></c></row>"#),
    (
      "</sheetData>",
      #"</sheetData><extLst><ext xmlns:x="urn:x"><x:mergeCells><x:mergeCell ref="A1:B2"/></x:mergeCells></ext></extLst>"#
    ),
    (
      "</workbook>",
      #"<extLst><ext xmlns:x="urn:x"><x:workbookPr date1904="1"/></ext></extLst></workbook>"#
    ),
    (
      "</workbook>",
      #"<extLst><ext xmlns:x="urn:x"><x:sheet name="q" r:id="rId9"/></ext></extLst></workbook>"#
    ),
    (
      "</Relationships>",
      #"<Relationship xmlns="urn:x" Id="rId1" Type="x/worksheet" Target="no.xml"/></Relationships>"#
    ),
  ])
  func extensionsAreNoValues(old: String, new: String) throws {
    #expect(try cells([(old, new)]) == Self.cells)
  }

  @Test("The main namespace may have a prefix, and that of a strict workbook is another one.")
  func namespaces() throws {
    #expect(
      try cells([
        (Self.ofMain, "http://purl.oclc.org/ooxml/spreadsheetml/main"),
        (Self.ofRelations, "http://purl.oclc.org/ooxml/officeDocument/relationships"),
      ]) == Self.cells
    )
    let names = ["sst", "si", "t"]
    let prefixes = names.flatMap { [("<\($0)>", "<x:\($0)>"), ("</\($0)>", "</x:\($0)>")] }
    #expect(
      try cells([("<sst xmlns=", "<x:sst xmlns:x=")] + prefixes.filter { $0.0 != "<sst>" }) == Self.cells
    )
  }
}
