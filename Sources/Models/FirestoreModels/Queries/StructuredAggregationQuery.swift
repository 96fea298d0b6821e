/// A query that aggregates documents (`google.firestore.v1.StructuredAggregationQuery`).
package struct StructuredAggregationQuery: Sendable, Equatable {
  package var query: StructuredQuery
  /// The aggregations, 1 to 5.
  package var aggregations: [Aggregation]

  package init(_ query: StructuredQuery, _ aggregations: [Aggregation]) {
    self.query = query
    self.aggregations = aggregations
  }

  package struct Aggregation: Sendable, Equatable {
    package enum Operation: Sendable, Equatable {
      /// Counts documents, up to a limit if there is one.
      case count(upTo: Int64?)
      /// Sums a field's numbers: an integer if all are integers and the sum fits, otherwise a double; 0 if there are none.
      case sum(FieldPath)
      /// Averages a field's numbers as a double; null if there are none.
      case average(FieldPath)
    }

    /// The name of the result; nil for the default `field_1`, `field_2`, ….
    package var alias: String?
    package var operation: Operation

    package init(_ operation: Operation, alias: String? = nil) {
      self.operation = operation
      self.alias = alias
    }

    package static func == (a: Aggregation, b: Aggregation) -> Bool {
      a.alias.map(UTF8Key.init) == b.alias.map(UTF8Key.init) && a.operation == b.operation
    }
  }
}

extension JSONWriter {
  package mutating func structuredAggregationQuery(_ aggregation: StructuredAggregationQuery) {
    object { json in
      json.key("structuredQuery")
      json.structuredQuery(aggregation.query)
      json.key("aggregations")
      json.array(of: aggregation.aggregations) { $0.aggregation($1) }
    }
  }

  private mutating func aggregation(_ item: StructuredAggregationQuery.Aggregation) {
    object { json in
      json.member("alias", item.alias)
      switch item.operation {
      case .count(let upTo):
        json.member("count") { $0.member("upTo", upTo.map { String($0) }) }
      case .sum(let field):
        json.member("sum") { $0.fieldReference(field) }
      case .average(let field):
        json.member("avg") { $0.fieldReference(field) }
      }
    }
  }
}
