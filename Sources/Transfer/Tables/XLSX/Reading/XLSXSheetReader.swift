import Files
import Platform
import Schema

/// Reads the rows of a worksheet one at a time, in constant memory.
struct XLSXSheetReader: ~Copyable {
  private let path: String
  let sheet: String
  private let values: SheetValues
  private let handler: SheetHandler
  private var stream: XMLStream
  private var strings: SharedStrings?
  /// The first row that may be the header; merged cells above it are irrelevant.
  private let headerRow: Int
  private let unmerge: TableReading.Unmerge?
  private var merges: SheetMerges?
  /// The number of the first non-empty row from there on, which is the header if there is one.
  private var firstRow: Int?
  /// The number of columns of that row up to its last heading, and the last row with a value.
  private var (width, lastRow) = (0, 0)
  /// The number of hidden rows with a value below the header, and the number of the first.
  private var hiddenRows = (count: 0, first: 0)

  /// Opens a sheet.
  ///
  /// - Parameter reading: What to do with merged cells, which are refused in the table if it does not say, and how to
  ///   read a number that the sheet shows as a percentage.
  /// - Throws: ``Failure`` of kind `inputMalformed` or `cannotWrite`.
  init(
    _ sheet: XLSXPackage.Sheet,
    of package: XLSXPackage,
    _ reading: TableReading
  ) throws(Failure) {
    headerRow = reading.headerRow ?? 1
    unmerge = reading.unmerge
    if let unmerge {
      merges = SheetMerges(try Self.mergedCells(of: sheet, in: package), fills: unmerge == .fill)
    }
    let handler = SheetHandler()
    guard let entry = try ZIPEntry.open(sheet.part, in: package.path) else {
      throw Failure.malformed(package.path, "its \(sheet.part) is missing")
    }
    let stream = try XMLStream(entry, handler)
    let strings = try package.sharedStrings.map { part throws(Failure) in
      try SharedStrings.read(part, in: package.path)
    }
    path = package.path
    self.sheet = sheet.name
    values = SheetValues(
      styles: package.styles,
      countsFrom1904: package.countsFrom1904,
      percent: reading.percent
    )
    self.handler = handler
    self.stream = stream
    self.strings = strings
  }

  /// Returns the merged cells of a sheet, which follow its rows in the file.
  private static func mergedCells(
    of sheet: XLSXPackage.Sheet,
    in package: XLSXPackage
  ) throws(Failure) -> [MergedCells] {
    let handler = SheetHandler()
    try XMLStream.read(sheet.part, in: package.path, handler)
    return handler.merged
  }

  /// The offset in the compressed part of the sheet.
  var position: Int { stream.position }

  /// Reads the next row that has cells into `row`; returns false at the end.
  ///
  /// - Throws: ``Failure`` of kind `inputMalformed`, also for merged cells of the table, of which only the first has a
  ///   value.
  mutating func next(_ row: inout CellRow) throws(Failure) -> Bool {
    while try stream.advance() {
      row.begin(number: handler.row)
      for cell in handler.cells {
        while row.count < cell.column { row.endCell(.missing) }
        let kind = try take(cell, &row)
        row.endCell(kind)
      }
      merges?.uncover(&row)
      look(at: row)
      merges?.fill(&row, header: firstRow)
      return true
    }
    if unmerge == nil { try assertNoneMerged() }
    return false
  }

  /// Records the extent of the table.
  private mutating func look(at row: CellRow) {
    guard let last = row.cells.lastIndex(where: { $0.kind != .missing }) else { return }
    lastRow = row.number
    if firstRow != nil, handler.isRowHidden {
      if hiddenRows.count == 0 { hiddenRows.first = row.number }
      hiddenRows.count += 1
    }
    if firstRow == nil, row.number >= headerRow { (firstRow, width) = (row.number, last + 1) }
  }

  /// Returns a sentence about the hidden rows and columns that were read; nil if there are none.
  ///
  /// - Parameter columns: The relevant columns of the table, from 0.
  func hiddenNotice(of columns: [Int]) -> String? {
    let hidden = columns.filter { column in handler.hiddenColumns.contains { $0.contains(column) } }
    var parts: [String] = []
    if hiddenRows.count > 0 {
      let place = hiddenRows.count == 1 ? "row" : "the first is row"
      parts.append("\(NumberText.counted(hiddenRows.count, "hidden row")) (\(place) \(hiddenRows.first))")
    }
    if !hidden.isEmpty {
      let numbers = FilePaths.list(hidden.map { "\($0 + 1)" })
      parts.append("\(NumberText.counted(hidden.count, "hidden column")) (\(numbers))")
    }
    if parts.isEmpty { return nil }
    let verb = hiddenRows.count + hidden.count == 1 ? "is" : "are"
    return "\(parts.joined(separator: " and ")) of the sheet \(verb) read, too."
  }

  /// Refuses merged cells in the header and below it; those beside, above and below the table are irrelevant.
  private func assertNoneMerged() throws(Failure) {
    guard let firstRow else { return }
    let merged = handler.merged.first { area in
      area.rows.overlaps(firstRow...lastRow) && area.columns.lowerBound < width
    }
    guard let merged else { return }
    let location = merged.rows.lowerBound <= firstRow ? " in the header" : ""
    throw Failure.malformed(
      path,
      "sheet \(sheet), row \(merged.rows.lowerBound): the cells \(merged.text) are merged\(location)",
      remedy: merged.rows.lowerBound <= firstRow
        ? "Unmerge them, and give each column a heading of its own; or --unmerge first gives the first one the heading, and --rename N=FIELD names column N."
        : "Unmerge them; or --unmerge fill gives each of them the value, --unmerge first the first one alone."
    )
  }

  /// Appends the text of a cell to the row and returns its kind.
  private mutating func take(
    _ cell: SheetHandler.Cell,
    _ row: inout CellRow
  ) throws(Failure) -> CellRow.Kind {
    let value = handler.bytes[cell.start..<cell.end]
    if let formula = cell.formula.map({ handler.formulas[$0] }) {
      if let id = SheetLinks.id(inFormula: formula) {
        row.bytes.append(contentsOf: id)
        return .text
      }
      if !cell.hasValue || (!cell.type.isText && SheetText.trimmed(value).isEmpty) {
        row.bytes.append(UInt8(ascii: "="))
        row.bytes.append(contentsOf: formula)
        return .formula
      }
    }
    guard cell.type == .shared else {
      if let kind = values.append(value, of: cell, to: &row.bytes) {
        if kind == .date, values.isTypedDate(cell) { row.typedDates.insert(cell.column) }
        if kind == .number, values.isPercent(cell) { row.percents.insert(cell.column) }
        if kind == .padded { row.padded[cell.column] = SheetValues.number(SheetText.trimmed(value)) }
        return kind
      }
      throw malformed(cell, row, values.fault(of: cell))
    }
    let digits = SheetText.trimmed(value)
    if digits.isEmpty { return .missing }
    guard let index = Int(String(decoding: digits, as: UTF8.self)),
      try strings?.append(index, to: &row.bytes) ?? false
    else { throw malformed(cell, row, "its text is not in the workbook") }
    return .text
  }

  private func malformed(_ cell: SheetHandler.Cell, _ row: CellRow, _ cause: String) -> Failure {
    .malformed(path, "sheet \(sheet), row \(row.number), column \(cell.column + 1): \(cause)")
  }
}
