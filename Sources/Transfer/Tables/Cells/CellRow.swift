/// One row of a table, of a CSV file or of a sheet: its cells as text, and what the file says of each.
///
/// A value that is filled anew for every row, so that a long file costs no room but that of its longest row.
package struct CellRow: Sendable {
  /// What the file itself says that a cell is.
  package enum Kind: Sendable {
    /// Nothing.
    case missing
    /// Text without quotes in a CSV file, which may be a number, a date or a truth.
    case bare
    /// Text: in quotes, or a sheet's; may be empty.
    case text
    /// A sheet's empty cell in text format, which is how an empty text is exported.
    case blankText
    /// A sheet's number, as its digits.
    case number
    /// A number that export marked as a double or as an integer, against what its column would make of it.
    case double, integer
    /// A sheet's truth, as `true` or `false`.
    case boolean
    /// A sheet's date, as `2026-12-31T18:30:00` without a zone.
    case date
    /// A sheet's time of day, as `18:30` or `18:30:15`.
    case time
    /// An error of the spreadsheet, such as `#N/A`.
    case error
  }

  struct Cell {
    var start: Int
    var end: Int
    var kind: Kind
  }

  /// The number of the row in its sheet, or of the line on which it begins; from 1.
  package internal(set) var number = 0
  var bytes: [UInt8] = []
  var cells: [Cell] = []

  /// The number of cells.
  package var count: Int { cells.count }

  /// What a cell is, counted from 0; missing behind the last.
  package func kind(_ index: Int) -> Kind { cells.indices.contains(index) ? cells[index].kind : .missing }

  /// The text of a cell, counted from 0; empty behind the last.
  package subscript(index: Int) -> String {
    guard cells.indices.contains(index) else { return "" }
    return String(decoding: bytes[cells[index].start..<cells[index].end], as: UTF8.self)
  }

  /// Hands the UTF-8 of a cell to `body`, which must not keep it; nothing behind the last.
  package func withUTF8<Result, Failure>(
    of index: Int,
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard cells.indices.contains(index) else { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
    let cell = cells[index]
    return try bytes.span.withUnsafeBufferPointer { bytes throws(Failure) in
      try body(UnsafeBufferPointer(rebasing: bytes[cell.start..<cell.end]))
    }
  }

  /// The texts of all cells.
  package var texts: [String] { cells.indices.map { self[$0] } }

  /// Whether no cell holds anything.
  package var isEmpty: Bool { cells.allSatisfy { $0.kind == .missing || $0.kind == .blankText } }

  // MARK: Filling

  mutating func begin(number: Int) {
    self.number = number
    bytes.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
  }

  /// Adds a cell of the bytes that were appended since the last one.
  mutating func endCell(_ kind: Kind) {
    cells.append(Cell(start: cells.last?.end ?? 0, end: bytes.count, kind: kind))
  }

  /// Takes the record of a CSV file.
  mutating func take(_ record: borrowing CSVRecord) {
    begin(number: record.line)
    bytes.append(contentsOf: record.bytes)
    for cell in record.cells {
      let kind: Kind = cell.isQuoted ? .text : cell.start == cell.end ? .missing : .bare
      cells.append(Cell(start: cell.start, end: cell.end, kind: kind))
    }
  }
}
