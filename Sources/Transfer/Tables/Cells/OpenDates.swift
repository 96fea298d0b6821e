import Schema

/// Dates of columns, or of members of JSON, whose type was given, be it that of times or of texts that are days: whether nothing shows
/// which number is the day, and whether the zone of times is that of the options.
package struct OpenDates {
  private struct Found {
    /// How many mean another day the other way round.
    var open = 0
    /// Whether one can be read in one order only.
    var showsDay = false
    /// Whether one has no zone.
    var isLocal = false
    /// Whether a text can be read in both orders.
    var isOpenText = false
    /// The dates of a sheet.
    var days = SheetDays()
  }

  private var found: [Int: Found] = [:]
  /// The columns that are looked at, with their order where it was given.
  private var orders: [Int: DateOrder?] = [:]
  /// Those of them whose dates are days, which have no zone.
  private var days: Set<Int> = []

  init() {}

  package init(_ plan: TablePlan, _ options: TableOptions) {
    let keepsDays = plan.readsForms && options.keepsDays
    days = keepsDays ? [] : plan.textColumns(where: \.isDay)
    for (index, role) in plan.roles.enumerated() where !plan.decided.contains(index) {
      if case .field(let column) = role, column.type == .timestamp || days.contains(index) {
        orders.updateValue(plan.dateOrders[index] ?? options.dateOrder, forKey: index)
      }
    }
  }

  /// Looks at a cell that was read.
  package mutating func take(_ row: CellRow, _ index: Int) {
    guard let order = orders[index], row.kind(index) != .missing else { return }
    if row.kind(index) == .date { row.withUTF8(of: index) { found[index, default: Found()].days.take($0) } }
    row.withUTF8(of: index) { take($0, index, order) }
  }

  /// Looks at a text that was read in an order, with the day first where none was given.
  mutating func take(_ text: UnsafeBufferPointer<UInt8>, _ index: Int, _ order: DateOrder?) {
    let text = CellValues.trimmed(text)
    guard let date = DateText(text, order ?? .dayFirst) ?? DateText(compact: text) else { return }
    if date.offset == nil, !days.contains(index) { found[index, default: Found()].isLocal = true }
    guard order == nil, date.endsInYear else { return }
    if let other = DateText(text, .monthFirst) {
      found[index, default: Found()].isOpenText = true
      if other.days != date.days { found[index, default: Found()].open += 1 }
    } else {
      found[index, default: Found()].showsDay = true
    }
  }

  /// What there is to say of them, in sentences.
  ///
  /// - Parameters:
  ///   - unit: What has a date: a cell, or a text.
  ///   - zone: The zone of dates without one; nil where people named it.
  func notices(_ unit: String, in zone: LocalTimeZone?, name: (Int) -> String) -> [String] {
    found.sorted { $0.key < $1.key }.flatMap { index, dates -> [String] in
      let order =
        "no \(unit) shows which number of its dates is the day, and the first is taken for it; --date-format MM/dd/yyyy takes the second"
      let isOpen = dates.open > 0 && !dates.showsDay
      let local = zone.map { "its dates without a zone are read in \($0.name) (--time-zone)" }
      return [isOpen ? order : nil, dates.isLocal ? local : nil].compactMap { $0 }.map {
        "\(name(index)): \($0)."
      }
    }
  }

  /// The same of a table.
  package func notices(_ plan: TablePlan, in zone: LocalTimeZone?) -> [String] {
    notices("cell", in: zone) { plan.name(ofColumn: $0) }
  }

  /// What may be damaged, in sentences.
  package func warnings(_ plan: TablePlan) -> [String] {
    found.sorted { $0.key < $1.key }.compactMap { index, dates in
      guard dates.showsDay, !dates.isOpenText, let remark = dates.days.remark else { return nil }
      return "\(plan.name(ofColumn: index)): \(remark)"
    }
  }
}

/// Dates of a sheet, of which a spreadsheet may have made some of texts with day and month swapped: it does with those that it can
/// read in its own order, and leaves the others, whose other number is over 12, as texts.
struct SheetDays {
  /// The dates whose day may be a month, and whether some date's is none.
  private var (open, hasCertain) = (0, false)

  /// Takes a date such as `2026-12-31T18:30:00`.
  mutating func take(_ date: UnsafeBufferPointer<UInt8>) {
    guard date.count >= 10 else { return }
    let zero = Int(UInt8(ascii: "0"))
    if (Int(date[8]) - zero) * 10 + Int(date[9]) - zero > 12 { hasCertain = true } else { open += 1 }
  }

  /// How many may be swapped beside texts with a number over 12.
  var count: Int { hasCertain ? 0 : open }

  /// What there is to say of them beside such texts; nil where none may be swapped.
  var remark: String? { count > 0 ? Self.remark(count) : nil }

  static func remark(_ count: Int) -> String {
    "\(NumberText.counted(count, "date")) beside texts that are dates with a day over 12: a spreadsheet may have swapped day and month of what it took for a date. Compare them with their source."
  }
}
