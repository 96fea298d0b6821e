import Schema
import Tables

/// Columns in which some numbers have a percent sign and others have none, of which `--percent` says nothing.
struct MixedPercents {
  private struct Found {
    var (signed, plain, firstPlain) = (0, 0, 0)
  }

  private let isAsked: Bool
  private var found: [Int: Found] = [:]

  init(_ options: TableOptions) { isAsked = options.percent != nil }

  /// Looks at a cell that was read as a value.
  mutating func take(_ value: Value?, of row: CellRow, _ index: Int) {
    guard isAsked, let value else { return }
    switch value {
    case .integer, .double: break
    default: return
    }
    if row.withUTF8(of: index, { $0.contains(UInt8(ascii: "%")) }) {
      found[index, default: Found()].signed += 1
    } else {
      if found[index]?.plain ?? 0 == 0 { found[index, default: Found()].firstPlain = row.row }
      found[index, default: Found()].plain += 1
    }
  }

  /// What there is to say of them, in sentences.
  func notices(_ plan: TablePlan) -> [String] {
    let mixed = found.filter { $0.value.signed > 0 && $0.value.plain > 0 }
    return mixed.sorted { $0.key < $1.key }.map { index, cells in
      let numbers = NumberText.counted(cells.signed + cells.plain, "number")
      return
        "\(plan.name(ofColumn: index)): \(cells.plain) of \(numbers) without a percent sign, the first in row \(cells.firstPlain); --percent is for the others, and these are as they stand."
    }
  }
}
