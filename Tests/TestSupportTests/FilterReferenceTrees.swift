import TestSupport

extension FilterReferenceExamples {
  /// A comparison of a field of simple names.
  static func compare(
    _ field: String,
    _ comparison: ReferenceOperator,
    _ operand: ReferenceDatum
  ) -> ReferenceFilter {
    .compare(ReferenceFilter.field(field), comparison, operand)
  }

  static func test(_ field: String, _ test: ReferenceTest) -> ReferenceFilter {
    .test(ReferenceFilter.field(field), test)
  }

  static func nested(_ key: String, _ value: ReferenceDatum) -> ReferenceDatum {
    .map([ReferenceEntry(key, value)])
  }

  private static let one = ReferenceDatum.integer(1)
  private static let isOne = compare("a", .equal, one)
  private static let otherIsOne = compare("b", .equal, one)
  private static let aboveOne = compare("a", .greaterThan, one)

  static let trees: [Tree] = [
    Tree("and, both hold", .and([isOne, otherIsOne]), ["a": one, "b": one], true),
    Tree("and, one holds", .and([isOne, otherIsOne]), ["a": one, "b": .null], false),
    Tree("or, one holds and the other field is missing", .or([isOne, otherIsOne]), ["b": one], true),
    Tree("or, none holds", .or([isOne, otherIsOne]), ["a": .null, "c": one], false),
    Tree("or beside an inequality of a missing field", .or([aboveOne, otherIsOne]), ["b": one], false),
    Tree("or beside an inequality of a null", .or([aboveOne, otherIsOne]), ["a": .null, "b": one], true),
    Tree(
      "or beside an inequality of another type",
      .or([aboveOne, otherIsOne]),
      ["a": .text(""), "b": one],
      true
    ),
    Tree("or whose inequality holds", .or([aboveOne, otherIsOne]), ["a": .integer(2)], true),
    Tree("or beside !=", .or([compare("a", .notEqual, one), otherIsOne]), ["b": one], false),
    Tree("or beside is-not-null", .or([test("a", .isNotNull), otherIsOne]), ["b": one], false),
    Tree(
      "or beside is-not-null of a null",
      .or([test("a", .isNotNull), otherIsOne]),
      ["a": .null, "b": one],
      true
    ),
    Tree("or beside is-not-nan", .or([test("a", .isNotNaN), otherIsOne]), ["b": one], false),
    Tree("or beside is-null", .or([test("a", .isNull), otherIsOne]), ["b": one], true),
    Tree("or beside in", .or([.items(2, "a"), otherIsOne]), ["b": one], true),
    Tree("or beside array-contains", .or([compare("a", .arrayContains, one), otherIsOne]), ["b": one], true),
    Tree(
      "or beside an inequality of the name",
      .or([.name(.greaterThan, [path("users/z")]), isOne]),
      ["a": one],
      true
    ),
    Tree(
      "an inequality deep inside",
      .or([otherIsOne, .and([isOne, compare("c", .lessThan, one)])]),
      ["b": one],
      false
    ),
    Tree(
      "ranges of two fields",
      .and([aboveOne, compare("b", .lessThanOrEqual, one)]),
      ["a": .double(1.5), "b": one],
      true
    ),
    Tree(
      "a range of two ends",
      .and([aboveOne, compare("a", .lessThan, .integer(3))]),
      ["a": .integer(3)],
      false
    ),
    Tree("a nested field", compare("a.b", .equal, one), ["a": nested("b", one)], true),
    Tree("a nested null", test("a.b", .isNull), ["a": nested("b", .null)], true),
    Tree("a nested field that is missing", test("a.b", .isNull), ["a": .map([])], false),
    Tree("a field below a text", compare("a.b", .notEqual, one), ["a": .text("b")], false),
    Tree("a field below an array", compare("a.b", .equal, one), ["a": .array([nested("b", one)])], false),
    Tree("a name that holds a dot", compare("a.b", .equal, one), ["a.b": one], false),
    Tree(
      "a nested field of an inequality, missing",
      .or([compare("a.b", .lessThan, one), isOne]),
      ["a": one],
      false
    ),
    Tree("a name in two Unicode forms", compare("\u{E9}", .equal, one), ["e\u{301}": one], false),
  ]

  private static func equalities(_ count: Int) -> [ReferenceFilter] {
    (0..<count).map { compare("a", .equal, .integer(Int64($0))) }
  }

  private static func ranges(_ count: Int) -> [ReferenceFilter] {
    (0..<count).map { compare("f\($0)", .lessThan, one) }
  }

  private static func list(
    _ count: Int,
    _ comparison: ReferenceOperator,
    _ field: String
  ) -> ReferenceFilter {
    compare(field, comparison, .array((0..<count).map { .integer(Int64($0)) }))
  }

  static let refused: [ReferenceFilter] = [
    .items(31, "a"), list(31, .arrayContainsAny, "a"), .and([.items(6, "a"), .items(6, "b")]),
    .or(equalities(31)), .or([.items(30, "a"), otherIsOne]),
    .and([.or([isOne, otherIsOne]), .items(16, "c")]),
    list(11, .notIn, "a"), .and([list(1, .notIn, "a"), .items(2, "b")]),
    .or([list(1, .notIn, "a"), otherIsOne]),
    .and([list(1, .notIn, "a"), list(2, .arrayContainsAny, "b")]),
    .and([compare("a", .notEqual, one), compare("b", .notEqual, one)]),
    .and([compare("a", .notEqual, one), list(2, .notIn, "b")]),
    .and([test("a", .isNotNull), test("b", .isNotNaN)]),
    .and([test("a", .isNotNull), compare("b", .notEqual, one)]),
    .and([compare("a", .arrayContains, one), compare("b", .arrayContains, one)]),
    .and([compare("a", .arrayContains, one), list(2, .arrayContainsAny, "a")]),
    .and([list(2, .arrayContainsAny, "a"), list(2, .arrayContainsAny, "b")]),
    .name(.arrayContains, [path("users/u")]), .test([Array("__name__".utf8)], .isNull), .name(.in, []),
    .name(.notIn, (0..<11).map { path("users/u\($0)") }), .name(.in, (0..<31).map { path("users/u\($0)") }),
    .and([.name(.equal, [path("users/u")]), aboveOne]), .and(ranges(11)), .and(equalities(101)),
    .and([.items(20, "a")] + ranges(6)), compare("a", .greaterThan, .null),
    compare("a", .in, .array([one, .null])),
    compare("a", .in, .array([])), compare("a", .arrayContains, .null), .and([]), .or([.and([]), isOne]),
  ]

  static let accepted: [ReferenceFilter] = [
    .items(30, "a"), list(10, .notIn, "a"), .or(equalities(30)), .and([.items(5, "a"), .items(6, "b")]),
    .and([list(10, .notIn, "a"), otherIsOne, compare("c", .lessThan, one)]), .and(ranges(10)),
    .or([compare("a", .arrayContains, one), compare("b", .arrayContains, one)]),
    .or([compare("a", .arrayContains, one), list(3, .arrayContainsAny, "a")]),
    .and([.items(3, "a"), compare("b", .arrayContains, one)]),
    .or([compare("a", .notEqual, one), otherIsOne]),
    .and([compare("a", .notEqual, one), .items(2, "b")]), .and([compare("a", .notEqual, one), aboveOne]),
    .and([.name(.equal, [path("users/u")]), isOne]),
    .and([.name(.greaterThan, [path("users/u")]), aboveOne]),
    .and(equalities(100)), test("a", .isNaN), .name(.in, (0..<30).map { path("users/u\($0)") }),
  ]
}
