package import Schema

/// Writes lines of CSV (RFC 4180) cell by cell, with the quotes and guards against spreadsheets that every table and list
/// has.
///
///     let list = LineList(path, header: CSVLineWriter.byteOrderMark + CSVLineWriter.list.bytes(["document", "code"]))
///     try list.append(CSVLineWriter.list.bytes(["users/u1", "wrong-type"]))
package struct CSVLineWriter: Sendable {
  package enum Quoting: Sendable {
    /// Every cell is quoted.
    case always
    /// Only cells that contain a delimiter, a quote or a line break, or begin or end with a space, are quoted.
    case whereNeeded
  }

  /// The byte order mark, by which a spreadsheet recognizes UTF-8.
  package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The writer of lists that people open in a spreadsheet.
  package static let list = CSVLineWriter(quoting: .always, guardsFormulas: true)

  let delimiter: UInt8
  private let quoting: Quoting
  /// Whether an apostrophe precedes cells that a spreadsheet would evaluate as formulas.
  let guardsFormulas: Bool

  package init(
    delimiter: CSVDelimiter = .comma,
    quoting: Quoting = .whereNeeded,
    guardsFormulas: Bool = false
  ) {
    self.delimiter = delimiter.byte
    self.quoting = quoting
    self.guardsFormulas = guardsFormulas
  }

  /// Returns one line with its end.
  package func bytes(_ cells: [String]) -> [UInt8] {
    var out: [UInt8] = []
    append(cells, to: &out)
    return out
  }

  /// Appends one line with its end.
  package func append(_ cells: [String], to out: inout [UInt8]) {
    for (index, cell) in cells.enumerated() {
      if index > 0 { out.append(delimiter) }
      cell.withBytes { append($0, to: &out) }
    }
    endLine(&out)
  }

  /// Appends a cell, without a delimiter.
  package func append(_ cell: some Collection<UInt8>, to out: inout [UInt8]) {
    let start = out.count
    if guardsFormulas, CellForm.isFormula(cell) { out.append(UInt8(ascii: "'")) }
    out.append(contentsOf: cell)
    quote(&out, from: start)
  }

  package func endLine(_ out: inout [UInt8]) {
    out.append(0x0D)
    out.append(0x0A)
  }

  /// Quotes the last cell, which begins at `start`, if necessary.
  package func quote(_ out: inout [UInt8], from start: Int) {
    let quote = UInt8(ascii: "\"")
    let (quotes, isNeeded) = out.withUnsafeBufferPointer { needs($0, from: start) }
    if !isNeeded { return }
    var from = out.count - 1
    out.append(contentsOf: repeatElement(quote, count: quotes + 2))
    // From the end, so that each byte is moved once; the last index already has the closing quote.
    var to = out.count - 2
    while from >= start {
      out[to] = out[from]
      to -= 1
      if out[from] == quote {
        out[to] = quote
        to -= 1
      }
      from -= 1
    }
    out[start] = quote
  }

  /// Returns the number of quotes in a cell, and whether the cell must be quoted.
  private func needs(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> (quotes: Int, isNeeded: Bool) {
    let space = UInt8(ascii: " ")
    var isNeeded = quoting == .always
    guard bytes.count > start else { return (0, isNeeded) }
    if bytes[start] == space || bytes[bytes.count - 1] == space { isNeeded = true }
    let raw = UnsafeRawBufferPointer(bytes)
    let first = CSVBytes.firstSpecial(raw, from: start, to: bytes.count, delimiter: delimiter)
    var quotes = 0
    for index in first..<bytes.count {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") {
        quotes += 1
      } else if byte == delimiter || byte == 0x0D || byte == 0x0A {
        isNeeded = true
      }
    }
    return (quotes, isNeeded || quotes > 0)
  }
}
