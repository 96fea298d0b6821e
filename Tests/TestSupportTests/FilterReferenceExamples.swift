import TestSupport
import Testing

/// Examples of Firestore's order of values and of what filters select.
enum FilterReferenceExamples {
  /// Values in a certain relation, and what they show.
  struct Chain: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var values: [ReferenceDatum]

    init(_ testDescription: String, _ values: [ReferenceDatum]) {
      self.testDescription = testDescription
      self.values = values
    }
  }

  /// A comparison of the field `a`, values there that it selects, and values that it does not.
  struct Comparison: Sendable {
    var comparison: ReferenceOperator
    var operand: ReferenceDatum
    var selected: [ReferenceDatum]
    var others: [ReferenceDatum]

    init(
      _ comparison: ReferenceOperator,
      _ operand: ReferenceDatum,
      selects selected: [ReferenceDatum],
      not others: [ReferenceDatum]
    ) {
      self.comparison = comparison
      self.operand = operand
      self.selected = selected
      self.others = others
    }
  }

  /// A filter, the fields of a document, and whether the filter selects it.
  struct Tree: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var filter: ReferenceFilter
    var fields: [String: ReferenceDatum]
    var isSelected: Bool

    init(_ text: String, _ filter: ReferenceFilter, _ fields: [String: ReferenceDatum], _ isSelected: Bool) {
      testDescription = text
      self.filter = filter
      self.fields = fields
      self.isSelected = isSelected
    }
  }

  static func path(_ text: String) -> [[UInt8]] {
    text.utf8.split(separator: UInt8(ascii: "/")).map { Array($0) }
  }

  static func document(_ fields: [String: ReferenceDatum], _ name: String = "users/u1") -> ReferenceDocument {
    ReferenceDocument(path: path(name), fields: fields.map { ReferenceEntry($0.key, $0.value) })
  }

  static let ascending: [Chain] = [
    Chain(
      "the types",
      [
        .null, .boolean(true), .double(.nan), .integer(5), .timestamp(seconds: 0, nanoseconds: 0), .text(""),
        .bytes([]), .document("a/a"), .geoPoint(latitude: -90, longitude: 0), .array([]), .vector([]),
        .map([]),
      ]
    ),
    Chain("booleans", [.boolean(false), .boolean(true)]),
    Chain(
      "numbers",
      [
        .double(.nan), .double(-.infinity), .double(-1e300), .integer(-2), .double(-1.5), .integer(-1),
        .integer(0), .double(.leastNonzeroMagnitude), .double(0.5), .integer(1), .double(1.5), .integer(2),
        .double(.infinity),
      ]
    ),
    Chain(
      "about 2^53",
      [
        .integer(9_007_199_254_740_991), .double(9_007_199_254_740_992), .integer(9_007_199_254_740_993),
        .double(9_007_199_254_740_994), .integer(9_007_199_254_740_995),
      ]
    ),
    Chain(
      "about 2^63",
      [
        .double(9_223_372_036_854_774_784), .integer(.max - 1), .integer(.max),
        .double(9_223_372_036_854_775_808),
      ]
    ),
    Chain("about -2^63", [.double(-9_223_372_036_854_777_856), .integer(.min), .integer(.min + 1)]),
    Chain(
      "timestamps",
      [
        .timestamp(seconds: -1, nanoseconds: 0), .timestamp(seconds: -1, nanoseconds: 999_999_000),
        .timestamp(seconds: 0, nanoseconds: 0), .timestamp(seconds: 0, nanoseconds: 1_000),
      ]
    ),
    Chain("texts, by their UTF-8 bytes", texts(["", "A", "Z", "a", "aa", "b", "e\u{301}", "f", "\u{E9}"])),
    Chain("texts beyond UTF-16 units", texts(["~", "\u{E000}", "\u{F8FF}", "\u{FF5E}", "\u{1F600}"])),
    Chain("bytes, unsigned", [[], [0], [0, 0], [127], [128], [255]].map { ReferenceDatum.bytes($0) }),
    Chain(
      "references",
      [
        .document("a/z"), .document("users/__id-3__"), .document("users/__id7__"),
        .document("users/__id10__"),
        .document("users/U1"), .document("users/e\u{301}x"), .document("users/u1"),
        .document("users/u1/visits/v"), .document("users/u1-x"), .document("users/u10"),
        .document("users/u2"),
        .document("users/\u{E9}"),
      ]
    ),
    Chain(
      "geographical points",
      [
        .geoPoint(latitude: -1, longitude: 9), .geoPoint(latitude: 0, longitude: -1),
        .geoPoint(latitude: 0, longitude: 1), .geoPoint(latitude: 1, longitude: -180),
      ]
    ),
    Chain(
      "arrays, by the documentation's example",
      [
        .array([]), .array([.integer(1), .integer(2), .integer(3)]),
        .array([.integer(1), .integer(2), .integer(3), .integer(1)]), .array([.integer(2)]),
        .array([.text("")]),
      ]
    ),
    Chain("vectors", [.vector([]), .vector([9]), .vector([.nan, 0]), .vector([1, 2]), .vector([1, 3])]),
    Chain(
      "maps, by the documentation's example",
      [
        map([]), map([("a", "aaa"), ("b", "baz")]), map([("b", "bar"), ("a", "foo")]),
        map([("a", "foo"), ("b", "bar"), ("c", "qux")]), map([("a", "foo"), ("b", "baz")]),
        map([("b", "aaa"), ("c", "baz")]), map([("c", "aaa")]),
      ]
    ),
  ]

  static let same: [Chain] = [
    Chain("one", [.integer(1), .double(1)]),
    Chain("zeros", [.integer(0), .double(0), .double(-0.0)]),
    Chain("NaN", [.double(.nan), .double(-.nan)]),
    Chain("2^53", [.integer(9_007_199_254_740_992), .double(9_007_199_254_740_992)]),
    Chain("-2^63", [.integer(.min), .double(-9_223_372_036_854_775_808)]),
    Chain("arrays", [.array([.integer(1)]), .array([.double(1)])]),
    Chain("maps in any order", [map([("a", "1"), ("b", "2")]), map([("b", "2"), ("a", "1")])]),
  ]

  static let comparisons: [Comparison] = [
    Comparison(
      .equal,
      .integer(1),
      selects: [.integer(1), .double(1)],
      not: [.text("1"), .boolean(true), .null]
    ),
    Comparison(
      .equal,
      .double(-0.0),
      selects: [.integer(0), .double(0)],
      not: [.double(.leastNonzeroMagnitude), .null]
    ),
    Comparison(.equal, .text("\u{E9}"), selects: [.text("\u{E9}")], not: [.text("e\u{301}"), .text("e")]),
    Comparison(
      .equal,
      .text("a"),
      selects: [.text("a")],
      not: [.text("A"), .array([.text("a")]), .bytes([97])]
    ),
    Comparison(
      .equal,
      .array([.integer(1)]),
      selects: [.array([.double(1)])],
      not: [.array([]), .integer(1)]
    ),
    Comparison(.equal, .map([]), selects: [.map([])], not: [.vector([]), .array([])]),
    Comparison(.equal, .integer(.max), selects: [.integer(.max)], not: [.double(9_223_372_036_854_775_808)]),
    Comparison(
      .notEqual,
      .integer(1),
      selects: [.integer(2), .text("1"), .double(.nan), .array([.integer(1)])],
      not: [.integer(1), .double(1), .null]
    ),
    Comparison(
      .lessThan,
      .integer(5),
      selects: [.double(4.5), .integer(-1)],
      not: [.integer(5), .null, .boolean(true)]
    ),
    Comparison(
      .lessThan,
      .text("b"),
      selects: [.text(""), .text("aa"), .text("B")],
      not: [.text("b"), .integer(1)]
    ),
    Comparison(.lessThan, .boolean(true), selects: [.boolean(false)], not: [.boolean(true), .null]),
    Comparison(
      .lessThanOrEqual,
      .double(5),
      selects: [.integer(5), .double(-.infinity)],
      not: [.double(5.5), .text("")]
    ),
    Comparison(
      .greaterThan,
      .integer(5),
      selects: [.double(5.5), .double(.infinity)],
      not: [.integer(5), .text("6")]
    ),
    Comparison(
      .greaterThan,
      .text("\u{F8FF}"),
      selects: [.text("\u{1F600}")],
      not: [.text("\u{E000}"), .bytes([255])]
    ),
    Comparison(
      .greaterThanOrEqual,
      .timestamp(seconds: 10, nanoseconds: 0),
      selects: [.timestamp(seconds: 10, nanoseconds: 0), .timestamp(seconds: 10, nanoseconds: 1_000)],
      not: [.timestamp(seconds: 9, nanoseconds: 999_999_000), .integer(11), .text("z")]
    ),
    Comparison(
      .greaterThanOrEqual,
      .document("users/__id7__"),
      selects: [.document("users/__id10__"), .document("users/A")],
      not: [.document("users/__id-3__"), .text("z")]
    ),
    Comparison(
      .greaterThan,
      .array([.integer(1)]),
      selects: [.array([.integer(1), .null])],
      not: [.vector([9]), .map([])]
    ),
    Comparison(.greaterThan, .map([]), selects: [map([("a", "")])], not: [.map([]), .vector([1])]),
    Comparison(
      .in,
      .array([.integer(1), .text("a"), .array([.integer(2)])]),
      selects: [.double(1), .text("a"), .array([.integer(2)])],
      not: [.text("1"), .integer(2), .null]
    ),
    Comparison(
      .notIn,
      .array([.integer(1), .text("a")]),
      selects: [.integer(2), .text("A"), .double(.nan), .map([])],
      not: [.double(1), .text("a"), .null]
    ),
    Comparison(
      .arrayContains,
      .integer(1),
      selects: [.array([.text("a"), .double(1)]), .array([.integer(1), .integer(1)])],
      not: [.array([]), .integer(1), .vector([1]), .array([.text("1"), nested("a", .integer(1))]), .null]
    ),
    Comparison(
      .arrayContains,
      map([("a", "x")]),
      selects: [.array([map([("a", "x")])])],
      not: [map([("a", "x")])]
    ),
    Comparison(
      .arrayContainsAny,
      .array([.integer(42), .integer(43)]),
      selects: [.array([.text("a"), .integer(42)]), .array([.double(43)])],
      not: [.array([.double(41.999), .text("42")]), .integer(42), .array([.null]), .array([])]
    ),
  ]

  static func texts(_ texts: [String]) -> [ReferenceDatum] {
    texts.map { .text($0) }
  }

  static func map(_ entries: [(String, String)]) -> ReferenceDatum {
    .map(entries.map { ReferenceEntry($0.0, .text($0.1)) })
  }
}
