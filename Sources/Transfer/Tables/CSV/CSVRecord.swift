/// A record of a CSV file: its cells as bytes, without quotes.
///
/// The value is reused for each record, so that a long file needs only the memory of its longest record.
package struct CSVRecord: Sendable {
  struct Cell {
    var start: Int
    var end: Int
    var isQuoted: Bool
  }

  /// The number of its first line, from 1, counting line breaks in quotes.
  package internal(set) var line = 0
  /// The row in which a spreadsheet shows it, from 1, not counting line breaks in quotes.
  package internal(set) var row = 0
  /// The bytes of all cells, each followed by a zero byte.
  var bytes: [UInt8] = []
  var cells: [Cell] = []

  package var count: Int { cells.count }

  /// The text of a cell, from 0; empty beyond the last one.
  package subscript(index: Int) -> String {
    guard cells.indices.contains(index) else { return "" }
    return String(decoding: bytes[cells[index].start..<cells[index].end], as: UTF8.self)
  }

  /// Whether a cell is quoted: `""` is an empty text, while an empty cell may be a missing value.
  package func isQuoted(_ index: Int) -> Bool { cells.indices.contains(index) && cells[index].isQuoted }

  package var texts: [String] { cells.indices.map { self[$0] } }

  // MARK: Filling

  mutating func begin(line: Int, row: Int) {
    (self.line, self.row) = (line, row)
    bytes.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
  }

  /// Reserves capacity for more bytes.
  ///
  /// It doubles the capacity, as an array does by itself, but beyond 1 MiB reserves that of the longest record at once,
  /// because memory freed along the way stays with the process.
  mutating func reserve(_ more: Int, limit: Int) {
    let wanted = bytes.count + more
    guard wanted > bytes.capacity else { return }
    bytes.reserveCapacity(max(wanted, wanted > 1 << 20 ? limit : min(2 * bytes.capacity, limit)))
  }

  /// The start of the current cell.
  var open: Int { cells.last.map { $0.end + 1 } ?? 0 }

  mutating func endCell(isQuoted: Bool) {
    cells.append(Cell(start: open, end: bytes.count, isQuoted: isQuoted))
    bytes.append(0)
  }

  /// The number of the first cell with invalid UTF-8, from 1; nil if there is none.
  var firstInvalidCell: Int? {
    let isASCII = bytes.withUnsafeBytes { bytes in
      var high: UInt64 = 0
      var index = 0
      while index + 8 <= bytes.count {
        high |= bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        index += 8
      }
      while index < bytes.count {
        high |= UInt64(bytes[index])
        index += 1
      }
      return high & 0x8080_8080_8080_8080 == 0
    }
    if isASCII || String(validating: bytes, as: UTF8.self) != nil { return nil }
    let index = cells.firstIndex { String(validating: bytes[$0.start..<$0.end], as: UTF8.self) == nil }
    return index.map { $0 + 1 }
  }
}
