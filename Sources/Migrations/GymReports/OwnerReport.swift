/// What the owner looks at: income, expenses, visits, members and stock of some days.
///
/// Money is in cents of pesos (MXN), days and hours are those of the gym's zone.
package struct OwnerReport: Sendable, Equatable {
  /// Money under a heading: a type, a method, a category, a month or a day.
  package struct Amount: Sendable, Equatable {
    package var key: String
    package var cents: Int
    package var count: Int
  }

  /// A number under a heading.
  package struct Count: Sendable, Equatable {
    package var key: String
    package var count: Int
  }

  /// Completed payments, by the day on which they were completed, else created.
  package struct Income: Sendable, Equatable {
    package var total = Amount(key: "", cents: 0, count: 0)
    /// By type, the most first.
    package var byType: [Amount] = []
    /// By method, the most first.
    package var byMethod: [Amount] = []
    /// By month that has any, `2026-01`.
    package var byMonth: [Amount] = []
    /// By day that has any, `2026-01-05`.
    package var byDay: [Amount] = []
  }

  /// Active expenses by their date.
  ///
  /// The cost of products sold is not among them: a payment does not record which product was sold.
  package struct Expenses: Sendable, Equatable {
    package var total = Amount(key: "", cents: 0, count: 0)
    package var byCategory: [Amount] = []
    package var byMonth: [Amount] = []
  }

  /// Check-ins by their date.
  package struct CheckIns: Sendable, Equatable {
    package var total = 0
    package var byDay: [Count] = []
    /// 24 numbers, by the hour of the day.
    package var byHour = [Int](repeating: 0, count: 24)
    /// The ten members with the most; ties by id.
    package var topMembers: [Member] = []
  }

  package struct Member: Sendable, Equatable {
    package var id: String
    /// Nil where there is no document with a name.
    package var name: String?
    package var count: Int
  }

  /// A membership that ends within seven days.
  package struct Ending: Sendable, Equatable {
    package var id: String
    package var name: String?
    package var day: CalendarDay
  }

  /// A product of which little is left.
  package struct Product: Sendable, Equatable {
    package var id: String
    package var name: String?
    package var stock: Int
  }

  /// Documents that a number leaves out, because a date or an amount in pesos is missing.
  package struct LeftOut: Sendable, Equatable {
    package var payments = 0
    package var expenses = 0
    /// Check-ins without a time; nil where the service did not count them.
    package var checkIns: Int? = 0
    /// Memberships that are active, with an end that is no time; one without an end is none.
    package var memberships = 0
  }

  /// The first and the last day.
  package var days: ClosedRange<CalendarDay>
  /// The day from which the seven days of ``endingSoon`` are counted.
  package var asOf: CalendarDay
  /// The day on which it was made, of which members and stock are.
  package var today: CalendarDay
  package var income = Income()
  /// Nil for those who may not see them.
  package var expenses: Expenses?
  /// Income less expenses, rounded once; nil where the expenses are not shown.
  package var profitCents: Int?
  package var checkIns = CheckIns()
  /// Active members by status, the most first.
  package var membersByStatus: [Count] = []
  package var endingSoon: [Ending] = []
  package var lowStock: [Product] = []
  /// Without a moment, so that they belong to no day.
  package var undated = LeftOut()
  /// Without an amount, or with one in another currency.
  package var unreadable = LeftOut()
}
