/// A point in time with nanoseconds, in the years 1 to 9999, as `google.protobuf.Timestamp`.
///
/// The service stores microseconds and rounds finer digits down; this type keeps all digits.
///
///     let time = Timestamp("2026-01-31T12:00:00.123456789-06:00")
///     time?.description             // 2026-01-31T18:00:00.123456789Z
///     time?.flooredToMicroseconds   // 2026-01-31T18:00:00.123456Z
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z; negative before.
  public let seconds: Int64
  /// Nanoseconds within the second, 0 to 999,999,999.
  public let nanoseconds: Int32

  /// 0001-01-01T00:00:00Z, the earliest time that the service accepts.
  public static let minimumSeconds: Int64 = -62_135_596_800
  /// 9999-12-31T23:59:59Z, the last second that the service accepts.
  public static let maximumSeconds: Int64 = 253_402_300_799

  /// Creates a timestamp; nil outside the years 1 to 9999 or if `nanoseconds` is not less than a second.
  public init?(seconds: Int64, nanoseconds: Int32 = 0) {
    guard (Self.minimumSeconds...Self.maximumSeconds).contains(seconds),
      (0..<1_000_000_000).contains(nanoseconds)
    else { return nil }
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  private init(uncheckedSeconds seconds: Int64, nanoseconds: Int32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  /// Creates a timestamp from microseconds since 1970, saturated at the years 1 to 9999.
  package init(microseconds: Int64) {
    let seconds = microseconds.flooredDivision(by: 1_000_000)
    let rest = Int32(microseconds.flooredRemainder(by: 1_000_000))
    let bounded = min(max(seconds, Self.minimumSeconds), Self.maximumSeconds)
    self.init(uncheckedSeconds: bounded, nanoseconds: rest * 1000)
  }

  /// Microseconds since 1970; finer digits are dropped.
  package var microseconds: Int64 { seconds * 1_000_000 + Int64(nanoseconds / 1000) }

  /// The timestamp rounded down to microseconds, as the service stores it.
  public var flooredToMicroseconds: Timestamp {
    Timestamp(uncheckedSeconds: seconds, nanoseconds: nanoseconds / 1000 * 1000)
  }

  /// Whether one time is before another.
  public static func < (a: Timestamp, b: Timestamp) -> Bool {
    (a.seconds, a.nanoseconds) < (b.seconds, b.nanoseconds)
  }
}

// MARK: - RFC 3339

extension Timestamp: CustomStringConvertible {
  /// Parses RFC 3339 with an offset (`Z` or `±hh:mm`) and up to 9 fractional digits; nil for anything else.
  public init?(_ text: String) {
    guard let parsed = text.withBytes({ Timestamp(rfc3339: $0) }) else { return nil }
    self = parsed
  }

  package init?(rfc3339 text: UnsafeBufferPointer<UInt8>) {
    func digits(_ range: Range<Int>) -> Int? {
      guard range.upperBound <= text.count else { return nil }
      var number = 0
      for index in range {
        let digit = text[index] &- UInt8(ascii: "0")
        if digit > 9 { return nil }
        number = number * 10 + Int(digit)
      }
      return number
    }
    func holds(_ character: UInt8, at index: Int) -> Bool { index < text.count && text[index] == character }

    guard let year = digits(0..<4), holds(UInt8(ascii: "-"), at: 4), let month = digits(5..<7),
      holds(UInt8(ascii: "-"), at: 7), let day = digits(8..<10),
      holds(UInt8(ascii: "T"), at: 10) || holds(UInt8(ascii: "t"), at: 10),
      let hour = digits(11..<13), holds(UInt8(ascii: ":"), at: 13), let minute = digits(14..<16),
      holds(UInt8(ascii: ":"), at: 16), let second = digits(17..<19),
      year >= 1, (1...12).contains(month), day >= 1, day <= Civil.daysInMonth(year: year, month: month),
      hour < 24, minute < 60, second < 60
    else { return nil }

    var index = 19
    var nanoseconds = 0
    if holds(UInt8(ascii: "."), at: index) {
      index += 1
      var scale = 100_000_000
      let start = index
      while index < text.count, text[index] &- UInt8(ascii: "0") <= 9 {
        if index - start == 9 { return nil }
        nanoseconds += Int(text[index] &- UInt8(ascii: "0")) * scale
        scale /= 10
        index += 1
      }
      if index == start { return nil }
    }

    var offset = 0
    if holds(UInt8(ascii: "Z"), at: index) || holds(UInt8(ascii: "z"), at: index) {
      index += 1
    } else if index < text.count, text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-") {
      guard let hours = digits(index + 1..<index + 3), holds(UInt8(ascii: ":"), at: index + 3),
        let minutes = digits(index + 4..<index + 6), hours < 24, minutes < 60
      else { return nil }
      offset = (hours * 60 + minutes) * 60 * (text[index] == UInt8(ascii: "-") ? -1 : 1)
      index += 6
    } else {
      return nil
    }
    guard index == text.count else { return nil }

    let days = Civil.days(year: year, month: month, day: day)
    let seconds = Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second - offset)
    self.init(seconds: seconds, nanoseconds: Int32(nanoseconds))
  }

  /// Whether a text is a time exactly as ``description`` writes it.
  package static func isCanonical(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = text.baseAddress, text.count >= 20, text[text.count - 1] == UInt8(ascii: "Z") else {
      return false
    }
    // 2026-01-31T18:00:00 is two words and three bytes; XOR turns digits into their values and separators into zeros.
    let bytes = UnsafeRawPointer(base)
    let date = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self)) ^ 0x2D30_302D_3030_3030
    let time =
      UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)) ^ 0x3030_3A30_3054_3030
    let rest =
      UInt64(text[16] ^ UInt8(ascii: ":")) | UInt64(text[17] ^ 0x30) << 8 | UInt64(text[18] ^ 0x30) << 16
    let separators = date & 0xFF00_00FF_0000_0000 | time & 0x0000_FF00_00FF_0000 | rest & 0xFF
    guard separators == 0, areDigits(date), areDigits(time), areDigits(rest) else { return false }
    func pair(_ word: UInt64, _ at: UInt64) -> Int {
      Int(word >> at & 0xFF) * 10 + Int(word >> (at + 8) & 0xFF)
    }
    let year = pair(date, 0) * 100 + pair(date, 16)
    let month = pair(date, 40)
    let day = pair(time, 0)
    guard year >= 1, (1...12).contains(month), day >= 1, pair(time, 24) < 24, pair(time, 48) < 60,
      pair(rest, 8) < 60, day <= 28 || day <= Civil.daysInMonth(year: year, month: month)
    else { return false }
    return hasCanonicalFraction(text)
  }

  /// Whether every byte is below 10.
  private static func areDigits(_ word: UInt64) -> Bool {
    let high: UInt64 = 0x8080_8080_8080_8080
    return ((word & ~high) &+ 0x7676_7676_7676_7676 | word) & high == 0
  }

  /// Whether there are no fractional digits, or 3, 6 or 9, of which the last three are not all zero.
  private static func hasCanonicalFraction(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    switch text.count {
    case 20: return true
    case 24, 27, 30:
      guard text[19] == UInt8(ascii: ".") else { return false }
      let end = text.count - 1
      for index in 20..<end where text[index] &- UInt8(ascii: "0") > 9 { return false }
      // The low half of a digit is its value.
      return (text[end - 3] | text[end - 2] | text[end - 1]) & 0x0F != 0
    default: return false
    }
  }

  /// RFC 3339 in UTC with 0, 3, 6 or 9 fractional digits, as in protobuf's JSON mapping.
  public var description: String {
    var out: [UInt8] = []
    append(to: &out)
    return String(decoding: out, as: UTF8.self)
  }

  /// Appends ``description``.
  @usableFromInline
  package func append(to out: inout [UInt8]) {
    let days = Int(seconds.flooredDivision(by: 86_400))
    let secondOfDay = Int(seconds - Int64(days) * 86_400)
    let date = Civil.date(days: days)
    out.append(addingCapacity: 30) { out in
      out.append(two: date.year / 100)
      out.append(two: date.year % 100)
      out.append(UInt8(ascii: "-"))
      out.append(two: date.month)
      out.append(UInt8(ascii: "-"))
      out.append(two: date.day)
      out.append(UInt8(ascii: "T"))
      out.append(two: secondOfDay / 3600)
      out.append(UInt8(ascii: ":"))
      out.append(two: secondOfDay / 60 % 60)
      out.append(UInt8(ascii: ":"))
      out.append(two: secondOfDay % 60)
      if nanoseconds != 0 {
        out.append(UInt8(ascii: "."))
        let width = nanoseconds % 1_000_000 == 0 ? 3 : nanoseconds % 1000 == 0 ? 6 : 9
        var scale: Int32 = 100_000_000
        for _ in 0..<width {
          out.append(UInt8(ascii: "0") + UInt8(nanoseconds / scale % 10))
          scale /= 10
        }
      }
      out.append(UInt8(ascii: "Z"))
    }
  }
}

extension OutputSpan<UInt8> {
  /// Appends two decimal digits.
  @inline(__always)
  fileprivate mutating func append(two number: Int) {
    append(UInt8(ascii: "0") + UInt8(number / 10))
    append(UInt8(ascii: "0") + UInt8(number % 10))
  }
}

/// Days and dates of the proleptic Gregorian calendar, without Foundation, because they are computed for every row.
package enum Civil {
  /// The number of days from 1970-01-01 to a date.
  package static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The date `days` after 1970-01-01.
  package static func date(days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthIndex = (5 * dayOfYear + 2) / 153
    let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthIndex + 2) / 5 + 1)
  }

  package static func isDate(year: Int, month: Int, day: Int) -> Bool {
    year >= 1 && (1...12).contains(month) && day >= 1 && day <= daysInMonth(year: year, month: month)
  }

  /// Parses a date such as `2026-01-31`; nil for a date that does not exist and for any other text.
  package static func date(_ text: UnsafeBufferPointer<UInt8>) -> (year: Int, month: Int, day: Int)? {
    let hyphen = UInt8(ascii: "-")
    func number(_ range: Range<Int>) -> Int? {
      text[range].reduce(0) { number, byte in
        number.flatMap { (48...57).contains(byte) ? $0 * 10 + Int(byte - 48) : nil }
      }
    }
    guard text.count == 10, text[4] == hyphen, text[7] == hyphen, let year = number(0..<4),
      let month = number(5..<7), let day = number(8..<10), isDate(year: year, month: month, day: day)
    else { return nil }
    return (year, month, day)
  }

  /// The number of days in a month.
  package static func daysInMonth(year: Int, month: Int) -> Int {
    switch month {
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

extension Int64 {
  /// The quotient rounded toward negative infinity.
  package func flooredDivision(by divisor: Int64) -> Int64 {
    let quotient = self / divisor
    return self % divisor != 0 && (self < 0) != (divisor < 0) ? quotient - 1 : quotient
  }

  /// The remainder of the floored division: 0 up to a positive `divisor`.
  ///
  /// Not computed as a difference: the product of quotient and divisor can overflow.
  package func flooredRemainder(by divisor: Int64) -> Int64 {
    let remainder = self % divisor
    return remainder != 0 && (remainder < 0) != (divisor < 0) ? remainder + divisor : remainder
  }
}
