/// An area of merged cells, of which only the first has a value.
struct MergedCells {
  /// The area as written in the sheet: `A1:B2`.
  let text: String
  let rows: ClosedRange<Int>
  /// The columns, from 0.
  let columns: ClosedRange<Int>

  /// Parses a reference such as `A1:B2`; nil for any other text.
  init?(_ text: String) {
    let corners = text.split(separator: ":").map { corner in
      let letters = corner.prefix { $0.isLetter }
      return (
        column: String(letters).withCString(SheetHandler.column), row: Int(corner.dropFirst(letters.count))
      )
    }
    let rows = corners.compactMap(\.row)
    let columns = corners.compactMap(\.column)
    guard let top = rows.min(), let bottom = rows.max(), let left = columns.min(), let right = columns.max()
    else { return nil }
    (self.text, self.rows, self.columns) = (String(text.prefix(30)), top...bottom, left...right)
  }
}

/// Empties merged cells except for the first, the only one shown, and fills them with its value (`--unmerge fill`), row by
/// row.
///
/// The rows below the header are filled, and the cells of the header that are merged with cells above it. A row without a
/// value of its own stays empty.
struct SheetMerges {
  private struct Open {
    var area: MergedCells
    var kind = CellRow.Kind.missing
    var bytes: [UInt8] = []
    var isPercent = false
    var padded: Double?
  }

  /// The areas that begin further down, the last one first.
  private var pending: [MergedCells]
  private var open: [Open] = []

  private let fills: Bool

  init(_ areas: [MergedCells], fills: Bool) {
    pending = areas.sorted { $0.rows.lowerBound > $1.rows.lowerBound }
    self.fills = fills
  }

  /// Empties the cells of a row that are covered by others, as files may have values in them.
  mutating func uncover(_ row: inout CellRow) {
    open.removeAll { $0.area.rows.upperBound < row.number }
    while let area = pending.last, area.rows.lowerBound <= row.number {
      pending.removeLast()
      var first = Open(area: area)
      if area.rows.lowerBound == row.number { take(row, area.columns.lowerBound, &first) }
      open.append(first)
    }
    for area in open.map(\.area) where area.columns.lowerBound < row.count {
      let covered = area.columns.dropFirst(area.rows.lowerBound == row.number ? 1 : 0)
      for column in covered.prefix(while: { $0 < row.count }) where row.kind(column) != .missing {
        row.set(column, .missing, [])
        row.typedDates.remove(column)
        row.percents.remove(column)
      }
    }
  }

  /// Fills a row after ``uncover(_:)``.
  ///
  /// - Parameter header: The number of the header row; nil for a row above it.
  func fill(_ row: inout CellRow, header: Int?) {
    guard fills, let header, row.cells.indices.contains(where: { !row.isBlank($0) }) else { return }
    for merged in open where merged.kind != .missing && isFilled(merged.area, row.number, header) {
      for column in merged.area.columns where row.isBlank(column) {
        row.set(column, merged.kind, merged.bytes)
        if merged.isPercent { row.percents.insert(column) }
        row.padded[column] = merged.padded
      }
    }
  }

  private func isFilled(_ area: MergedCells, _ row: Int, _ header: Int) -> Bool {
    row == header ? area.rows.lowerBound < header : area.rows.lowerBound > header
  }

  private func take(_ row: CellRow, _ column: Int, _ first: inout Open) {
    first.kind = row.kind(column)
    first.isPercent = row.percents.contains(column)
    first.padded = row.padded[column]
    row.withUTF8(of: column) { first.bytes = Array($0) }
  }
}

extension CellRow {
  /// Sets the value of a cell, adding empty cells before it if necessary.
  fileprivate mutating func set(_ column: Int, _ kind: Kind, _ value: [UInt8]) {
    while cells.count <= column { endCell(.missing) }
    let old = cells[column].start..<cells[column].end
    bytes.replaceSubrange(old, with: value)
    let growth = value.count - old.count
    cells[column].end += growth
    cells[column].kind = kind
    for index in cells.indices.dropFirst(column + 1) {
      cells[index].start += growth
      cells[index].end += growth
    }
  }
}
