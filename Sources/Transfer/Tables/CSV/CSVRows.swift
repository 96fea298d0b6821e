import FirestoreModels
import Schema

/// Renders documents as rows of CSV into a buffer.
///
/// A value, separate from ``CSVWriter``, so that the innermost loops do not access an object.
struct CSVRows {
  /// The rows since the buffer was last emptied.
  var bytes: [UInt8] = []
  private(set) var plan: ColumnPlan

  private let collection: CollectionPath
  private let delimiter: UInt8
  private let isForExcel: Bool
  private var cellText: CellText
  /// Set for plain cells.
  private var shownText: ShownText?

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  init(collection: CollectionPath, plan: ColumnPlan, options: CSVOptions) throws(Failure) {
    self.collection = collection
    self.plan = plan
    delimiter = options.delimiter.byte
    isForExcel = options.isForExcel
    cellText = try CellText(
      nullText: options.nullText,
      timeZone: options.timeZone,
      neutralisesFormulas: options.isForExcel
    )
    if options.isPlain { shownText = ShownText(like: cellText) }
  }

  /// Appends the header, after a byte order mark if requested.
  mutating func appendHeader(_ language: Column.HeaderLanguage) {
    if isForExcel { bytes.append(contentsOf: Self.byteOrderMark) }
    bytes.append(contentsOf: "__name__".utf8)
    for column in plan.columns {
      bytes.append(delimiter)
      let start = bytes.count
      bytes.append(contentsOf: plan.heading(of: column, language).utf8)
      quoteIfNeeded(from: start)
    }
    appendLineEnd()
  }

  /// Returns the name of a document in the first column.
  ///
  /// - Throws: ``Failure`` of kind `internal` if the document is not in the collection.
  func name(of path: DocumentPath) throws(Failure) -> Substring.UTF8View {
    if let name = path.name(below: collection) { return name }
    throw Failure(
      .internal,
      "write a row",
      path: path.string,
      cause: "the document is not below the collection \(collection)"
    )
  }

  /// Appends the row of a document with the current columns.
  ///
  /// - Parameters:
  ///   - name: The first cell.
  ///   - cells: A buffer that the rows of a page share; all of it is nil.
  /// - Throws: Why a value cannot be looked at; a part of the row is written then.
  mutating func append<Fields: ReadableFields>(
    _ fields: Fields,
    of name: Substring.UTF8View,
    cells: inout [Fields.Content?]
  ) throws(WireError) {
    let rest = try plan.position(fields, into: &cells)
    let start = bytes.count
    if isForExcel, CellForm.isFormula(name) { bytes.append(UInt8(ascii: "'")) }
    bytes.append(contentsOf: name)
    quoteIfNeeded(from: start)
    for index in cells.indices {
      bytes.append(delimiter)
      guard let value = cells[index].take() else { continue }
      try appendCell(value, at: index)
    }
    if let rest {
      // Its column is the last one, whose cell is empty so far.
      try appendCell(Value.map(rest), at: plan.columns.count - 1)
    }
    appendLineEnd()
  }

  private mutating func appendCell(_ value: some ReadableValue, at index: Int) throws(WireError) {
    let start = bytes.count
    if shownText != nil {
      try shownText?.append(value.value(), to: &bytes)
    } else {
      try cellText.append(of: value, as: plan.columns[index].type, to: &bytes)
    }
    if bytes.count == start {
      // An empty text, or null with an empty null text.
      if case .string = try value.view() { appendEmptyText() }
    } else {
      quoteIfNeeded(from: start)
    }
  }

  private mutating func appendEmptyText() {
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func appendLineEnd() {
    bytes.append(0x0D)
    bytes.append(0x0A)
  }

  /// Quotes the last cell, which begins at `start`, if necessary.
  private mutating func quoteIfNeeded(from start: Int) {
    let quote = UInt8(ascii: "\"")
    let space = UInt8(ascii: " ")
    let (quotes, isNeeded) = bytes.withUnsafeBufferPointer { [delimiter] bytes in
      guard bytes.count > start else { return (0, false) }
      var quotes = 0
      var isNeeded = bytes[start] == space || bytes[bytes.count - 1] == space
      let first = CSVBytes.firstSpecial(
        UnsafeRawBufferPointer(bytes),
        from: start,
        to: bytes.count,
        delimiter: delimiter
      )
      for index in first..<bytes.count {
        let byte = bytes[index]
        if byte == quote {
          quotes += 1
        } else if byte == delimiter || byte == 0x0D || byte == 0x0A {
          isNeeded = true
        }
      }
      return (quotes, isNeeded || quotes > 0)
    }
    if !isNeeded { return }
    var from = bytes.count - 1
    bytes.append(contentsOf: repeatElement(quote, count: quotes + 2))
    // From the end, so that each byte is moved once; the last index already has the closing quote.
    var to = bytes.count - 2
    while from >= start {
      bytes[to] = bytes[from]
      to -= 1
      if bytes[from] == quote {
        bytes[to] = quote
        to -= 1
      }
      from -= 1
    }
    bytes[start] = quote
  }
}
