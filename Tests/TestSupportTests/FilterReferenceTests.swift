import TestSupport
import Testing

/// The reference evaluator of filters, by examples that are derived from Firestore's documentation by hand.
struct FilterReferenceTests {
  @Test("each value is before all that follow it", arguments: FilterReferenceExamples.ascending)
  func ascending(_ chain: FilterReferenceExamples.Chain) {
    for (place, value) in chain.values.enumerated() {
      #expect(ReferenceOrder.values(value, value) == .same)
      for later in chain.values.dropFirst(place + 1) {
        #expect(ReferenceOrder.values(value, later) == .before, "\(value) \(later)")
        #expect(ReferenceOrder.values(later, value) == .after, "\(later) \(value)")
      }
    }
  }

  @Test("values that are equal in the order", arguments: FilterReferenceExamples.same)
  func same(_ chain: FilterReferenceExamples.Chain) {
    for value in chain.values {
      for other in chain.values {
        #expect(ReferenceOrder.values(value, other) == .same, "\(value) \(other)")
      }
    }
  }

  @Test("what a comparison selects", arguments: FilterReferenceExamples.comparisons)
  func comparison(_ example: FilterReferenceExamples.Comparison) {
    let filter = ReferenceFilter.compare(ReferenceFilter.field("a"), example.comparison, example.operand)
    #expect(filter.refusal == nil)
    for value in example.selected {
      #expect(filter.selects(FilterReferenceExamples.document(["a": value])), "\(value)")
    }
    for value in example.others {
      #expect(!filter.selects(FilterReferenceExamples.document(["a": value])), "\(value)")
    }
    #expect(!filter.selects(FilterReferenceExamples.document(["b": .integer(1)])), "a missing field")
  }

  static let testCases: [(ReferenceTest, [Bool])] = [
    (.isNull, [true, false, false, false]), (.isNotNull, [false, true, true, true]),
    (.isNaN, [false, true, false, false]), (.isNotNaN, [false, false, true, true]),
  ]

  @Test("what the tests select", arguments: testCases)
  func test(_ test: ReferenceTest, _ expected: [Bool]) {
    let values: [ReferenceDatum] = [.null, .double(.nan), .integer(0), .text("NaN")]
    let filter = ReferenceFilter.test(ReferenceFilter.field("a"), test)
    #expect(values.map { filter.selects(FilterReferenceExamples.document(["a": $0])) } == expected)
    #expect(!filter.selects(FilterReferenceExamples.document([:])))
  }

  @Test("filters of several sides and of nested fields", arguments: FilterReferenceExamples.trees)
  func tree(_ example: FilterReferenceExamples.Tree) {
    #expect(example.filter.refusal == nil)
    #expect(example.filter.selects(FilterReferenceExamples.document(example.fields)) == example.isSelected)
  }

  static let nameCases: [(ReferenceOperator, [String], Bool)] = [
    (.equal, ["users/u2"], true), (.equal, ["users/u20"], false),
    (.notEqual, ["users/u2"], false), (.notEqual, ["users/U2"], true),
    (.lessThan, ["users/u20"], true), (.lessThan, ["users/u10"], false), (.lessThan, ["users/u2"], false),
    (.lessThanOrEqual, ["users/u2"], true), (.greaterThan, ["users/__id7__"], true),
    (.greaterThan, ["users/u2"], false), (.greaterThanOrEqual, ["users/u2"], true),
    (.greaterThanOrEqual, ["users/M"], true), (.greaterThanOrEqual, ["users/\u{E9}"], false),
    (.in, ["users/u1", "users/u2"], true), (.in, ["users/u1"], false),
    (.notIn, ["users/u1"], true), (.notIn, ["users/u1", "users/u2"], false),
  ]

  @Test("comparisons of __name__ with the document users/u2", arguments: nameCases)
  func name(_ comparison: ReferenceOperator, _ paths: [String], _ expected: Bool) {
    let filter = ReferenceFilter.name(comparison, paths.map(FilterReferenceExamples.path))
    #expect(filter.selects(FilterReferenceExamples.document([:], "users/u2")) == expected)
  }

  @Test("what a stored NaN is to a comparison, under either rule")
  func nan() {
    let document = FilterReferenceExamples.document(["a": .double(.nan)])
    let field = ReferenceFilter.field("a")
    let below = ReferenceFilter.compare(field, .lessThan, .integer(5))
    #expect(below.selects(document) && !below.selects(document, nan: .unordered))
    let other = ReferenceFilter.compare(field, .notIn, .array([.integer(5)]))
    #expect(other.selects(document) && other.selects(document, nan: .unordered))
  }

  @Test("filters that are refused", arguments: FilterReferenceExamples.refused)
  func refused(_ filter: ReferenceFilter) {
    #expect(filter.refusal != nil)
  }

  @Test("filters that are just accepted", arguments: FilterReferenceExamples.accepted)
  func accepted(_ filter: ReferenceFilter) {
    #expect(filter.refusal == nil)
  }

  static let disjunctionsCases: [(ReferenceFilter, Int)] = [
    (.and([.items(5, "a"), .items(10, "b")]), 50),
    (.or([.items(10, "a"), .items(10, "b")]), 20),
    (.and([.items(5, "a"), .or([.items(1, "b"), .items(1, "c")])]), 10),
    (.or([.and([.items(1, "a"), .items(1, "c")]), .items(1, "b")]), 2),
  ]

  @Test("disjunctions, by the examples of the documentation", arguments: disjunctionsCases)
  func disjunctions(_ filter: ReferenceFilter, _ expected: Int) {
    #expect(filter.normalForm.disjunctions == expected)
  }

  static let dayCases: [(ReferenceDay, Int64)] = [
    (ReferenceDay(1970, 1, 1), 0), (ReferenceDay(1969, 12, 31), -1), (ReferenceDay(2000, 3, 1), 11_017),
    (ReferenceDay(1, 1, 1), -719_162), (ReferenceDay(9999, 12, 31), 2_932_896),
    (ReferenceDay(2024, 2, 29), 19_782),
  ]

  @Test("days and their distance from 1970-01-01", arguments: dayCases)
  func day(_ day: ReferenceDay, _ days: Int64) {
    #expect(day.daysSince1970 == days)
    #expect(ReferenceDay(daysSince1970: days) == day)
  }

  @Test("a batch is the same again, in one collection, and its filters select a fair share of it")
  func generator() {
    var pairs = 0
    var selected = 0
    for seed in UInt64(0)..<100 {
      var generator = FilterGenerator(seed: seed)
      var again = FilterGenerator(seed: seed)
      let documents = generator.documents(20)
      #expect(documents.map(\.path) == again.documents(20).map(\.path))
      #expect(documents.allSatisfy { $0.path.starts(with: generator.collection) })
      for _ in 0..<20 {
        let made = generator.filter()
        #expect(made.text == again.filter().text)
        if made.filter.refusal == nil {
          pairs += documents.count
          selected += documents.filter { made.filter.selects($0) }.count
        }
      }
    }
    #expect((20...60).contains(100 * selected / pairs))
  }
}

extension ReferenceFilter {
  /// A list of so many integers beside `in`, for a field.
  static func items(_ count: Int, _ name: String) -> ReferenceFilter {
    .compare(field(name), .in, .array((0..<count).map { .integer(Int64($0)) }))
  }
}
