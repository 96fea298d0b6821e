import Schema
import Tables

/// Counts the kinds of cells in the untyped columns of an exported sheet.
///
/// A date or a number among texts may be a text that a spreadsheet converted as it was typed, and a text among other values
/// may be a value that was typed in a form that the spreadsheet does not recognize.
struct MixedCells {
  private struct Column {
    var (texts, numbers, booleans, typedDates) = (CountedRows(), CountedRows(), CountedRows(), CountedRows())
    /// The numbers that are integers rather than doubles.
    var integers = CountedRows()
    /// The dates that have the format of an export, so that the export may have written them.
    var ownDates = CountedRows()
    /// Whether it has values of other types as well, so that its type is open.
    var hasOthers = false

    /// Whether all but a few cells are texts.
    var isOfTexts: Bool {
      texts.count > 0 && numbers.count * 10 <= texts.count && ownDates.count + booleans.count == 0
        && !hasOthers
    }

    /// The number of doubles, if all but a few of its numbers are doubles; otherwise nil.
    var doubles: Int? {
      let doubles = numbers.count - integers.count
      return integers.count > 0 && integers.count * 10 <= doubles ? doubles : nil
    }

    /// What all but a few cells are, other than texts, with the type for it; nil if they differ.
    var others: (cells: String, type: String)? {
      let kinds = [
        (numbers, "number", "double"), (booleans, "boolean", "boolean"), (ownDates, "date", "timestamp"),
      ]
      let some = kinds.filter { $0.0.count > 0 }
      guard some.count == 1, texts.count > 0, texts.count * 10 <= some[0].0.count, !hasOthers else {
        return nil
      }
      return (NumberText.counted(some[0].0.count, some[0].1), some[0].2)
    }
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
    case .integer:
      columns[index]?.numbers.add(row.number)
      columns[index]?.integers.add(row.number)
    case .double: columns[index]?.numbers.add(row.number)
    case .timestamp where row.typedDates.contains(index): columns[index]?.typedDates.add(row.number)
    case .timestamp: columns[index]?.ownDates.add(row.number)
    case .boolean: columns[index]?.booleans.add(row.number)
    case .null: break
    default: columns[index]?.hasOthers = true
    }
  }

  /// The refusal of dates that somebody typed among texts; nil if there are none.
  func refusal(_ plan: TablePlan, in label: String) -> Failure? {
    let refused = columns.filter { _, column in column.typedDates.count > 0 && column.isOfTexts }
    guard let (index, column) = refused.min(by: { $0.key < $1.key }) else { return nil }
    let heading = plan.headings[index]
    return .malformed(
      label,
      "row \(column.typedDates.first), \(plan.name(ofColumn: index)): a date beside \(Self.texts(column)), which somebody typed and a spreadsheet took for one",
      remedy:
        "--types '\(heading)=text' takes the dates of the column for texts (2026-12-31), --types '\(heading)=any' each cell for what it is."
    )
  }

  /// Sentences about the few numbers among texts, texts among other values, or integers among doubles.
  func notices(_ plan: TablePlan) -> [String] {
    columns.sorted { $0.key < $1.key }.compactMap { index, column in
      if let (others, type) = column.others {
        let texts = NumberText.counted(column.texts.count, "cell")
        return
          "\(plan.name(ofColumn: index)): a text in \(texts) beside \(others), the first in row \(column.texts.first); --types '\(plan.headings[index])=\(type)' reads it, or refuses it."
      }
      if let doubles = column.doubles {
        let integers = NumberText.counted(column.integers.count, "cell")
        return
          "\(plan.name(ofColumn: index)): a whole number in \(integers) beside \(NumberText.counted(doubles, "double")), the first in row \(column.integers.first); --types '\(plan.headings[index])=double' takes it for one."
      }
      guard column.numbers.count > 0, column.isOfTexts else { return nil }
      let numbers = NumberText.counted(column.numbers.count, "cell")
      return
        "\(plan.name(ofColumn: index)): a number in \(numbers) beside \(Self.texts(column)), the first in row \(column.numbers.first); --types '\(plan.headings[index])=text' takes it for text."
    }
  }

  private static func texts(_ column: Column) -> String { NumberText.counted(column.texts.count, "text") }
}

/// Rows that have something in common: their number, and the first of them.
struct CountedRows {
  private(set) var count = 0
  private(set) var first = 0

  mutating func add(_ row: Int) {
    if count == 0 { first = row }
    count += 1
  }
}
