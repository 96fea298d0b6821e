/// The cells, other than the formula's own, that array formulas and data tables without a stored result fill.
struct FormulaSpills {
  private struct Area {
    var rows: ClosedRange<Int>
    var columns: ClosedRange<Int>
    /// The row and column of the formula.
    var origin: (row: Int, column: Int)
  }

  /// The maximum number of columns in all areas.
  private static let maximumColumns = 1000
  private var areas: [Area] = []

  /// Adds the area of a formula, such as `B2:C9`; returns false if there are too many.
  mutating func add(_ reference: String, from row: Int, _ column: Int) -> Bool {
    let corners = reference.split(separator: ":").compactMap { Self.corner($0) }
    guard corners.count == 2, corners[0].row <= corners[1].row, corners[0].column <= corners[1].column,
      corners[1].column < SheetHandler.maximumColumns
    else { return true }
    areas.append(
      Area(
        rows: corners[0].row...corners[1].row,
        columns: corners[0].column...corners[1].column,
        origin: (row, column)
      )
    )
    return areas.reduce(0) { $0 + $1.columns.count } <= Self.maximumColumns
  }

  /// Drops the area of a formula whose result is stored, as the results in its other cells then are, too.
  mutating func drop(from row: Int, _ column: Int) {
    if let last = areas.last, last.origin == (row, column) { areas.removeLast() }
  }

  /// Marks the filled cells of a row that have no value as formulas.
  mutating func apply(to cells: inout [SheetHandler.Cell], row: Int) {
    if areas.isEmpty { return }
    for area in areas where area.rows.contains(row) {
      for column in area.columns {
        let at = cells.firstIndex { $0.column >= column } ?? cells.count
        if at == cells.count || cells[at].column != column {
          let end = at == 0 ? 0 : cells[at - 1].end
          cells.insert(SheetHandler.Cell(column: column, type: .number, start: end, end: end), at: at)
        }
        if !cells[at].hasValue, cells[at].formula == nil { cells[at].formula = 0..<0 }
      }
    }
    areas.removeAll { $0.rows.upperBound <= row }
  }

  private static func corner(_ text: Substring) -> (row: Int, column: Int)? {
    let plain = text.filter { $0 != "$" }
    guard let column = plain.withCString({ SheetHandler.column($0) }),
      let row = Int(plain.drop { $0.isLetter })
    else { return nil }
    return (row, column)
  }
}
