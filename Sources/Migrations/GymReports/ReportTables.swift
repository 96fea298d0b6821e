/// A part of a report as shown in every output: a heading, and rows with a label, a value and a text.
struct ReportTable {
  /// The content of a row besides its label.
  enum Content {
    case cents(Int)
    case count(Int)
    case stock(OwnerReport.Stock)
    case day(CalendarDay)
  }

  struct Row {
    var label: String
    /// The first day of the period that the label names; nil for any other label.
    var start: CalendarDay?
    /// The value of the bar, not negative; nil for a row without a bar.
    var value: Int?
    var content: Content
    /// The number of documents in an amount.
    var documents: Int?

    var text: String {
      switch content {
      case .cents(let cents): ReportWords.money(cents)
      case .count(let count): NumberText.grouped(count)
      case .stock(.whole(let number)): NumberText.grouped(number)
      case .stock(.fraction(let number)): number.description
      case .day(let day): day.text
      }
    }
  }

  /// How the rows are shown.
  enum Shape {
    /// Separate headings, the largest first.
    case headings
    /// Consecutive periods, side by side.
    case series
    /// A list without bars.
    case list
  }

  var title: String
  var columns: (label: String, text: String)
  var rows: [Row]
  var shape: Shape
  var note: String?
}

/// A total of a report: an amount, a count, or both.
struct ReportTotal {
  var label: String
  var cents: Int?
  var count: Int?
  /// The count of an amount in words.
  var note = ""

  var text: String { cents.map(ReportWords.money) ?? NumberText.grouped(count ?? 0) }
}

extension OwnerReport {
  func totals(_ words: ReportWords) -> [ReportTotal] {
    func money(_ label: ReportWords.Term, _ total: Amount, _ counted: ReportWords.Term) -> ReportTotal {
      let note = "\(NumberText.grouped(total.count)) \(words.counted(total.count, counted))"
      return ReportTotal(label: words[label], cents: total.cents, count: total.count, note: note)
    }
    var totals = [money(.income, income.total, .payments)]
    if let expenses, let profitCents {
      totals.append(money(.expenses, expenses.total, .entries))
      totals.append(ReportTotal(label: words[.profit], cents: profitCents))
    }
    totals.append(ReportTotal(label: words[.checkIns], count: checkIns.total))
    let members = membersByStatus.reduce(0) { $0 + $1.count }
    totals.append(ReportTotal(label: words.dated(.members, .onDay, today), count: members))
    return totals
  }

  func tables(_ words: ReportWords) -> [ReportTable] {
    var tables = [
      ReportTable(.byType, income.byType, .headings, words),
      ReportTable(.byMethod, income.byMethod, .headings, words),
    ]
    // A single month would equal the total.
    if income.byMonth.count > 1 { tables.append(ReportTable(.byMonth, income.byMonth, .series, words)) }
    if let expenses {
      var table = ReportTable(.byCategory, expenses.byCategory, .headings, words)
      table.note = words[.productCost]
      tables.append(table)
    }
    return tables + checkInTables(words) + [
      ReportTable(words.dated(.byStatus, .onDay, today), "", membersByStatus, .headings, words),
      ReportTable(
        words.dated(.endingSoon, .sinceDay, asOf),
        .ends,
        endingSoon.map { .init(label: $0.name ?? $0.id, content: .day($0.day)) },
        .list,
        words
      ),
      ReportTable(
        words.dated(.lowStock, .onDay, today),
        .stock,
        lowStock.map { .init(label: $0.name ?? $0.id, content: .stock($0.stock)) },
        .list,
        words
      ),
    ]
  }

  private func checkInTables(_ words: ReportWords) -> [ReportTable] {
    let hours = checkIns.byHour.enumerated().map { hour, count in
      Count(key: "\(hour < 10 ? "0" : "")\(hour):00", count: count)
    }
    let used = hours.indices.filter { hours[$0].count > 0 }
    return [
      ReportTable(words[.byDay], words[.day], checkIns.byDay, .series, words),
      // The hours from the first to the last one with a check-in.
      ReportTable(
        words[.byHour],
        words[.hour],
        used.isEmpty ? [] : Array(hours[used[0]...used[used.count - 1]]),
        .series,
        words
      ),
      ReportTable(
        words[.topMembers],
        .count,
        checkIns.topMembers.map {
          .init(label: $0.name ?? $0.id, value: $0.count, content: .count($0.count))
        },
        .headings,
        words
      ),
    ]
  }

  /// Whether there were no payments and no check-ins.
  var isEmpty: Bool { income.total.count == 0 && checkIns.total == 0 }

  /// The numbers of documents that the report omits, for lack of a date or of an amount.
  func leftOutCounts(_ words: ReportWords) -> [(label: String, undated: Int, unreadable: Int)] {
    var counts = [(label: words[.income], undated: undated.payments, unreadable: unreadable.payments)]
    if expenses != nil { counts.append((words[.expenses], undated.expenses, unreadable.expenses)) }
    if let count = undated.checkIns { counts.append((words[.checkIns], count, 0)) }
    return counts + [(words[.memberships], undated.memberships, 0)]
  }

  /// Returns what the numbers omit, as a sentence; nil if nothing.
  func leftOut(_ words: ReportWords) -> String? {
    let parts = leftOutCounts(words).map { ($0.label.lowercased(), $0.undated + $0.unreadable) }
      .filter { $0.1 > 0 }
    if parts.isEmpty { return nil }
    return "\(words[.leftOut]): \(parts.map { "\($0.0) \($0.1)" }.joined(separator: ", "))"
  }
}

extension ReportTable {
  /// Sums of money by kind, or by month if the table is a series.
  fileprivate init(
    _ title: ReportWords.Term,
    _ amounts: [OwnerReport.Amount],
    _ shape: Shape,
    _ words: ReportWords
  ) {
    self.init(
      title: words[title],
      columns: (shape == .series ? words[.month] : "", words[.amount]),
      rows: amounts.map {
        Row(
          label: words.value($0.key),
          start: shape == .series ? CalendarDay("\($0.key)-01") : nil,
          value: max(0, $0.cents),
          content: .cents($0.cents),
          documents: $0.count
        )
      },
      shape: shape
    )
  }

  /// Numbers by kind, or by day or hour if the table is a series.
  fileprivate init(
    _ title: String,
    _ label: String,
    _ counts: [OwnerReport.Count],
    _ shape: Shape,
    _ words: ReportWords
  ) {
    self.init(
      title: title,
      columns: (label, words[.count]),
      rows: counts.map {
        Row(
          label: words.value($0.key),
          start: shape == .series ? CalendarDay($0.key) : nil,
          value: $0.count,
          content: .count($0.count)
        )
      },
      shape: shape
    )
  }

  /// Rows of members or products.
  fileprivate init(
    _ title: String,
    _ column: ReportWords.Term,
    _ rows: [Row],
    _ shape: Shape,
    _ words: ReportWords
  ) {
    self.init(title: title, columns: (words[.name], words[column]), rows: rows, shape: shape)
  }
}
