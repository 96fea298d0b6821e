import Schema

/// The columns whose type was given and whose dates may have the month first, as no cell shows which number is the day.
package struct OpenDates {
  /// How many dates there are that mean another day the other way round.
  private var columns: [Int: Int] = [:]

  package init(_ plan: TablePlan, _ options: TableOptions) {
    if options.dateOrder != nil { return }
    for (index, role) in plan.roles.enumerated() where plan.dateOrders[index] == nil {
      if case .field(let column) = role, column.type == .timestamp { columns[index] = 0 }
    }
  }

  /// Looks at a cell that was read with the day first.
  package mutating func take(_ row: CellRow, _ index: Int) {
    guard let count = columns[index] else { return }
    switch row.withUTF8(of: index, Self.showsDay) {
    case true?: columns[index] = nil
    case false?: columns[index] = count + 1
    case nil: break
    }
  }

  /// Whether a date can be read in one order only; nil where both say the same, or it is none.
  private static func showsDay(_ text: UnsafeBufferPointer<UInt8>) -> Bool? {
    let text = CellValues.trimmed(text)
    // The year is last only where one of the first numbers is short.
    guard text.count >= 8, !text[1].isASCIIDigit || !text[2].isASCIIDigit, let date = DateText(text),
      date.endsInYear
    else { return nil }
    guard let other = DateText(text, .monthFirst) else { return true }
    return other.days == date.days ? nil : false
  }

  /// What there is to say of them, in sentences.
  package func notices(_ plan: TablePlan) -> [String] {
    columns.sorted { $0.key < $1.key }.filter { $0.value > 0 }.map { index, _ in
      "\(plan.name(ofColumn: index)): no cell shows which number of its dates is the day, and the first is taken for it; --date-format MM/dd/yyyy takes the second."
    }
  }
}
