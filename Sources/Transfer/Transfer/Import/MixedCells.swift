import Schema
import Tables

/// What is beside texts in the columns without a type of a sheet by export, where a date or a number may be a text that a
/// spreadsheet has made one as somebody typed it.
struct MixedCells {
  private struct Found {
    var count = 0
    var firstRow = 0

    mutating func add(_ row: Int) {
      if count == 0 { firstRow = row }
      count += 1
    }
  }

  private struct Column {
    var (texts, numbers, typedDates) = (Found(), Found(), Found())
    /// Whether it has dates in the format of an export, so that it is one of both.
    var hasOwnDates = false
    /// Whether it has values of yet other types, so that it is one of anything.
    var hasOthers = false

    /// Whether all but a few of its cells are texts.
    var isOfTexts: Bool { texts.count > 0 && numbers.count * 10 <= texts.count && !hasOwnDates && !hasOthers }
  }

  private var columns: [Int: Column]

  init(_ plan: TablePlan) {
    columns = Dictionary(uniqueKeysWithValues: plan.mixable.map { ($0, Column()) })
  }

  /// Counts a cell.
  mutating func take(_ value: Value?, of row: CellRow, _ index: Int) {
    guard let value, columns[index] != nil else { return }
    switch value {
    case .string where row.kind(index) == .text: columns[index]?.texts.add(row.number)
    case .integer, .double: columns[index]?.numbers.add(row.number)
    case .timestamp where row.typedDates.contains(index): columns[index]?.typedDates.add(row.number)
    case .timestamp: columns[index]?.hasOwnDates = true
    case .null: break
    default: columns[index]?.hasOthers = true
    }
  }

  /// The refusal of dates that somebody typed among texts; nil where there are none.
  func refusal(_ plan: TablePlan, in label: String) -> Failure? {
    let refused = columns.filter { _, column in column.typedDates.count > 0 && column.isOfTexts }
    guard let (index, column) = refused.min(by: { $0.key < $1.key }) else { return nil }
    let heading = plan.headings[index]
    return .malformed(
      label,
      "row \(column.typedDates.firstRow), \(plan.name(ofColumn: index)): a date beside \(Self.texts(column)), which somebody typed and a spreadsheet took for one",
      remedy:
        "--types '\(heading)=text' takes the dates of the column for texts (2026-12-31), --types '\(heading)=any' each cell for what it is."
    )
  }

  /// What there is to say of the few numbers among texts, in sentences.
  func notices(_ plan: TablePlan) -> [String] {
    columns.sorted { $0.key < $1.key }.compactMap { index, column in
      guard column.numbers.count > 0, column.isOfTexts else { return nil }
      let numbers = NumberText.counted(column.numbers.count, "cell")
      return
        "\(plan.name(ofColumn: index)): a number in \(numbers) beside \(Self.texts(column)), the first in row \(column.numbers.firstRow); --types '\(plan.headings[index])=text' takes it for text."
    }
  }

  private static func texts(_ column: Column) -> String { NumberText.counted(column.texts.count, "text") }
}
