import Schema
import Tables

/// Finds columns in which some numbers have a percent sign, or are displayed with one, and others are not.
struct MixedPercents {
  private struct Found {
    var (signed, plain) = (CountedRows(), CountedRows())
  }

  /// Whether `--percent` is given, so that what it does with the others is not in doubt.
  private let isAsked: Bool
  /// Whether to look: without that option, only numbers of a sheet may have the sign.
  private let mayBe: Bool
  private var found: [Found]

  init(_ plan: TablePlan, _ options: TableOptions) {
    isAsked = options.percent != nil
    mayBe = isAsked || plan.isSheet
    found = Array(repeating: Found(), count: plan.roles.count)
  }

  /// Examines a cell that was read as a value.
  mutating func take(_ value: Value?, of row: CellRow, _ index: Int) {
    guard mayBe, let value else { return }
    switch value {
    case .integer, .double: break
    default: return
    }
    if row.percents.contains(index)
      || isAsked && row.withUTF8(of: index, { $0.contains(UInt8(ascii: "%")) })
    {
      found[index].signed.add(row.row)
    } else {
      found[index].plain.add(row.row)
    }
  }

  /// Sentences about such columns if `--percent` is given.
  func notices(_ plan: TablePlan) -> [String] {
    if !isAsked { return [] }
    return mixed.map { index, cells, numbers in
      "\(plan.name(ofColumn: index)): \(cells.plain.count) of \(numbers) without a percent sign, the first in row \(cells.plain.first); --percent is for the others, and these are as they stand."
    }
  }

  /// Sentences about such columns if `--percent` is not given.
  func warnings(_ plan: TablePlan) -> [String] {
    if isAsked { return [] }
    return mixed.map { index, cells, numbers in
      "\(plan.name(ofColumn: index)): \(cells.signed.count) of \(numbers) shown as percent, the first in row \(cells.signed.first), beside others that are not: what is shown as 16% is 0.16. --percent number takes it as 16, and --percent fraction says that 0.16 is meant."
    }
  }

  private var mixed: [(index: Int, cells: Found, numbers: String)] {
    let mixed = found.enumerated().filter { $1.signed.count > 0 && $1.plain.count > 0 }
    return mixed.map { index, cells in
      (index, cells, NumberText.counted(cells.signed.count + cells.plain.count, "number"))
    }
  }
}
