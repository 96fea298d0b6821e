import FirestoreModels
import Foundation
import RunSupport
import TestSupport
import Testing

@testable import GymServices

@Suite("Files of members")
struct GroupMemberFileTests {
  private static let header = "groupId,userId,displayName,photoURL,role"

  private func count(_ text: String, _ name: String) async throws -> Int {
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent(name)
      try Data(text.utf8).write(to: file)
      return try GroupMemberFile.operations(in: file.path) { _ in }.count
    }
  }

  @Test(
    "A cell without a heading is refused, also an empty one that an unquoted comma has left over.",
    arguments: [
      ("g,u1,López, Ana,,admin", "row 2, column 6: expected nothing: the row has 6 cells, and the header 5"),
      (
        "g,u1,,,\ng,u2,López, Ana,,",
        "row 3, column 6: expected no cell, also no empty one: the row has 6 cells, and the header 5"
      ),
    ],
    [",", ";", "\t"]
  )
  func surplus(_ file: (rows: String, cause: String), delimiter: String) async throws {
    let text = "\(Self.header)\n\(file.rows)\n".replacing(",", with: delimiter)
    let name = delimiter == "\t" ? "m.tsv" : "m.csv"
    let failure = await #expect(throws: Failure.self) { try await count(text, name) }
    #expect(failure?.kind == .inputMalformed)
    #expect(failure?.cause.hasPrefix(file.cause) == true, "\(failure?.cause ?? "")")
  }

  @Test(
    "A value under a blank heading is refused.",
    arguments: ["groupId,userId,,role", "groupId,userId, ,role"]
  )
  func blankHeading(_ header: String) async throws {
    #expect(try await count("\(header)\ng,u1,,admin\n", "m.csv") == 1)
    let failure = await #expect(throws: Failure.self) {
      try await count("\(header)\ng,u1,x,admin\n", "m.csv")
    }
    #expect(failure?.cause == "row 2, column 3: expected nothing: the column has no heading")
  }

  @Test("All rows may end in delimiters if the first does.")
  func trailing() async throws {
    #expect(try await count("\(Self.header)\ng,u1,,,,,\ng,u2,,,,\ng,u3,,,\n", "m.csv") == 3)
  }

  /// A workbook by Python's zipfile; in a sheet, only a value is too much.
  @Test(arguments: [("", nil), ("x", "row 2, column 3: expected nothing: the column has no heading")])
  func sheet(_ cell: String, _ cause: String?) async throws {
    let script = """
      import sys, zipfile
      main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
      office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
      package = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
      rows = [["groupId", "userId"], ["g", "u1", sys.argv[2]]]
      cell = lambda text: f'<c t="inlineStr"><is><t>{text}</t></is></c>' if text else "<c/>"
      cells = lambda row: "".join(map(cell, row))
      sheet = "".join(f"<row>{cells(row)}</row>" for row in rows)
      with zipfile.ZipFile(sys.argv[1], "w") as file:
          def part(name, text): file.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + text)
          def links(name, kind, target):
              link = f'<Relationship Id="r1" Type="{office}/{kind}" Target="{target}"/>'
              part(name, f"<Relationships {package}>{link}</Relationships>")
          links("_rels/.rels", "officeDocument", "xl/workbook.xml")
          links("xl/_rels/workbook.xml.rels", "worksheet", "worksheets/sheet1.xml")
          names = '<sheets><sheet name="m" sheetId="1" r:id="r1"/></sheets>'
          part("xl/workbook.xml", f'<workbook {main} xmlns:r="{office}">{names}</workbook>')
          part("xl/worksheets/sheet1.xml", f"<worksheet {main}><sheetData>{sheet}</sheetData></worksheet>")
      """
    try await withTemporaryDirectory { folder in
      let path = folder.appendingPathComponent("m.xlsx").path
      let python = try await BinaryRunner(executable: "/usr/bin/env").run([
        "python3", "-c", script, path, cell,
      ])
      try #require(python.exitCode == 0, "\(python.errors)")
      guard let cause else {
        return #expect(try GroupMemberFile.operations(in: path) { _ in }.count == 1)
      }
      let failure = #expect(throws: Failure.self) { try GroupMemberFile.operations(in: path) { _ in } }
      #expect(failure?.cause == cause)
    }
  }
}
