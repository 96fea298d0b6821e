// Encodes queries in the service's JSON.

extension JSONWriter {
  package mutating func structuredQuery(_ query: StructuredQuery) {
    object { json in
      if let fields = query.select {
        json.key("select")
        json.object {
          $0.key("fields")
          $0.array { list in
            for field in fields { list.object { $0.fieldPath(field) } }
          }
        }
      }
      json.key("from")
      json.array { list in
        list.object {
          if let id = query.from.collectionID {
            $0.key("collectionId")
            $0.string(id)
          }
          if query.from.allDescendants {
            $0.key("allDescendants")
            $0.boolean(true)
          }
        }
      }
      if let filter = query.where {
        json.key("where")
        json.filter(filter)
      }
      if !query.orderBy.isEmpty {
        json.key("orderBy")
        json.array { list in
          for order in query.orderBy {
            list.object {
              $0.fieldReference(order.field)
              $0.key("direction")
              $0.string(order.direction.name)
            }
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
      if query.offset != 0 {
        json.key("offset")
        json.integer(query.offset)
      }
      if let limit = query.limit {
        json.key("limit")
        json.integer(limit)
      }
    }
  }

  /// Writes a cursor; also the form of a partition.
  package mutating func cursor(_ cursor: StructuredQuery.Cursor) {
    object { json in
      json.key("values")
      json.array { list in
        for value in cursor.values { list.value(value) }
      }
      if cursor.before {
        json.key("before")
        json.boolean(true)
      }
    }
  }

  /// Writes `"field": {"fieldPath": …}`.
  mutating func fieldReference(_ field: FieldPath) {
    key("field")
    object { $0.fieldPath(field) }
  }

  private mutating func fieldPath(_ field: FieldPath) {
    key("fieldPath")
    string(field.description)
  }

  private mutating func filter(_ filter: StructuredQuery.Filter) {
    object { json in
      switch filter {
      case .and(let filters): json.compositeFilter("AND", filters)
      case .or(let filters): json.compositeFilter("OR", filters)
      case .field(let field, let comparison, let value):
        json.key("fieldFilter")
        json.object {
          $0.fieldReference(field)
          $0.key("op")
          $0.string(comparison.name)
          $0.key("value")
          $0.value(value)
        }
      case .unary(let field, let kind):
        json.key("unaryFilter")
        json.object {
          $0.key("op")
          $0.string(kind.name)
          $0.fieldReference(field)
        }
      }
    }
  }

  private mutating func compositeFilter(_ name: String, _ filters: [StructuredQuery.Filter]) {
    key("compositeFilter")
    object { json in
      json.key("op")
      json.string(name)
      json.key("filters")
      json.array { list in
        for filter in filters { list.filter(filter) }
      }
    }
  }
}
