import FirestoreModels
import Testing

@testable import LocalFirestore

@Suite struct QueryValidationTests {
  /// The examples of `order_by` in google/firestore/v1/query.proto, and what follows from them.
  @Test(arguments: [
    ("", [], "__name__ ASCENDING"),
    ("", ["a"], "a ASCENDING, __name__ ASCENDING"),
    ("", ["-a"], "a DESCENDING, __name__ DESCENDING"),
    ("a", [], "a ASCENDING, __name__ ASCENDING"),
    ("b a", [], "a ASCENDING, b ASCENDING, __name__ ASCENDING"),
    ("b a", ["-b"], "b DESCENDING, a DESCENDING, __name__ DESCENDING"),
    ("__name__ a", [], "a ASCENDING, __name__ ASCENDING"),
    ("", ["a", "-__name__"], "a ASCENDING, __name__ DESCENDING"),
  ])
  func theOrderIsCompleted(inequalities: String, orders: [String], expected: String) throws {
    var query = StructuredQuery(from: .init("c"))
    let fields = inequalities.split(separator: " ").map { FieldPath(field: String($0)) }
    if !fields.isEmpty { query.where = .and(fields.map { .field($0, .greaterThan, .integer(1)) }) }
    query.orderBy = orders.map { name in
      name.hasPrefix("-")
        ? .init(FieldPath(field: String(name.dropFirst())), .descending) : .init(FieldPath(field: name))
    }
    let order = QueryValidation.completeOrder(of: query)
    #expect(order.map { "\($0.field) \($0.direction.rawValue)" }.joined(separator: ", ") == expected)
  }

  private func isRefused(_ filter: StructuredQuery.Filter) -> Bool {
    do throws(FirestoreError) {
      try QueryValidation.check(StructuredQuery(from: .init("c"), where: filter))
      return false
    } catch {
      return error.status == .invalidArgument
    }
  }

  @Test func alternativesAreCountedInNormalForm() {
    let list = { (count: Int) in Value.array((0..<count).map { .integer(Int64($0)) }) }
    let a = FieldPath(field: "a")
    #expect(!isRefused(.field(a, .in, list(30))) && isRefused(.field(a, .in, list(31))))
    #expect(!isRefused(.and([.field(a, .in, list(5)), .field(a, .arrayContainsAny, list(6))])))
    #expect(isRefused(.and([.field(a, .in, list(5)), .field(a, .arrayContainsAny, list(7))])))
    #expect(!isRefused(.or([.field(a, .in, list(15)), .field(a, .in, list(15))])))
    #expect(isRefused(.or([.field(a, .in, list(15)), .field(a, .in, list(16))])))
    #expect(!isRefused(.field(a, .notIn, list(10))) && isRefused(.field(a, .notIn, list(11))))
    #expect(isRefused(.field(a, .in, list(0))) && isRefused(.field(a, .in, .integer(1))))
    #expect(isRefused(.and([.field(a, .notIn, list(1)), .field(a, .notEqual, .integer(1))])))
    #expect(isRefused(.and([.field(a, .notIn, list(1)), .field(a, .in, list(2))])))
    #expect(isRefused(.and([.field(a, .notEqual, .integer(1)), .unary(a, .isNotNull)])))
  }

  /// The table of https://firebase.google.com/docs/firestore/query-data/queries: null, types and lists.
  @Test func filtersKeepToTheirTypes() {
    let values: [(String, Value)] = [
      ("null", .null), ("nan", .double(.nan)), ("one", .integer(1)), ("two", .double(2)),
      ("text", .string("a")),
      ("list", .array([.integer(1), .string("a")])), ("true", .boolean(true)),
    ]
    func matching(_ comparison: StructuredQuery.FieldOperator, _ operand: Value) -> String {
      let filter = CompiledFilter.field(FieldPath(field: "v"), comparison, operand)
      return values.filter { filter.matches(key: [], fields: ["v": $0.1]) }.map(\.0).joined(separator: " ")
    }
    #expect(matching(.equal, .double(1)) == "one")
    // Clients query for null with IS_NULL; no comparison matches it.
    #expect(matching(.equal, .null) == "")
    // Clients query for NaN with IS_NAN; no comparison matches it.
    #expect(matching(.equal, .double(.nan)) == "")
    #expect(matching(.lessThan, .integer(2)) == "one")
    #expect(matching(.greaterThanOrEqual, .integer(1)) == "one two")
    #expect(matching(.greaterThan, .string("")) == "text")
    #expect(matching(.notEqual, .integer(1)) == "nan two text list true")
    #expect(matching(.in, .array([.double(1), .string("a")])) == "one text")
    #expect(matching(.notIn, .array([.integer(1), .string("a")])) == "nan two list true")
    #expect(matching(.notIn, .array([.integer(1), .null])) == "")
    #expect(matching(.arrayContains, .double(1)) == "list")
    #expect(matching(.arrayContainsAny, .array([.string("x"), .string("a")])) == "list")
    func unary(_ kind: StructuredQuery.UnaryOperator) -> String {
      let filter = CompiledFilter.unary(FieldPath(field: "v"), kind)
      return values.filter { filter.matches(key: [], fields: ["v": $0.1]) }.map(\.0).joined(separator: " ")
    }
    #expect(unary(.isNull) == "null" && unary(.isNaN) == "nan")
    #expect(unary(.isNotNull) == "nan one two text list true")
    #expect(unary(.isNotNaN) == "one two text list true")
    #expect(
      !CompiledFilter.field(FieldPath(field: "w"), .notEqual, .integer(1)).matches(
        key: [],
        fields: ["v": .null]
      )
    )
  }
}
