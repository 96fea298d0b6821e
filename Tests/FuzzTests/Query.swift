import FirestoreModels

@testable import LocalFirestore

private let database = DatabaseName(project: "p")

/// Queries and aggregations as a server reads them.
func fuzzQuery(_ input: [UInt8]) {
  let parser = JSONParser(maximumBytes: 1 << 20)
  for unknown in [WireDecoder.UnknownMembers.ignored, .refused] {
    let query = decoded(input, unknownMembers: unknown, with: parser) { decoder, root throws(WireError) in
      try decoder.structuredQuery(root)
    }
    if let query {
      var json = JSONWriter()
      json.structuredQuery(query)
      let again = decoded(json.bytes) { decoder, root throws(WireError) in try decoder.structuredQuery(root) }
      expect(again == query, "a query is another after it was written and read")
      _ = attempt { () throws(FirestoreError) in try QueryValidation.check(query) }
      _ = QueryValidation.completeOrder(of: query)
    }
    let aggregation = decoded(input, unknownMembers: unknown, with: parser) {
      decoder,
      root throws(WireError) in
      try decoder.structuredAggregationQuery(root)
    }
    if let aggregation {
      var json = JSONWriter()
      json.structuredAggregationQuery(aggregation)
      let again = decoded(json.bytes) { decoder, root throws(WireError) in
        try decoder.structuredAggregationQuery(root)
      }
      expect(again == aggregation, "an aggregation is another after it was written and read")
    }
  }
}

/// Whole requests as the embedded store reads them: the first byte says what, the rest is its text.
func fuzzRequests(_ input: [UInt8]) {
  guard let kind = input.first else { return }
  let body = Array(input.dropFirst())
  let decoder = RequestDecoder()
  switch kind {
  case UInt8(ascii: "h"):
    guard let head = attempt({ () throws(RequestHead.Malformed) in try RequestHead(body) }) else { return }
    _ = attempt { () throws(RequestHead.Malformed) in try head.bodyLength() }
    _ = attempt { () throws(FirestoreError) in
      let target = try RequestTarget(raw: head.target, hasVerb: head.method == "POST")
      _ = try Route(method: head.method, target: target)
      let known: Set<String> = [
        "readTime", "mask.fieldPaths", "orderBy", "transaction", "pageSize", "showMissing",
      ]
      let parameters = try QueryParameters(target.query, known: known)
      _ = attempt { () throws(FirestoreError) in try parameters.order() }
      _ = attempt { () throws(FirestoreError) in try parameters.mask("mask.fieldPaths") }
      _ = attempt { () throws(FirestoreError) in try parameters.consistency() }
      _ = attempt { () throws(FirestoreError) in try parameters.int32("pageSize") }
      _ = attempt { () throws(FirestoreError) in try parameters.boolean("showMissing") }
    }
  case UInt8(ascii: "g"): _ = attempt { () throws(FirestoreError) in try decoder.batchGet(body) }
  case UInt8(ascii: "q"): _ = attempt { () throws(FirestoreError) in try decoder.runQuery(body) }
  case UInt8(ascii: "a"): _ = attempt { () throws(FirestoreError) in try decoder.runAggregationQuery(body) }
  case UInt8(ascii: "p"): _ = attempt { () throws(FirestoreError) in try decoder.partitionQuery(body) }
  case UInt8(ascii: "l"): _ = attempt { () throws(FirestoreError) in try decoder.listCollectionIDs(body) }
  case UInt8(ascii: "t"): _ = attempt { () throws(FirestoreError) in try decoder.beginTransaction(body) }
  case UInt8(ascii: "r"): _ = attempt { () throws(FirestoreError) in try decoder.rollback(body) }
  case UInt8(ascii: "d"): _ = attempt { () throws(FirestoreError) in try decoder.document(body) }
  case UInt8(ascii: "b"):
    _ = attempt { () throws(FirestoreError) in try decoder.batchWrite(body, in: database) }
  default:
    let request = attempt { () throws(FirestoreError) in try decoder.commit(body, in: database) }
    for write in request?.writes ?? [] {
      _ = attempt { () throws(FirestoreError) in try WriteValidation.check(write) }
      var json = JSONWriter()
      json.object {
        $0.key("writes")
        $0.array { $0.write(write, in: database) }
      }
      let again = attempt { () throws(FirestoreError) in try decoder.commit(json.bytes, in: database) }
      expect(again?.writes == [write], "a write is another after it was written and read")
    }
  }
}
