import FirestoreModels
import Testing

/// A filter, the fields of a document, and whether the service would return it.
struct EvaluationCase: Sendable, CustomTestStringConvertible {
  var filter: String
  var fields: FieldMap
  var holds: Bool

  init(_ filter: String, _ fields: FieldMap, _ holds: Bool) {
    (self.filter, self.fields, self.holds) = (filter, fields, holds)
  }

  var testDescription: String { "\(filter): \(holds)" }
}

@Suite struct FilterEvaluationTests {
  private static let database = DatabaseName(project: "p", database: "d")

  // By https://firebase.google.com/docs/firestore/query-data/queries.
  static let cases: [EvaluationCase] = [
    EvaluationCase("a == 1", ["a": .double(1)], true),
    EvaluationCase("a == 1", ["a": .string("1")], false),
    EvaluationCase("a == 1", [:], false),
    EvaluationCase("a != 1", [:], false),
    EvaluationCase("a != 1", ["a": .null], false),
    EvaluationCase("a != 1", ["a": .string("1")], true),
    EvaluationCase("a < 5", ["a": .integer(4)], true),
    EvaluationCase("a < 5", ["a": .boolean(false)], false),
    EvaluationCase("a >= ts(2026-01-01T00:00:00Z)", ["a": .string("2026")], false),
    EvaluationCase("a in [x, y]", ["a": .string("y")], true),
    EvaluationCase("a in [x, y]", [:], false),
    EvaluationCase("a not-in [x, y]", ["a": .string("z")], true),
    EvaluationCase("a not-in [x, y]", ["a": .null], false),
    EvaluationCase("a not-in [x, y]", [:], false),
    EvaluationCase("a array-contains 1", ["a": .array([.integer(2), .integer(1)])], true),
    EvaluationCase("a array-contains 1", ["a": .integer(1)], false),
    EvaluationCase("a array-contains-any [3, 1]", ["a": .array([.integer(1)])], true),
    EvaluationCase("a is-null", ["a": .null], true),
    EvaluationCase("a is-null", [:], false),
    EvaluationCase("a is-not-null", ["a": .string("")], true),
    EvaluationCase("a is-not-null", [:], false),
    EvaluationCase("a is-nan", ["a": .double(.nan)], true),
    EvaluationCase("a is-not-nan", ["a": .null], false),
    EvaluationCase("m.x == 1", ["m": .map(["x": .integer(1)])], true),
    EvaluationCase("`m.x` == 1", ["m": .map(["x": .integer(1)])], false),
    EvaluationCase("a == 1 or b == 1", ["b": .integer(1)], true),
    EvaluationCase("a == 1 and b == 1", ["b": .integer(1)], false),
    // The service orders by the inequality fields and omits documents without them.
    EvaluationCase("a > 1 or b == 1", ["b": .integer(1)], false),
    EvaluationCase("a > 1 or b == 1", ["a": .integer(0), "b": .integer(1)], true),
    EvaluationCase("a != 1 or b == 1", ["b": .integer(1)], false),
    EvaluationCase("(a > 1 or a < 0) and b == 1", ["a": .integer(2), "b": .integer(1)], true),
    EvaluationCase("__name__ == users/u1", [:], true),
    EvaluationCase("__name__ == users/u2", [:], false),
    EvaluationCase("__name__ < users/u10", [:], true),
    EvaluationCase("__name__ in [users/u3, users/u1]", [:], true),
    EvaluationCase("__name__ not-in [users/u3, users/u1]", [:], false),
  ]

  @Test(arguments: cases) func evaluates(_ example: EvaluationCase) throws {
    let filter = try FilterExpression.parse(example.filter, in: LiteralContext(database: Self.database))
    let path = try #require(DocumentPath("users/u1"))
    #expect(DocumentFilter(filter).matches(RawDocument(path: path, fields: example.fields)) == example.holds)
  }
}
