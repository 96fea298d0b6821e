/// Values that lie close to each other, by family: what is in one family is easily taken for another of it.
enum ReferenceFamily: CaseIterable, Sendable {
  case smallNumbers, exactNumbers, edgeNumbers, specialNumbers
  case plainTexts, accentedTexts, unicodeTexts, lookalikeTexts
  case booleans, days, moments, edgeMoments
  case bytes, references, geoPoints, arrays, vectors, maps

  /// The families whose values can be written in a filter as text, at least most of them.
  static let writable: [ReferenceFamily] = [
    .smallNumbers, .exactNumbers, .edgeNumbers, .plainTexts, .accentedTexts, .unicodeTexts, .lookalikeTexts,
    .booleans, .days, .moments, .edgeMoments, .references,
  ]
}

/// The values of the families.
struct ReferenceValuePool: Sendable {
  /// The start of a day in the time zone of date-only timestamps, in seconds since 1970.
  let startOfDay: @Sendable (ReferenceDay) -> Int64

  /// All values of a family.
  func values(_ family: ReferenceFamily) -> [ReferenceDatum] {
    switch family {
    case .smallNumbers: Self.smallNumbers
    case .exactNumbers: Self.exactNumbers
    case .edgeNumbers: Self.edgeNumbers
    case .specialNumbers: Self.specialNumbers
    case .plainTexts:
      ["", "a", "A", "b", "ab", "aa", "admin", "Admin", "admin ", "trainer", "z"].map(Self.text)
    case .accentedTexts:
      ["e", "\u{E9}", "e\u{301}", "f", "caf\u{E9}", "cafe\u{301}", "cafe", "cafz", "\u{C9}"].map(Self.text)
    case .unicodeTexts:
      [
        "~", "\u{FF5E}", "\u{F8FF}", "\u{1F600}", "\u{1F3CB}\u{FE0F}", "\u{E000}", "\u{FFFD}", "a\u{0}b",
        "a\nb", "a\tb", "\u{7F}",
      ].map(Self.text)
    case .lookalikeTexts:
      [
        "7", "7.0", "007", "true", "True", "null", "NaN", "now", "today", "2025-01-01", "12:30", "users/u1",
        "now()", "'x'", "a \"b\"", "a\\b", "-0", "9223372036854775808", "and", "or", "in", "[a, b]", "{}",
        "a,b", "x=y", "ts(2025-01-01)", "ref(users/u1)", "a<b", "!", "`a`", "(", "O'Brien",
      ].map(Self.text)
    case .booleans: [.boolean(false), .boolean(true)]
    case .days: days
    case .moments: Self.moments
    case .edgeMoments: Self.edgeMoments
    case .bytes: [[], [0], [0, 0], [0, 1], [97], [127], [128], [255], [255, 0]].map(ReferenceDatum.bytes)
    case .references:
      [
        "users/u1", "users/u10", "users/u2", "users/U1", "users/__id7__", "users/__id10__", "users/__id-3__",
        "users/u1/visits/v1", "groups/g1", "users/\u{E9}", "users/e\u{301}", "users/a b", "users/u1-x",
      ].map(ReferenceDatum.document)
    case .geoPoints:
      [(0, 0), (-0.0, 0), (0, 1), (0, -1), (1, -180), (1.5, -2), (-90, 180), (90, -180)]
        .map { ReferenceDatum.geoPoint(latitude: $0.0, longitude: $0.1) }
    case .arrays: Self.arrays
    case .vectors:
      [[0], [-0.0], [1], [2], [0, 0], [1, 0], [1, .nan], [.infinity]].map(ReferenceDatum.vector)
    case .maps: Self.maps
    }
  }

  /// A few values of a family, and now and then one of another.
  func sample(_ family: ReferenceFamily, using random: inout ReferenceRandom) -> [ReferenceDatum] {
    var chosen = random.sample(values(family), random.among(2...5))
    if chosen.contains(where: { ReferenceOrder.typeRank($0) == 2 }) && random.percent(40) {
      chosen.append(random.pick(Self.specialNumbers.prefix(3) + [.double(.nan), .double(.nan)]))
    }
    if random.percent(35) {
      chosen.append(random.pick(values(random.pick(ReferenceFamily.allCases))))
    }
    return chosen
  }

  /// Values that may stand in an array: anything but an array.
  func elements(using random: inout ReferenceRandom) -> [ReferenceDatum] {
    let family = random.pick(ReferenceFamily.writable)
    return sample(family, using: &random).filter { value in
      if case .array = value { false } else { true }
    }
  }

  private static func text(_ text: String) -> ReferenceDatum {
    .text(text)
  }

  private static let smallNumbers: [ReferenceDatum] = [
    .integer(0), .integer(1), .integer(-1), .integer(2), .integer(7), .integer(10), .integer(70),
    .double(0), .double(-0.0), .double(1), .double(-1), .double(0.5), .double(1.5), .double(7), .double(7.25),
    .double(0.1), .double(-2.5), .double(70),
  ]

  /// About 2^53, from where on doubles skip integers.
  private static let exactNumbers: [ReferenceDatum] = [
    .integer(9_007_199_254_740_991), .integer(9_007_199_254_740_992), .integer(9_007_199_254_740_993),
    .integer(9_007_199_254_740_994), .integer(-9_007_199_254_740_993), .integer(-9_007_199_254_740_992),
    .double(9_007_199_254_740_991), .double(9_007_199_254_740_992), .double(9_007_199_254_740_994),
    .double(-9_007_199_254_740_992), .double(4_503_599_627_370_496.5), .integer(4_503_599_627_370_496),
    .integer(4_503_599_627_370_497),
  ]

  /// About -2^63 and 2^63.
  private static let edgeNumbers: [ReferenceDatum] = [
    .integer(.max), .integer(.max - 1), .integer(.min), .integer(.min + 1), .integer(.max - 1_024),
    .double(9_223_372_036_854_775_808), .double(-9_223_372_036_854_775_808),
    .double(9_223_372_036_854_774_784), .double(-9_223_372_036_854_777_856), .double(1e19), .double(-1e300),
    .double(.greatestFiniteMagnitude),
  ]

  private static let specialNumbers: [ReferenceDatum] = [
    .double(.nan), .double(.infinity), .double(-.infinity), .double(-0.0), .double(0), .integer(0),
    .double(.leastNonzeroMagnitude), .double(-.leastNonzeroMagnitude), .double(2.2250738585072014e-308),
    .double(.greatestFiniteMagnitude), .integer(.max), .integer(.min),
  ]

  private var days: [ReferenceDatum] {
    let days = [
      ReferenceDay(2026, 1, 1), ReferenceDay(2026, 1, 31), ReferenceDay(2026, 2, 1), ReferenceDay(1970, 1, 1),
      ReferenceDay(2024, 2, 29), ReferenceDay(2000, 12, 31), ReferenceDay(1999, 4, 4),
      ReferenceDay(1950, 6, 1), ReferenceDay(2022, 4, 3), ReferenceDay(2022, 10, 30),
    ]
    return days.flatMap { day in
      let start = startOfDay(day)
      return [
        ReferenceDatum.timestamp(seconds: start, nanoseconds: 0),
        .timestamp(seconds: start - 1, nanoseconds: 999_999_000),
        .timestamp(seconds: day.startInUTC, nanoseconds: 0),
      ]
    }
  }

  private static let moments: [ReferenceDatum] = [
    .timestamp(seconds: 1_769_860_800, nanoseconds: 0),
    .timestamp(seconds: 1_769_860_800, nanoseconds: 1_000),
    .timestamp(seconds: 1_769_860_800, nanoseconds: 500_000_000),
    .timestamp(seconds: 1_769_860_799, nanoseconds: 999_999_000),
    .timestamp(seconds: 1_769_860_801, nanoseconds: 0), .timestamp(seconds: 0, nanoseconds: 0),
    .timestamp(seconds: -1, nanoseconds: 999_999_000), .timestamp(seconds: -1, nanoseconds: 0),
    .timestamp(seconds: 0, nanoseconds: 1_000), .timestamp(seconds: 951_825_600, nanoseconds: 120_000_000),
  ]

  private static let edgeMoments: [ReferenceDatum] = [
    .timestamp(seconds: -62_135_596_800, nanoseconds: 0),
    .timestamp(seconds: -62_135_596_800, nanoseconds: 1_000),
    .timestamp(seconds: -62_135_596_799, nanoseconds: 0),
    .timestamp(seconds: 253_402_300_799, nanoseconds: 999_999_000),
    .timestamp(seconds: 253_402_300_799, nanoseconds: 0),
    .timestamp(seconds: 253_402_300_798, nanoseconds: 999_999_000),
    .timestamp(seconds: -2_203_977_600, nanoseconds: 0),
    .timestamp(seconds: 4_107_542_399, nanoseconds: 10_000),
  ]

  private static let arrays: [ReferenceDatum] = [
    .array([]), .array([.integer(1)]), .array([.double(1)]), .array([.integer(1), .integer(2)]),
    .array([.integer(2)]), .array([.null]), .array([.double(.nan)]), .array([.text("a")]),
    .array([.text("")]), .array([.map([ReferenceEntry("x", .integer(1))])]),
    .array([.boolean(true), .text("a"), .integer(1)]),
    .array([.map([])]), .array([.vector([1])]),
  ]

  private static let maps: [ReferenceDatum] = [
    .map([]), .map([ReferenceEntry("a", .integer(1))]), .map([ReferenceEntry("a", .double(1))]),
    .map([ReferenceEntry("a", .integer(2))]), .map([ReferenceEntry("b", .integer(0))]),
    .map([ReferenceEntry("b", .integer(0)), ReferenceEntry("a", .integer(1))]),
    .map([ReferenceEntry("a", .null)]), .map([ReferenceEntry("a", .map([]))]),
    .map([ReferenceEntry("\u{E9}", .integer(1))]), .map([ReferenceEntry("e\u{301}", .integer(1))]),
    .map([ReferenceEntry("\u{F8FF}", .integer(1))]), .map([ReferenceEntry("\u{1F600}", .integer(1))]),
    .map([ReferenceEntry("a b", .text("x")), ReferenceEntry("a`b", .array([.integer(1)]))]),
  ]
}
