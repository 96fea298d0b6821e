/// Computes counts, sums and averages over the results of a query, one document at a time.
struct Aggregator {
  private enum State {
    case count(Int64, upTo: Int64?)
    case sum(FieldPath, Sum, isMean: Bool)
  }

  /// A sum of numbers, which is exact if all are integers and the sum fits, even if intermediate sums do not (`Sum` in
  /// google/firestore/v1/query.proto).
  private struct Sum {
    var integers: Int64 = 0
    /// The number of times the sum of integers has overflowed 64 bits, minus the number of underflows.
    var wraps: Int64 = 0
    /// The sum of only the doubles, so that large integers do not reduce their precision.
    var doubles: Double = 0
    var isDouble = false
    var count: Int64 = 0

    mutating func add(_ value: Value?) {
      switch value {
      case .integer(let number)?:
        count += 1
        let (sum, overflow) = integers.addingReportingOverflow(number)
        integers = sum
        if overflow { wraps += number < 0 ? -1 : 1 }
      case .double(let number)?:
        count += 1
        doubles += number
        isDouble = true
      default: break
      }
    }

    private var approximate: Double { Double(integers) + Double(wraps) * 0x1p64 + doubles }
    var total: Value { isDouble || wraps != 0 ? .double(approximate) : .integer(integers) }
    var mean: Value { count == 0 ? .null : .double(approximate / Double(count)) }
  }

  private var states: [State] = []
  private let aliases: [String]

  /// The fields that a document must have to be aggregated.
  let required: [FieldPath]

  /// Whether only the number of documents matters.
  var isCountOnly: Bool { required.isEmpty }

  /// The number of documents after which the results are final; nil if all are needed.
  let maximumCount: Int64?

  /// - Throws: ``FirestoreError`` `.invalidArgument` for none or more than 5 aggregations, or a duplicate
  ///   alias.
  init(_ aggregations: [StructuredAggregationQuery.Aggregation]) throws(FirestoreError) {
    if aggregations.isEmpty { throw .invalid("Aggregations can not be empty.") }
    guard aggregations.count <= 5 else {
      throw .invalid("A query has 1 to 5 aggregations.")
    }
    var aliases: [String] = []
    var required: [FieldPath] = []
    var unnamed = 0
    var bounds: [Int64] = []
    for aggregation in aggregations {
      if aggregation.alias == nil { unnamed += 1 }
      let alias = aggregation.alias ?? "field_\(unnamed)"
      try WriteValidation.check(FieldPath(field: alias))
      if aliases.contains(where: { $0.isIdentical(to: alias) }) {
        throw .invalid("Aggregation aliases contain duplicate alias: \(alias).")
      }
      aliases.append(alias)
      switch aggregation.operation {
      case .count(let upTo):
        if let upTo, upTo <= 0 { throw .invalid("up_to must be positive") }
        bounds.append(upTo ?? .max)
        states.append(.count(0, upTo: upTo))
      case .sum(let field), .average(let field):
        try Self.check(field)
        required.append(field)
        states.append(.sum(field, Sum(), isMean: aggregation.operation == .average(field)))
      }
    }
    self.aliases = aliases
    self.required = required
    maximumCount = required.isEmpty ? bounds.max().flatMap { $0 == .max ? nil : $0 } : nil
  }

  private static func check(_ field: FieldPath) throws(FirestoreError) {
    if field == .documentName { throw .invalid("Aggregations are not supported for the property: __key__") }
    try WriteValidation.check(field)
  }

  mutating func add(_ fields: FieldMap) {
    for index in states.indices {
      switch states[index] {
      case .count(let count, let upTo): states[index] = .count(min(count + 1, upTo ?? .max), upTo: upTo)
      case .sum(let field, var sum, let isMean):
        sum.add(fields[field])
        states[index] = .sum(field, sum, isMean: isMean)
      }
    }
  }

  /// Adds documents that were only counted.
  mutating func add(count: Int64) {
    for index in states.indices {
      if case .count(let previous, let upTo) = states[index] {
        states[index] = .count(min(previous + count, upTo ?? .max), upTo: upTo)
      }
    }
  }

  /// The results in order, with their aliases.
  var results: [(alias: String, value: Value)] {
    zip(aliases, states).map { alias, state in
      switch state {
      case .count(let count, _): (alias, .integer(count))
      case .sum(_, let sum, let isMean): (alias, isMean ? sum.mean : sum.total)
      }
    }
  }
}
