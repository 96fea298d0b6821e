import Foundation

/// A workbook put together by hand, part by part, with Python's zipfile.
struct HandMadeWorkbook {
  struct Part: Encodable {
    var name: String
    var text: String
    var `repeat` = 1
    /// Before the text, once.
    var head = ""
  }

  /// The rows of its one sheet, as XML.
  var rows = ""
  /// What follows the rows.
  var behind = ""
  var sharedStrings: [String]?
  /// Number formats by their style.
  var formats: [String] = []
  var workbookProperties = ""
  var sheets = [("Hoja1", "")]
  /// Before the sheet's first element.
  var prologue = ""

  /// The parts of the workbook.
  var parts: [Part] {
    let xml = #"<?xml version="1.0" encoding="UTF-8" standalone="yes"?>"#
    let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    let relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    let package = "http://schemas.openxmlformats.org/package/2006/relationships"
    var parts = [
      Part(
        name: "_rels/.rels",
        text:
          #"\#(xml)<Relationships xmlns="\#(package)"><Relationship Id="rId1" Type="\#(relations)/officeDocument" Target="xl/workbook.xml"/></Relationships>"#
      )
    ]
    var list = ""
    var links = ""
    for (index, sheet) in sheets.enumerated() {
      list += #"<sheet name="\#(sheet.0)" sheetId="\#(index + 1)" \#(sheet.1) r:id="rId\#(index + 1)"/>"#
      links +=
        #"<Relationship Id="rId\#(index + 1)" Type="\#(relations)/worksheet" Target="worksheets/sheet1.xml"/>"#
    }
    if sharedStrings != nil {
      links +=
        #"<Relationship Id="rId98" Type="\#(relations)/sharedStrings" Target="/xl/sharedStrings.xml"/>"#
    }
    links += #"<Relationship Id="rId99" Type="\#(relations)/styles" Target="styles.xml"/>"#
    parts.append(
      Part(
        name: "xl/workbook.xml",
        text:
          #"\#(xml)<workbook xmlns="\#(main)" xmlns:r="\#(relations)"><workbookPr \#(workbookProperties)/><sheets>\#(list)</sheets></workbook>"#
      )
    )
    parts.append(
      Part(
        name: "xl/_rels/workbook.xml.rels",
        text: #"\#(xml)<Relationships xmlns="\#(package)">\#(links)</Relationships>"#
      )
    )
    var codes = ""
    var styles = #"<xf numFmtId="0"/>"#
    for (index, format) in formats.enumerated() {
      if let id = Int(format), "\(id)" == format {
        styles += #"<xf numFmtId="\#(id)"/>"#
      } else {
        codes += #"<numFmt numFmtId="\#(164 + index)" formatCode="\#(format)"/>"#
        styles += #"<xf numFmtId="\#(164 + index)"/>"#
      }
    }
    parts.append(
      Part(
        name: "xl/styles.xml",
        text:
          #"\#(xml)<styleSheet xmlns="\#(main)"><numFmts>\#(codes)</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>\#(styles)</cellXfs></styleSheet>"#
      )
    )
    if let sharedStrings {
      let items = sharedStrings.map { "<si>\($0)</si>" }.joined()
      parts.append(Part(name: "xl/sharedStrings.xml", text: #"\#(xml)<sst xmlns="\#(main)">\#(items)</sst>"#))
    }
    parts.append(
      Part(
        name: "xl/worksheets/sheet1.xml",
        text:
          #"\#(xml)\#(prologue)<worksheet xmlns="\#(main)"><sheetData>\#(rows)</sheetData>\#(behind)</worksheet>"#
      )
    )
    return parts
  }

  /// Writes the workbook into a folder and returns its path.
  func write(to folder: ScratchFolder, name: String = "book.xlsx") throws -> String {
    try Self.write(parts, to: folder.file(name))
  }

  static func write(_ parts: [Part], to path: String) throws -> String {
    let json = String(decoding: try JSONEncoder().encode(parts), as: UTF8.self)
    try Judge.run([Judge.script("make_zip.py"), path], input: json)
    return path
  }
}
