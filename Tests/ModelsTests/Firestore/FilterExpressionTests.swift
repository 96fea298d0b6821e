import FirestoreModels
import Testing

private let database = DatabaseName(project: "p", database: "d")
private let documents = "projects/p/databases/d/documents"

/// A typed literal and its value.
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
    LiteralCase(text: "9223372036854775808.0", value: .double(9_223_372_036_854_775_808)),
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
    LiteralCase(text: "\"2026-01-01\"", value: .string("2026-01-01")),
    LiteralCase(text: "users/u1", value: .string("users/u1")),
    LiteralCase(text: "now here", value: .string("now here")),
    LiteralCase(text: "nowhere", value: .string("nowhere")),
    LiteralCase(text: "10:30 - 11:30", value: .string("10:30 - 11:30")),
    LiteralCase(text: "Yoga (avanzado)", value: .string("Yoga (avanzado)")),
    LiteralCase(text: "1.2.3", value: .string("1.2.3")),
    LiteralCase(text: "ref(users/u1)", value: .reference("\(documents)/users/u1")),
    LiteralCase(
      text: "ref(projects/q/databases/e/documents/a/b)",
      value: .reference("projects/q/databases/e/documents/a/b")
    ),
  ]

  @Test(arguments: cases) func means(_ example: LiteralCase) throws {
    #expect(try ValueLiteral.parse(example.text, in: LiteralContext(database: database)) == example.value)
  }

  @Test func timestampsHaveTheirZone() throws {
    let moment = try #require(Timestamp("2026-01-01T06:00:00.5Z"))
    #expect(
      try ValueLiteral.parse("ts(2026-01-01T00:00:00.5-06:00)", in: LiteralContext(database: database))
        == .timestamp(moment)
    )
  }

  @Test(arguments: [
    "ts(2026-02-30)", "ts()", "ts(2026)", "ref(users)", "ref()", "\"open", "\"a\"b\"",
    "ref(\"users/u1\")", "ref('users/u1')", "ref( users/u1)", "ref(users/u1 )",
    "9223372036854775808", "-9223372036854775809", "1e400",
    "2026-01-01", "2026-1-1", "2026-01", "31/12/2026", "31.12.2026", "31/12/26", "12:30", "7:05",
    "12:30:15.5",
    "6:30 pm", "6:30 p. m.", "2026-01-01T10:00", "2026-01-01T10:00:00Z", "2026-01-01 10:00", "12:30+01:00",
    "now", "NOW", "today", "yesterday", "Tomorrow", "now-7d", "today + 1",
    "now()", "date(2025)", "REF(users/u1)", "Ts(2026-01-01)", "a.b(c)", "null()",
    "True", "FALSE", "Null", "NaN", "nan", "Infinity", "-Infinity", "'admin'", "[a, b]", "{a: 1}",
    "true ", " null", "7\t", "2026-01-31 ", " ts(2026-01-31)", "Ana ", "\u{A0}Ana", " \"Ana\"", " ",
  ])
  func refuses(_ text: String) {
    #expect(throws: WireError.self) { try ValueLiteral.parse(text, in: LiteralContext(database: database)) }
  }

  @Test(
    "What can be meant in two ways is refused with both spellings.",
    arguments: [
      ("2026-01-01", "ts("), ("now", "ts("), ("REF(users/u1)", "ref("), ("12:30", "ts("),
      ("true ", "write true,"), (" Ana", "write Ana,"), (" ", "write "),
    ]
  )
  func spellings(_ text: String, _ other: String) {
    let error = #expect(throws: WireError.self) {
      try ValueLiteral.parse(text, in: LiteralContext(database: database))
    }
    #expect(error.map { "\($0)".contains(other) && "\($0)".contains("\"\(text)\"") } == true)
  }

  @Test func aDayBeginsByTheClocksOfItsZone() throws {
    let context = LiteralContext(database: database) { year, month, day in
      LiteralContext.utcDay(year, month, day).flatMap { Timestamp(seconds: $0.seconds + 6 * 3600) }
    }
    let moment = try #require(Timestamp("2026-01-31T06:00:00Z"))
    #expect(try ValueLiteral.parse("ts(2026-01-31)", in: context) == .timestamp(moment))
  }
}

/// A typed expression and its filter.
struct FilterCase: Sendable, CustomTestStringConvertible {
  var text: String
  var filter: StructuredQuery.Filter
  var testDescription: String { text }
}

@Suite struct FilterExpressionTests {
  private static let a = FieldPath(field: "a")
  private static let b = FieldPath(field: "b")

  @Test(
    "A time with digits below a microsecond is refused, wherever it is: what the service selects by it is not known.",
    arguments: [
      "a == T", "a < T", "a >= T", "a in [1, T]", "a not-in [T]", "a array-contains T", "b == 1 or a != T",
    ]
  )
  func digitsBelowMicroseconds(_ text: String) throws {
    let context = LiteralContext(database: database)
    let time = "ts(2024-01-31T12:00:00.1234569Z)"
    let error = #expect(throws: WireError.self) {
      try FilterExpression.parse(text.replacing("T", with: time), in: context)
    }
    let said = "\(time) has digits below a microsecond"
    #expect(error.map { "\($0)" }?.contains(said) == true, "\(String(describing: error))")
    // Zeros are none.
    let whole = "ts(2024-01-31T12:00:00.123456000Z)"
    _ = try FilterExpression.parse(text.replacing("T", with: whole), in: context)
  }

  private static let full = "projects/p/databases/(default)/documents"

  @Test(
    "A reference may have brackets in its name: a full one of the default database, and ids.",
    arguments: [
      ("a == ref(\(full)/users/u1)", ["\(full)/users/u1"]),
      ("(a == ref(\(full)/users/u1)) and (b == 1)", ["\(full)/users/u1"]),
      ("((a == ref(\(full)/users/u1)or b == 1))", ["\(full)/users/u1"]),
      (
        "a in [ref(\(full)/u/1),ref(\(full)/u/2) , ref(u/3)]",
        ["\(full)/u/1", "\(full)/u/2", "\(documents)/u/3"]
      ),
      ("a == ref(users/a(b))", ["\(documents)/users/a(b)"]),
      ("(b == 1 or a == ref(users/a(b)))", ["\(documents)/users/a(b)"]),
      ("a == ref(users/a)b)", ["\(documents)/users/a)b"]),
      ("a == ref(users/a(b)", ["\(documents)/users/a(b"]),
      ("a == ref(users/a (b) c) and b == 1", ["\(documents)/users/a (b) c"]),
      ("a == ref(users/x) or a == ref(users/y)", ["\(documents)/users/x", "\(documents)/users/y"]),
    ]
  )
  func brackets(_ text: String, _ names: [String]) throws {
    let filter = try FilterExpression.parse(text, in: LiteralContext(database: database))
    #expect(Self.references(of: filter) == names)
  }

  private static func references(of filter: StructuredQuery.Filter) -> [String] {
    switch filter {
    case .and(let filters), .or(let filters): return filters.flatMap(references)
    case .unary: return []
    case .field(_, _, let value):
      return (value.array ?? [value]).compactMap { if case .reference(let name) = $0 { name } else { nil } }
    }
  }

  @Test("A full name that __name__ is compared with is of the database that is read, once that is known.")
  func fullName() throws {
    let text = "__name__ >= ref(\(Self.full)/users/u1)"
    #expect(throws: WireError.self) {
      try FilterExpression.parse(text, in: LiteralContext(database: database))
    }
    let unknown = LiteralContext(database: nil)
    #expect(try FilterExpression.parse(text, in: unknown).names.map(\.string) == ["users/u1"])
    let own = "__name__ == ref(\(documents)/users/u1)"
    #expect(
      try FilterExpression.parse(own, in: LiteralContext(database: database)).names.map(\.string) == [
        "users/u1"
      ]
    )
  }

  @Test(
    "A bracket too many is refused.",
    arguments: ["a == ref(users/u1))", "(a == ref(users/u1)))", "a == ref(users/u1"]
  )
  func bracketTooMany(_ text: String) {
    #expect(throws: WireError.self) {
      try FilterExpression.parse(text, in: LiteralContext(database: database))
    }
  }

  @Test(
    "A field name that the service does not allow is refused.",
    arguments: ["__x__", "a.__b__", "__name__.x", String(repeating: "x", count: 1501)]
  )
  func fieldLimits(_ name: String) throws {
    let context = LiteralContext(database: database)
    for text in ["\(name) == 1", "\(name) is-null", "a == 1 or (\(name) in [1])"] {
      #expect(throws: WireError.self) { try FilterExpression.parse(text, in: context) }
    }
    _ = try FilterExpression.parse("\(String(repeating: "x", count: 1500)) == 1 and __x == 1", in: context)
  }

  @Test(
    "Several words in single quotes are refused as one word is: with the double quotes that are meant.",
    arguments: [
      ("a == 'María José'", "María José"), ("a == 'x (y)' and b == 1", "x (y)"), ("a in ['b c']", "b c"),
      ("b == 1 or a != ' and '", " and "),
    ]
  )
  func singleQuotes(_ text: String, _ meant: String) {
    let error = #expect(throws: WireError.self) {
      try FilterExpression.parse(text, in: LiteralContext(database: database))
    }
    let advice = "'\(meant)' is in single quotes: text is in double quotes, \"\(meant)\""
    #expect(error.map { "\($0)" }?.contains(advice) == true, "\(String(describing: error))")
  }

  @Test(
    "A name with spaces is shown with the back-quotes that it lacks; words that are no part of one are not.",
    arguments: [
      ("Fecha alta > 1", "`Fecha alta`"), ("`Código` de alta == 1", "`Código de alta`"),
      ("a like \"x\"", nil),
      ("a not in [1]", nil), ("a b", nil), ("a b and c == 1", nil), ("a => 1", nil),
    ] as [(String, String?)]
  )
  func spacedNames(_ text: String, _ name: String?) {
    let error = #expect(throws: WireError.self) {
      try FilterExpression.parse(text, in: LiteralContext(database: database))
    }
    let said = error.map { "\($0)" } ?? ""
    let hint = "a name with spaces is written in back-quotes: "
    #expect(said.contains(hint) == (name != nil), "\(said)")
    if let name { #expect(said.hasSuffix(hint + name), "\(said)") }
  }

  @Test func aSingleQuoteThatIsNotClosedIsAWord() throws {
    let filter = try FilterExpression.parse("a == 'tis", in: LiteralContext(database: database))
    #expect(filter == .field(Self.a, .equal, .string("'tis")))
  }

  static let cases: [FilterCase] = [
    FilterCase(text: "a == 1", filter: .field(a, .equal, .integer(1))),
    FilterCase(text: "a=1", filter: .field(a, .equal, .integer(1))),
    FilterCase(text: "a != x", filter: .field(a, .notEqual, .string("x"))),
    FilterCase(text: "a<1.5", filter: .field(a, .lessThan, .double(1.5))),
    FilterCase(text: "a <= 1", filter: .field(a, .lessThanOrEqual, .integer(1))),
    FilterCase(text: "a > -1", filter: .field(a, .greaterThan, .integer(-1))),
    FilterCase(text: "a >= \"x y\"", filter: .field(a, .greaterThanOrEqual, .string("x y"))),
    FilterCase(
      text: "a in [x, 1, \"1\"]",
      filter: .field(a, .in, .array([.string("x"), .integer(1), .string("1")]))
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
    // A quoted word is a value, not an operator.
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
    FilterCase(
      text: "__name__ >= ref(users/M)",
      filter: .field(.documentName, .greaterThanOrEqual, .reference("\(documents)/users/M"))
    ),
    FilterCase(
      text: "__name__ in [ref(projects/p/databases/d/documents/users/M), \"users/2025-01-01\", users/now]",
      filter: .field(
        .documentName,
        .in,
        .array(["M", "2025-01-01", "now"].map { .reference("\(documents)/users/\($0)") })
      )
    ),
    FilterCase(text: "a == null", filter: .unary(a, .isNull)),
    FilterCase(text: "a != null", filter: .unary(a, .isNotNull)),
    FilterCase(
      text: "a == 1 and(b == 2)",
      filter: .and([.field(a, .equal, .integer(1)), .field(b, .equal, .integer(2))])
    ),
    // 'and' binds tighter.
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
    #expect(
      try FilterExpression.parse(example.text, in: LiteralContext(database: database)) == example.filter
    )
  }

  @Test(
    arguments: [
      "", "a", "a ==", "== 1", "a ~ 1", "a == 1 b == 2", "a == 1 and", "(a == 1", "a == 1)", "a in 1",
      "a in []",
      "a in [1", "a in [1 2]", "a == \"x", "`a == 1", "a == ts(x)", "a b c", "a is-null 1", "1a == 1",
      "a == (", "a < null", "a in [null]", "a not-in [1, null]", "a array-contains null",
      "createdAt >= 2025-01-01", "createdAt > now", "createdAt > now()", "a == date(2025)",
      "a == REF(users/u1)",
      "a == 12:30", "a in [x, 2025-01-01]", "a == True", "a == 'x'",
      "__name__ >= M", "__name__ == users", "__name__ is-null", "__name__ array-contains users/u1",
      "__name__ == null",
      "__name__ == ref(projects/q/databases/d/documents/users/u1)", "__name__ == ts(2026-01-01)",
      "__name__ == users/__x__", "a not-in [1] and b != 2", "a != 1 and b != 2", "a not-in [1] or b == 2",
      "a not-in [1,2,3,4,5,6,7,8,9,10,11]",
      "a in [\((1...31).map(String.init).joined(separator: ","))]",
      String(repeating: "(", count: 100_000) + "a == 1",
    ]
  )
  func refuses(_ text: String) {
    #expect(throws: WireError.self) {
      try FilterExpression.parse(text, in: LiteralContext(database: database))
    }
  }
}
