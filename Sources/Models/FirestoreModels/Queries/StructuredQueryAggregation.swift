/// A query with results that are computed over its documents (`google.firestore.v1.StructuredAggregationQuery`).
package struct StructuredAggregationQuery: Sendable, Equatable {
  /// The documents.
  package var query: StructuredQuery
  /// What is computed, 1 to 5.
  package var aggregations: [Aggregation]

  /// Makes an aggregation query.
  package init(_ query: StructuredQuery, _ aggregations: [Aggregation]) {
    self.query = query
    self.aggregations = aggregations
  }

  /// One thing that is computed.
  package struct Aggregation: Sendable, Equatable {
    /// What is computed.
    package enum Operation: Sendable, Equatable {
      /// The number of documents, counted up to a bound where there is one.
      case count(upTo: Int64?)
      /// The sum of a field's numbers: an integer where all are and it fits, else a double; 0 for none.
      case sum(FieldPath)
      /// The mean of a field's numbers: a double, null for none.
      case average(FieldPath)
    }

    /// The result's name; nil is `field_1`, `field_2`, … by the service.
    package var alias: String?
    /// What is computed.
    package var operation: Operation

    /// Makes an aggregation.
    package init(_ operation: Operation, alias: String? = nil) {
      self.operation = operation
      self.alias = alias
    }

    /// Whether two aggregations are the same, aliases by their bytes.
    package static func == (a: Aggregation, b: Aggregation) -> Bool {
      a.alias.map(UTF8Key.init) == b.alias.map(UTF8Key.init) && a.operation == b.operation
    }
  }
}

extension JSONWriter {
  /// Writes an aggregation query.
  package mutating func structuredAggregationQuery(_ aggregation: StructuredAggregationQuery) {
    object { json in
      json.key("structuredQuery")
      json.structuredQuery(aggregation.query)
      json.key("aggregations")
      json.array { list in
        for item in aggregation.aggregations { list.aggregation(item) }
      }
    }
  }

  private mutating func aggregation(_ item: StructuredAggregationQuery.Aggregation) {
    object { json in
      if let alias = item.alias {
        json.key("alias")
        json.string(alias)
      }
      switch item.operation {
      case .count(let upTo):
        json.key("count")
        json.object {
          guard let upTo else { return }
          $0.key("upTo")
          $0.string(String(upTo))
        }
      case .sum(let field):
        json.key("sum")
        json.object { $0.fieldReference(field) }
      case .average(let field):
        json.key("avg")
        json.object { $0.fieldReference(field) }
      }
    }
  }
}
