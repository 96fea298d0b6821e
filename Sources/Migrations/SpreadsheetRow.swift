/// Lines of RFC 4180 that people open in a spreadsheet.
enum SpreadsheetRow {
  /// What tells a spreadsheet that the file is UTF-8; it stands before the first line.
  static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// One line with its end: every cell quoted, and with an apostrophe before what would be a formula or begins with one
  /// already.
  static func bytes(_ cells: [String]) -> [UInt8] {
    let quoted = cells.map { cell in
      let isFormula = cell.utf8.first.map { "'=+-@\t\r".utf8.contains($0) } ?? false
      return "\"\(isFormula ? "'" : "")\(cell.replacing("\"", with: "\"\""))\""
    }
    return Array((quoted.joined(separator: ",") + "\r\n").utf8)
  }
}
