import Schema

/// Renders documents as rows of CSV into a buffer.
///
/// It is a value separate from ``CSVWriter``, so that the innermost loops do not access an object.
struct CSVRows {
  /// The rows since the buffer was last emptied.
  var bytes: [UInt8] = []
  private(set) var plan: ColumnPlan

  private let collection: CollectionPath
  private let writer: CSVLineWriter
  private var cellText: CellText
  /// Set for plain cells.
  private var shownText: ShownText?
  /// Whether numbers, booleans and times in UTC are written directly: no such text means null or contains a delimiter.
  private let passesScalars: Bool
  /// The path of the collection with a slash; empty for a pattern.
  private let prefix: [UInt8]

  private var delimiter: UInt8 { writer.delimiter }
  private var isForExcel: Bool { writer.guardsFormulas }

  init(collection: CollectionPath, plan: ColumnPlan, options: CSVOptions) throws(Failure) {
    self.collection = collection
    self.plan = plan
    if options.isForExcel, CellForm.isFormula(options.nullText.utf8) {
      throw Failure(
        .usage,
        "write null as that text",
        cause: "a spreadsheet takes it for a formula",
        remedy: "Choose another --null."
      )
    }
    writer = CSVLineWriter(delimiter: options.delimiter, guardsFormulas: options.isForExcel)
    cellText = try CellText(
      nullText: options.nullText,
      timeZone: options.timeZone,
      neutralisesFormulas: options.isForExcel
    )
    if options.isPlain {
      shownText = ShownText(like: cellText, usesDecimalComma: options.usesDecimalComma)
    }
    passesScalars =
      !options.isPlain && options.timeZone == nil
      && options.nullText.withBytes { $0.isEmpty || $0.first == UInt8(ascii: "n") }
    prefix = collection.string.utf8.contains(UInt8(ascii: "*")) ? [] : Array("\(collection)/".utf8)
  }

  /// Appends the header, after a byte order mark if requested.
  mutating func appendHeader(_ language: Column.HeaderLanguage) {
    if isForExcel { bytes.append(contentsOf: CSVLineWriter.byteOrderMark) }
    bytes.append(contentsOf: "__name__".utf8)
    for column in plan.columns {
      bytes.append(delimiter)
      writer.append(plan.heading(of: column, language).utf8, to: &bytes)
    }
    writer.endLine(&bytes)
  }

  /// Appends the name of a document, the first cell of its row.
  ///
  /// - Throws: ``Failure`` of kind `internal` if the document is not in the collection.
  mutating func appendName(_ path: DocumentPath) throws(Failure) {
    let isPassed = path.string.withBytes { path in
      guard !prefix.isEmpty, path.starts(with: prefix) else { return false }
      let name = UnsafeBufferPointer(rebasing: path[prefix.count...])
      if isForExcel || name.isEmpty || !CSVBytes.isPlain(name, delimiter: delimiter) { return false }
      bytes.append(contentsOf: name)
      return true
    }
    if isPassed { return }
    writer.append(try path.name(below: collection), to: &bytes)
  }

  /// Appends the other cells of a document with the current columns, and ends the row.
  ///
  /// - Parameter cells: A buffer that the rows of a page share; every element is nil before and after the call.
  /// - Throws: ``WireError`` if a value cannot be read; the row is then incomplete.
  mutating func append<Fields: ReadableFields>(
    _ fields: Fields,
    cells: inout [Fields.Content?]
  ) throws(WireError) {
    do throws(WireError) {
      let rest = try plan.position(fields, into: &cells)
      // Delimiters are written with the next cell that is not empty, because most cells are empty.
      var delimiters = 0
      for index in cells.indices {
        delimiters += 1
        guard let value = cells[index] else { continue }
        cells[index] = nil
        try appendCell(value, at: index, after: delimiters)
        delimiters = 0
      }
      append(delimiters: delimiters)
      if let rest {
        // Its column is the last one, whose cell is empty so far.
        try appendCell(Value.map(rest), at: plan.columns.count - 1, after: 0)
      }
      writer.endLine(&bytes)
    } catch {
      for index in cells.indices { cells[index] = nil }
      throw error
    }
  }

  @inline(__always)
  private mutating func append(delimiters count: Int) {
    for _ in 0..<count { bytes.append(delimiter) }
  }

  private mutating func appendCell<Content: ReadableValue>(
    _ value: Content,
    at index: Int,
    after delimiters: Int
  ) throws(WireError) {
    let view = try value.view()
    if passesScalars, appendPlain(view, as: plan.types[index], after: delimiters) { return }
    append(delimiters: delimiters)
    let start = bytes.count
    if shownText != nil {
      try shownText?.append(value.value(), to: &bytes)
    } else {
      try cellText.append(of: value, as: plan.types[index], to: &bytes)
    }
    if bytes.count == start {
      // An empty text, or null with an empty null text.
      if case .string = view {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: "\""))
      }
    } else {
      writer.quote(&bytes, from: start)
    }
  }

  /// Appends a value whose text is its cell, as ``CellText`` would; returns false, without appending, for any other value.
  @inline(__always)
  private mutating func appendPlain<Content: ReadableValue>(
    _ view: ValueView<Content>,
    as type: Column.ValueType,
    after delimiters: Int
  ) -> Bool {
    switch (view, type) {
    case (.string(let text), .string), (.string(let text), .any):
      return text.withBytes { appendPlain($0, isTyped: type == .string, after: delimiters) }
    case (.timestamp(let time), .timestamp), (.timestamp(let time), .any):
      append(delimiters: delimiters)
      time.append(to: &bytes)
      return true
    case (.boolean(let truth), .boolean), (.boolean(let truth), .any):
      append(delimiters: delimiters)
      bytes.append(contentsOf: (truth ? "true" : "false").utf8)
      return true
    case (.integer(let number), .integer), (.integer(let number), .any):
      append(delimiters: delimiters)
      CellForm.append(number, to: &bytes)
      return true
    case (.double(let number), .double), (.double(let number), .any):
      append(delimiters: delimiters)
      CellForm.append(number, to: &bytes)
      return true
    default: return false
    }
  }

  @inline(__always)
  private mutating func appendPlain(
    _ text: UnsafeBufferPointer<UInt8>,
    isTyped: Bool,
    after delimiters: Int
  ) -> Bool {
    guard !isForExcel, !text.isEmpty, CSVBytes.isPlain(text, delimiter: delimiter),
      cellText.isItself(text, isTyped: isTyped)
    else { return false }
    bytes.append(addingCapacity: delimiters + text.count) { [delimiter] bytes in
      for _ in 0..<delimiters { bytes.append(delimiter) }
      bytes.append(text)
    }
    return true
  }
}
