extension ServiceCall {
  // MARK: runQuery

  func runQuery(_ database: DatabaseName, _ parent: String) throws {
    let request = try decoder.runQuery(self.request.body)
    guard let query = request.query else { throw FirestoreError.invalid("The structured_query is missing.") }
    let plan = try QueryPlan(query, parent: parent, in: database)
    let renderer = try DocumentRenderer(database, mask: plan.mask, runner: runner)
    try read(database, request.consistency) { context in
      context.recordRead(plan.scope, plan.range)
      var stream = try JSONArrayStream(out, context)
      var hasResults = false
      let skipped = try runner.run(plan, on: context.snapshot) { document in
        hasResults = true
        try stream.element { bytes in
          bytes.append(contentsOf: "{\"document\":".utf8)
          try renderer.append(document, to: &bytes)
          bytes.append(UInt8(ascii: ","))
          bytes.appendReadTime(context.snapshot.readTime)
          bytes.append(UInt8(ascii: "}"))
        }
        return true
      }
      // A skipped count is returned in its own element, as the service may do.
      if skipped > 0 || !hasResults {
        try stream.element { bytes in
          bytes.append(UInt8(ascii: "{"))
          bytes.appendReadTime(context.snapshot.readTime)
          if skipped > 0 { bytes.append(contentsOf: ",\"skippedResults\":\(skipped)".utf8) }
          bytes.append(UInt8(ascii: "}"))
        }
      }
      try stream.end()
    }
  }

  // MARK: runAggregationQuery

  func runAggregationQuery(_ database: DatabaseName, _ parent: String) throws {
    let request = try decoder.runAggregationQuery(self.request.body)
    guard let query = request.query else {
      throw FirestoreError.invalid("The structured_aggregation_query is missing.")
    }
    var aggregator = try Aggregator(query.aggregations)
    let plan = try QueryPlan(query.query, aggregated: aggregator.required, parent: parent, in: database)
    try read(database, request.consistency) { context in
      context.recordRead(plan.scope, plan.range)
      if aggregator.isCountOnly, plan.filter == nil, plan.isNameOrdered {
        let bound = min(aggregator.maximumCount ?? .max, plan.limit.map(Int64.init) ?? .max)
        let (limit, overflow) = bound.addingReportingOverflow(Int64(plan.offset))
        let count = try context.snapshot.count(plan.scope, plan.range, limit: overflow ? .max : limit)
        aggregator.add(count: max(0, count - Int64(plan.offset)))
      } else {
        var seen: Int64 = 0
        try runner.run(plan, on: context.snapshot) { document in
          aggregator.add(aggregator.isCountOnly ? FieldMap() : try runner.fields(document.fields))
          seen += 1
          return seen != aggregator.maximumCount
        }
      }
      respond {
        $0.array {
          $0.object {
            $0.member("transaction", context.newTransaction?.base64)
            $0.member("result") {
              $0.member("aggregateFields") {
                for (alias, value) in aggregator.results {
                  $0.key(alias)
                  $0.value(value)
                }
              }
            }
            $0.member("readTime", Timestamp(microseconds: context.snapshot.readTime))
          }
        }
      }
    }
  }

  // MARK: listCollectionIds

  /// Returns the page size for a requested one, where 0 requests the standard size; the defaults are as observed in production.
  static func pageSize(_ size: Int32, standard: Int = 20, maximum: Int = 300) throws(FirestoreError) -> Int {
    if size < 0 { throw .invalid("page_size is negative") }
    return size == 0 ? standard : min(Int(size), maximum)
  }

  /// `documents:listCollectionIds`, in order of the IDs.
  func listCollectionIDs(_ database: DatabaseName, _ parent: String) throws {
    let request = try decoder.listCollectionIDs(self.request.body)
    let size = try Self.pageSize(request.pageSize)
    let parts = ["listCollectionIds", database.description, parent, "\(request.consistency)"]
    let token = try PageToken.decode(request.pageToken, for: parts, decoder)
    try read(database, request.consistency) { context in
      let key = NameKey.key(parent)
      context.recordRead(StoreSnapshot.Scope(), KeyRange(below: key))
      var ids: [String] = []
      var hasMore = false
      try context.snapshot.collectionIDs(below: key, after: token?.first?.string) { id in
        hasMore = ids.count == size
        if !hasMore { ids.append(id) }
        return !hasMore
      }
      respond {
        $0.object {
          $0.member("collectionIds", ids) { id, json in json.string(id) }
          if hasMore, let last = ids.last {
            $0.member("nextPageToken", PageToken.encode([.string(last)], for: parts))
          }
        }
      }
    }
  }

  // MARK: list

  func list(_ database: DatabaseName, _ parent: String, _ collection: String) throws {
    let parameters = try parameters([
      "pageSize", "pageToken", "orderBy", "mask.fieldPaths", "showMissing", "readTime", "transaction",
    ])
    let size = try Self.pageSize(try parameters.int32("pageSize"))
    let order = try parameters.order()
    let showMissing = try parameters.boolean("showMissing") ?? false
    if showMissing, !order.isEmpty {
      throw FirestoreError.invalid("show_missing cannot be used with order_by.")
    }
    let mask = try parameters.mask("mask.fieldPaths")
    let consistency = try parameters.consistency()
    let parts = [
      "list", database.description, parent, collection, parameters.text("orderBy") ?? "",
      mask.map { $0.map(\.description).joined(separator: ",") } ?? "*", "\(showMissing)", "\(consistency)",
    ]
    let token = try PageToken.decode(parameters.text("pageToken") ?? "", for: parts, decoder)
    let query = StructuredQuery(
      from: .init(collection),
      orderBy: order.contains { $0.field == .documentName }
        ? order : order + [.init(.documentName, order.last?.direction ?? .ascending)],
      startAt: token.map { .init($0, before: false) },
      limit: size + 1
    )
    let plan = try QueryPlan(query, parent: parent, in: database)
    let page = ListPage(size: size, renderer: try DocumentRenderer(database, mask: mask, runner: runner))
    try read(database, consistency) { context in
      context.recordRead(plan.scope, plan.range)
      if showMissing {
        var range = plan.range
        if case .reference(let name)? = token?.first, let path = database.path(ofName: name) {
          // Descendants of the last document were covered by the previous page.
          range.raiseLowerBound(to: NameKey.end(NameKey.key(path.string)))
        }
        let path = CollectionPath(DocumentPath(parent), collection)
        try page.addAll(of: context.snapshot, collection: path.string, range)
      } else {
        try runner.run(plan, on: context.snapshot) { document in
          let fields = plan.isNameOrdered ? FieldMap() : try runner.fields(document.fields)
          return try page.add(document) { plan.orderValues(path: $0, fields: fields) }
        }
      }
    }
    page.finish(&out.bytes) { last in
      PageToken.encode(last, for: parts)
    } name: { path in
      [.reference("\(database.documents)/\(path)")]
    }
  }

  // MARK: partitionQuery

  /// `documents:partitionQuery`: names that split a collection group into parts of similar size, each of at
  /// least 128 documents.
  func partitionQuery(_ database: DatabaseName, _ parent: String) throws {
    let request = try decoder.partitionQuery(self.request.body)
    guard parent.isEmpty else { throw FirestoreError.invalid("The parent of a partition query is the root.") }
    guard let query = request.query else { throw FirestoreError.invalid("The structured_query is missing.") }
    guard query.from.allDescendants, query.where == nil, query.startAt == nil, query.endAt == nil,
      query.offset == 0, query.limit == nil,
      query.orderBy.isEmpty || query.orderBy == [.init(.documentName)]
    else {
      throw FirestoreError.invalid(
        "A partition query has all descendants, is ordered by __name__ and has no filter, limit, offset or cursor."
      )
    }
    guard request.partitionCount > 0 else { throw FirestoreError.invalid("partition_count must be positive") }
    let size = try Self.pageSize(request.pageSize, standard: .max, maximum: .max)
    let plan = try QueryPlan(query, parent: "", in: database)
    let parts = [
      "partitionQuery", database.description, query.from.collectionID ?? "", "\(request.partitionCount)",
      "\(request.consistency)",
    ]
    let token = try PageToken.decode(request.pageToken, for: parts, decoder)
    var names: [String] = []
    try read(database, request.consistency) { context in
      let count = try context.snapshot.count(plan.scope, plan.range, limit: .max)
      let points = min(request.partitionCount, count / Self.minimumPartitionSize - 1)
      guard points > 0 else { return }
      var index: Int64 = 0
      var next: Int64 = 1
      try context.snapshot.scan(plan.scope, plan.range) { row in
        if index == count * next / (points + 1) {
          names.append("\(database.documents)/\(String(decoding: row.path, as: UTF8.self))")
          next += 1
        }
        index += 1
        return next <= points
      }
    }
    // The token comes from the client and may contain any number.
    let start = min(max(0, token?.first?.integer.map(Int.init(clamping:)) ?? 0), names.count)
    let remaining = names.dropFirst(start)
    let page = remaining.prefix(size)
    respond {
      $0.object {
        $0.member("partitions", page) { $1.cursor(.init([.reference($0)], before: false)) }
        if page.count < remaining.count {
          $0.member("nextPageToken", PageToken.encode([.integer(Int64(start + page.count))], for: parts))
        }
      }
    }
  }

  private static var minimumPartitionSize: Int64 { 128 }
}
