package import Files
package import Schema

/// Reads the rows of a table: a CSV file, possibly compressed with gzip, or a sheet of an XLSX workbook.
///
/// Rows without a value are skipped and counted. The first of the others is the header. A row of CSV with fewer cells is an
/// error, because a truncated file ends in one. It holds the longest row in memory, and a few MiB for the texts of a
/// workbook.
package struct TableReader: ~Copyable {
  /// The row that the last call of ``next()`` read.
  package private(set) var row = CellRow()
  /// The offset in the file, or in the workbook's compressed sheet, of the end of the row.
  package private(set) var position = 0
  /// The number of rows without a value that were skipped, and the number of the first of them.
  package private(set) var blankRows: (count: Int, first: Int) = (0, 0)
  /// The file, for messages.
  package let path: String
  private let location: String
  // Exactly one of these is set.
  private var csv: CSVReader?
  private var xlsx: XLSXSheetReader?
  private let options: TableReading
  private let headerRow: Int
  /// The number of cells that every row must have; nil before the header.
  private var width: Int?

  /// Opens a table.
  ///
  /// - Parameters:
  ///   - path: The file; for CSV also `-`.
  ///   - location: The path at which to open a workbook instead of `path`, which then only names it in messages.
  ///   - format: The format; determined from the file's name or content if nil.
  ///   - sheet: The name of the sheet; the first visible one if nil.
  ///   - reading: How rows and cells are read. Anything above `headerRow` is ignored; 0 means any row, with a delimiter
  ///     that the first line need not contain. If `shortRows` is nil, short rows are refused as if there were no option
  ///     for them.
  /// - Throws: ``Failure`` of kind `inputMissing`, or `inputMalformed`, also for a missing sheet.
  package init(
    _ path: String,
    at location: String? = nil,
    format: InputFormat? = nil,
    sheet: String? = nil,
    reading: TableReading = TableReading(),
    via files: FileAccess = .local
  ) throws(Failure) {
    self.path = path
    self.location = location ?? path
    options = reading
    headerRow = reading.headerRow ?? 1
    switch try InputFormat(of: path, given: format, via: files) {
    case .csv, .jsonLines, .json, .managed:
      csv = try CSVReader(
        path,
        delimiter: reading.delimiter,
        assuming: .init(ofFile: path),
        reading: reading,
        via: files
      )
    case .xlsx:
      do throws(Failure) {
        xlsx = try Self.open(sheet, at: self.location, reading)
      } catch {
        throw error.naming(path, for: self.location)
      }
    }
  }

  private static func open(
    _ sheet: String?,
    at path: String,
    _ reading: TableReading
  ) throws(Failure) -> XLSXSheetReader {
    let package = try XLSXPackage(path)
    let found = package.sheets.first { found in
      sheet.map { found.name.isIdentical(to: $0) } ?? !(found.isHidden || found.isSummary)
    }
    guard let found = found ?? (sheet == nil ? package.sheets.first : nil) else {
      throw Failure.malformed(path, sheet.map { "it has no sheet '\($0)'" } ?? "it has no sheet of cells")
    }
    return try XLSXSheetReader(found, of: package, reading)
  }

  /// Whether the table is a CSV file with a byte order mark, as spreadsheets write it; false before the first row.
  package var hasByteOrderMark: Bool { mutating get { csv?.hasByteOrderMark ?? false } }

  /// The delimiter of a CSV file, after the first row; a comma for a sheet.
  package var delimiter: CSVDelimiter { mutating get { csv?.delimiter ?? .comma } }

  /// The encoding that the bytes of a CSV file suggest, after an error because they are not UTF-8.
  package var guessedEncoding: TextEncoding? {
    mutating get { csv?.guessed == .windows1252 ? .windows1252 : nil }
  }

  /// Reads the next row that has a value into ``row``; returns false at the end.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed` with file, row and column, or `inputMissing` for a read error.
  package mutating func next() throws(Failure) -> Bool {
    // Also after a malformed record.
    defer { position = csv?.position ?? xlsx?.position ?? 0 }
    while try readBelowTitle() {
      if row.isBlank(keepsSpaces: options.keepsSpaces ?? false) {
        if blankRows.count == 0 { blankRows.first = row.row }
        blankRows.count += 1
        continue
      }
      try assertWidth()
      return true
    }
    return false
  }

  /// Reads the next row, beginning with that of the header.
  private mutating func readBelowTitle() throws(Failure) -> Bool {
    repeat {
      do throws(Failure) {
        guard try read() else { return false }
      } catch {
        if let line = error.record?.line, line < headerRow { continue }
        throw error
      }
    } while row.number < headerRow
    return true
  }

  private mutating func read() throws(Failure) -> Bool {
    if try csv?.next(&row) ?? false { return true }
    do throws(Failure) {
      return try xlsx?.next(&row) ?? false
    } catch {
      throw error.naming(path, for: location)
    }
  }

  /// Reads the next row for its texts only; returns false at the end.
  ///
  /// - Throws: The errors of ``next()``; ``Failure`` of kind `inputMalformed` also for cells of a sheet that have no text:
  ///   formulas without a stored result, and errors.
  package mutating func nextTexts() throws(Failure) -> Bool {
    guard try next() else { return false }
    for index in row.cells.indices {
      guard let cause = row.lack(index) else { continue }
      throw Failure.malformed(
        path,
        "sheet \(xlsx?.sheet ?? ""), row \(row.number), column \(index + 1): \(cause)"
      )
    }
    return true
  }

  /// Refuses a row of CSV with fewer cells than the header; a row of a sheet ends with its last value.
  private mutating func assertWidth() throws(Failure) {
    guard let width else {
      width = TableHeader.width(of: row)
      return
    }
    if csv == nil || options.shortRows == .pad || row.count >= width { return }
    let cells = NumberText.counted(row.count, "cell")
    let option = options.shortRows == nil ? "" : " (--short-rows pad takes it)"
    var failure = Failure.malformed(
      path,
      "line \(row.number): it has \(cells), and the header \(width): it may be cut off\(option)",
      remedy: "Give it as many cells as the header has."
    )
    failure.record = Failure.Record(line: row.number, row: row.row)
    throw failure
  }

  /// Returns the row as it is in the file, without the line end, even if it could not be read; for a sheet, its cells as
  /// CSV.
  ///
  /// Bytes beyond ``CSVReader/maximumRawBytes`` are omitted.
  package mutating func rawRow() -> [UInt8] {
    csv?.rawRecord ?? Array(CSVLineWriter().bytes(row.texts).dropLast(2))
  }

  /// How the file is read, for display, after the first row.
  package var reading: String { mutating get { csv?.manner ?? "a sheet of a workbook" } }

  /// Returns the notices about the file at its end, as sentences.
  ///
  /// - Parameter columns: The columns that are used, from 0; all columns of the header if nil.
  package mutating func notices(of columns: [Int]? = nil) -> [String] {
    var notices: [String] = []
    let columns = columns ?? Array(0..<(width ?? 0))
    if let hidden = xlsx?.hiddenNotice(of: columns) { notices.append(hidden) }
    if blankRows.count > 0 {
      let what =
        blankRows.count == 1 ? "One row without a value was" : "\(blankRows.count) rows without a value were"
      notices.append("\(what) skipped, \(blankRows.count == 1 ? "" : "the first ")in row \(blankRows.first).")
    }
    if let line = csv?.unterminatedLine {
      notices.append("Line \(line), the last one, has no line end: the file may be cut off.")
    }
    return notices
  }
}

extension Failure {
  /// Returns the failure with the path that the user knows, if it is that of a file opened at `location`.
  package func naming(_ path: String, for location: String) -> Failure {
    guard let opened = self.path, opened.isIdentical(to: location) else { return self }
    var failure = self
    failure.path = path
    return failure
  }
}
