/// One record of a CSV file: its cells as bytes, without their quotes.
///
/// A value that is filled anew for every record, so that a long file costs no room but that of its longest record.
package struct CSVRecord: Sendable {
  struct Cell {
    var start: Int
    var end: Int
    var isQuoted: Bool
  }

  /// The line on which it begins, from 1; a line break within quotes counts, too.
  package internal(set) var line = 0
  /// The cells' bytes, with a zero byte behind each.
  var bytes: [UInt8] = []
  var cells: [Cell] = []

  /// The number of cells.
  package var count: Int { cells.count }

  /// The text of a cell, counted from 0; empty behind the last.
  package subscript(index: Int) -> String {
    guard cells.indices.contains(index) else { return "" }
    return String(decoding: bytes[cells[index].start..<cells[index].end], as: UTF8.self)
  }

  /// Whether a cell stands in quotes: `""` is an empty text, where nothing at all may mean that there is none.
  package func isQuoted(_ index: Int) -> Bool { cells.indices.contains(index) && cells[index].isQuoted }

  /// Hands the UTF-8 of a cell to `body`, which must not keep it; nothing behind the last.
  package func withUTF8<Result>(of index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    guard cells.indices.contains(index) else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
    let cell = cells[index]
    return bytes.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[cell.start..<cell.end])) }
  }

  /// The texts of all cells.
  package var texts: [String] { cells.indices.map { self[$0] } }

  // MARK: Filling

  mutating func begin(line: Int) {
    self.line = line
    bytes.removeAll(keepingCapacity: true)
    cells.removeAll(keepingCapacity: true)
  }

  /// Where the cell that is being filled begins.
  var open: Int { cells.last.map { $0.end + 1 } ?? 0 }

  mutating func endCell(isQuoted: Bool) {
    cells.append(Cell(start: open, end: bytes.count, isQuoted: isQuoted))
    bytes.append(0)
  }

  /// The number of the first cell, from 1, that is not UTF-8; nil where all are.
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
    return cells.firstIndex { String(validating: bytes[$0.start..<$0.end], as: UTF8.self) == nil }.map {
      $0 + 1
    }
  }
}
