/// Lines of RFC 4180 that people open in a spreadsheet.
package enum SpreadsheetRow {
  /// The byte order mark, by which a spreadsheet knows that the file is UTF-8.
  package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// One line with its end: every cell quoted, and with an apostrophe before what would be a formula or begins with one
  /// already.
  package static func bytes(_ cells: [String]) -> [UInt8] {
    var out: [UInt8] = []
    append(cells, to: &out)
    return out
  }

  /// Appends ``bytes(_:)``.
  package static func append(_ cells: [String], to out: inout [UInt8]) {
    let quote = UInt8(ascii: "\"")
    for (index, cell) in cells.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out.append(quote)
      if let first = cell.utf8.first, isFormula(first) { out.append(UInt8(ascii: "'")) }
      if cell.utf8.contains(quote) {
        for byte in cell.utf8 {
          if byte == quote { out.append(quote) }
          out.append(byte)
        }
      } else {
        out.append(contentsOf: cell.utf8)
      }
      out.append(quote)
    }
    out += [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
  }

  /// Whether a cell that begins with a byte is given an apostrophe.
  static func isFormula(_ first: UInt8) -> Bool {
    switch first {
    case UInt8(ascii: "'"), UInt8(ascii: "="), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "@"),
      UInt8(ascii: "\t"), UInt8(ascii: "\r"):
      true
    default: false
    }
  }
}
