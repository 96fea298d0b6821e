import FirestoreModels

/// The ID of a transaction: opaque, in Base64 as in the REST API.
package struct TransactionID: Sendable, Equatable {
  let base64: String
}

/// The requests of a transaction, each sent once.
///
/// None is retried by itself: a failed request ends the transaction, and the entire transaction runs again.
extension FirestoreClient {
  /// Begins a read-write transaction.
  ///
  /// - Parameter last: The transaction that this one retries, so that the service can prioritize it.
  func beginTransaction(repeating last: TransactionID? = nil) async throws(CallFailure) -> TransactionID {
    var json = JSONWriter()
    json.object {
      $0.key("options")
      $0.object {
        $0.key("readWrite")
        $0.object {
          guard let last else { return }
          $0.key("retryTransaction")
          $0.string(last.base64)
        }
      }
    }
    let (body, root) = try await caller.attempt(post("\(documentsURL):beginTransaction", json.bytes))
    defer { withExtendedLifetime(body) {} }
    guard let id = root.kind == .object ? root["transaction"]?.string : nil, !id.isEmpty else {
      throw .malformed("the response has no transaction")
    }
    return TransactionID(base64: id)
  }

  /// Rolls back a transaction, which releases its locks immediately.
  ///
  /// Failures are ignored: the service ends idle transactions by itself.
  func rollback(_ transaction: TransactionID) async {
    var json = JSONWriter()
    json.object { $0.transaction(transaction) }
    var request = post("\(documentsURL):rollback", json.bytes)
    request.timeout = min(request.timeout, 10)
    _ = try? await caller.attempt(request)
  }

  /// Returns documents as seen by the transaction, by path, without those that do not exist.
  func documentsOnce(
    _ paths: [DocumentPath],
    in transaction: TransactionID
  ) async throws(CallFailure) -> [DocumentPath: RawDocument] {
    var json = JSONWriter()
    json.object {
      $0.key("documents")
      $0.array { array in for path in paths { array.string(database.name(of: path)) } }
      $0.transaction(transaction)
    }
    let (body, root) = try await caller.attempt(post("\(documentsURL):batchGet", json.bytes))
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
    var json = JSONWriter()
    json.object {
      $0.key("structuredQuery")
      $0.structuredQuery(query)
      $0.transaction(transaction)
    }
    let (body, root) = try await caller.attempt(
      post("\(url(ofParent: read.parent)):runQuery", json.bytes)
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

extension JSONWriter {
  /// Writes the member `transaction`, if there is one.
  mutating func transaction(_ transaction: TransactionID?) {
    guard let transaction else { return }
    key("transaction")
    string(transaction.base64)
  }
}
