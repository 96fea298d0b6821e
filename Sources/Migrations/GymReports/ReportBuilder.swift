import GymModels
package import Tables

/// Builds an ``OwnerReport`` from documents that are added one by one.
///
/// Its memory grows with the days and with the members who came, not with the documents. Check-ins must be added before members,
/// because names are kept only for the ten members with the most check-ins.
///
///     var builder = ReportBuilder(days: january, asOf: today, in: zone)
///     for document in documents { builder.add(document) }
///     print(builder.report.income.total.cents)
package struct ReportBuilder: Sendable {
  /// Sums by heading.
  private struct Sums: Sendable {
    private var sums: [UTF8Key: (sum: MoneySum, count: Int)] = [:]

    mutating func add(_ amount: Value?, under key: String) {
      var entry = sums[UTF8Key(key)] ?? (MoneySum(), 0)
      if entry.sum.add(amount) { entry.count += 1 }
      sums[UTF8Key(key)] = entry
    }

    private var amounts: [OwnerReport.Amount] {
      sums.map { .init(key: $0.key.string, cents: $0.value.sum.cents, count: $0.value.count) }
    }

    /// In descending order, then by name.
    var byAmount: [OwnerReport.Amount] {
      amounts.sorted { $0.cents != $1.cents ? $0.cents > $1.cents : $0.key.compareUTF8($1.key) < 0 }
    }

    var byKey: [OwnerReport.Amount] { amounts.sorted { $0.key.compareUTF8($1.key) < 0 } }
  }

  /// A total and its sums by heading.
  private struct Ledger: Sendable {
    private(set) var sum = MoneySum()
    private var count = 0
    private(set) var byMonth = Sums()
    private(set) var byDay = Sums()
    private(set) var byFirst = Sums()
    private(set) var bySecond = Sums()

    var total: OwnerReport.Amount { .init(key: "", cents: sum.cents, count: count) }

    /// - Returns: Whether it is an amount; any other value is not added.
    mutating func add(_ amount: Value?, on day: CalendarDay, _ first: Value?, _ second: Value? = nil) -> Bool
    {
      guard sum.add(amount) else { return false }
      count += 1
      byFirst.add(amount, under: first?.string ?? "unknown")
      bySecond.add(amount, under: second?.string ?? "unknown")
      byMonth.add(amount, under: day.month)
      byDay.add(amount, under: day.text)
      return true
    }
  }

  private static let top = 10
  /// The number of days within which a membership ends soon.
  private static let daysAhead = 7
  /// The largest stock that counts as low.
  private static let lowStock = OwnerReport.Stock.whole(5)

  private let days: ClosedRange<CalendarDay>
  private let asOf: CalendarDay
  private let today: CalendarDay
  private let seesExpenses: Bool
  private let zone: LocalTimeZone

  private var income = Ledger()
  private var expenses = Ledger()
  private var undated = OwnerReport.LeftOut()
  private var unreadable = OwnerReport.LeftOut()
  private var visitsByDay: [CalendarDay: Int] = [:]
  private var visitsByHour = [Int](repeating: 0, count: 24)
  private var visits: [UTF8Key: Int] = [:]
  private var topMembers: [OwnerReport.Member]?
  private var statuses: [UTF8Key: Int] = [:]
  private var endingSoon: [OwnerReport.Ending] = []
  private var products: [OwnerReport.Product] = []

  /// - Parameters:
  ///   - asOf: The day from which ending memberships are counted.
  ///   - today: The day on which the documents are read; nil for ``asOf``.
  ///   - zone: The gym's time zone.
  package init(
    days: ClosedRange<CalendarDay>,
    asOf: CalendarDay,
    today: CalendarDay? = nil,
    seesExpenses: Bool = true,
    in zone: LocalTimeZone
  ) {
    self.days = days
    self.asOf = asOf
    self.today = today ?? asOf
    self.seesExpenses = seesExpenses
    self.zone = zone
  }

  /// Adds a document; documents of other collections are ignored.
  package mutating func add(_ document: RawDocument) {
    let path = document.path
    guard path.segments.count == 2 else { return }
    switch path.collection {
    case GymCollection.payments: addPayment(document.fields)
    case GymCollection.expenses where seesExpenses: addExpense(document.fields)
    case GymCollection.checkIns: addCheckIn(document.fields)
    case GymCollection.members: addMember(path.id, document.fields)
    case GymCollection.products: addProduct(path.id, document.fields)
    default: break
    }
  }

  /// Adds check-ins without a time, of which only the number is known; nil if that is not known either.
  package mutating func addUndatedCheckIns(_ count: Int?) {
    undated.checkIns = count.flatMap { more in undated.checkIns.map { $0 + more } }
  }

  // MARK: Money

  private mutating func addPayment(_ fields: FieldMap) {
    guard fields["status"]?.string?.isIdentical(to: "completed") ?? false else { return }
    guard let moment = fields["completedAt"]?.timestamp ?? fields["createdAt"]?.timestamp else {
      undated.payments += 1
      return
    }
    guard let day = day(of: moment) else { return }
    if !Self.isInPesos(fields) || !income.add(fields["amount"], on: day, fields["type"], fields["method"]) {
      unreadable.payments += 1
    }
  }

  private mutating func addExpense(_ fields: FieldMap) {
    guard Self.isActive(fields) else { return }
    guard let moment = fields["date"]?.timestamp else {
      undated.expenses += 1
      return
    }
    guard let day = day(of: moment) else { return }
    if !Self.isInPesos(fields) || !expenses.add(fields["amount"], on: day, fields["category"]) {
      unreadable.expenses += 1
    }
  }

  /// Whether an amount is in the gym's currency, which is the default.
  private static func isInPesos(_ fields: FieldMap) -> Bool {
    let currency = fields["currency"] ?? .null
    if currency.isNull { return true }
    guard let text = currency.string else { return false }
    return Currency.code(text)?.isIdentical(to: "MXN") ?? true
  }

  /// Returns the day of a point in time; nil if it is outside the report.
  private func day(of moment: Timestamp) -> CalendarDay? {
    let day = zone.day(of: moment)
    return days.contains(day) ? day : nil
  }

  // MARK: People

  private mutating func addCheckIn(_ fields: FieldMap) {
    guard let moment = fields["checkInDate"]?.timestamp else {
      addUndatedCheckIns(1)
      return
    }
    guard let day = day(of: moment) else { return }
    visitsByDay[day, default: 0] += 1
    visitsByHour[zone.hour(of: moment)] += 1
    if let id = fields["memberId"]?.string, !id.isEmpty { visits[UTF8Key(id), default: 0] += 1 }
  }

  private mutating func addMember(_ id: String, _ fields: FieldMap) {
    if topMembers == nil { topMembers = mostVisits }
    if let index = topMembers?.firstIndex(where: { $0.id.isIdentical(to: id) }) {
      topMembers?[index].name = Self.name(fields)
    }
    guard Self.isActive(fields) else { return }
    let status = fields["membershipStatus"]?.string ?? "unknown"
    statuses[UTF8Key(status), default: 0] += 1
    guard status.isIdentical(to: "active"), let value = fields["membershipEndDate"], !value.isNull else {
      return
    }
    guard let end = value.timestamp else {
      undated.memberships += 1
      return
    }
    let day = zone.day(of: end)
    if (asOf.number...(asOf.number + Self.daysAhead)).contains(day.number) {
      endingSoon.append(.init(id: id, name: Self.name(fields), day: day))
    }
  }

  /// The members with the most check-ins, without their names.
  private var mostVisits: [OwnerReport.Member] {
    Self.descending(visits).prefix(Self.top).map { .init(id: $0.key.string, count: $0.value) }
  }

  /// In descending order, then by name.
  private static func descending(_ counts: [UTF8Key: Int]) -> [(key: UTF8Key, value: Int)] {
    counts.sorted { $0.value != $1.value ? $0.value > $1.value : $0.key < $1.key }
  }

  private static func name(_ fields: FieldMap) -> String? {
    let name = PersonName(ofMember: fields)
    return name.isEmpty ? nil : name.joined
  }

  // MARK: Products

  private mutating func addProduct(_ id: String, _ fields: FieldMap) {
    guard Self.isActive(fields) else { return }
    guard let stock = OwnerReport.Stock(fields["stock"]), stock <= Self.lowStock else { return }
    let name = fields["name"]?.string?.nilIfBlank
    products.append(.init(id: id, name: name, stock: stock))
  }

  /// Whether a document counts as active, which it does unless the field is false.
  ///
  /// A value of another type is ignored; `check` reports it.
  private static func isActive(_ fields: FieldMap) -> Bool { fields["isActive"]?.boolean != false }

  // MARK: The report

  package var report: OwnerReport {
    var report = OwnerReport(days: days, asOf: asOf, today: today)
    report.income = .init(
      total: income.total,
      byType: income.byFirst.byAmount,
      byMethod: income.bySecond.byAmount,
      byMonth: income.byMonth.byKey,
      byDay: income.byDay.byKey
    )
    if seesExpenses {
      report.expenses = .init(
        total: expenses.total,
        byCategory: expenses.byFirst.byAmount,
        byMonth: expenses.byMonth.byKey
      )
      report.profitCents = (income.sum - expenses.sum).cents
    }
    report.checkIns = .init(
      total: visitsByHour.reduce(0, +),
      byDay: visitsByDay.sorted { $0.key < $1.key }.map { .init(key: $0.key.text, count: $0.value) },
      byHour: visitsByHour,
      topMembers: topMembers ?? mostVisits
    )
    report.membersByStatus = Self.descending(statuses).map { .init(key: $0.key.string, count: $0.value) }
    report.endingSoon = endingSoon.sorted {
      $0.day != $1.day ? $0.day < $1.day : $0.id.compareUTF8($1.id) < 0
    }
    report.lowStock = products.sorted {
      $0.stock != $1.stock ? $0.stock < $1.stock : $0.id.compareUTF8($1.id) < 0
    }
    (report.undated, report.unreadable) = (undated, unreadable)
    return report
  }
}

extension CalendarDay {
  /// Its month, as `2026-01`.
  var month: String { String(text.prefix(7)) }
}
