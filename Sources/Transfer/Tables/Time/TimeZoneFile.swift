/// The content of a TZif file (RFC 9636): transitions, offsets, and the rule for later times.
struct TimeZoneFile: Sendable, Equatable {
  private(set) var transitions: [Int64] = []
  /// The offset after each transition, in seconds east of UTC.
  private(set) var offsets: [Int32] = []
  /// The offset before the first transition.
  private(set) var firstOffset: Int32 = 0
  /// The rule after the last transition, if the zone still changes its clocks.
  private(set) var rule: ClockRule?

  /// Creates UTC.
  init() {}

  /// Parses the bytes of a file; nil if they are not a complete TZif file.
  init?(_ bytes: [UInt8]) {
    guard let first = Header(bytes, at: 0) else { return nil }
    if first.version < UInt8(ascii: "2") {
      guard read(bytes, first, wide: false) != nil else { return nil }
      return
    }
    // From version 2, a second block with 64-bit times follows, and then a footer with the rule.
    guard let second = Header(bytes, at: first.end(wide: false)), let end = read(bytes, second, wide: true),
      end < bytes.count, bytes[end] == UInt8(ascii: "\n"),
      let close = bytes[(end + 1)...].firstIndex(of: UInt8(ascii: "\n"))
    else { return nil }
    let footer = bytes[(end + 1)..<close]
    if footer.isEmpty { return }
    guard let rule = ClockRule(Array(footer)) else { return nil }
    self.rule = rule
    if transitions.isEmpty { firstOffset = Int32(rule.standard) }
  }

  /// The counts in the header of a block.
  private struct Header {
    let start: Int
    let version: UInt8
    let counts: [Int]

    init?(_ bytes: [UInt8], at start: Int) {
      guard bytes.count >= start + 44, bytes[start..<(start + 4)].elementsEqual("TZif".utf8) else {
        return nil
      }
      self.start = start
      version = bytes[start + 4]
      // In file order: isutcnt, isstdcnt, leapcnt, timecnt, typecnt, charcnt.
      counts = (0..<6).map { Int(TimeZoneFile.integer(bytes, start + 20 + 4 * $0, 4)) }
      if counts.contains(where: { $0 < 0 }) || counts[4] == 0 { return nil }
    }

    func end(wide: Bool) -> Int {
      let size = wide ? 8 : 4
      return start + 44 + counts[3] * (size + 1) + counts[4] * 6 + counts[5] + counts[2] * (size + 4)
        + counts[1] + counts[0]
    }
  }

  private mutating func read(_ bytes: [UInt8], _ header: Header, wide: Bool) -> Int? {
    let end = header.end(wide: wide)
    guard end <= bytes.count else { return nil }
    let size = wide ? 8 : 4
    let times = header.start + 44
    let indices = times + header.counts[3] * size
    let types = indices + header.counts[3]
    for index in 0..<header.counts[3] {
      let type = Int(bytes[indices + index])
      guard type < header.counts[4] else { return nil }
      transitions.append(Self.integer(bytes, times + index * size, size))
      offsets.append(Int32(truncatingIfNeeded: Self.integer(bytes, types + type * 6, 4)))
    }
    firstOffset = Int32(truncatingIfNeeded: Self.integer(bytes, types, 4))
    return end
  }

  /// Returns a big-endian, signed integer of 4 or 8 bytes.
  private static func integer(_ bytes: [UInt8], _ at: Int, _ size: Int) -> Int64 {
    var number: UInt64 = 0
    for byte in bytes[at..<(at + size)] { number = number << 8 | UInt64(byte) }
    return size == 8 ? Int64(bitPattern: number) : Int64(Int32(truncatingIfNeeded: number))
  }
}

/// A POSIX TZ rule, such as `CST6` or `EST5EDT,M3.2.0,M11.1.0`.
struct ClockRule: Sendable, Equatable {
  /// Seconds east of UTC outside summer time.
  private(set) var standard = 0
  private var summer: Summer?

  private struct Summer: Equatable {
    /// Seconds east of UTC.
    var offset: Int
    var starts: Change
    var ends: Change
  }

  /// A day of the year and the local time at which clocks change.
  private struct Change: Equatable {
    enum Day: Equatable {
      /// 1 to 365, not counting 29 February.
      case julian(Int)
      /// 0 to 365, counting 29 February.
      case zeroBased(Int)
      /// Month, week 1 to 5 (5 is the last), weekday from Sunday 0.
      case weekday(month: Int, week: Int, day: Int)
    }
    var day: Day
    var time = 7200
  }

  /// Parses a rule; nil if it is invalid.
  init?(_ text: [UInt8]) {
    var reader = Reader(text: text)
    guard reader.skipName(), let west = reader.time() else { return nil }
    standard = -west
    if reader.isAtEnd { return }
    guard reader.skipName() else { return nil }
    var offset = standard + 3600
    if !reader.isAtEnd, reader.peek != UInt8(ascii: ",") {
      guard let west = reader.time() else { return nil }
      offset = -west
    }
    guard let starts = reader.change(), let ends = reader.change(), reader.isAtEnd else { return nil }
    summer = Summer(offset: offset, starts: starts, ends: ends)
  }

  /// Returns the UTC offset at a time, in seconds.
  func offset(at seconds: Int64) -> Int {
    guard let summer else { return standard }
    let year = Civil.date(days: Int((seconds + Int64(standard)).flooredDivision(by: 86_400))).year
    let starts = Self.seconds(summer.starts, year) - Int64(standard)
    let ends = Self.seconds(summer.ends, year) - Int64(summer.offset)
    let isSummer =
      starts < ends ? (starts..<ends).contains(seconds) : !(ends..<starts).contains(seconds)
    return isSummer ? summer.offset : standard
  }

  /// Returns the local time of a change in a year, in seconds since 1970.
  private static func seconds(_ change: Change, _ year: Int) -> Int64 {
    let newYear = Civil.days(year: year, month: 1, day: 1)
    let day: Int
    switch change.day {
    case .julian(let number):
      let leap = Civil.daysInMonth(year: year, month: 2) == 29 && number >= 60
      day = newYear + number - 1 + (leap ? 1 : 0)
    case .zeroBased(let number): day = newYear + number
    case .weekday(let month, let week, let weekday):
      let first = Civil.days(year: year, month: month, day: 1)
      // 1970-01-01 was a Thursday, weekday 4.
      let shift = ((weekday - (first + 4)) % 7 + 7) % 7
      var candidate = first + shift + 7 * (week - 1)
      while candidate >= first + Civil.daysInMonth(year: year, month: month) { candidate -= 7 }
      day = candidate
    }
    return Int64(day) * 86_400 + Int64(change.time)
  }

  private struct Reader {
    let text: [UInt8]
    var at = 0

    var isAtEnd: Bool { at >= text.count }
    var peek: UInt8 { isAtEnd ? 0 : text[at] }

    /// Skips a name: letters, or anything in angle brackets.
    mutating func skipName() -> Bool {
      let start = at
      if peek == UInt8(ascii: "<") {
        guard let close = text[at...].firstIndex(of: UInt8(ascii: ">")) else { return false }
        at = close + 1
        return true
      }
      while peek.isASCIILetter { at += 1 }
      return at - start >= 3
    }

    mutating func number() -> Int? {
      let start = at
      var number = 0
      while peek &- UInt8(ascii: "0") <= 9, at - start < 4 {
        number = number * 10 + Int(peek - UInt8(ascii: "0"))
        at += 1
      }
      return at == start ? nil : number
    }

    /// Parses `[+-]h[:mm[:ss]]` as seconds.
    mutating func time() -> Int? {
      let sign = peek == UInt8(ascii: "-") ? -1 : 1
      if peek == UInt8(ascii: "-") || peek == UInt8(ascii: "+") { at += 1 }
      guard let hours = number() else { return nil }
      var seconds = hours * 3600
      for unit in [60, 1] where peek == UInt8(ascii: ":") {
        at += 1
        guard let part = number() else { return nil }
        seconds += part * unit
      }
      return sign * seconds
    }

    /// Parses `,M3.2.0/2`, `,J60` or `,59/3`.
    mutating func change() -> Change? {
      guard peek == UInt8(ascii: ",") else { return nil }
      at += 1
      let day: Change.Day
      if peek == UInt8(ascii: "M") {
        at += 1
        guard let month = number(), (1...12).contains(month), peek == UInt8(ascii: ".") else { return nil }
        at += 1
        guard let week = number(), (1...5).contains(week), peek == UInt8(ascii: ".") else { return nil }
        at += 1
        guard let weekday = number(), (0...6).contains(weekday) else { return nil }
        day = .weekday(month: month, week: week, day: weekday)
      } else if peek == UInt8(ascii: "J") {
        at += 1
        guard let number = number(), (1...365).contains(number) else { return nil }
        day = .julian(number)
      } else {
        guard let number = number(), (0...365).contains(number) else { return nil }
        day = .zeroBased(number)
      }
      var change = Change(day: day)
      if peek == UInt8(ascii: "/") {
        at += 1
        guard let time = time() else { return nil }
        change.time = time
      }
      return change
    }
  }
}
