/// Dates and times as the numbers of a sheet: days since 30 December 1899, with the time of day as the
/// fraction.
///
/// A number is written with 16 digits, a resolution slightly finer than a microsecond until ``lastFineDay`` and slightly
/// coarser after it. So the 16 digits nearest to the microsecond are written, in a number format that marks them
/// (``XLSXStyles/fineDateCode``) for reading. In any other format, a number is rounded to milliseconds, because that is the
/// precision of people and other programs. A number in the marked format is also rounded if it is what they write for a
/// whole millisecond. For a microsecond next to a millisecond, digits are chosen that differ from that number; if there are
/// none, no number represents it.
enum SheetDate {
  /// 1 March 1900, the first day on which Excel's calendar is correct.
  static let firstDay = 61
  /// 29 February 1900, which did not exist.
  static let missingDay = 60
  static let missingDate = "1900-02-29"
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
    let step = (microseconds / microsecondsOfDay * scale).rounded()
    let milliseconds = (microseconds / 1000).rounded()
    if microseconds == milliseconds * 1000 { return Double(day) + step / scale }
    let away: Double = microseconds > milliseconds * 1000 ? 1 : -1
    return [step, step + away].map { Double(day) + $0 / scale }.first {
      split($0, isFine: true) == (day, Int(microseconds))
    }
  }

  /// Whether a number is what people and other programs write for a millisecond of a day: with all of its digits, or with
  /// 16 of them.
  private static func isTyped(_ number: Double, _ day: Int, _ milliseconds: Double) -> Bool {
    let typed = Double(day) + milliseconds / 86_400_000
    let scale = scale(of: day)
    return number == typed || number == Double(day) + ((typed - Double(day)) * scale).rounded() / scale
  }

  /// Returns the day and the microsecond of a number, rounded to milliseconds unless `isFine`.
  static func split(_ number: Double, isFine: Bool) -> (day: Int, microseconds: Int) {
    let day = number.rounded(.down)
    guard day.magnitude < 1e9 else { return (Int.max / 2, 0) }
    let milliseconds = ((number - day) * 86_400_000).rounded()
    var microseconds = milliseconds * 1000
    if isFine, day >= Double(firstDay), day <= Double(lastFineDay), !isTyped(number, Int(day), milliseconds) {
      let scale = scale(of: Int(day))
      microseconds = (((number - day) * scale).rounded() / scale * microsecondsOfDay).rounded()
    }
    return microseconds >= microsecondsOfDay ? (Int(day) + 1, 0) : (Int(day), Int(microseconds))
  }

  /// Returns the power of ten for the decimals that fit into 16 digits.
  private static func scale(of day: Int) -> Double {
    day >= 10_000 ? 1e11 : day >= 1000 ? 1e12 : day >= 100 ? 1e13 : 1e14
  }

  // MARK: Text

  /// Appends the date of a serial number, such as `2026-12-31T18:30:00`, or returns false if it is outside the calendar:
  /// negative, after 9999, or ``missingDay``.
  static func append(_ serial: Double, isFine: Bool, countsFrom1904: Bool, to out: inout [UInt8]) -> Bool {
    let (day, microseconds) = split(serial, isFine: isFine)
    if serial < 0 || (day == missingDay && !countsFrom1904) { return false }
    let days = countsFrom1904 ? day - 24_107 : day - (day > missingDay ? epoch : epoch - 1)
    // Years 1900 to 9999.
    guard days >= -25_567, days < 2_932_897 else { return false }
    let date = Civil.date(days: days)
    appendDigits(date.year, 4, &out)
    out.append(UInt8(ascii: "-"))
    appendDigits(date.month, 2, &out)
    out.append(UInt8(ascii: "-"))
    appendDigits(date.day, 2, &out)
    out.append(UInt8(ascii: "T"))
    appendClock(microseconds, alwaysSeconds: true, &out)
    return true
  }

  /// Appends a time of day.
  static func appendClock(_ microseconds: Int, alwaysSeconds: Bool, _ out: inout [UInt8]) {
    appendDigits(microseconds / 3_600_000_000, 2, &out)
    out.append(UInt8(ascii: ":"))
    appendDigits(microseconds / 60_000_000 % 60, 2, &out)
    let rest = microseconds % 60_000_000
    guard alwaysSeconds || rest > 0 else { return }
    out.append(UInt8(ascii: ":"))
    appendDigits(rest / 1_000_000, 2, &out)
    guard rest % 1_000_000 > 0 else { return }
    out.append(UInt8(ascii: "."))
    let isFine = rest % 1000 > 0
    appendDigits(isFine ? rest % 1_000_000 : rest / 1000 % 1000, isFine ? 6 : 3, &out)
  }

  /// Appends the last digits of a number, with leading zeros.
  static func appendDigits(_ number: Int, _ width: Int, _ out: inout [UInt8]) {
    var scale = 1
    for _ in 1..<width { scale *= 10 }
    while scale > 0 {
      out.append(UInt8(ascii: "0") + UInt8(number / scale % 10))
      scale /= 10
    }
  }
}
