/// A day of the proleptic Gregorian calendar.
package struct ReferenceDay: Sendable, Equatable {
  /// The year, 1...9999 in what Firestore stores.
  package var year: Int
  /// The month, 1...12.
  package var month: Int
  /// The day of the month, from 1.
  package var day: Int

  /// The day of these numbers.
  package init(_ year: Int, _ month: Int, _ day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// The day that is so many days after 1970-01-01, or before it where the number is negative.
  package init(daysSince1970 days: Int64) {
    // Eras of 400 years, which begin on 1 March of a year that 400 divides.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    self.init(Int(year), Int(month), Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1))
  }

  /// The number of days from 1970-01-01 to this day.
  package var daysSince1970: Int64 {
    let year = Int64(month <= 2 ? year - 1 : year)
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let shiftedMonth = Int64(month > 2 ? month - 3 : month + 9)
    let dayOfYear = (153 * shiftedMonth + 2) / 5 + Int64(day) - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The seconds from 1970-01-01T00:00:00Z to this day's start in UTC.
  package var startInUTC: Int64 {
    daysSince1970 * 86_400
  }

  /// The day as `2026-01-31`.
  var text: String {
    "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(day, 2))"
  }

  /// A number with zeros before it up to so many digits.
  static func padded(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }
}
