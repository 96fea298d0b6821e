import Configuration

/// A client of one database over the REST API, with one method per request, decoded responses and retried reads.
///
///     let client = FirestoreClient(database: database, endpoint: endpoint, caller: caller)
///     let path = DocumentPath(CollectionPath(nil, "users"), "u1")
///     let (document, _) = try await client.get(path)
///     for try await page in client.pages(of: CollectionRead(path.collection)) {
///       for document in page { print(document.path) }
///     }
///
/// Names in URLs are percent-encoded once.
package struct FirestoreClient: Sendable {
  package let database: DatabaseName
  /// Scheme, host and port, without `/v1` and without a trailing slash.
  package let endpoint: String
  package let caller: ServiceCaller
  /// Asked for permission before each commit; shared by copies of the client.
  package let gate: CommitGate
  let lists: ListSupport

  package init(
    database: DatabaseName,
    endpoint: String,
    caller: ServiceCaller,
    gate: CommitGate = CommitGate(),
    lists: ListSupport = ListSupport()
  ) {
    (self.gate, self.lists) = (gate, lists)
    self.database = database
    self.endpoint = endpoint
    self.caller = caller
  }

  /// The same client without its gate, for the lease and the ledger, for which a part of the bill's bound is reserved.
  package var ungated: FirestoreClient {
    FirestoreClient(database: database, endpoint: endpoint, caller: caller.forTheEnd, lists: lists)
  }

  // MARK: Reading

  /// Returns the existing documents among `paths`.
  ///
  /// Each request asks for at most 300 documents, and for fewer if a response would exceed its share of bytes.
  package func batchGet(
    _ paths: [DocumentPath],
    mask: [FieldPath]? = nil,
    readTime: Timestamp? = nil
  ) async throws(Failure) -> [DocumentPath: RawDocument] {
    var found: [DocumentPath: RawDocument] = [:]
    var start = 0
    var size = mask == nil ? lookupSize : 300
    while start < paths.count {
      let some = paths[start..<min(start + size, paths.count)]
      do throws(Failure) {
        let answer = try await batchGetOnce(some, mask: mask, readTime: readTime)
        for document in answer.documents { found[document.path] = document }
        if mask == nil { lists.learnLookup(bytes: answer.bytes, documents: answer.documents.count) }
        start = some.endIndex
      } catch {
        guard error.isBodyTooLarge, some.count > 1 else { throw error }
        size = max(1, some.count / 4)
      }
    }
    return found
  }

  /// How many documents should be looked up per request, given the size of those looked up before.
  package var lookupSize: Int { lists.lookup }

  /// Returns the service's current time, if it reports it; the document does not have to exist.
  func serverTime(reading path: DocumentPath) async throws(Failure) -> Timestamp? {
    try await batchGetOnce([path], mask: [.documentName]).readTime
  }

  private func batchGetOnce(
    _ paths: ArraySlice<DocumentPath>,
    mask: [FieldPath]? = nil,
    readTime: Timestamp? = nil,
    operation: String = "read documents of",
    of path: String? = nil
  ) async throws(Failure) -> (documents: [RawDocument], readTime: Timestamp?, bytes: Int) {
    let json = JSONWriter.object {
      $0.member("documents", strings: paths.map { database.name(of: $0) })
      if let mask {
        $0.key("mask")
        $0.documentMask(mask)
      }
      $0.member("readTime", readTime)
    }
    var request = post("\(documentsURL):batchGet", json, .names(paths.count))
    if paths.count > 1 { request.maximumBodyBytes = 2 * ByteBudget.response }
    return try await caller.call(
      .batchGetDocuments,
      request,
      operation: operation,
      path: path ?? paths.first.map { caller.shown($0.collection) }
    ) { (body, root) throws(CallFailure) in
      let (documents, readTime) = try answers(root, to: paths)
      return (documents, readTime, body.bytes)
    }
  }

  /// Reads the response of a batchGet: the documents that exist, and the read time.
  ///
  /// - Throws: `.foreign` for a document that was not requested, `.malformed` for a response that leaves one out.
  func answers(
    _ root: JSONCursor,
    to paths: some Sequence<DocumentPath>
  ) throws(CallFailure) -> (documents: [RawDocument], readTime: Timestamp?) {
    var reader = AnswerReader(database)
    var documents: [RawDocument] = []
    var readTime: Timestamp?
    // The order of the response is not specified, so missing entries are found by name.
    let asked = Set(paths)
    var open = asked
    for element in try Self.streamElements(root) {
      readTime = element.time("readTime") ?? readTime
      if let json = element["found"] {
        let document = try reader.document(json) { asked.contains($0) }
        documents.append(document)
        open.remove(document.path)
      } else if let missing = element["missing"] {
        guard let path = missing.string.flatMap({ database.path(ofName: $0) }), asked.contains(path) else {
          throw .foreign("the response reports a missing document that was not requested")
        }
        open.remove(path)
      }
    }
    guard open.isEmpty else {
      throw .malformed("the stream ended without \(open.count) of \(asked.count) documents")
    }
    return (documents, readTime)
  }

  /// Returns a document (nil if it does not exist) and its read time, by the service's clock.
  package func get(
    _ path: DocumentPath
  ) async throws(Failure) -> (document: RawDocument?, readTime: Timestamp?) {
    let (documents, readTime, _) = try await batchGetOnce([path], operation: "read", of: caller.shown(path))
    return (documents.first, readTime)
  }

  /// Returns the number of documents in a read and its read time, by the service's clock.
  ///
  /// Subcollections cannot be counted (a count over all collections is not documented), so for
  /// ``CollectionRead/Reach/subcollections`` the result is the number of documents in the collection itself.
  ///
  /// If reads are bounded, it counts no further than the bound allows.
  package func count(_ read: CollectionRead) async throws(Failure) -> (count: Int, readTime: Timestamp?) {
    var reads: Int?
    if caller.isBilled, caller.traffic.account.bindsReads {
      reads = try await caller.reserve(reads: .max)
    }
    let most = reads?.multipliedClamped(by: 1000)
    let answer = try await caller.call(
      .runAggregationQuery,
      countRequest(read, reads, upTo: most),
      operation: "count the documents of",
      path: caller.shown(read.collection)
    ) { (_, root) throws(CallFailure) in try Self.counted(root) }
    if let most, answer.count >= most { throw try caller.traffic.account.exhausted(before: Cost(reads: 1)) }
    return answer
  }

  private func countRequest(_ read: CollectionRead, _ reads: Int?, upTo most: Int?) -> HTTPRequest {
    var own = read
    if own.reach == .subcollections { own.reach = .collection }
    var query = own.query(in: database)
    query.orderBy = own.orderBy
    query.select = nil
    let json = JSONWriter.object {
      $0.member("readTime", read.readTime)
      $0.key("structuredAggregationQuery")
      $0.structuredAggregationQuery(
        StructuredAggregationQuery(query, [.init(.count(upTo: most.map { Int64($0) }), alias: "n")])
      )
    }
    var request = post("\(url(ofParent: own.parent)):runAggregationQuery", json, .count(reads: reads))
    request.isReserved = reads != nil
    return request
  }

  /// Decodes the count and the read time of a response.
  static func counted(_ root: JSONCursor) throws(CallFailure) -> (count: Int, readTime: Timestamp?) {
    var readTime: Timestamp?
    for element in try streamElements(root) {
      readTime = element.time("readTime") ?? readTime
      if let value = element["result"]?["aggregateFields"]?["n"]?["integerValue"],
        let count = WireDecoder.count(value)
      {
        return (count, readTime)
      }
    }
    throw .malformed("the stream ended before the count")
  }

  /// Returns the body of a `runQuery` request.
  func queryBody(_ query: StructuredQuery, _ readTime: Timestamp?) -> [UInt8] {
    JSONWriter.object {
      $0.member("readTime", readTime)
      $0.key("structuredQuery")
      $0.structuredQuery(query)
    }
  }

  /// Returns the IDs of all subcollections of a document, or of all root collections.
  ///
  /// - Throws: ``Failure`` after all retries, or if an ID or a page token repeats, which would lead to an endless read.
  package func collectionIDs(
    below parent: DocumentPath? = nil,
    readTime: Timestamp? = nil
  ) async throws(Failure) -> [String] {
    var ids: [String] = []
    var (known, emptyPages): (Set<UTF8Key>, Int) = ([], 0)
    let (operation, path) = ("list the collections of", parent.map { caller.shown($0) } ?? database.database)
    try await forEachPage(orThrow: .endless(operation, path: path)) { token throws(Failure) in
      let json = JSONWriter.object {
        $0.member("pageSize", 300)
        $0.member("pageToken", token)
        $0.member("readTime", readTime)
      }
      let page: (ids: [String], token: String?) = try await caller.call(
        .listCollectionIds,
        post("\(url(ofParent: parent)):listCollectionIds", json, .page),
        operation: operation,
        path: path
      ) { (_, root) throws(CallFailure) in (try AnswerReader.collectionIDs(root), root.nextPageToken) }
      ids += page.ids
      emptyPages = page.ids.isEmpty ? emptyPages + 1 : 0
      let isRepeated = page.ids.contains { !known.insert(UTF8Key($0)).inserted }
      if isRepeated || emptyPages > ReadOrder.maximumEmptyPages { throw .endless(operation, path: path) }
      return page.token
    }
    return ids
  }

  // MARK: Writing

  /// Sends one commit, without retries.
  ///
  /// The caller decides whether to send it again, because a commit without a response may have been applied.
  ///
  /// - Parameters:
  ///   - writes: The writes as JSON.
  ///   - deletes: The number of deletes among them.
  /// - Throws: Also `.notSent` if the gate is closed, or its fence has changed.
  /// - Returns: The update time of each document; nil for a deleted one.
  package func commitOnce(
    _ writes: [[UInt8]],
    deletes: Int = 0,
    in transaction: TransactionID? = nil,
    timeout: Double
  ) async throws(CallFailure) -> CommitAnswer {
    var own: TransactionID?
    try await CallFailure.ofUnsent { () throws(Failure) in
      try await gate.pass(.commit)
      if transaction == nil, let fence = gate.fence { own = try await beginTransaction(behind: fence) }
    }
    do throws(CallFailure) {
      let answer = try await send(writes, deletes: deletes, in: transaction ?? own, timeout: timeout)
      gate.noteSent()
      return answer
    } catch {
      switch error {
      case .notSent: break
      default: gate.noteSent()
      }
      // Otherwise its lock on the fence would last for a minute.
      if let own, case .service = error { await rollback(own) }
      throw error
    }
  }

  private func send(
    _ writes: [[UInt8]],
    deletes: Int,
    in transaction: TransactionID?,
    timeout: Double
  ) async throws(CallFailure) -> CommitAnswer {
    var json = JSONWriter(capacity: writes.reduce(200) { $0 + $1.count + 1 })
    json.object {
      $0.member("transaction", transaction?.base64)
      $0.key("writes")
      $0.array { list in for write in writes { list.raw(write) } }
    }
    let cost = Cost(writes: writes.count - deletes, deletes: deletes)
    var request = post("\(documentsURL):commit", json.bytes, .writes(cost))
    request.timeout = timeout
    let (body, root) = try await caller.attempt(request)
    defer { withExtendedLifetime(body) {} }
    try root.assertObject()
    let updateTimes = root["writeResults"]?.elements.map { $0.time("updateTime") } ?? []
    // A proxy that responds with `{}` does not confirm anything.
    guard updateTimes.count == writes.count else {
      throw .malformed("the response has \(updateTimes.count) results for \(writes.count) writes")
    }
    return CommitAnswer(updateTimes: updateTimes, commitTime: root.time("commitTime"))
  }

  // MARK: URLs

  var documentsURL: String {
    var url = "\(endpoint)/v1/"
    PercentEncoding.appendPath(database.documents, to: &url)
    return url
  }

  /// Returns the URL of a parent document, or of the root.
  func url(ofParent parent: DocumentPath?) -> String {
    guard let parent else { return documentsURL }
    var url = documentsURL + "/"
    PercentEncoding.appendPath(parent.string, to: &url)
    return url
  }

  func post(_ url: String, _ body: [UInt8], _ billing: Billing = .nothing) -> HTTPRequest {
    var request = HTTPRequest(
      method: "POST",
      url: "\(url)?prettyPrint=false",
      headers: [("Content-Type", "application/json")],
      body: body
    )
    request.billing = billing
    return request
  }

  // MARK: Answers

  /// Returns the elements of a streamed response; throws if one of them is an `error`.
  static func streamElements(_ root: JSONCursor) throws(CallFailure) -> JSONCursor.Elements {
    guard root.kind == .array else {
      if let error = root["error"].flatMap({ ErrorBody.read($0, httpCode: nil) }) { throw .service(error) }
      throw .malformed("the response is not a stream")
    }
    for element in root.elements {
      if let error = element["error"].flatMap({ ErrorBody.read($0, httpCode: nil) }) { throw .service(error) }
    }
    return root.elements
  }
}

/// The service's response to a commit.
package struct CommitAnswer: Sendable, Equatable {
  /// The update time of each document, in the order of the writes; nil after a delete.
  var updateTimes: [Timestamp?]
  /// The time of the commit, which is the value of REQUEST_TIME (in milliseconds).
  var commitTime: Timestamp?
}
