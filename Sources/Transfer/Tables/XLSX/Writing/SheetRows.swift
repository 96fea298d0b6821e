import Files
import FirestoreModels

/// The rows of a sheet, in a ``SpoolFile`` until the sheet's header is known.
///
/// A row is its length (4 bytes) and its cells. A cell is a column (2 bytes), a kind (1 byte) and the data of
/// that kind. Texts end with NUL, as the library requires.
struct SheetRows: ~Copyable {
  /// A cell that is read back; its text is valid only during the call.
  enum Cell {
    case number(Double, Mark)
    case boolean(Bool)
    case text(UnsafePointer<CChar>)
    /// An ID or a phone number.
    case textLike(UnsafePointer<CChar>)
    case emptyText
  }

  /// The type that a number's format represents.
  enum Mark: UInt8 {
    case none, date, fineDate, double, integer
  }

  private enum Kind: UInt8 {
    case number, boolean, text, textLike, emptyText
  }

  private var spool: SpoolFile
  private var row: [UInt8] = []
  /// The number of rows.
  private(set) var count = 0
  /// The number of cells.
  private(set) var cellCount = 0

  /// - Parameter path: The workbook, for errors; the folder if nil.
  init(in folder: String, for path: String?) throws(Failure) {
    spool = try SpoolFile(in: folder, for: path)
    start()
  }

  /// The size on disk in bytes.
  var bytes: Int { spool.count }

  // MARK: Writing

  mutating func number(_ number: Double, column: Int, as mark: Mark = .none) {
    begin(column, .number)
    row.append(mark.rawValue)
    withUnsafeBytes(of: number.bitPattern) { row.append(contentsOf: $0) }
  }

  mutating func boolean(_ truth: Bool, column: Int) {
    begin(column, .boolean)
    row.append(truth ? 1 : 0)
  }

  /// Adds a text that is valid in XML and within ``SheetText/maximumLength``.
  mutating func text(_ utf8: some Collection<UInt8>, column: Int, isTextLike: Bool = false) {
    if utf8.isEmpty {
      begin(column, .emptyText)
      return
    }
    begin(column, isTextLike ? .textLike : .text)
    withUnsafeBytes(of: UInt32(utf8.count)) { row.append(contentsOf: $0) }
    row.append(contentsOf: utf8)
    row.append(0)
  }

  /// Adds a cell; `text` is that of a cell of text.
  mutating func cell(_ cell: ShownCell, text: [UInt8], column: Int) {
    switch cell {
    case .number(let number, let mark): self.number(number, column: column, as: mark)
    case .boolean(let truth): boolean(truth, column: column)
    case .text(let isTextLike): self.text(text, column: column, isTextLike: isTextLike)
    }
  }

  mutating func endRow() throws(Failure) {
    let length = UInt32(row.count - 4)
    withUnsafeBytes(of: length) { bytes in
      for index in 0..<4 { row[index] = bytes[index] }
    }
    try spool.append(row)
    count += 1
    start()
  }

  private mutating func start() {
    row.removeAll(keepingCapacity: true)
    row.append(contentsOf: [0, 0, 0, 0])
  }

  private mutating func begin(_ column: Int, _ kind: Kind) {
    withUnsafeBytes(of: UInt16(column)) { row.append(contentsOf: $0) }
    row.append(kind.rawValue)
    cellCount += 1
  }

  // MARK: Reading

  /// Calls `body` with each row, a sequence of columns and cells.
  mutating func read(_ body: (Row) throws(Failure) -> Void) throws(Failure) {
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
          try body(Row(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[4...])))
        }
        carry.removeAll(keepingCapacity: true)
      }
      while rest.count >= 4 {
        let length = Int(rest.loadUnaligned(as: UInt32.self))
        if rest.count < 4 + length { break }
        try body(Row(bytes: UnsafeRawBufferPointer(rebasing: rest[4..<(4 + length)])))
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

  /// The cells of a row.
  struct Row: Sequence, IteratorProtocol {
    fileprivate var bytes: UnsafeRawBufferPointer
    private var at = 0

    fileprivate init(bytes: UnsafeRawBufferPointer) {
      self.bytes = bytes
    }

    mutating func next() -> (column: Int, cell: Cell)? {
      guard at < bytes.count else { return nil }
      let column = Int(bytes.loadUnaligned(fromByteOffset: at, as: UInt16.self))
      let kind = Kind(rawValue: bytes[at + 2]) ?? .emptyText
      at += 3
      switch kind {
      case .number:
        let mark = Mark(rawValue: bytes[at]) ?? .none
        let number = Double(bitPattern: bytes.loadUnaligned(fromByteOffset: at + 1, as: UInt64.self))
        at += 9
        return (column, .number(number, mark))
      case .boolean:
        at += 1
        return (column, .boolean(bytes[at - 1] != 0))
      case .text, .textLike:
        let length = Int(bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))
        let start = at + 4
        at = start + length + 1
        guard let base = bytes.baseAddress else { return nil }
        let text = (base + start).assumingMemoryBound(to: CChar.self)
        return (column, kind == .text ? .text(text) : .textLike(text))
      case .emptyText: return (column, .emptyText)
      }
    }
  }
}
