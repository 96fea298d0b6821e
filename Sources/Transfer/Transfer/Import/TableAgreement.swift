import Schema
import Tables

/// Checks that options that refer to columns and rows by number mean the same in each table of an import.
///
/// A column that is left out, or a row that is taken for the headings, because of one table would be lost in the others.
struct TableAgreement {
  /// The tables, with their headings if these could be read.
  private let tables: [(source: ImportSource, headings: [String]?)]
  private let options: TableOptions

  init(_ tables: [(ImportSource, TablePlan?)], _ options: TableOptions) {
    self.tables = tables.map { (source: $0.0, headings: $0.1?.headings) }
    self.options = options
  }

  /// - Throws: ``Failure`` of kind `usage` for a sheet that no workbook has, or for a number that means different things.
  func check() throws(Failure) {
    try assertSheets()
    guard tables.count > 1 else { return }
    for column in options.skippedColumns.sorted() { try assertSame(column) }
    if let row = options.headerRow { try assertSame(headerRow: row) }
  }

  private func assertSheets() throws(Failure) {
    if tables.map(\.source).areListsOfSheets { return }
    let named =
      options.sheetRows.map { ("--header-row", $0.sheet) }
      + options.sheetSkips.map { ("--skip-columns", $0.sheet) }
    let missing = named.first { _, sheet in
      !tables.contains { $0.source.ownSheet.map { $0 == sheet ?? "" } ?? false }
    }
    guard let (option, sheet) = missing, let sheet else { return }
    throw Failure(
      .usage,
      "use",
      path: "\(option) '\(sheet)=…'",
      cause: "no sheet of that name is imported",
      remedy: "Write the name as the workbook has it."
    )
  }

  private func assertSame(_ column: Int) throws(Failure) {
    let others = tables.filter { $0.headings != nil && !isSkipped(column, in: $0.source) }
    let headings = others.map { table in
      table.headings.map { $0.indices.contains(column - 1) ? $0[column - 1] : "" } ?? ""
    }
    guard Set(headings.map(UTF8Key.init)).count > 1, let index = headings.firstIndex(where: { !$0.isEmpty }),
      let meant = others.indices.first(where: { headings[$0].isEmpty }) ?? others.indices.last
    else { return }
    throw refusal(
      "--skip-columns \(column)",
      "column \(column) of \(others[index].source.label) is '\(headings[index])'",
      others[meant].source.option("skip-columns", "\(column)")
    )
  }

  /// Whether an option for a specific sheet leaves out the column, or the column's number means none in a list of rejected
  /// rows.
  private func isSkipped(_ column: Int, in source: ImportSource) -> Bool {
    source.rejects?.lacksSkipped ?? false
      || options.sheetSkips.contains { $0.isOf(source.ownSheet) && $0.value.contains(column) }
  }

  private func assertSame(headerRow row: Int) throws(Failure) {
    let others = tables.filter { table in
      table.source.rejects == nil && !options.sheetRows.contains { $0.isOf(table.source.sheet) }
    }
    let natural = others.map { naturalRow(of: $0.source) }
    guard let index = natural.firstIndex(where: { $0 != nil && $0 != row }),
      let meant = natural.firstIndex(where: { $0 == nil || $0 == row }), let own = natural[index]
    else { return }
    throw refusal(
      "--header-row \(row)",
      "row \(own) of \(others[index].source.label) looks like its headings",
      others[meant].source.option("header-row", "\(row)")
    )
  }

  /// The row that would be taken for the headings without the option; nil if there is none.
  private func naturalRow(of source: ImportSource) -> Int? {
    var free = options
    free.reading = options.reading.of(nil)
    free.headerRow = nil
    guard var reader = try? TableReader(source, free), (try? reader.nextTexts()) == true,
      (try? HeaderSearch(source: source, options: free).check(reader.row)) != nil
    else { return nil }
    return reader.row.number
  }

  private func refusal(_ option: String, _ cause: String, _ own: String) -> Failure {
    Failure(
      .usage,
      "use",
      path: option,
      cause: "it is for every table, and \(cause)",
      remedy: own.contains("=")
        ? "Give it for one sheet: \(own)." : "Import the files that differ by themselves."
    )
  }
}
