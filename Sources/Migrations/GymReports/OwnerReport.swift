import GymModels

/// The numbers for the owner: income, expenses, visits, members and stock over some days.
///
/// Money is in cents of pesos (MXN); days and hours are in the gym's time zone.
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

  /// Completed payments, by the day on which they were completed or, if that is missing, created.
  package struct Income: Sendable, Equatable {
    package var total = Amount(key: "", cents: 0, count: 0)
    /// By type, in descending order.
    package var byType: [Amount] = []
    /// By method, in descending order.
    package var byMethod: [Amount] = []
    /// By month with payments, `2026-01`.
    package var byMonth: [Amount] = []
    /// By day with payments, `2026-01-05`.
    package var byDay: [Amount] = []
  }

  /// Active expenses by their date.
  ///
  /// The cost of sold products is not included, because a payment does not record which product was sold.
  package struct Expenses: Sendable, Equatable {
    package var total = Amount(key: "", cents: 0, count: 0)
    package var byCategory: [Amount] = []
    package var byMonth: [Amount] = []
  }

  /// Check-ins by their date.
  package struct CheckIns: Sendable, Equatable {
    package var total = 0
    package var byDay: [Count] = []
    /// 24 counts, by the hour of the day.
    package var byHour = [Int](repeating: 0, count: 24)
    /// The ten members with the most check-ins; ties are ordered by ID.
    package var topMembers: [Member] = []
  }

  package struct Member: Sendable, Equatable {
    package var id: String
    /// The name; nil if no document has it.
    package var name: String?
    package var count: Int
  }

  /// A membership that ends within seven days.
  package struct Ending: Sendable, Equatable {
    package var id: String
    package var name: String?
    package var day: CalendarDay
  }

  /// A stock, as exact as it is stored.
  package enum Stock: Sendable, Comparable {
    case whole(Int)
    /// A number that is no `Int`.
    case fraction(Double)

    /// Creates the stock of a number; nil for any other value, also one that is not finite.
    package init?(_ value: Value?) {
      if let whole = value?.wholeNumber {
        self = .whole(whole)
      } else if case .double(let number)? = value, number.isFinite {
        self = .fraction(number)
      } else {
        return nil
      }
    }

    private var number: Double {
      switch self {
      case .whole(let number): Double(number)
      case .fraction(let number): number
      }
    }

    package static func < (a: Stock, b: Stock) -> Bool {
      if case .whole(let a) = a, case .whole(let b) = b { return a < b }
      return a.number < b.number
    }
  }

  /// A product that is low in stock.
  package struct Product: Sendable, Equatable {
    package var id: String
    package var name: String?
    package var stock: Stock
  }

  /// The number of documents omitted because a date or an amount in pesos is missing.
  package struct LeftOut: Sendable, Equatable {
    package var payments = 0
    package var expenses = 0
    /// Check-ins without a time; nil if the service did not count them.
    package var checkIns: Int? = 0
    /// Active memberships whose end is not a time; memberships without an end do not count.
    package var memberships = 0
  }

  /// The first and the last day.
  package var days: ClosedRange<CalendarDay>
  /// The day from which the seven days of ``endingSoon`` are counted.
  package var asOf: CalendarDay
  /// The day on which the report was made, to which members and stock refer.
  package var today: CalendarDay
  package var income = Income()
  /// The expenses; nil for those who may not see them.
  package var expenses: Expenses?
  /// Income minus expenses, rounded once; nil if the expenses are not shown.
  package var profitCents: Int?
  package var checkIns = CheckIns()
  /// Active members by status, in descending order.
  package var membersByStatus: [Count] = []
  package var endingSoon: [Ending] = []
  package var lowStock: [Product] = []
  /// Documents without a date, which belong to no day.
  package var undated = LeftOut()
  /// Documents without an amount, or with one in another currency.
  package var unreadable = LeftOut()
}
