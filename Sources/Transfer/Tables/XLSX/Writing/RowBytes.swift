/// Rows of a sheet as bytes, for the library.
///
/// A row is its length (4 bytes) and its cells. A cell is a column (2 bytes), a kind (1 byte) and the data of
/// that kind. Texts end with NUL, as the library requires.
struct RowBytes: Sendable {
  /// A cell as read back; its text is valid only during the call.
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

  /// The rows that were not taken yet.
  private(set) var bytes: [UInt8] = []
  /// Where the current row begins.
  private var start = 0
  private var isInRow = false
  /// The number of rows, including those taken.
  private(set) var count = 0
  /// The number of cells, including those taken.
  private(set) var cellCount = 0

  // MARK: Writing

  mutating func number(_ number: Double, column: Int, as mark: Mark = .none) {
    begin(column, .number)
    bytes.append(mark.rawValue)
    withUnsafeBytes(of: number.bitPattern) { bytes.append(contentsOf: $0) }
  }

  mutating func boolean(_ truth: Bool, column: Int) {
    begin(column, .boolean)
    bytes.append(truth ? 1 : 0)
  }

  /// Adds a text that is valid in XML and within ``SheetText/maximumLength``.
  mutating func text(_ utf8: some Collection<UInt8>, column: Int, isTextLike: Bool = false) {
    if utf8.isEmpty {
      begin(column, .emptyText)
      return
    }
    let count = utf8.count
    begin(column, isTextLike ? .textLike : .text)
    withUnsafeBytes(of: UInt32(count)) { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: utf8)
    bytes.append(0)
  }

  /// Adds a cell; `text` is the content if it is a text.
  mutating func cell(_ cell: ShownCell, text: [UInt8], column: Int) {
    switch cell {
    case .number(let number, let mark): self.number(number, column: column, as: mark)
    case .boolean(let truth): boolean(truth, column: column)
    case .text(let isTextLike): self.text(text, column: column, isTextLike: isTextLike)
    }
  }

  mutating func endRow() {
    if !isInRow { beginRow() }
    let length = UInt32(bytes.count - start - 4)
    withUnsafeBytes(of: length) { length in
      for index in 0..<4 { bytes[start + index] = length[index] }
    }
    isInRow = false
    count += 1
  }

  /// Returns the complete rows and removes them.
  mutating func take() -> [UInt8] {
    let taken = bytes
    bytes = []
    bytes.reserveCapacity(taken.count + 4096)
    return taken
  }

  /// Drops the complete rows.
  mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  private mutating func beginRow() {
    start = bytes.count
    bytes.append(contentsOf: [0, 0, 0, 0])
    isInRow = true
  }

  @inline(__always)
  private mutating func begin(_ column: Int, _ kind: Kind) {
    if !isInRow { beginRow() }
    withUnsafeBytes(of: UInt16(column)) { bytes.append(contentsOf: $0) }
    bytes.append(kind.rawValue)
    cellCount += 1
  }

  // MARK: Reading

  /// Calls `body` with each of the given complete rows.
  static func read(_ rows: [UInt8], _ body: (Row) throws(Failure) -> Void) throws(Failure) {
    try rows.span.withUnsafeBytes { rest throws(Failure) in
      var at = 0
      while at + 4 <= rest.count {
        let length = Int(rest.loadUnaligned(fromByteOffset: at, as: UInt32.self))
        try body(Row(bytes: UnsafeRawBufferPointer(rebasing: rest[(at + 4)..<(at + 4 + length)])))
        at += 4 + length
      }
    }
  }

  /// The cells of a row.
  struct Row: Sequence, IteratorProtocol {
    var bytes: UnsafeRawBufferPointer
    private var at = 0

    init(bytes: UnsafeRawBufferPointer) {
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
