import Schema
import Tables

/// Determines the columns of a table before its first document is read.
enum TableSurvey {
  /// Reads the header, and all rows if the types of some columns have to be inferred; nil for a table without rows.
  ///
  /// - Parameter report: Called from time to time with the number of further rows and the offset in the source in bytes.
  /// - Throws: ``Failure``.
  static func plan(
    of source: ImportSource,
    collection: CollectionPath,
    options: TableOptions,
    report: (_ rows: Int, _ position: Int) -> Void
  ) throws(Failure) -> TablePlan? {
    var reader = try TableReader(source, options)
    guard try reader.nextTexts() else { return nil }
    if options.headerRow == nil { try assertHeader(reader.row, of: source, options) }
    var plan = try TablePlan(
      header: reader.row,
      of: source.label,
      isSheet: source.format == .xlsx,
      collection: collection,
      isForExcel: reader.hasByteOrderMark,
      options: options
    )
    // One of them is empty: only people's own tables have guesses.
    let isGuessed = plan.untyped.isEmpty
    let surveyed = isGuessed ? plan.undecided : plan.untyped
    if surveyed.isEmpty { return plan }
    let values = try CellValues(plan, options)
    var types = surveyed.map { (column: $0, type: TypeInference(dateOrder: options.dateOrder)) }
    var rows = 0
    while !Task.isCancelled {
      do throws(Failure) {
        guard try reader.next() else { break }
        rows += 1
        if rows.isMultiple(of: 1000) { report(1000, reader.position) }
        for index in types.indices {
          if isGuessed {
            types[index].type.look(at: reader.row, types[index].column, values)
          } else {
            types[index].type.lookForAddresses(in: reader.row, types[index].column, values)
          }
        }
      } catch {
        // The error is reported when the row is read as a document.
        if RowFault(malformed: error) == nil { throw error }
      }
    }
    if isGuessed {
      plan.decide(types.map { $0.type.guess(column: $0.column, values) })
    } else {
      for (column, type) in types { plan.take(type, of: column) }
    }
    return plan
  }

  // MARK: Titles

  /// The rows among which a header is looked for, and the cells of a row that may be a title.
  private static let searchedRows = 20
  private static let titleCells = 3

  /// Refuses a header with few cells above rows with many, which is the title of a table.
  private static func assertHeader(
    _ header: CellRow,
    of source: ImportSource,
    _ options: TableOptions
  ) throws(Failure) {
    if cells(of: header) > titleCells { return }
    var rows: [(number: Int, cells: Int)] = []
    var reader = try TableReader(source, options, isSearched: true)
    while rows.count < searchedRows, let isRow = try? reader.next(), isRow {
      rows.append((reader.row.number, cells(of: reader.row)))
    }
    guard let title = rows.first, let most = rows.map(\.cells).max(), title.cells * 2 <= most else { return }
    let full = rows.filter { $0.cells * 5 >= most * 4 }
    guard most > 2, full.count > 1, let first = full.first else { return }
    throw .malformed(
      source.label,
      "row \(title.number), the first, looks like a title, and row \(first.number) like the headings",
      remedy:
        "--header-row \(first.number) takes that row for the headings, --header-row \(title.number) the first."
    )
  }

  private static func cells(of row: CellRow) -> Int { (0..<row.count).count { !row.isBlank($0) } }
}
