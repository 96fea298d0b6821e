// Encodes queries in the service's JSON.

extension JSONWriter {
  package mutating func structuredQuery(_ query: StructuredQuery) {
    object { json in
      if let fields = query.select {
        json.member("select") {
          $0.key("fields")
          $0.array(of: fields) { list, field in list.object { $0.member("fieldPath", field.description) } }
        }
      }
      json.key("from")
      json.array { list in
        list.object {
          $0.member("collectionId", query.from.collectionID)
          if query.from.allDescendants { $0.member("allDescendants", true) }
        }
      }
      if let filter = query.where {
        json.key("where")
        json.filter(filter)
      }
      if !query.orderBy.isEmpty {
        json.key("orderBy")
        json.array(of: query.orderBy) { list, order in
          list.object {
            $0.fieldReference(order.field)
            $0.member("direction", order.direction.rawValue)
          }
        }
      }
      if let cursor = query.startAt {
        json.key("startAt")
        json.cursor(cursor)
      }
      if let cursor = query.endAt {
        json.key("endAt")
        json.cursor(cursor)
      }
      if query.offset != 0 { json.member("offset", query.offset) }
      json.member("limit", query.limit)
    }
  }

  /// Writes a cursor; also the form of a partition.
  package mutating func cursor(_ cursor: StructuredQuery.Cursor) {
    object { json in
      json.key("values")
      json.array(of: cursor.values) { $0.value($1) }
      if cursor.before { json.member("before", true) }
    }
  }

  /// Writes `"field": {"fieldPath": …}`.
  mutating func fieldReference(_ field: FieldPath) {
    key("field")
    object { $0.member("fieldPath", field.description) }
  }

  private mutating func filter(_ filter: StructuredQuery.Filter) {
    object { json in
      switch filter {
      case .and(let filters): json.compositeFilter("AND", filters)
      case .or(let filters): json.compositeFilter("OR", filters)
      case .field(let field, let comparison, let value):
        json.member("fieldFilter") {
          $0.fieldReference(field)
          $0.member("op", comparison.rawValue)
          $0.member("value", value)
        }
      case .unary(let field, let kind):
        json.member("unaryFilter") {
          $0.member("op", kind.rawValue)
          $0.fieldReference(field)
        }
      }
    }
  }

  private mutating func compositeFilter(_ name: String, _ filters: [StructuredQuery.Filter]) {
    key("compositeFilter")
    object { json in
      json.member("op", name)
      json.key("filters")
      json.array(of: filters) { $0.filter($1) }
    }
  }
}
