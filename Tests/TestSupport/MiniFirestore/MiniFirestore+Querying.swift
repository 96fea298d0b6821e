extension MiniFirestore {
  func runQuery(_ call: MiniCall) throws -> JSON {
    try call.checkParameters([])
    let body = try call.body(["structuredQuery", "readTime", "transaction", "newTransaction"])
    let query = try query(call, body, body["structuredQuery"])
    let asked = try readTime(MiniDecoder.text(body["readTime"], "readTime"))
    let (answer, time) = run(query, call, asked)
    if let transaction = try MiniDecoder.text(body["transaction"], "transaction") {
      try record(answer.found.map { ($0.path, $0.document.updateTime) }, in: transaction)
    }
    var encoder = encoder()
    let stamp = JSON.Member("readTime", encoder.time(time))
    var elements: [JSON] = []
    // Progress, which is no result.
    if options.isAwkward || answer.found.isEmpty { elements.append(.object([stamp])) }
    if answer.skipped > 0 {
      elements.append(encoder.object([JSON.Member("skippedResults", .integer(answer.skipped)), stamp]))
    }
    for candidate in answer.found {
      let document = encoder.document(candidate.path, candidate.document, mask: query.mask)
      elements.append(encoder.object([JSON.Member("document", document), stamp]))
    }
    if encoder.chance(percent: 50) {
      elements.append(encoder.object([JSON.Member("done", .bool(true)), stamp]))
    }
    return .array(elements)
  }

  func runAggregationQuery(_ call: MiniCall) throws -> JSON {
    try call.checkParameters([])
    let body = try call.body(["structuredAggregationQuery", "readTime", "transaction", "newTransaction"])
    let parts = try MiniDecoder.members(
      body["structuredAggregationQuery"] ?? .object([]),
      "structuredAggregationQuery",
      allowed: ["structuredQuery", "aggregations"]
    )
    let query = try query(call, body, parts["structuredQuery"])
    let asked = try readTime(MiniDecoder.text(body["readTime"], "readTime"))
    guard body["transaction"] == nil else {
      throw ServiceError.unimplemented("MiniFirestore counts in no transaction")
    }
    let aggregations = try MiniDecoder.list(parts["aggregations"], "aggregations")
    guard (1...5).contains(aggregations.count) else {
      throw ServiceError.invalidArgument("\(aggregations.count) aggregations")
    }
    let (answer, time) = run(query, call, asked)
    var encoder = encoder()
    var members: [JSON.Member] = []
    for (index, aggregation) in aggregations.enumerated() {
      let kinds = try MiniDecoder.members(
        aggregation,
        "aggregations",
        allowed: ["alias", "count", "sum", "avg"]
      )
      guard let count = kinds["count"] else {
        throw ServiceError.unimplemented("MiniFirestore has no aggregation but count")
      }
      let limit = try MiniDecoder.members(count, "count", allowed: ["upTo"])["upTo"]
      let upTo = try MiniDecoder.text(limit, "upTo").map { try MiniDecoder.integer($0) } ?? .max
      guard upTo > 0 else { throw ServiceError.invalidArgument("upTo \(upTo)") }
      let alias = try MiniDecoder.text(kinds["alias"], "alias") ?? ByteString("field_\(index + 1)")
      let result = MiniValue.integer(min(Int64(answer.found.count), upTo))
      members.append(JSON.Member(alias, encoder.value(result)))
    }
    let stamp = JSON.Member("readTime", encoder.time(time))
    let result = encoder.object([JSON.Member("aggregateFields", .object(members))])
    let element = encoder.object([JSON.Member("result", result), stamp])
    return .array(options.isAwkward ? [.object([stamp]), element] : [element])
  }

  private func query(_ call: MiniCall, _ body: [ByteString: JSON], _ query: JSON?) throws -> MiniQuery {
    guard body["newTransaction"] == nil else {
      throw ServiceError.unimplemented("MiniFirestore begins no transaction with a query")
    }
    guard call.path.segments.isEmpty || call.path.isDocument else {
      throw ServiceError.invalidArgument("the parent is a collection")
    }
    guard let query else { throw ServiceError.invalidArgument("structuredQuery is missing") }
    return try MiniQuery(query)
  }

  private func run(
    _ query: MiniQuery,
    _ call: MiniCall,
    _ asked: MiniTime?
  ) -> (answer: (found: [MiniCandidate], skipped: Int), time: MiniTime) {
    let (found, time) = read(at: asked) { store, time in
      store.documents(
        below: call.path,
        collection: query.collection,
        allDescendants: query.allDescendants,
        at: time
      )
    }
    let prefix = root + "/"
    let candidates = found.map { entry in
      MiniCandidate(
        path: entry.path,
        document: entry.document,
        name: ByteString(bytes: prefix.utf8 + entry.path.name.bytes)
      )
    }
    return (query.run(candidates), time)
  }
}
