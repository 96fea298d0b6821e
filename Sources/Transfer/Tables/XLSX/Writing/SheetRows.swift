import Files
import FirestoreModels

/// The rows of a sheet, in a ``SpoolFile`` until the sheet's header is known.
struct SheetRows: ~Copyable {
  private var spool: SpoolFile
  private var rows = RowBytes()

  /// - Parameter path: The workbook, for errors; the folder if nil.
  init(in folder: String, for path: String?) throws(Failure) {
    spool = try SpoolFile(in: folder, for: path)
  }

  var count: Int { rows.count }
  var cellCount: Int { rows.cellCount }
  /// The size on disk in bytes.
  var bytes: Int { spool.count }

  // MARK: Writing

  mutating func number(_ number: Double, column: Int, as mark: RowBytes.Mark = .none) {
    rows.number(number, column: column, as: mark)
  }

  /// Adds a text that is valid in XML and within ``SheetText/maximumLength``.
  mutating func text(_ utf8: some Collection<UInt8>, column: Int, isTextLike: Bool = false) {
    rows.text(utf8, column: column, isTextLike: isTextLike)
  }

  /// Adds a cell; `text` is that of a cell of text.
  mutating func cell(_ cell: ShownCell, text: [UInt8], column: Int) {
    switch cell {
    case .number(let number, let mark): rows.number(number, column: column, as: mark)
    case .boolean(let truth): rows.boolean(truth, column: column)
    case .text(let isTextLike): rows.text(text, column: column, isTextLike: isTextLike)
    }
  }

  mutating func endRow() throws(Failure) {
    rows.endRow()
    try spool.append(rows.bytes)
    rows.removeAll()
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

  /// Moves bytes until there are `count`; false if there are not enough.
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
