// Rows as records of a CSV file, in whose bytes a zero byte follows each cell.

extension CellRow {
  /// Reserves capacity for more bytes.
  ///
  /// It doubles the capacity, as an array does by itself, but beyond 1 MiB reserves that of the longest record at once,
  /// because memory freed along the way stays with the process.
  mutating func reserve(_ more: Int, limit: Int) {
    let wanted = bytes.count + more
    guard wanted > bytes.capacity else { return }
    bytes.reserveCapacity(max(wanted, wanted > 1 << 20 ? limit : min(2 * bytes.capacity, limit)))
  }

  /// Adds a cell with the bytes appended since the last one; `""` is an empty text, while an empty cell may be a missing value.
  mutating func endCell(isQuoted: Bool) {
    let start = cells.last.map { $0.end + 1 } ?? 0
    let kind: Kind = isQuoted ? .text : start == bytes.count ? .missing : .bare
    cells.append(Cell(start: start, end: bytes.count, kind: kind))
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

extension CSVReader {
  /// Reads the next record into `row`, in exchange for its memory; returns false at the end, without a change of the row.
  ///
  /// - Throws: The errors of ``next()``.
  mutating func next(_ row: inout CellRow) throws(Failure) -> Bool {
    guard try next() else { return false }
    swap(&row, &record)
    return true
  }
}
