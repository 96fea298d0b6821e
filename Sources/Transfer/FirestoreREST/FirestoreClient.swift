package import FirestoreModels

/// One database over the REST API: a request a method, answers decoded, reads retried.
///
/// The shape of every URL and body is `firestore-rest.md`'s; names in URLs are percent-encoded once.
package struct FirestoreClient: Sendable {
  /// The database.
  package let database: DatabaseName
  /// Scheme, host and port, without `/v1` and without a slash at the end.
  package let endpoint: String
  /// How requests are sent.
  package let caller: ServiceCaller

  /// Makes a client.
  package init(database: DatabaseName, endpoint: String, caller: ServiceCaller) {
    self.database = database
    self.endpoint = endpoint
    self.caller = caller
  }

  // MARK: Reading

  /// The documents that are there among `paths`.
  ///
  /// Paths that are missing are not in the answer. Asks for at most 300 at a time, and for fewer where an answer is
  /// larger than is accepted.
  package func batchGet(
    _ paths: [DocumentPath],
    mask: [FieldPath]? = nil
  ) async throws(Failure) -> [DocumentPath: RawDocument] {
    var found: [DocumentPath: RawDocument] = [:]
    var start = 0
    var size = 300
    while start < paths.count {
      let some = paths[start..<min(start + size, paths.count)]
      do throws(Failure) {
        for document in try await batchGetOnce(some, mask: mask).documents { found[document.path] = document }
        start = some.endIndex
      } catch {
        guard error.isBodyTooLarge, some.count > 1 else { throw error }
        size = some.count / 2
      }
    }
    return found
  }

  /// The service's time now, nil where it does not tell; it is told with a document, whether it is there or not.
  func serverTime(reading path: DocumentPath) async throws(Failure) -> Timestamp? {
    try await batchGetOnce([path], mask: [.documentName]).readTime
  }

  private func batchGetOnce(
    _ paths: ArraySlice<DocumentPath>,
    mask: [FieldPath]?
  ) async throws(Failure) -> (documents: [RawDocument], readTime: Timestamp?) {
    var json = JSONWriter()
    json.object {
      $0.key("documents")
      $0.array { list in
        for path in paths { list.string(database.name(of: path)) }
      }
      if let mask {
        $0.key("mask")
        $0.documentMask(mask)
      }
    }
    let request = post("\(documentsURL):batchGet", json.bytes)
    return try await caller.call(
      .batchGetDocuments,
      request,
      operation: "read documents of",
      path: paths.first?.collection.string
    ) { (_, root) throws(CallFailure) in
      var reader = AnswerReader(database)
      var documents: [RawDocument] = []
      var readTime: Timestamp?
      // Order is not promised, so that what is not answered for shows by its name alone.
      let asked = Set(paths)
      var open = asked
      for element in try Self.streamElements(root) {
        if let time = element["readTime"]?.string { readTime = Timestamp(time) }
        if let json = element["found"] {
          let document = try reader.document(json) { asked.contains($0) }
          documents.append(document)
          open.remove(document.path)
        } else if let missing = element["missing"] {
          guard let path = missing.string.flatMap({ database.path(ofName: $0) }), asked.contains(path) else {
            throw .foreign("the answer tells that a document is missing that was not asked for")
          }
          open.remove(path)
        }
      }
      guard open.isEmpty else {
        throw .malformed("the stream ended with \(open.count) of \(paths.count) documents unanswered")
      }
      return (documents, readTime)
    }
  }

  /// One document, nil where there is none, and the moment that it was read at, by the service's clock.
  package func get(
    _ path: DocumentPath
  ) async throws(Failure) -> (document: RawDocument?, readTime: Timestamp?) {
    var json = JSONWriter()
    json.object {
      $0.key("documents")
      $0.array { list in list.string(database.name(of: path)) }
    }
    return try await caller.call(
      .batchGetDocuments,
      post("\(documentsURL):batchGet", json.bytes),
      operation: "read",
      path: path.string
    ) { (_, root) throws(CallFailure) in
      var reader = AnswerReader(database)
      var isAnswered = false
      var document: RawDocument?
      var readTime: Timestamp?
      for element in try Self.streamElements(root) {
        if let time = element["readTime"]?.string { readTime = Timestamp(time) }
        if let json = element["found"] {
          document = try reader.document(json) { $0 == path }
        }
        isAnswered = isAnswered || element["found"] != nil || element["missing"] != nil
      }
      guard isAnswered else { throw .malformed("the stream ended without the document") }
      return (document, readTime)
    }
  }

  /// The number of documents that a read will give, and the moment that they were counted at, by the server's clock.
  ///
  /// What is below a collection cannot be counted (a count over all collections is not documented), so for
  /// ``CollectionRead/Reach/subcollections`` it is the number of the collection's own documents.
  package func count(_ read: CollectionRead) async throws(Failure) -> (count: Int, readTime: Timestamp?) {
    let request = countRequest(read)
    return try await caller.call(
      .runAggregationQuery,
      request,
      operation: "count the documents of",
      path: read.collection.string
    ) { (_, root) throws(CallFailure) in try Self.counted(root) }
  }

  /// The request that counts a read's documents.
  private func countRequest(_ read: CollectionRead) -> HTTPRequest {
    var own = read
    if own.reach == .subcollections { own.reach = .collection }
    var query = own.query(in: database)
    query.orderBy = own.orderBy
    query.select = nil
    var json = JSONWriter()
    json.object {
      $0.key("structuredAggregationQuery")
      $0.structuredAggregationQuery(
        StructuredAggregationQuery(query, [.init(.count(upTo: nil), alias: "n")])
      )
    }
    return post("\(url(ofParent: own.parent)):runAggregationQuery", json.bytes)
  }

  /// The count of an answer, and its moment.
  static func counted(_ root: JSONCursor) throws(CallFailure) -> (count: Int, readTime: Timestamp?) {
    var readTime: Timestamp?
    for element in try streamElements(root) {
      if let time = element["readTime"]?.string { readTime = Timestamp(time) }
      if let value = element["result"]?["aggregateFields"]?["n"]?["integerValue"],
        let count = WireDecoder.count(value)
      {
        return (count, readTime)
      }
    }
    throw .malformed("the stream ended before the count")
  }

  /// The number of documents in a collection, and the moment that they were counted at.
  package func count(_ collection: CollectionPath) async throws(Failure) -> (count: Int, readTime: Timestamp?)
  {
    try await count(CollectionRead(collection))
  }

  /// The body of a `runQuery`.
  func queryBody(_ query: StructuredQuery, _ readTime: Timestamp?) -> [UInt8] {
    var json = JSONWriter()
    json.object {
      if let readTime {
        $0.key("readTime")
        $0.timestamp(readTime)
      }
      $0.key("structuredQuery")
      $0.structuredQuery(query)
    }
    return json.bytes
  }

  /// The ids of the collections below a document, or of the root collections; every page of them.
  ///
  /// - Throws: ``Failure`` after all retries; also where a page token repeats, which would go on for ever.
  package func collectionIDs(
    below parent: DocumentPath? = nil,
    readTime: Timestamp? = nil
  ) async throws(Failure) -> [String] {
    var ids: [String] = []
    var token: String?
    var trail = LoopDetector<UTF8Key>()
    repeat {
      var json = JSONWriter()
      json.object {
        $0.key("pageSize")
        $0.integer(300)
        if let token {
          $0.key("pageToken")
          $0.string(token)
        }
        if let readTime {
          $0.key("readTime")
          $0.timestamp(readTime)
        }
      }
      let request = post("\(url(ofParent: parent)):listCollectionIds", json.bytes)
      let page: (ids: [String], token: String?) = try await caller.call(
        .listCollectionIds,
        request,
        operation: "list the collections of",
        path: parent?.string ?? database.database
      ) { (_, root) throws(CallFailure) in
        guard root.kind == .object else { throw .malformed("the answer is not an object") }
        return (
          try AnswerReader.collectionIDs(root),
          root["nextPageToken"]?.string.flatMap { $0.isEmpty ? nil : $0 }
        )
      }
      ids += page.ids
      token = page.token
      if let token, !trail.goes(to: UTF8Key(token)) {
        throw .endless("list the collections of", path: parent?.string ?? database.database)
      }
    } while token != nil
    return ids
  }

  // MARK: Writing

  /// Sends one commit, once.
  ///
  /// The writes are JSON already; whether to send them again is the caller's decision, because a commit whose
  /// answer was lost may have been applied.
  ///
  /// - Returns: The update time of each document after its write, nil where it was deleted.
  package func commitOnce(
    _ writes: [[UInt8]],
    in transaction: TransactionID? = nil,
    timeout: Double
  ) async throws(CallFailure) -> CommitAnswer {
    var json = JSONWriter()
    json.object {
      $0.transaction(transaction)
      $0.key("writes")
      $0.array { list in
        for write in writes { list.raw(write) }
      }
    }
    var request = post("\(documentsURL):commit", json.bytes)
    request.timeout = timeout
    let (body, root) = try await caller.attempt(request)
    defer { withExtendedLifetime(body) {} }
    guard root.kind == .object else { throw .malformed("the answer is not an object") }
    var updateTimes: [Timestamp?] = []
    if let results = root["writeResults"] {
      for result in results.elements {
        updateTimes.append(result["updateTime"]?.string.flatMap { Timestamp($0) })
      }
    }
    // Something in between that answers `{}` is not the service's word for it.
    guard updateTimes.count == writes.count else {
      throw .malformed("the answer has \(updateTimes.count) results of \(writes.count) writes")
    }
    return CommitAnswer(
      updateTimes: updateTimes,
      commitTime: root["commitTime"]?.string.flatMap { Timestamp($0) }
    )
  }

  // MARK: URLs

  var documentsURL: String {
    var url = "\(endpoint)/v1/"
    PercentEncoding.appendPath(database.documents, to: &url)
    return url
  }

  /// The URL of a document as a parent, or of the root.
  func url(ofParent parent: DocumentPath?) -> String {
    guard let parent else { return documentsURL }
    var url = documentsURL + "/"
    PercentEncoding.appendPath(parent.string, to: &url)
    return url
  }

  func post(_ url: String, _ body: [UInt8]) -> HTTPRequest {
    HTTPRequest(
      method: "POST",
      url: "\(url)?prettyPrint=false",
      headers: [("Content-Type", "application/json")],
      body: body
    )
  }

  // MARK: Answers

  /// The elements of a streamed answer; an `error` among them is thrown.
  static func streamElements(_ root: JSONCursor) throws(CallFailure) -> JSONCursor.Elements {
    guard root.kind == .array else {
      if let error = root["error"].flatMap({ ErrorBody.read($0, httpCode: nil) }) { throw .service(error) }
      throw .malformed("the answer is not a stream")
    }
    for element in root.elements {
      if let error = element["error"].flatMap({ ErrorBody.read($0, httpCode: nil) }) { throw .service(error) }
    }
    return root.elements
  }
}

/// What the service answered to a commit.
package struct CommitAnswer: Sendable, Equatable {
  /// The update time of each written document, in the order of the writes; nil after a delete.
  var updateTimes: [Timestamp?]
  /// The moment of the commit, which is what REQUEST_TIME was set to (in milliseconds).
  var commitTime: Timestamp?
}
