import Files

/// The rows of a sheet, in a ``SpoolFile`` until the sheet's header is known.
struct SheetRows: ~Copyable {
  private var spool: SpoolFile
  /// The current row.
  var row = RowBytes()

  /// - Parameter path: The workbook, for errors; the folder if nil.
  init(in folder: String, for path: String?) throws(Failure) {
    spool = try SpoolFile(in: folder, for: path)
  }

  var count: Int { row.count }
  var cellCount: Int { row.cellCount }
  /// The size on disk in bytes.
  var bytes: Int { spool.count }

  // MARK: Writing

  mutating func endRow() throws(Failure) {
    row.endRow()
    try spool.append(row.bytes)
    row.removeAll()
  }

  // MARK: Reading

  /// Calls `body` with each row, a sequence of columns and cells.
  mutating func read(_ body: (RowBytes.Row) throws(Failure) -> Void) throws(Failure) {
    // Assembles a row that spans two pieces.
    var carry: [UInt8] = []
    try spool.read { piece throws(Failure) in
      var rest = piece
      if !carry.isEmpty {
        // First the length, if it was split, then the remainder of the row.
        if !Self.fill(&carry, to: 4, from: &rest) { return }
        let length = carry.withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
        if !Self.fill(&carry, to: 4 + length, from: &rest) { return }
        try carry.withUnsafeBufferPointer { bytes throws(Failure) in
          try body(RowBytes.Row(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[4...])))
        }
        carry.removeAll(keepingCapacity: true)
      }
      while rest.count >= 4 {
        let length = Int(rest.loadUnaligned(as: UInt32.self))
        if rest.count < 4 + length { break }
        try body(RowBytes.Row(bytes: UnsafeRawBufferPointer(rebasing: rest[4..<(4 + length)])))
        rest = UnsafeRawBufferPointer(rebasing: rest[(4 + length)...])
      }
      carry.append(contentsOf: rest)
    }
  }

  /// Moves bytes until there are `count`; returns false if there are not enough.
  private static func fill(
    _ carry: inout [UInt8],
    to count: Int,
    from rest: inout UnsafeRawBufferPointer
  ) -> Bool {
    let taken = max(0, min(count - carry.count, rest.count))
    carry.append(contentsOf: rest[..<taken])
    rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
    return carry.count >= count
  }
}
