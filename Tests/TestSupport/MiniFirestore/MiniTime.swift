/// A moment in microseconds since 1970, as the service stores it, and its RFC 3339 text.
struct MiniTime: Sendable, Hashable, Comparable {
  var microseconds: Int64

  static func < (left: MiniTime, right: MiniTime) -> Bool { left.microseconds < right.microseconds }

  init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Reads `2026-01-02T03:04:05.123456789+05:30`; digits below the microsecond are floored away.
  ///
  /// nil for anything else, a moment outside the years 1 to 9999 included.
  init?(_ text: ByteString) {
    let bytes = text.bytes
    func number(_ range: Range<Int>) -> Int64? {
      guard range.upperBound <= bytes.count, bytes[range].allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
        return nil
      }
      return bytes[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
    func has(_ character: Unicode.Scalar, at index: Int) -> Bool {
      index < bytes.count && bytes[index] == UInt8(ascii: character)
    }
    guard let year = number(0..<4), has("-", at: 4), let month = number(5..<7), has("-", at: 7),
      let day = number(8..<10), has("T", at: 10), let hour = number(11..<13), has(":", at: 13),
      let minute = number(14..<16), has(":", at: 16), let second = number(17..<19),
      year >= 1, (1...12).contains(month), day >= 1, day <= Self.days(in: month, of: year),
      hour < 24, minute < 60, second < 60
    else { return nil }
    var index = 19
    var fraction: Int64 = 0
    if has(".", at: index) {
      index += 1
      let digits = bytes[index...].prefix { $0 >= 0x30 && $0 <= 0x39 }
      guard (1...9).contains(digits.count) else { return nil }
      for place in 0..<6 {
        fraction = fraction * 10 + (place < digits.count ? Int64(digits[index + place] - 0x30) : 0)
      }
      index += digits.count
    }
    var offset: Int64 = 0
    if has("Z", at: index) {
      index += 1
    } else {
      guard has("+", at: index) || has("-", at: index), let hours = number(index + 1..<index + 3),
        has(":", at: index + 3), let minutes = number(index + 4..<index + 6), hours < 24, minutes < 60
      else { return nil }
      offset = (hours * 60 + minutes) * (has("-", at: index) ? -60 : 60)
      index += 6
    }
    guard index == bytes.count else { return nil }
    let seconds = Self.dayNumber(year, month, day) * 86400 + hour * 3600 + minute * 60 + second - offset
    guard seconds >= -62_135_596_800, seconds < 253_402_300_800 else { return nil }
    microseconds = seconds * 1_000_000 + fraction
  }

  /// RFC 3339 in UTC with 0, 3 or 6 digits.
  var text: String {
    let seconds = (microseconds - (microseconds % 1_000_000 + 1_000_000) % 1_000_000) / 1_000_000
    let fraction = microseconds - seconds * 1_000_000
    let day = (seconds - (seconds % 86400 + 86400) % 86400) / 86400
    let second = seconds - day * 86400
    let (year, month, dayOfMonth) = Self.civil(day)
    var text = "\(Self.pad(year, 4))-\(Self.pad(month, 2))-\(Self.pad(dayOfMonth, 2))"
    text += "T\(Self.pad(second / 3600, 2)):\(Self.pad(second / 60 % 60, 2)):\(Self.pad(second % 60, 2))"
    if fraction % 1000 != 0 {
      text += ".\(Self.pad(fraction, 6))"
    } else if fraction != 0 {
      text += ".\(Self.pad(fraction / 1000, 3))"
    }
    return text + "Z"
  }

  private static func pad(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    switch month {
    case 2: return isLeap ? 29 : 28
    case 4, 6, 9, 11: return 30
    default: return 31
    }
  }

  /// Days since 1970-01-01; years begin in March here, so that the leap day is the last of its year.
  private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
  }

  private static func civil(_ number: Int64) -> (year: Int64, month: Int64, day: Int64) {
    // Never before year 1, so every division below is of positive numbers.
    let shifted = number + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}
