import Models
import Testing

private let database = DatabaseName(project: "p", database: "d")
private let documents = "projects/p/databases/d/documents"

/// A literal as it is typed, and the value that it means.
struct LiteralCase: Sendable, CustomTestStringConvertible {
  var text: String
  var value: Value
  var testDescription: String { text }
}

@Suite struct ValueLiteralTests {
  static let cases: [LiteralCase] = [
    LiteralCase(text: "null", value: .null),
    LiteralCase(text: "true", value: .boolean(true)),
    LiteralCase(text: "0", value: .integer(0)),
    LiteralCase(text: "-5", value: .integer(-5)),
    LiteralCase(text: "9223372036854775807", value: .integer(.max)),
    LiteralCase(text: "-9223372036854775808", value: .integer(.min)),
    // JSON has no larger integer; the token is a number all the same.
    LiteralCase(text: "9223372036854775808", value: .double(9_223_372_036_854_775_808)),
    LiteralCase(text: "1.0", value: .double(1)),
    LiteralCase(text: "1e3", value: .double(1000)),
    LiteralCase(text: "-0.0", value: .double(-0.0)),
    LiteralCase(text: "-0", value: .double(-0.0)),
    LiteralCase(text: "007", value: .string("007")),
    LiteralCase(text: "\"007\"", value: .string("007")),
    LiteralCase(text: "\"a \\\"b\\\" \\u00e9\"", value: .string("a \"b\" é")),
    LiteralCase(text: ".5", value: .string(".5")),
    LiteralCase(text: "1e", value: .string("1e")),
    LiteralCase(text: "-", value: .string("-")),
    LiteralCase(text: "", value: .string("")),
    LiteralCase(text: "admin", value: .string("admin")),
    LiteralCase(text: "2026-01-01", value: .string("2026-01-01")),
    LiteralCase(text: "ref(users/u1)", value: .reference("\(documents)/users/u1")),
    LiteralCase(
      text: "ref(projects/q/databases/e/documents/a/b)",
      value: .reference("projects/q/databases/e/documents/a/b")
    ),
  ]

  @Test(arguments: cases) func means(_ example: LiteralCase) throws {
    #expect(try ValueLiteral.parse(example.text, in: database) == example.value)
  }

  @Test func timestampsHaveTheirZone() throws {
    let moment = try #require(Timestamp("2026-01-01T06:00:00.5Z"))
    #expect(try ValueLiteral.parse("ts(2026-01-01T00:00:00.5-06:00)", in: database) == .timestamp(moment))
  }

  @Test(arguments: ["ts(2026-01-01)", "ts()", "ref(users)", "ref()", "\"open", "\"a\"b\""])
  func refuses(_ text: String) {
    #expect(throws: WireError.self) { try ValueLiteral.parse(text, in: database) }
  }
}

/// An expression and the filter that it means.
struct FilterCase: Sendable, CustomTestStringConvertible {
  var text: String
  var filter: StructuredQuery.Filter
  var testDescription: String { text }
}

@Suite struct FilterExpressionTests {
  private static let a = FieldPath(field: "a")
  private static let b = FieldPath(field: "b")

  static let cases: [FilterCase] = [
    FilterCase(text: "a == 1", filter: .field(a, .equal, .integer(1))),
    FilterCase(text: "a=1", filter: .field(a, .equal, .integer(1))),
    FilterCase(text: "a != x", filter: .field(a, .notEqual, .string("x"))),
    FilterCase(text: "a<1.5", filter: .field(a, .lessThan, .double(1.5))),
    FilterCase(text: "a <= 1", filter: .field(a, .lessThanOrEqual, .integer(1))),
    FilterCase(text: "a > -1", filter: .field(a, .greaterThan, .integer(-1))),
    FilterCase(text: "a >= \"x y\"", filter: .field(a, .greaterThanOrEqual, .string("x y"))),
    FilterCase(
      text: "a in [x, 1, \"1\", null]",
      filter: .field(a, .in, .array([.string("x"), .integer(1), .string("1"), .null]))
    ),
    FilterCase(text: "a not-in [1]", filter: .field(a, .notIn, .array([.integer(1)]))),
    FilterCase(text: "a array-contains x", filter: .field(a, .arrayContains, .string("x"))),
    FilterCase(
      text: "a array-contains-any [x,y]",
      filter: .field(a, .arrayContainsAny, .array([.string("x"), .string("y")]))
    ),
    FilterCase(text: "a is-null", filter: .unary(a, .isNull)),
    FilterCase(text: "a is-not-null", filter: .unary(a, .isNotNull)),
    FilterCase(text: "a is-nan", filter: .unary(a, .isNaN)),
    FilterCase(text: "a is-not-nan", filter: .unary(a, .isNotNaN)),
    // A quoted word is a value and no operator of the grammar.
    FilterCase(text: "a == \"and\"", filter: .field(a, .equal, .string("and"))),
    FilterCase(text: "a == \"(\"", filter: .field(a, .equal, .string("("))),
    FilterCase(
      text: "`x.y`.z == 1",
      filter: .field(FieldPath(segments: ["x.y", "z"]) ?? a, .equal, .integer(1))
    ),
    FilterCase(
      text: "__name__ >= users/m",
      filter: .field(.documentName, .greaterThanOrEqual, .reference("\(documents)/users/m"))
    ),
    // 'and' binds closer.
    FilterCase(
      text: "a == 1 or b == 2 and a == 3",
      filter: .or([
        .field(a, .equal, .integer(1)),
        .and([.field(b, .equal, .integer(2)), .field(a, .equal, .integer(3))]),
      ])
    ),
    FilterCase(
      text: "(a == 1 or b == 2) and a == 3",
      filter: .and([
        .or([.field(a, .equal, .integer(1)), .field(b, .equal, .integer(2))]),
        .field(a, .equal, .integer(3)),
      ])
    ),
  ]

  @Test(arguments: cases) func means(_ example: FilterCase) throws {
    #expect(try FilterExpression.parse(example.text, in: database) == example.filter)
  }

  @Test(
    arguments: [
      "", "a", "a ==", "== 1", "a ~ 1", "a == 1 b == 2", "a == 1 and", "(a == 1", "a == 1)", "a in 1",
      "a in []",
      "a in [1", "a in [1 2]", "a == \"x", "`a == 1", "a == ts(x)", "a b c", "a is-null 1", "1a == 1",
      "a == (", String(repeating: "(", count: 100_000) + "a == 1",
    ]
  )
  func refuses(_ text: String) {
    #expect(throws: WireError.self) { try FilterExpression.parse(text, in: database) }
  }
}
