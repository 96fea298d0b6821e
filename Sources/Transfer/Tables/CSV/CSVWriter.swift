package import Files
package import FirestoreModels
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
/// With `fields`, the columns are known and rows go directly to the file. Otherwise they are known only at
/// the end: rows wait in a ``SpoolFile`` and are copied after the header, with empty cells added for columns
/// that appeared later.
package final class CSVWriter: CollectionWriter {
  package private(set) var documentCount = 0
  /// The receipt of the finished file.
  package private(set) var receipt: OutputFile.Receipt?

  private let header: Column.HeaderLanguage
  /// Whether it is a part of a file, without a header.
  private let isPart: Bool
  private let delimiter: UInt8
  private var file: OutputFile?
  private var spool: SpoolFile?
  private var rows: CSVRows
  /// The bytes of the spool by number of columns.
  private var segments: [(bytes: Int, columns: Int)] = []

  /// Starts a file (`-` is standard output; `.gz` compresses).
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`, or `usage` for conflicting options.
  package init(
    _ path: String,
    collection: CollectionPath,
    fields: [FieldPath]? = nil,
    options: CSVOptions = CSVOptions()
  ) throws(Failure) {
    header = options.header
    isPart = options.isPart
    delimiter = options.delimiter.byte
    let plan: ColumnPlan
    if let fields {
      plan = try ColumnPlan(collection: collection, fields: fields, schema: options.schema)
    } else {
      plan = ColumnPlan(collection: collection, schema: options.schema)
    }
    rows = try CSVRows(collection: collection, plan: plan, options: options)
    file = try OutputFile(path, digest: options.digest, via: options.files)
    if plan.grows {
      spool = try SpoolFile(in: FilePaths.temporaryFolder(for: path), for: path == "-" ? nil : path)
    } else if !isPart {
      rows.appendHeader(header)
    }
  }

  /// The columns so far, as field paths, without the name.
  package var columnPaths: [String] { rows.plan.columns.map { $0.path.description } }

  /// Appends a page of documents.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`; the writer cannot be used again.
  package func append(contentsOf documents: [RawDocument]) throws(Failure) {
    try append(documents, to: &rows) { document, error in
      Failure(.internal, "write a row", path: document.path.string, cause: error.description)
    }
  }

  /// Appends a page of documents; those of a response go from its tape to the file.
  ///
  /// - Throws: As ``append(contentsOf:)``, or the failure of a document that cannot be decoded.
  package func append(_ page: DocumentPage) throws(Failure) {
    switch page {
    case .memory(let documents): try append(contentsOf: documents)
    case .wire(let page): try append(page.documents, to: &rows) { page.failure($1, in: $0) }
    }
  }

  /// Completes the file under its final name.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func finish() throws(Failure) {
    guard var file = file.take() else { return }
    if var spool = spool.take() {
      if !isPart { rows.appendHeader(header) }
      try file.write(rows.bytes)
      try copy(&spool, to: &file)
    } else {
      try file.write(rows.bytes)
    }
    receipt = try file.finish()
  }

  // MARK: Rows

  /// The rows are a parameter, so that this object is accessed once per page instead of several times per
  /// cell.
  private func append<Documents: RandomAccessCollection>(
    _ documents: Documents,
    to rows: inout CSVRows,
    _ failure: (Documents.Element, WireError) -> Failure
  ) throws(Failure) where Documents.Element: ReadableDocument {
    var cells: [Documents.Element.Fields.Content?] = []
    for document in documents {
      let name = try rows.name(of: document.path)
      let start = rows.bytes.count
      do throws(WireError) {
        try rows.append(document.fields, of: name, cells: &cells)
      } catch {
        throw failure(document, error)
      }
      if rows.plan.grows { note(rows.bytes.count - start, columns: rows.plan.columns.count) }
      if rows.bytes.count >= 128 << 10 { try pass(&rows) }
    }
    try pass(&rows)
    documentCount += documents.count
  }

  private func pass(_ rows: inout CSVRows) throws(Failure) {
    if rows.plan.grows {
      try spool?.append(rows.bytes)
    } else {
      try file?.write(rows.bytes)
    }
    rows.bytes.removeAll(keepingCapacity: true)
  }

  private func note(_ bytes: Int, columns: Int) {
    if let last = segments.indices.last, segments[last].columns == columns {
      segments[last].bytes += bytes
    } else {
      segments.append((bytes, columns))
    }
  }

  // MARK: From the spool to the file

  /// Copies the rows, adding empty cells to those with fewer columns.
  private func copy(_ spool: inout SpoolFile, to file: inout OutputFile) throws(Failure) {
    var rows = SegmentedRows(segments: segments, columns: rows.plan.columns.count, delimiter: delimiter)
    try spool.read { piece throws(Failure) in
      try rows.pass(piece, to: &file)
    }
  }
}

/// Rows on their way from a spool to a file; short ones get the missing delimiters.
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

  /// A CR outside quotes always ends a row, because cells with line breaks are quoted.
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
  /// For a pattern (`groups/*/members`), it starts after the last common segment (`g1/members/m1`). For a
  /// collection group it is the full path. The number of segments distinguishes them: odd below a collection,
  /// even for a full path. It is nil if the document is not in the collection.
  func name(below collection: CollectionPath) -> Substring.UTF8View? {
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
    return self.collection.id.isIdentical(to: collection.string) ? bytes[...] : nil
  }
}
