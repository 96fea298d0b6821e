package import Files
import Schema

/// Writes the documents of a collection as CSV (RFC 4180) in UTF-8, with a header and CR LF.
///
///     let writer = try CSVWriter("users.csv", collection: CollectionPath(nil, "users"))
///     for try await page in client.pages(of: read) { try writer.append(contentsOf: page) }
///     try writer.finish()
///
/// The first column is `__name__`: the document ID, or the path below the collection. ``ColumnPlan`` defines
/// the other columns, ``CellText`` their cells. Cells are quoted if they contain the delimiter, a quote or a
/// line break, or start or end with a space; an empty text is `""`, a missing value an empty cell.
///
/// With `fields`, the columns are known and rows go directly to the file. Otherwise they are known only at the end. The
/// first rows are kept in memory, because nearly always they have all columns. If another column appears later, the file so
/// far becomes a ``SpoolFile``, whose rows are copied after the longer header, with empty cells added. If a file cannot
/// become a spool, its rows go to a separate one from the beginning.
package final class CSVWriter: CollectionWriter {
  package private(set) var documentCount = 0
  package private(set) var receipt: OutputFile.Receipt?

  /// The destination of rows.
  private enum Phase: Equatable {
    /// Memory, until there are enough rows to expect that they have all columns.
    case held
    /// The file, after a header with that many bytes and columns.
    case direct(header: Int, columns: Int)
    /// The spool, whose rows start after that many bytes.
    case spooled(skipped: Int)
  }

  /// The number of bytes of rows that are kept in memory before the header is written.
  private static let held = 512 << 10

  private let path: String
  private let options: CSVOptions
  private let digest: Bool
  private let files: FileAccess
  private var phase: Phase
  private var file: OutputFile?
  private var spool: SpoolFile?
  private var rows: CSVRows
  /// The number of bytes of the rows so far, by number of columns.
  private var segments: [(bytes: Int, columns: Int)] = []

  /// Starts a file (`-` is standard output; `.gz` compresses).
  ///
  /// - Parameter digest: Whether the receipt includes the SHA-256 of the file.
  /// - Throws: ``Failure`` of kind `cannotWrite`, or `usage` for conflicting options.
  package init(
    _ path: String,
    collection: CollectionPath,
    fields: [FieldPath]? = nil,
    options: CSVOptions = CSVOptions(),
    digest: Bool = false,
    via files: FileAccess = .local
  ) throws(Failure) {
    self.path = path
    self.options = options
    self.digest = digest
    self.files = files
    let plan = try ColumnPlan(collection: collection, fields: fields, schema: options.schema)
    rows = try CSVRows(collection: collection, plan: plan, options: options)
    let file = try OutputFile(path, digest: digest, via: files)
    if !plan.grows {
      phase = .direct(header: 0, columns: plan.columns.count)
      if !options.isPart { rows.appendHeader(options.header) }
    } else if file.canBecomeSpool {
      phase = .held
    } else {
      phase = .spooled(skipped: 0)
      spool = try SpoolFile(in: FilePaths.temporaryFolder(for: path), for: path == "-" ? nil : path)
    }
    self.file = consume file
  }

  /// The columns so far, as field paths, without the name.
  package var columnPaths: [String]? { rows.plan.columns.map { $0.path.description } }

  package func append(_ page: DocumentPage) throws(Failure) {
    switch page {
    case .memory(let documents): try append(documents, to: &rows)
    case .wire(let page): try append(page, to: &rows)
    }
  }

  /// Completes the file under its final name.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func finish() throws(Failure) {
    if phase == .held { try release(&rows) } else { try pass(&rows) }
    guard var file = file.take() else { return }
    if case .spooled(let skipped) = phase, var spool = spool.take() {
      try file.write(header(of: rows))
      var rows = SegmentedRows(segments: segments, columns: rows.plan.columns.count, delimiter: delimiter)
      try spool.read(from: skipped) { piece throws(Failure) in try rows.pass(piece, to: &file) }
    }
    receipt = try file.finish()
  }

  private var delimiter: UInt8 { options.delimiter.byte }

  // MARK: Rows

  // The rows are a parameter, so that this object is accessed once per page instead of several times per cell.

  private func append(_ documents: [RawDocument], to rows: inout CSVRows) throws(Failure) {
    var cells: [Value?] = []
    for document in documents { try append(document, to: &rows, cells: &cells) }
    try endPage(of: documents.count, &rows)
  }

  private func append(_ page: WirePage, to rows: inout CSVRows) throws(Failure) {
    var cells: [WireValue?] = []
    var decodedCells: [Value?] = []
    for document in page.documents {
      let start = rows.bytes.count
      try rows.appendName(document.path)
      do throws(WireError) {
        try rows.append(document.fields(), cells: &cells)
      } catch {
        rows.bytes.removeSubrange(start...)
        try append(page.decoded(document), to: &rows, cells: &decodedCells)
        continue
      }
      try endRow(from: start, of: &rows)
    }
    try endPage(of: page.documents.count, &rows)
  }

  private func append(
    _ document: RawDocument,
    to rows: inout CSVRows,
    cells: inout [Value?]
  ) throws(Failure) {
    let start = rows.bytes.count
    try rows.appendName(document.path)
    do throws(WireError) {
      try rows.append(document.fields, cells: &cells)
    } catch {
      throw Failure(.internal, "write a row", path: document.path.string, cause: error.description)
    }
    try endRow(from: start, of: &rows)
  }

  private func endRow(from start: Int, of rows: inout CSVRows) throws(Failure) {
    if rows.plan.grows { record(rows.bytes.count - start, columns: rows.plan.columns.count) }
    if rows.bytes.count >= 128 << 10 { try pass(&rows) }
  }

  private func endPage(of count: Int, _ rows: inout CSVRows) throws(Failure) {
    try pass(&rows)
    documentCount += count
  }

  private func record(_ bytes: Int, columns: Int) {
    if let last = segments.indices.last, segments[last].columns == columns {
      segments[last].bytes += bytes
    } else {
      segments.append((bytes, columns))
    }
  }

  private func pass(_ rows: inout CSVRows) throws(Failure) {
    switch phase {
    case .held:
      if rows.bytes.count >= Self.held { try release(&rows) }
      return
    case .direct(let header, let columns):
      if rows.plan.columns.count != columns { try rewind(behind: header) }
    case .spooled: break
    }
    if spool != nil {
      try spool?.append(rows.bytes)
    } else {
      try file?.write(rows.bytes)
    }
    rows.bytes.removeAll(keepingCapacity: true)
  }

  /// Writes the header and the rows that were kept in memory.
  private func release(_ rows: inout CSVRows) throws(Failure) {
    guard var file = file.take() else { return }
    let columns = rows.plan.columns.count
    let header = header(of: rows)
    try file.write(header)
    var waiting = SegmentedRows(segments: segments, columns: columns, delimiter: delimiter)
    try rows.bytes.withUnsafeBufferPointer { bytes throws(Failure) in
      try waiting.pass(UnsafeRawBufferPointer(bytes), to: &file)
    }
    segments = [(file.bytesAccepted - header.count, columns)]
    phase = .direct(header: header.count, columns: columns)
    self.file = consume file
    rows.bytes = []
  }

  /// Turns the file so far into a spool because its header lacks a column.
  private func rewind(behind header: Int) throws(Failure) {
    guard let file = file.take() else { return }
    spool = try file.spool()
    self.file = try OutputFile(path, digest: digest, via: files)
    phase = .spooled(skipped: header)
  }

  /// Returns the header with the columns so far; empty for a part.
  private func header(of rows: CSVRows) -> [UInt8] {
    if options.isPart { return [] }
    var rows = rows
    rows.bytes = []
    rows.appendHeader(options.header)
    return rows.bytes
  }
}

/// Copies rows to a file, adding the missing delimiters to short ones.
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

  /// Adds the missing delimiters; a CR outside quotes always ends a row, because cells with line breaks are quoted.
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
  /// Returns the path of the document below a collection: its ID, or a longer path for a deeper document.
  ///
  /// For a pattern (`groups/*/members`), it starts after the last common segment (`g1/members/m1`). For a collection group,
  /// it is the full path. The number of segments distinguishes them: odd below a collection, even for a full path.
  ///
  /// - Throws: ``Failure`` of kind `internal` if the document is not in the collection.
  func name(below collection: CollectionPath) throws(Failure) -> Substring.UTF8View {
    var base = Substring(collection.string)
    // Searching for the byte first is much faster than searching for the text.
    if collection.string.utf8.contains(UInt8(ascii: "*")), let star = collection.string.firstRange(of: "/*") {
      base = collection.string[..<star.lowerBound]
    }
    let bytes = string.utf8
    if bytes.starts(with: base.utf8) {
      let rest = bytes.dropFirst(base.utf8.count)
      if rest.first == UInt8(ascii: "/") { return rest.dropFirst() }
    }
    if self.collection.id.isIdentical(to: collection.string) { return bytes[...] }
    throw Failure(
      .internal,
      "write a row",
      path: string,
      cause: "the document is not below the collection \(collection)"
    )
  }
}
