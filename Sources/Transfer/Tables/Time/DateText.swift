import Schema

/// A date and time as typed by people, usually without a zone.
///
/// The year comes last (`31/12/2026`, `31-12-2026`, `31.12.2026`), in which case a ``DateOrder`` says which other number is
/// the day, or first (`2026-12-31`, `2026/12/31`). It has four digits. The month may be a name in Spanish, English, Portuguese
/// or German after the day (`31-dic-2026`, `31 de diciembre de 2026`, `31. Dezember 2026`) or before it (`December 31, 2026`). A time of day may follow, possibly
/// after a comma: `18:30`, `18:30:15.250`, `6:30 pm`, `6:30 p. m.`; and then a zone: `18:30:15-06`, `18:30 UTC`.
struct DateText: Sendable, Equatable {
  /// Days since 1970-01-01.
  var days: Int
  /// Seconds of the day; nil for a date without time.
  var seconds: Int?
  var nanoseconds: Int32 = 0
  /// Whether the year comes last.
  private(set) var endsInYear = false
  /// The given offset in seconds east of UTC; nil for a local time.
  private(set) var offset: Int?

  init(days: Int) { self.days = days }

  /// Parses `20261231`, which is a number unless a date is expected; nil for any other text.
  init?(compact utf8: UnsafeBufferPointer<UInt8>) {
    var reader = Reader(bytes: utf8)
    guard utf8.count == 8, let year = reader.digits(4...4), let month = reader.digits(2...2),
      let day = reader.digits(2...2), let days = Self.days(year.number, month.number, day.number)
    else { return nil }
    self.days = days
  }

  private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int? {
    Civil.isDate(year: year, month: month, day: day) ? Civil.days(year: year, month: month, day: day) : nil
  }

  /// Parses a text; nil if it is not such a date.
  ///
  /// - Parameter order: The order of dates whose year comes last; none are accepted with ``DateOrder/yearFirst``.
  init?(_ utf8: UnsafeBufferPointer<UInt8>, _ order: DateOrder = .dayFirst) {
    guard utf8.count >= 8, utf8.count <= 40, let first = utf8.first, first.isASCIILetterOrDigit else {
      return nil
    }
    var reader = Reader(bytes: utf8)
    if let named = reader.namedDate() {
      guard let found = Self.days(named.year, named.month, named.day) else { return nil }
      days = found
      guard parseTime(&reader) else { return nil }
      return
    }
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
    guard let found = Self.days(year, month, day) else { return nil }
    days = found
    endsInYear = c.width == 4
    guard parseTime(&reader) else { return nil }
  }

  /// Whether a text is a date with a two-digit year, with or without a time: `01/02/26`.
  static func lacksCentury(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
    var reader = Reader(bytes: utf8)
    guard let a = reader.digits(1...2), let separator = reader.next(of: "/-."),
      let b = reader.digits(1...2), reader.next(of: separator), let c = reader.digits(2...2)
    else { return false }
    // The year is last or first, and the day precedes or follows the month.
    let isDate = [(a.number, b.number), (b.number, a.number), (c.number, b.number)].contains { day, month in
      (1...31).contains(day) && (1...12).contains(month)
    }
    var rest = DateText(days: 0)
    return isDate && rest.parseTime(&reader)
  }

  /// Parses the time of day and the zone, if any, up to the end.
  private mutating func parseTime(_ reader: inout Reader) -> Bool {
    if reader.isAtEnd { return true }
    _ = reader.next(of: UInt8(ascii: ","))
    guard reader.next(of: "Tt ") != nil else { return false }
    reader.skipSpaces()
    guard let clock = reader.clock() else { return false }
    seconds = clock.seconds
    nanoseconds = clock.nanoseconds
    if reader.isAtEnd { return true }
    offset = reader.zone()
    return offset != nil && reader.isAtEnd
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

    private static let months = [
      ["ene", "enero", "jan", "january", "janeiro", "januar"],
      ["feb", "febrero", "february", "fev", "fevereiro", "februar"],
      ["mar", "marzo", "march", "março", "mär", "märz", "mrz"], ["abr", "abril", "apr", "april"],
      ["may", "mayo", "mai", "maio"], ["jun", "junio", "june", "junho", "juni"],
      ["jul", "julio", "july", "julho", "juli"], ["ago", "agosto", "aug", "august"],
      ["sep", "sept", "septiembre", "set", "setiembre", "september", "setembro"],
      ["oct", "octubre", "october", "out", "outubro", "okt", "oktober"],
      ["nov", "noviembre", "november", "novembro"],
      ["dic", "diciembre", "dec", "december", "dez", "dezembro", "dezember"],
    ]

    /// Parses a date with the name of its month; returns nil, and consumes nothing, for any other text.
    mutating func namedDate() -> (year: Int, month: Int, day: Int)? {
      let start = at
      if let day = digits(1...2)?.number, var sign = next(of: "/-. ") {
        if sign == UInt8(ascii: "."), let space = next(of: " ") { sign = space }
        skipOf()
        if let month = month(), next(of: sign) {
          skipOf()
          if let year = digits(4...4)?.number { return (year, month, day) }
        }
      } else if at == start, isWordBeforeNumber, let month = month(), next(of: UInt8(ascii: " ")),
        let day = digits(1...2)?.number
      {
        _ = next(of: UInt8(ascii: ","))
        if next(of: UInt8(ascii: " ")), let year = digits(4...4)?.number { return (year, month, day) }
      }
      at = start
      return nil
    }

    /// Whether a word and a number follow, as at the beginning of few texts.
    private var isWordBeforeNumber: Bool {
      let rest = bytes[at...].drop { ($0 | 0x20) &- UInt8(ascii: "a") < 26 }.prefix(3)
      return rest.dropFirst(rest.first == UInt8(ascii: ".") ? 1 : 0).dropFirst().first?.isASCIIDigit ?? false
    }

    /// Parses the name of a month, with the period of an abbreviation, and returns its number.
    private mutating func month() -> Int? {
      guard let month = Self.months.firstIndex(where: { word(among: $0) != nil }) else { return nil }
      _ = next(of: UInt8(ascii: "."))
      return month + 1
    }

    /// Skips the `de` in `31 de diciembre de 2026`.
    private mutating func skipOf() {
      if word(among: ["de", "del"]) != nil { skipSpaces() }
    }

    /// Consumes the letters that follow if they are one of the given words, in any case.
    private mutating func word(among words: [String]) -> String? {
      let letters = lettersEnd()
      let found = words.first {
        $0.utf8.lazy.map { $0 | 0x20 }.elementsEqual(bytes[at..<letters].lazy.map { $0 | 0x20 })
      }
      if found != nil { at = letters }
      return found
    }

    /// The end of the Latin letters that follow, of which those with a diacritic have a second byte.
    private func lettersEnd() -> Int {
      var end = at
      while end < bytes.count {
        if (bytes[end] | 0x20) &- UInt8(ascii: "a") < 26 {
          end += 1
        } else if bytes[end] == 0xC3 {
          end += 2
        } else {
          break
        }
      }
      return min(end, bytes.count)
    }

    /// Parses `Z`, `UTC`, `-06`, `-0600` or `-06:00`; returns the seconds east of UTC.
    mutating func zone() -> Int? {
      skipSpaces()
      if word(among: ["z", "utc"]) != nil { return 0 }
      guard let sign = next(of: "+-"), let hours = digits(2...2)?.number, hours < 24 else {
        return nil
      }
      if isAtEnd { return (sign == UInt8(ascii: "-") ? -1 : 1) * hours * 3600 }
      _ = next(of: UInt8(ascii: ":"))
      guard let minutes = digits(2...2)?.number, minutes < 60 else { return nil }
      return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3600 + minutes * 60)
    }

    /// Skips spaces, including the narrow and non-breaking ones that some systems put into times.
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
  /// If an hour repeats, it is the first such time. A day whose first hour is skipped starts after the gap. It is nil for a
  /// time that the clocks never show.
  func moment(of date: DateText) -> Timestamp? {
    let local = Int64(date.days) * 86_400 + Int64(date.seconds ?? 0)
    if let offset = date.offset {
      return Timestamp(seconds: local - Int64(offset), nanoseconds: date.nanoseconds)
    }
    let offsets = [offset(at: local - 86_400), offset(at: local + 86_400)]
    let moments = offsets.map { local - Int64($0) }.filter { local - $0 == Int64(offset(at: $0)) }
    if let first = moments.min() { return Timestamp(seconds: first, nanoseconds: date.nanoseconds) }
    if date.seconds != nil { return nil }
    // With the offset before the gap, this is the end of the gap.
    let day = (local - Int64(max(offsets[0], offsets[1])))..<(local - Int64(min(offsets[0], offsets[1])))
    return Timestamp(seconds: day.firstNumber { $0 + Int64(offset(at: $0)) >= local })
  }
}
