import Schema

/// Watches the numbers of columns whose type was not inferred for points, or decimal commas, that may all be thousands
/// separators.
package struct OpenNumbers {
  private struct Found {
    /// The number of values with such a sign.
    var open = 0
    /// Whether the sign is certainly a decimal separator in one of them.
    var hasDecimals = false
    /// Whether one has a zero as its last decimal, which an export never writes.
    var endsInZero = false
    /// The number of values with signs between thousands only, and whether any value shows which sign that is: by a sign
    /// before decimals, or by several between thousands.
    var (grouped, isDecided) = (0, false)
  }

  private let numbers: TypedNumbers
  private var found: [Int: Found] = [:]
  /// The columns to watch.
  private let columns: Set<Int>
  /// The watched columns that have no type, so that the form of each cell determines its type.
  private let untyped: Set<Int>

  package init(_ plan: TablePlan, _ options: TableOptions) {
    numbers = TypedNumbers(options.reading)
    untyped = Set(plan.untyped)
    let typed = plan.roles.fields.filter { index, column in
      !plan.decided.contains(index) && (column.type == .integer || column.type == .double)
    }
    columns = untyped.union(typed.map(\.index))
  }

  /// Notes a cell that was read; numbers of a sheet are unambiguous and ignored.
  package mutating func take(_ row: CellRow, _ index: Int) {
    guard columns.contains(index), [.bare, .text].contains(row.kind(index)) else { return }
    row.withUTF8(of: index) { take(CellValues.trimmed($0), index) }
  }

  private mutating func take(_ text: UnsafeBufferPointer<UInt8>, _ index: Int) {
    guard let mayBeGrouped = numbers.mayBeGrouped(text) else { return }
    var column = found[index] ?? Found()
    let signs = numbers.signs
    let (isDecimal, groups) = (text.contains(signs.decimal), text.count { $0 == signs.group })
    if isDecimal || groups > 1 { column.isDecided = true }
    if !isDecimal, groups > 0 {
      column.grouped += 1
    } else if mayBeGrouped {
      column.open += 1
      if text.last(where: \.isASCIIDigit) == UInt8(ascii: "0") { column.endsInZero = true }
    } else {
      column.hasDecimals = true
    }
    found[index] = column
  }

  /// The warnings about the numbers, as sentences.
  package func warnings(_ plan: TablePlan) -> [String] {
    found.sorted { $0.key < $1.key }.compactMap { index, column in
      if column.grouped > 0, !column.isDecided {
        return "\(plan.name(ofColumn: index)): \(numbers.groupsRemark)."
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
