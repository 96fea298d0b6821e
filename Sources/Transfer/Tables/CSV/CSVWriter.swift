package import Files
package import FirestoreModels
import GymModels

/// Writes the documents of a collection as CSV: RFC 4180, UTF-8, a header, lines that end in CR LF.
///
/// The first column is `__name__`: the document's id, or its path below the collection. The others are those of
/// ``ColumnPlan``, their cells those of ``CellText``. Cells are quoted where they hold the delimiter, a quote or a line
/// break, or begin or end with a space; an empty text is `""`, a missing value an empty cell.
///
/// With `fields` the columns are known and rows go straight to the file. Otherwise they are known at the end only:
/// rows wait in a ``SpoolFile``, ready but for the cells of columns that came later, and are copied behind the header.
package final class CSVWriter: CollectionWriter {
  /// The documents taken so far.
  package private(set) var documentCount = 0
  /// What became of the file, once finished.
  package private(set) var receipt: OutputFile.Receipt?

  private let header: Column.HeaderLanguage
  private let delimiter: UInt8
  private var file: OutputFile?
  private var spool: SpoolFile?
  private var rows: CSVRows
  /// How many bytes of the spool have rows of how many columns.
  private var segments: [(bytes: Int, columns: Int)] = []

  /// Starts a file (`-` is standard output; `.gz` compresses).
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`, or `usage` for options that do not go together.
  package init(
    _ path: String,
    collection: CollectionPath,
    fields: [FieldPath]? = nil,
    options: CSVOptions = CSVOptions()
  ) throws(Failure) {
    header = options.header
    delimiter = options.delimiter.byte
    let plan: ColumnPlan
    if let fields {
      plan = try ColumnPlan(collection: collection, fields: fields)
    } else {
      plan = ColumnPlan(collection: collection)
    }
    rows = try CSVRows(collection: collection, plan: plan, options: options)
    file = try OutputFile(path, digest: options.digest)
    if plan.grows {
      spool = try SpoolFile(in: FilePaths.temporaryFolder(for: path), for: path == "-" ? nil : path)
    } else {
      rows.appendHeader(header)
    }
  }

  /// Takes a page of documents.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`; the writer is of no more use then.
  package func append(contentsOf documents: [RawDocument]) throws(Failure) {
    try append(documents, to: &rows)
    documentCount += documents.count
  }

  /// Completes the file under its final name.
  ///
  /// - Throws: ``Failure`` of kind `cannotWrite`.
  package func finish() throws(Failure) {
    guard var file = file.take() else { return }
    if var spool = spool.take() {
      rows.appendHeader(header)
      try file.write(rows.bytes)
      try copy(&spool, to: &file)
    } else {
      try file.write(rows.bytes)
    }
    receipt = try file.finish()
  }

  // MARK: Rows

  /// The rows come as an argument: one access to this object a page, and not several a cell.
  private func append(_ documents: [RawDocument], to rows: inout CSVRows) throws(Failure) {
    for document in documents {
      let start = rows.bytes.count
      try rows.append(document)
      if rows.plan.grows { note(rows.bytes.count - start, columns: rows.plan.columns.count) }
      if rows.bytes.count >= 128 << 10 { try pass(&rows) }
    }
    try pass(&rows)
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

  /// Copies the rows, those of fewer columns with empty cells behind them.
  private func copy(_ spool: inout SpoolFile, to file: inout OutputFile) throws(Failure) {
    var rows = SegmentedRows(segments: segments, columns: rows.plan.columns.count, delimiter: delimiter)
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
  /// The bytes of this path below a collection: the id of one of its documents, longer for those further down.
  ///
  /// Below a pattern (`groups/*/members`) it begins behind the last id that is the same for all (`g1/members/m1`).
  /// A document of a collection group, which lies anywhere, has its whole path. The count of segments tells them
  /// apart: odd below a collection, even for a whole path. nil where the document is none of these.
  func name(below collection: CollectionPath) -> Substring.UTF8View? {
    var base = Substring(collection.string)
    // Looking for the byte first is far cheaper than looking for a text.
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
