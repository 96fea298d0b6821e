/// Counts the cells of a sheet that show exact values which they do not take, because people changed the heading or the sheet.
///
/// A column counts if most of its cells show the values of one field, as those of a deleted column may equal some cells of
/// another one.
struct UnclaimedValues {
  private struct Pair: Hashable {
    var field: Int
    var column: Int
  }

  /// The first of the numbers for fields without a column, beyond all columns.
  static let firstField = 1 << 20

  /// The columns of fields that have no exact values.
  private var candidates: Set<Int>
  private let columns: Set<Int>
  private var cells: [Pair: (shown: Int, others: Int)] = [:]

  init(_ plan: TablePlan) {
    columns = Set(plan.roles.fields.map(\.index))
    candidates = columns
  }

  /// Excludes a column that has exact values of its own.
  mutating func take(_ column: Int) { candidates.remove(column) }

  /// Includes all columns again.
  mutating func reset() { candidates = columns }

  /// Looks at the cells of a row that may show the value of a field, which is that of a column or has none.
  mutating func take(_ field: Int, of row: CellRow, _ shows: (Int) -> Bool) {
    for column in field < Self.firstField ? [field] : candidates where row.kind(column) != .missing {
      let isShown = shows(column)
      cells[Pair(field: field, column: column), default: (0, 0)].shown += isShown ? 1 : 0
      cells[Pair(field: field, column: column), default: (0, 0)].others += isShown ? 0 : 1
    }
  }

  /// Returns sentences about the cells.
  ///
  /// - Parameters:
  ///   - fields: The numbers of the fields by the bytes of their paths.
  ///   - isForeign: Whether the values are those of another sheet, or of documents in a column `__name__`.
  func warnings(_ plan: TablePlan, _ fields: [[UInt8]: Int], isForeign: Bool) -> [String] {
    let found = cells.filter { $1.shown > $1.others }.sorted {
      ($0.key.column, $0.key.field) < ($1.key.column, $1.key.field)
    }
    if found.isEmpty { return [] }
    let number = found.reduce(0) { $0 + $1.value.shown }
    let count = "\(NumberText.counted(number, "cell")) \(number == 1 ? "shows" : "show")"
    let what = "exact values of the hidden sheet \(ExactValues.sheetName)"
    let loss = "is read as it is shown: a reference, a point or bytes are a text"
    if isForeign {
      let owner =
        plan.nameColumn == nil ? "a column \(TablePlan.nameHeading), which the sheet lacks" : "another sheet"
      return [
        "\(count) \(what) that belong to \(owner), and each \(loss). Import the sheet as the export wrote it, which may be renamed."
      ]
    }
    let names = fields.reduce(into: [:]) { $0[$1.value] = String(decoding: $1.key, as: UTF8.self) }
    let (pair, _) = found[0]
    let field = names[pair.field] ?? ""
    return [
      "\(count) \(what) that belong to another heading, and each \(loss). \(plan.name(ofColumn: pair.column)) has those of \(field): give it that heading again, or --rename '\(plan.headings[pair.column])=\(field)'."
    ]
  }
}
