/// A calendar day, without a time zone.
package struct CalendarDay: Sendable, Hashable, Comparable {
  /// Days since 1970-01-01.
  package let number: Int

  package init(number: Int) { self.number = number }

  /// Parses a day such as `2026-01-05`; nil for a day that does not exist and for any other text.
  package init?(_ text: String) {
    guard let (year, month, day) = text.withBytes(Civil.date) else { return nil }
    number = Civil.days(year: year, month: month, day: day)
  }

  package var date: (year: Int, month: Int, day: Int) { Civil.date(days: number) }

  /// The day of the week, 0 for Monday.
  package var weekday: Int { Int((Int64(number) + 3).flooredRemainder(by: 7)) }

  /// The Monday of its week.
  package var monday: CalendarDay { CalendarDay(number: number - weekday) }

  /// The first and the last day of its month.
  package var monthDays: ClosedRange<CalendarDay> {
    let (year, month, _) = date
    let next = month == 12 ? (year + 1, 1) : (year, month + 1)
    let first = CalendarDay(number: Civil.days(year: year, month: month, day: 1))
    return first...CalendarDay(number: Civil.days(year: next.0, month: next.1, day: 1) - 1)
  }

  /// As `2026-01-05`.
  package var text: String {
    let (year, month, day) = date
    return "\(String(year).padded(to: 4))-\(String(month).padded(to: 2))-\(String(day).padded(to: 2))"
  }

  package static func < (a: CalendarDay, b: CalendarDay) -> Bool { a.number < b.number }
}
