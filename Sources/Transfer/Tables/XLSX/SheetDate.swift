import FirestoreModels

/// Dates and times as the numbers of a sheet: days since 30 December 1899, with the time of day as the
/// fraction.
///
/// A number is written with 16 digits, which resolves a little less than a microsecond until ``lastFineDay``
/// and a little more after it. So the 16 digits nearest to the microsecond are written, in a number format
/// that marks them (``XLSXStyles/fineDateCode``) for reading. In any other format, a number is rounded to
/// milliseconds, because that is what people and other programs write.
enum SheetDate {
  /// 1 March 1900, the first day on which Excel's calendar is correct.
  static let firstDay = 61
  /// 4 June 2079.
  static let lastFineDay = 65_535
  /// 31 December 9999.
  static let lastDay = 2_958_465
  /// The number of 1 January 1970.
  static let epoch = 25_569

  private static let microsecondsOfDay = 86_400_000_000.0

  /// Returns the number of a local time in seconds since 1970; nil if no number represents it.
  static func serial(local: Int64, nanoseconds: Int32) -> Double? {
    let days = local.flooredDivision(by: 86_400)
    let day = Int(days) + epoch
    guard day >= firstDay, day <= lastDay, nanoseconds % (day > lastFineDay ? 1_000_000 : 1000) == 0 else {
      return nil
    }
    let microseconds = Double(local - days * 86_400) * 1e6 + Double(nanoseconds / 1000)
    let scale = scale(of: day)
    return Double(day) + (microseconds / microsecondsOfDay * scale).rounded() / scale
  }

  /// Returns the day and the microsecond of a number, rounded to milliseconds unless `isFine`.
  static func split(_ number: Double, isFine: Bool) -> (day: Int, microseconds: Int) {
    let day = number.rounded(.down)
    guard day.magnitude < 1e9 else { return (Int.max / 2, 0) }
    var microseconds = ((number - day) * 86_400_000).rounded() * 1000
    if isFine, day >= Double(firstDay), day <= Double(lastFineDay) {
      let scale = scale(of: Int(day))
      microseconds = (((number - day) * scale).rounded() / scale * microsecondsOfDay).rounded()
    }
    return microseconds >= microsecondsOfDay ? (Int(day) + 1, 0) : (Int(day), Int(microseconds))
  }

  /// Returns ten to the power of the decimals within 16 digits.
  private static func scale(of day: Int) -> Double {
    day >= 10_000 ? 1e11 : day >= 1000 ? 1e12 : day >= 100 ? 1e13 : 1e14
  }
}
