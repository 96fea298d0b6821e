package import Files
import Schema

/// Joins parts whose columns were determined independently of each other into one CSV file.
///
/// A field outside the schema gets its column where it first appears. Therefore the columns of all parts, in the order of
/// the parts, are those of the file that a single process would have written. The first part gets the header; cells of the
/// other parts are moved to their columns.
///
///     var parts = try CSVParts(of: users, fields: nil, options: options)
///     for part in columns { try parts.add(part) }
///     for (index, part) in paths.enumerated() {
///       try parts.rewrite(part, columns: columns[index], isFirst: index == 0, to: &file)
///     }
package struct CSVParts: Sendable {
  private var plan: ColumnPlan
  private let collection: CollectionPath
  private let options: CSVOptions

  /// - Throws: ``Failure`` of kind `usage` for conflicting options.
  package init(of collection: CollectionPath, fields: [FieldPath]?, options: CSVOptions) throws(Failure) {
    plan = try ColumnPlan(collection: collection, fields: fields, schema: options.schema)
    self.collection = collection
    self.options = options
    // Checks the options.
    _ = try CSVRows(collection: collection, plan: plan, options: options)
  }

  /// Adds the columns of the next part.
  ///
  /// - Throws: ``Failure`` of kind `usage` if there are more columns than a table may have.
  package mutating func add(_ names: [String]) throws(Failure) {
    for name in names {
      guard let path = try? FieldPath(parsing: name), !name.isIdentical(to: ColumnPlan.restName) else {
        throw tooMany
      }
      plan.add(path)
    }
    if plan.columns.count > ColumnPlan.maximumColumns { throw tooMany }
  }

  private var tooMany: Failure {
    Failure(
      .usage,
      "put the columns together of",
      path: collection.string,
      cause: "there are more than \(ColumnPlan.maximumColumns)",
      remedy: "Name those that you need with --fields."
    )
  }

  /// The columns of the whole file.
  package var columns: [String] { plan.columns.map { $0.path.description } }

  /// Whether the rows of a part differ from those of the whole file.
  package func needsRewriting(_ names: [String], isFirst: Bool) -> Bool {
    isFirst || !names.elementsEqual(columns) { $0.isIdentical(to: $1) }
  }

  /// Writes the rows of a part with the columns of the whole file, after the header if it is the first part.
  ///
  /// - Throws: ``Failure`` of kind `inputMissing` or `cannotWrite`; `inputMalformed` if a row has a different number of
  ///   cells.
  package func rewrite(
    _ path: String,
    columns names: [String],
    isFirst: Bool,
    to file: inout OutputFile
  ) throws(Failure) {
    if isFirst {
      var header = try CSVRows(collection: collection, plan: plan, options: options)
      header.appendHeader(options.header)
      try file.write(header.bytes)
    }
    let sources = columns.map { column in names.firstIndex { $0.isIdentical(to: column) } }
    var mover = CellMover(sources: sources, count: names.count + 1, delimiter: options.delimiter.byte)
    var part = try InputFile(path, decompresses: false)
    try part.forEachPiece { piece throws(Failure) in
      mover.take(piece)
      if mover.isMalformed {
        throw Failure.malformed(path, "a row has another number of cells than the part has columns")
      }
      try file.write(mover.out)
      mover.out.removeAll(keepingCapacity: true)
    }
  }
}

/// Moves the cells of rows to other columns.
private struct CellMover {
  /// The finished rows.
  var out: [UInt8] = []
  private(set) var isMalformed = false

  /// The index among the part's columns for each column after the name; nil for an empty cell.
  private let sources: [Int?]
  /// The number of cells of a row.
  private let count: Int
  private let delimiter: UInt8
  /// The bytes of the current row.
  private var row: [UInt8] = []
  /// The ends of its cells.
  private var ends: [Int] = []
  private var isQuoted = false

  init(sources: [Int?], count: Int, delimiter: UInt8) {
    self.sources = sources
    self.count = count
    self.delimiter = delimiter
  }

  /// Consumes bytes; rows end with CR LF, and cells with line breaks are quoted.
  mutating func take(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if !isQuoted, byte == delimiter {
        ends.append(row.count)
      } else if !isQuoted, byte == 0x0A {
        finishRow()
      } else {
        row.append(byte)
      }
    }
  }

  private mutating func finishRow() {
    if row.last == 0x0D { row.removeLast() }
    ends.append(row.count)
    if ends.count != count { isMalformed = true }
    guard !isMalformed else { return }
    out.append(contentsOf: row[..<ends[0]])
    for source in sources {
      out.append(delimiter)
      if let source { out.append(contentsOf: row[ends[source]..<ends[source + 1]]) }
    }
    CSVLineWriter().endLine(&out)
    row.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
  }
}
