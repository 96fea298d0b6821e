/// Finds the cells of a table's rows that belong to no heading: an unquoted comma has shifted the others.
package struct UnheadedCells: Sendable {
  /// The number of cells of the header.
  private let width: Int
  /// The columns of the header whose headings are blank.
  private let blank: [Int]
  private let isSheet: Bool
  private let skipped: Set<Int>
  /// The number of cells in the first row if all cells beyond the header's are empty, otherwise 0; nil before that row.
  private var firstWidth: Int?

  /// - Parameter skipped: The columns that are left out, from 1.
  package init(width: Int, isSheet: Bool, skipped: Set<Int>) {
    (self.width, self.isSheet, self.skipped) = (width, isSheet, skipped)
    blank = []
  }

  /// The cells of a list whose columns are all read by their headings.
  package init(header: CellRow, isSheet: Bool) {
    (width, self.isSheet, skipped) = (header.count, isSheet, [])
    blank = (0..<header.count).filter { header.isBlank($0) }
  }

  /// Returns the index of a cell beyond the last column of the header that a row must not have; nil if there is none.
  ///
  /// Such a cell has a value, or is an empty one in CSV, unless the first row has it, too: then all rows end in delimiters.
  package mutating func surplus(in row: CellRow) -> Int? {
    if let firstWidth { return surplus(in: row, upTo: firstWidth) }
    let isLonger = surplus(in: row, upTo: row.count) == nil
    firstWidth = isLonger ? row.count : 0
    return surplus(in: row, upTo: firstWidth ?? 0)
  }

  private func surplus(in row: CellRow, upTo width: Int) -> Int? {
    guard row.count > self.width else { return nil }
    let behind = (self.width..<row.count).filter { !skipped.contains($0 + 1) }
    return behind.first { !row.isBlank($0) } ?? (isSheet ? nil : behind.first { $0 >= width })
  }

  /// Returns a cell of a list that has no heading, and what was expected there; nil if there is none.
  package mutating func fault(in row: CellRow) -> (index: Int, expected: String)? {
    let surplus = surplus(in: row)
    let unheaded = blank + (width..<max(width, row.count))
    guard let index = unheaded.first(where: { row.kind($0) != .missing }) ?? surplus else { return nil }
    return (index, expected(at: index, of: row) ?? "nothing: the column has no heading")
  }

  /// What was expected of a cell beyond the header in CSV; nil for any other cell.
  package func expected(at index: Int, of row: CellRow) -> String? {
    if isSheet || index < width { return nil }
    let cells = "the row has \(NumberText.counted(row.count, "cell")), and the header \(width)"
    let nothing = row.isBlank(index) ? "no cell, also no empty one" : "nothing"
    return "\(nothing): \(cells); a cell that contains the delimiter needs straight quotes (\"Solís, Ana\")"
  }
}
