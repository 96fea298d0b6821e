extension FilterGenerator {
  /// A random bare literal that the language refuses: it looks like something else than a text.
  package mutating func refusedLiteral() -> String {
    let day = ReferenceDay(random.among(1900...2100), random.among(1...12), random.among(1...28))
    let month = ReferenceDay.padded(day.month, 2)
    let dayOfMonth = ReferenceDay.padded(day.day, 2)
    let minutes = "\(ReferenceDay.padded(random.below(24), 2)):\(ReferenceDay.padded(random.below(60), 2))"
    let zone = random.pick([":00Z", ":00Z", ":00.5Z", ":00.123456Z", ":00-06:00", ":59+05:30"])
    switch random.below(13) {
    case 0: return day.text
    case 1: return "\(day.year)-\(month)"
    case 2: return "\(dayOfMonth)/\(month)/\(day.year)"
    case 3: return "\(dayOfMonth).\(month).\(day.year)"
    case 4: return minutes
    case 5: return "\(day.text)T\(minutes)\(zone)"
    case 6: return random.pick(ReferenceBareWord.moments)
    case 7: return "now-\(random.among(1...90))\(random.pick(["d", "h", "m"]))"
    case 8: return call()
    case 9: return badCall()
    case 10: return otherLetters(random.pick(["true", "false", "null", "nan", "infinity"]))
    case 11: return "'\(random.pick(["admin", "", "7", "u1", "caf\u{E9}"]))'"
    default: return largeInteger()
    }
  }

  /// A random bare word that the language takes as a text.
  package mutating func acceptedBareWord() -> String {
    while true {
      let word = random.percent(50) ? random.pick(Self.bareWords) : randomWord()
      if ReferenceBareWord.isText(word) {
        return word
      }
    }
  }

  private static let bareWords = [
    "admin", "Admin", "ADMIN", "007", "00", "0123456789", "users/u1", "a/b/c/d", "groups/g1/members/m", "_",
    "_1", "nowhere", "nowadays", "today1", "truest", "trueish", "falsetto", "nullable", "nano", "infinite",
    "tsar", "reference", "order", "android", "inn", "ana@example.com", "a.b.c", "v1.2.3", "u-1", "x_1",
    "caf\u{E9}", "cafe\u{301}", "\u{F1}and\u{FA}", "\u{1F600}", "https://example.com/a?b", "a:b", "a#1",
    "A/2025-01-01", "id-2025-01-01", "t12:30", "x7", "e5", "E1", "plan.basic", "\u{3A9}mega", "__id7__",
    "users/now",
  ]

  private mutating func randomWord() -> String {
    let letters = Array("abcxyzABZ_").map(String.init) + ["\u{E9}", "e\u{301}"]
    let others = letters + Array("0179-./@#%&*+:;$~^|?").map(String.init)
    return random.pick(letters) + (0..<random.below(9)).map { _ in random.pick(others) }.joined()
  }

  /// A name with a bracket directly behind it, which is neither `ts` nor `ref`.
  private mutating func call() -> String {
    let names = ["now", "date", "REF", "Ref", "Ts", "TS", "timestamp", "today", "f", "Date", "geo", "bytes"]
    let name = random.pick(names)
    return "\(name)(\(random.pick(["", "2025", "users/u1", "2025-01-01", "7"])))"
  }

  /// A `ts` or `ref` with something that is no moment, and no document.
  private mutating func badCall() -> String {
    random.pick([
      "ts()", "ts(2026-02-30)", "ts(2026-13-01)", "ts(2026-00-10)", "ts(now)", "ts(12:30)", "ts(2025)",
      "ts(2026-1-1)", "ts(2026-01-31T25:00:00Z)", "ts(2026-01-31T12:60:00Z)",
      "ts(2026-01-31T12:00:00)", "ref()", "ref(users)", "ref(users/u1/visits)", "ref(users//u1)",
      "ref(/users/u1)", "ref(users/u1/)",
    ])
  }

  /// A word in letters that are not JSON's.
  private mutating func otherLetters(_ word: String) -> String {
    let known = ["true", "false", "null"]
    while true {
      let letters = word.map { random.percent(50) ? String($0).uppercased() : String($0) }
      let capitalised = word.prefix(1).uppercased() + word.dropFirst()
      let found = random.pick([letters.joined(), word.uppercased(), capitalised])
      if !known.contains(found) {
        return found
      }
    }
  }

  private mutating func largeInteger() -> String {
    switch random.below(3) {
    case 0: return "9223372036854775808"
    case 1: return "-9223372036854775809"
    default:
      let digits = (0..<random.among(19...25)).map { _ in String(random.below(10)) }.joined()
      return (random.percent(30) ? "-" : "") + String(random.among(1...9)) + digits
    }
  }
}
