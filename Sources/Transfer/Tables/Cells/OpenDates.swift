import Schema

/// Watches the dates in columns, or JSON members, with a given type of times or days for an unclear order of day and month,
/// and for times without a zone.
package struct OpenDates {
  private struct Found {
    /// The number of dates that would be another day in the other order.
    var open = 0
    /// Whether a date can be read in one order only.
    var showsDay = false
    /// Whether a date has no zone.
    var isLocal = false
    /// Whether a text can be read in both orders.
    var isOpenText = false
    /// The dates of a sheet.
    var days = SheetDays()
  }

  private var found: [Int: Found] = [:]
  /// The columns to watch, with their order if given.
  private var orders: [Int: DateOrder?] = [:]
  /// The watched columns of days, which have no zone.
  private var days: Set<Int> = []

  init() {}

  package init(_ plan: TablePlan, _ options: TableOptions) {
    let keepsDays = plan.readsForms && options.keepsDays
    days = keepsDays ? [] : plan.textColumns(where: \.isDay)
    for (index, column) in plan.roles.fields where !plan.decided.contains(index) {
      if column.type == .timestamp || days.contains(index) {
        orders.updateValue(plan.dateOrders[index] ?? options.dateOrder, forKey: index)
      }
    }
  }

  /// Notes a cell that was read.
  package mutating func take(_ row: CellRow, _ index: Int) {
    guard let order = orders[index], row.kind(index) != .missing else { return }
    if row.kind(index) == .date { row.withUTF8(of: index) { found[index, default: Found()].days.take($0) } }
    row.withUTF8(of: index) { take($0, index, order) }
  }

  /// Notes a text that was read in an order, or with the day first if none was given.
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

  /// The notices about the dates, as sentences.
  ///
  /// - Parameters:
  ///   - unit: What contains a date: a cell or a text.
  ///   - zone: The zone of dates without one; nil if the user named it.
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

  /// The notices about the dates of a table.
  package func notices(_ plan: TablePlan, in zone: LocalTimeZone?) -> [String] {
    notices("cell", in: zone) { plan.name(ofColumn: $0) }
  }

  /// The warnings about possibly damaged dates, as sentences.
  package func warnings(_ plan: TablePlan) -> [String] {
    found.sorted { $0.key < $1.key }.compactMap { index, dates in
      guard dates.showsDay, !dates.isOpenText, let remark = dates.days.remark else { return nil }
      return "\(plan.name(ofColumn: index)): \(remark)"
    }
  }
}

/// Watches the dates of a sheet for those that a spreadsheet may have made from texts with day and month swapped.
///
/// A spreadsheet converts the texts that it can read in its own order and leaves the others, whose second number is over
/// 12, as texts.
struct SheetDays {
  /// The number of dates whose day could be a month, and whether the day of any date could not.
  private var (open, hasCertain) = (0, false)

  /// Notes a date such as `2026-12-31T18:30:00`.
  mutating func take(_ date: UnsafeBufferPointer<UInt8>) {
    guard date.count >= 10 else { return }
    let zero = Int(UInt8(ascii: "0"))
    if (Int(date[8]) - zero) * 10 + Int(date[9]) - zero > 12 { hasCertain = true } else { open += 1 }
  }

  /// The number of dates that may be swapped if there are texts with a number over 12, too.
  var count: Int { hasCertain ? 0 : open }

  /// The remark on the dates if there are such texts, too; nil if none may be swapped.
  var remark: String? { count > 0 ? Self.remark(count) : nil }

  static func remark(_ count: Int) -> String {
    "\(NumberText.counted(count, "date")) beside texts that are dates with a day over 12: a spreadsheet may have swapped day and month of what it took for a date. Compare them with their source."
  }
}
