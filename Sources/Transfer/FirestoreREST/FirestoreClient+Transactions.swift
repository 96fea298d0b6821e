/// The ID of a transaction, which is opaque and in Base64 as in the REST API.
package struct TransactionID: Sendable, Equatable {
  let base64: String
}

/// The requests of a transaction, each sent once.
///
/// They are not retried individually: a failed request ends the transaction, and the entire transaction is repeated.
extension FirestoreClient {
  /// Begins a read-write transaction, which reads the gate's fence first if there is one.
  ///
  /// - Parameter last: The transaction that this one retries, so that the service can prioritize it.
  /// - Throws: Also `.notSent` if the fence has changed.
  func beginTransaction(repeating last: TransactionID? = nil) async throws(CallFailure) -> TransactionID {
    if let fence = gate.fence {
      let (body, root) = try await caller.attempt(fenceRequest(fence, repeating: last))
      defer { withExtendedLifetime(body) {} }
      return try fenced(root, by: fence)
    }
    let options = JSONWriter.object {
      $0.member("options") {
        $0.member("readWrite") { $0.member("retryTransaction", last?.base64) }
      }
    }
    let (body, root) = try await caller.attempt(post("\(documentsURL):beginTransaction", options))
    defer { withExtendedLifetime(body) {} }
    guard let id = root.kind == .object ? root["transaction"]?.string : nil, !id.isEmpty else {
      throw .malformed("the response has no transaction")
    }
    return TransactionID(base64: id)
  }

  /// Begins the transaction for a commit that must not pass a fence, with retries.
  ///
  /// - Throws: Also the reason why nothing may be written, if the fence has changed.
  func beginTransaction(behind fence: CommitGate.Fence) async throws(Failure) -> TransactionID {
    try await caller.call(
      .beginTransaction,
      fenceRequest(fence, repeating: nil),
      operation: "read",
      path: fence.path.string
    ) { (_, root) throws(CallFailure) in try fenced(root, by: fence) }
  }

  private func fenceRequest(_ fence: CommitGate.Fence, repeating last: TransactionID?) -> HTTPRequest {
    let json = JSONWriter.object {
      $0.member("documents", strings: [database.name(of: fence.path)])
      $0.member("newTransaction") {
        $0.member("readWrite") { $0.member("retryTransaction", last?.base64) }
      }
    }
    return post("\(documentsURL):batchGet", json, .names(1))
  }

  /// Reads the transaction in a response, after checking that the fence has not changed.
  private func fenced(
    _ root: JSONCursor,
    by fence: CommitGate.Fence
  ) throws(CallFailure) -> TransactionID {
    let id = try Self.streamElements(root).lazy.compactMap { $0["transaction"]?.string }.first { !$0.isEmpty }
    guard let id else { throw .malformed("the response has no transaction") }
    let document = try answers(root, to: [fence.path]).documents.first
    if document?.updateTime != fence.updateTime { throw .notSent(fence.lost) }
    return TransactionID(base64: id)
  }

  /// Rolls back a transaction, which releases its locks immediately.
  ///
  /// Failures are ignored, because the service ends idle transactions anyway.
  func rollback(_ transaction: TransactionID) async {
    let json = JSONWriter.object { $0.member("transaction", transaction.base64) }
    var request = post("\(documentsURL):rollback", json)
    request.timeout = min(request.timeout, 10)
    _ = try? await caller.attempt(request)
  }

  /// Returns documents as seen by the transaction, by path, without those that do not exist.
  func documentsOnce(
    _ paths: [DocumentPath],
    in transaction: TransactionID
  ) async throws(CallFailure) -> [DocumentPath: RawDocument] {
    let json = JSONWriter.object {
      $0.member("documents", strings: paths.map { database.name(of: $0) })
      $0.member("transaction", transaction.base64)
    }
    let (body, root) = try await caller.attempt(
      post("\(documentsURL):batchGet", json, .names(paths.count))
    )
    defer { withExtendedLifetime(body) {} }
    return Dictionary(try answers(root, to: paths).documents.map { ($0.path, $0) }) { $1 }
  }

  /// Returns a page of a read as seen by the transaction, in name order.
  func pageOnce(
    of read: CollectionRead,
    after last: DocumentPath?,
    in transaction: TransactionID
  ) async throws(CallFailure) -> [RawDocument] {
    var query = read.query(in: database)
    query.limit = read.pageSize
    if let last = last ?? read.startAfter {
      query.startAt = StructuredQuery.Cursor([.reference(database.name(of: last))], before: false)
    }
    let json = JSONWriter.object {
      $0.key("structuredQuery")
      $0.structuredQuery(query)
      $0.member("transaction", transaction.base64)
    }
    let (body, root) = try await caller.attempt(
      post("\(url(ofParent: read.parent)):runQuery", json, .documents(read.pageSize))
    )
    defer { withExtendedLifetime(body) {} }
    var reader = AnswerReader(database)
    var documents: [RawDocument] = []
    for element in try Self.streamElements(root) {
      guard let document = element["document"] else { continue }
      documents.append(try reader.document(document, isAsked: read.mayGive))
    }
    return documents
  }
}
