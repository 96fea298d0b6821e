import Schema

/// Numbers of columns whose type nobody guessed: whether each point, or decimal comma, may be one between thousands.
package struct OpenNumbers {
  private struct Found {
    /// How many numbers have such a sign.
    var open = 0
    /// Whether one has a sign that is before decimals.
    var hasDecimals = false
    /// Whether one ends in a zero behind the sign, which export never writes.
    var endsInZero = false
    /// How many have points alone, which are between thousands beside a decimal comma, and whether one has that comma.
    var (grouped, hasComma) = (0, false)
  }

  private let numbers: TypedNumbers
  private var found: [Int: Found] = [:]
  /// The columns that are looked at.
  private let columns: Set<Int>
  /// Those of them whose cells have their types by their forms.
  private let untyped: Set<Int>

  package init(_ plan: TablePlan, _ options: TableOptions) {
    numbers = TypedNumbers(options.reading)
    untyped = Set(plan.untyped)
    let typed = plan.roles.indices.filter { index in
      guard case .field(let column) = plan.roles[index], !plan.decided.contains(index) else { return false }
      return column.type == .integer || column.type == .double
    }
    columns = untyped.union(typed)
  }

  /// Looks at a cell that was read; a number of a sheet is what it is.
  package mutating func take(_ row: CellRow, _ index: Int) {
    guard columns.contains(index), [.bare, .text].contains(row.kind(index)) else { return }
    row.withUTF8(of: index) { take(CellValues.trimmed($0), index) }
  }

  private mutating func take(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) {
    guard let mayBeGrouped = numbers.mayBeGrouped(text) else { return }
    var column = found[index] ?? Found()
    column.hasComma = column.hasComma || text.contains(UInt8(ascii: ","))
    if numbers.usesDecimalComma, !text.contains(UInt8(ascii: ",")) {
      column.grouped += 1
    } else if mayBeGrouped {
      column.open += 1
      if text.last(where: \.isASCIIDigit) == UInt8(ascii: "0") { column.endsInZero = true }
    } else {
      column.hasDecimals = true
    }
    found[index] = column
  }

  /// What there is to say of them, in sentences.
  package func warnings(_ plan: TablePlan) -> [String] {
    found.sorted { $0.key < $1.key }.compactMap { index, column in
      if column.grouped > 0, !column.hasComma {
        return "\(plan.name(ofColumn: index)): \(TypedNumbers.groupsRemark)."
      }
      guard column.open > 0, !column.hasDecimals, column.grouped == 0,
        column.endsInZero || !untyped.contains(index)
      else {
        return nil
      }
      return "\(plan.name(ofColumn: index)): \(numbers.groupingRemark)."
    }
  }
}
