public import Models

/// Writes the documents of a collection as CSV: RFC 4180, UTF-8, a header, lines that end in CR LF.
///
/// The first column is `__name__`: the document's id, or its path below the collection. The others are those of
/// ``ColumnPlan``, their cells those of ``CellText``. Cells are quoted where they hold the delimiter, a quote or a line
/// break, or begin or end with a space; an empty text is `""`, a missing value an empty cell.
///
/// With `fields` the columns are known and rows go straight to the file. Otherwise they are known at the end only:
/// rows wait in a ``SpoolFile``, ready but for the cells of columns that came later, and are copied behind the header.
public final class CSVWriter: CollectionWriter {
  /// The documents taken so far.
  public private(set) var documentCount = 0
  /// What became of the file, once finished.
  public private(set) var receipt: OutputFile.Receipt?

  private let collection: CollectionPath
  private let options: CSVOptions
  private var file: OutputFile?
  private var spool: SpoolFile?
  private var plan: ColumnPlan
  private var cellText: CellText

  private var cells: [Value?] = []
  private var row: [UInt8] = []
  private var text: [UInt8] = []
  /// How many bytes of the spool have rows of how many columns.
  private var segments: [(bytes: Int, columns: Int)] = []

  private static let lineEnd: [UInt8] = [0x0D, 0x0A]
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Starts a file (`-` is standard output; `.gz` compresses).
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`, or `usage` for options that do not go together.
  public init(
    _ path: String,
    collection: CollectionPath,
    fields: [FieldPath]? = nil,
    options: CSVOptions = CSVOptions()
  ) throws(Failure) {
    self.collection = collection
    self.options = options
    cellText = try CellText(
      nullText: options.nullText,
      timeZone: options.timeZone,
      neutralisesFormulas: options.isForExcel
    )
    if let fields {
      plan = try ColumnPlan(collection: collection, fields: fields)
    } else {
      plan = ColumnPlan(collection: collection)
    }
    file = try OutputFile(path, digest: options.digest)
    if plan.grows {
      spool = try SpoolFile(in: FilePaths.temporaryFolder(for: path))
    } else {
      appendHeader()
      try file?.write(row)
    }
  }

  /// Takes a page of documents.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`; the writer is of no more use then.
  public func append(contentsOf documents: [RawDocument]) throws(Failure) {
    row.removeAll(keepingCapacity: true)
    for document in documents {
      plan.place(document.fields, into: &cells)
      let start = row.count
      try appendName(of: document)
      appendCells()
      row.append(contentsOf: Self.lineEnd)
      if plan.grows { note(row.count - start) }
      if row.count >= 128 << 10 { try pass() }
    }
    try pass()
    documentCount += documents.count
  }

  /// Completes the file under its final name.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  public func finish() throws(Failure) {
    guard var file = file.take() else { return }
    if var spool = spool.take() {
      appendHeader()
      try file.write(row)
      try copy(&spool, to: &file)
    }
    receipt = try file.finish()
  }

  // MARK: Rows

  private func pass() throws(Failure) {
    if plan.grows {
      try spool?.append(row)
    } else {
      try file?.write(row)
    }
    row.removeAll(keepingCapacity: true)
  }

  private func note(_ bytes: Int) {
    if let last = segments.last, last.columns == plan.columns.count {
      segments[segments.count - 1].bytes += bytes
    } else {
      segments.append((bytes, plan.columns.count))
    }
  }

  private func appendHeader() {
    row.removeAll(keepingCapacity: true)
    if options.isForExcel { row.append(contentsOf: Self.byteOrderMark) }
    row.append(contentsOf: "__name__".utf8)
    for column in plan.columns {
      row.append(options.delimiter.byte)
      text.removeAll(keepingCapacity: true)
      text.append(contentsOf: plan.heading(of: column, options.header).utf8)
      appendQuotedText()
    }
    row.append(contentsOf: Self.lineEnd)
  }

  private func appendName(of document: RawDocument) throws(Failure) {
    guard let name = document.path.name(below: collection) else {
      throw Failure(
        .internal,
        "write a row",
        path: document.path.string,
        cause: "the document is not below the collection \(collection)"
      )
    }
    text.removeAll(keepingCapacity: true)
    if options.isForExcel, CellForm.isFormula(name) { text.append(UInt8(ascii: "'")) }
    text.append(contentsOf: name)
    appendQuotedText()
  }

  private func appendCells() {
    let delimiter = options.delimiter.byte
    for index in cells.indices {
      row.append(delimiter)
      guard let value = cells[index] else { continue }
      cells[index] = nil
      let type = plan.columns[index].type
      switch value {
      case .string(let string) where string.isEmpty:
        row.append(UInt8(ascii: "\""))
        row.append(UInt8(ascii: "\""))
      case .null, .string, .array, .map, .bytes, .reference, .geoPoint:
        appendText(value, type)
      case .integer, .double, .boolean, .timestamp:
        // Their own text never holds what needs quotes; the REST JSON of a stray one always does.
        appendText(value, type)
      }
    }
  }

  private func appendText(_ value: Value, _ type: Column.ValueType) {
    text.removeAll(keepingCapacity: true)
    cellText.append(value, as: type, to: &text)
    appendQuotedText()
  }

  /// Appends ``text``, quoted where it has to be.
  private func appendQuotedText() {
    let delimiter = options.delimiter.byte
    let space = UInt8(ascii: " ")
    let quote = UInt8(ascii: "\"")
    var needsQuotes = text.first == space || text.last == space
    if !needsQuotes {
      for byte in text where byte == delimiter || byte == quote || byte == 0x0D || byte == 0x0A {
        needsQuotes = true
        break
      }
    }
    guard needsQuotes else {
      row.append(contentsOf: text)
      return
    }
    row.append(quote)
    for byte in text {
      if byte == quote { row.append(quote) }
      row.append(byte)
    }
    row.append(quote)
  }

  // MARK: From the spool to the file

  /// Copies the rows, those of fewer columns with empty cells behind them.
  private func copy(_ spool: inout SpoolFile, to file: inout OutputFile) throws(Failure) {
    let columns = plan.columns.count
    var rows = SegmentedRows(segments: segments, columns: columns, delimiter: options.delimiter.byte)
    try spool.read { piece throws(Failure) in
      try rows.pass(piece, to: &file)
    }
  }
}

/// Rows on their way from a spool to a file: short ones get the delimiters that they lack.
private struct SegmentedRows {
  private var segments: ArraySlice<(bytes: Int, columns: Int)>
  private let columns: Int
  private let delimiter: UInt8
  private var isQuoted = false
  private var out: [UInt8] = []

  init(segments: [(bytes: Int, columns: Int)], columns: Int, delimiter: UInt8) {
    self.segments = segments[...]
    self.columns = columns
    self.delimiter = delimiter
  }

  mutating func pass(_ piece: UnsafeRawBufferPointer, to file: inout OutputFile) throws(Failure) {
    var at = 0
    while at < piece.count, let segment = segments.first {
      let count = min(segment.bytes, piece.count - at)
      let rows = UnsafeRawBufferPointer(rebasing: piece[at..<(at + count)])
      if segment.columns == columns {
        try file.write(rows)
      } else {
        fill(rows, lacking: columns - segment.columns)
        try file.write(out)
      }
      at += count
      segments[segments.startIndex].bytes -= count
      if segment.bytes == count { segments.removeFirst() }
    }
  }

  /// A CR outside quotes is always the end of a row, for cells with line breaks are quoted.
  private mutating func fill(_ rows: UnsafeRawBufferPointer, lacking: Int) {
    out.removeAll(keepingCapacity: true)
    var start = 0
    for index in rows.indices {
      let byte = rows[index]
      if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if byte == 0x0D, !isQuoted {
        out.append(contentsOf: UnsafeRawBufferPointer(rebasing: rows[start..<index]))
        out.append(contentsOf: repeatElement(delimiter, count: lacking))
        start = index
      }
    }
    out.append(contentsOf: UnsafeRawBufferPointer(rebasing: rows[start...]))
  }
}

extension DocumentPath {
  /// The bytes of this path below a collection: the id of one of its documents, longer for those further down; nil
  /// where it is not below it.
  func name(below collection: CollectionPath) -> Substring.UTF8View? {
    let bytes = string.utf8
    guard bytes.starts(with: collection.string.utf8) else { return nil }
    let rest = bytes.dropFirst(collection.string.utf8.count)
    guard rest.first == UInt8(ascii: "/") else { return nil }
    return rest.dropFirst()
  }
}
