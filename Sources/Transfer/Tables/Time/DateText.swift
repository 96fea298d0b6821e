/// A date and time as typed by people, without a zone.
///
/// The year comes last (`31/12/2026`, `31-12-2026`, `31.12.2026`), where a ``DateOrder`` says which of the others is the day,
/// or first (`2026-12-31`, `2026/12/31`). The year has four digits. A time of day may follow: `18:30`, `18:30:15.250`,
/// `6:30 pm`, `6:30 p. m.`.
struct DateText: Sendable, Equatable {
  /// Days since 1970-01-01.
  var days: Int
  /// Seconds of the day; nil for a date without time.
  var seconds: Int?
  var nanoseconds: Int32 = 0
  /// Whether the year comes last.
  private(set) var endsInYear = false

  init(days: Int) { self.days = days }

  /// Parses a text; nil if it is not such a date.
  ///
  /// - Parameter order: The order of dates whose year comes last; with ``DateOrder/yearFirst`` there are none.
  init?(_ utf8: UnsafeBufferPointer<UInt8>, _ order: DateOrder = .dayFirst) {
    guard utf8.count >= 8, utf8.count <= 40, let first = utf8.first, first &- UInt8(ascii: "0") <= 9 else {
      return nil
    }
    var reader = Reader(bytes: utf8)
    guard let a = reader.digits(1...4), let separator = reader.next(of: "/-."), let b = reader.digits(1...2),
      reader.next(of: separator), let c = reader.digits(1...4)
    else { return nil }
    let (year, month, day): (Int, Int, Int)
    switch (a.width, c.width) {
    case (4, 1...2): (year, month, day) = (a.number, b.number, c.number)
    case (1...2, 4) where order == .dayFirst: (year, month, day) = (c.number, b.number, a.number)
    case (1...2, 4) where order == .monthFirst: (year, month, day) = (c.number, a.number, b.number)
    default: return nil
    }
    guard year >= 1, (1...12).contains(month), day >= 1, day <= Civil.daysInMonth(year: year, month: month)
    else { return nil }
    days = Civil.days(year: year, month: month, day: day)
    endsInYear = c.width == 4
    if reader.isAtEnd { return }
    guard reader.next(of: "Tt ") != nil else { return nil }
    reader.skipSpaces()
    guard let clock = reader.clock(), reader.isAtEnd else { return nil }
    seconds = clock.seconds
    nanoseconds = clock.nanoseconds
  }

  private struct Reader {
    let bytes: UnsafeBufferPointer<UInt8>
    var at = 0

    var isAtEnd: Bool { at == bytes.count }

    mutating func digits(_ widths: ClosedRange<Int>) -> (number: Int, width: Int)? {
      let start = at
      var number = 0
      while at < bytes.count, bytes[at] &- UInt8(ascii: "0") <= 9, at - start < widths.upperBound {
        number = number * 10 + Int(bytes[at] - UInt8(ascii: "0"))
        at += 1
      }
      return at - start < widths.lowerBound ? nil : (number, at - start)
    }

    mutating func next(of characters: StaticString) -> UInt8? {
      guard at < bytes.count else { return nil }
      let byte = bytes[at]
      for index in 0..<characters.utf8CodeUnitCount where characters.utf8Start[index] == byte {
        at += 1
        return byte
      }
      return nil
    }

    mutating func next(of byte: UInt8) -> Bool {
      guard at < bytes.count, bytes[at] == byte else { return false }
      at += 1
      return true
    }

    /// Skips spaces, also the narrow and non-breaking ones that some systems put into times.
    mutating func skipSpaces() {
      while at < bytes.count {
        let rest = bytes[at...]
        if bytes[at] == 0x20 {
          at += 1
        } else if rest.starts(with: [0xC2, 0xA0]) {
          at += 2
        } else if rest.starts(with: [0xE2, 0x80, 0xAF]) {
          at += 3
        } else {
          return
        }
      }
    }

    /// Parses `h:mm`, `h:mm:ss` or `h:mm:ss.fff`, with an optional am or pm.
    mutating func clock() -> (seconds: Int, nanoseconds: Int32)? {
      guard var hour = digits(1...2)?.number, next(of: UInt8(ascii: ":")), let minute = digits(2...2)?.number
      else { return nil }
      var second = 0
      var nanoseconds = 0
      if next(of: UInt8(ascii: ":")) {
        guard let number = digits(2...2)?.number else { return nil }
        second = number
        if next(of: UInt8(ascii: ".")) {
          guard let fraction = digits(1...9) else { return nil }
          nanoseconds = fraction.number
          for _ in fraction.width..<9 { nanoseconds *= 10 }
        }
      }
      skipSpaces()
      if let half = next(of: "aApP") {
        guard (1...12).contains(hour) else { return nil }
        _ = next(of: UInt8(ascii: "."))
        skipSpaces()
        guard next(of: "mM") != nil else { return nil }
        _ = next(of: UInt8(ascii: "."))
        hour = hour % 12 + (half | 0x20 == UInt8(ascii: "p") ? 12 : 0)
      }
      guard hour < 24, minute < 60, second < 60 else { return nil }
      return (hour * 3600 + minute * 60 + second, Int32(nanoseconds))
    }
  }
}

extension LocalTimeZone {
  /// Returns the time at which clocks in the zone show a date and time.
  ///
  /// It is the first one if an hour repeats. A day whose first hour is skipped starts after the gap. It is
  /// nil for a time that the clocks never show.
  func moment(of date: DateText) -> Timestamp? {
    let local = Int64(date.days) * 86_400 + Int64(date.seconds ?? 0)
    let offsets = [offset(at: local - 86_400), offset(at: local + 86_400)]
    let moments = offsets.map { local - Int64($0) }.filter { local - $0 == Int64(offset(at: $0)) }
    if let first = moments.min() { return Timestamp(seconds: first, nanoseconds: date.nanoseconds) }
    if date.seconds != nil { return nil }
    // With the offset before the gap, this is the end of the gap.
    var (low, high) = (local - Int64(max(offsets[0], offsets[1])), local - Int64(min(offsets[0], offsets[1])))
    while low < high {
      let middle = low + (high - low) / 2
      if middle + Int64(offset(at: middle)) >= local { high = middle } else { low = middle + 1 }
    }
    return Timestamp(seconds: low)
  }
}
