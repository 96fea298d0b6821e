/// A Firestore transaction while it reads.
///
///     let (count, end) = try await client.runTransaction(on: path, willCommit: { _ in }) { transaction in
///       if try await transaction.document(path) == nil { return .leave(0) }
///       let write = Write(path: path, operation: .delete, precondition: .exists(true))
///       return .commit([write], 1)
///     }
///
/// The commit fails if a document that it read has changed. Reads throw ``CallFailure``, which
/// ``FirestoreClient/runTransaction(on:willCommit:didAbort:_:)`` catches to run the entire transaction again.
package struct Transaction: Sendable {
  let client: FirestoreClient
  let id: TransactionID

  /// Returns a document; nil if it does not exist.
  package func document(_ path: DocumentPath) async throws -> RawDocument? {
    try await client.documentsOnce([path], in: id)[path]
  }

  /// Returns documents in one request, by path, without those that do not exist.
  ///
  /// Prefer it to several requests, because a request that fails transiently repeats the entire transaction.
  package func documents(_ paths: [DocumentPath]) async throws -> [DocumentPath: RawDocument] {
    paths.isEmpty ? [:] : try await client.documentsOnce(paths, in: id)
  }

  /// Returns the number of documents in a collection, counted by name.
  ///
  /// A failed aggregation would end the transaction, and such collections are small.
  package func count(_ collection: CollectionPath) async throws -> Int {
    var count = 0
    try await forEachDocument(matching: CollectionRead(collection, mask: [.documentName])) { _ in count += 1 }
    return count
  }

  /// Calls `body` with each document of a read in name order, holding one page at a time.
  ///
  /// - Throws: ``Failure`` of kind `internal` if the read has another order, or a read time.
  package func forEachDocument(
    matching read: CollectionRead,
    _ body: (RawDocument) async throws -> Void
  ) async throws {
    guard read.isOrderedByName, read.readTime == nil else {
      throw Failure(
        .internal,
        "read in a transaction",
        path: read.collection.string,
        cause: "a transaction reads the present, in name order"
      )
    }
    let size = read.pageSize
    var last: DocumentPath?
    var order = ReadOrder(of: read)
    while true {
      let page = try await client.pageOnce(of: read, after: last, in: id)
      order.beginPage()
      for document in page {
        try order.take(document.path)
        try await body(document)
      }
      guard page.count >= size, let end = page.last?.path else { return }
      last = end
    }
  }
}

/// The decision of a transaction after reading.
package enum TransactionDecision<Value: Sendable>: Sendable {
  /// Commit these writes, each of which must have a precondition that reveals whether it was applied.
  ///
  /// The changes that they make, if known, show whether somebody else has written since.
  case commit([Write], Value, of: [Change] = [])
  /// Write nothing.
  case leave(Value)
}

package enum TransactionEnd: Sendable, Equatable {
  /// Confirmed by the service or by reading back; the update time of each document, nil after a delete.
  case committed([Timestamp?])
  /// Nothing was written.
  case left
  /// The service refuses the writes permanently.
  case refused(FirestoreError)
  /// The documents kept changing until the retry budget was spent.
  case contended
}

extension FirestoreClient {
  /// Runs a transaction: `body` reads and decides, and is called again if something has changed.
  ///
  /// After ABORTED and transient failures, everything is repeated with full jitter, within the budget of the
  /// ``RetryPolicy``. If the response to the commit is lost, the transaction is rolled back, so that it can no longer be
  /// applied, and its documents are read back.
  ///
  /// - Parameters:
  ///   - path: The document, for errors.
  ///   - willCommit: Called before each commit with its writes; write and sync a journal here.
  ///   - didAbort: Called after a commit that was certainly not applied and is not the last, or that was not sent.
  ///   - body: Reads only through the transaction and decides; may be called several times.
  /// - Returns: The value of the last call of `body` (nil if none completed), and the result.
  /// - Throws: ``Failure`` if no attempt can succeed, or the budget is spent for a reason other than contention; the errors
  ///   of `willCommit` and `body`.
  package func runTransaction<Value: Sendable>(
    on path: DocumentPath,
    willCommit: ([Write]) async throws -> Void,
    didAbort: () async throws -> Void = {},
    _ body: (Transaction) async throws -> TransactionDecision<Value>
  ) async throws -> (value: Value?, end: TransactionEnd) {
    let operation = "write in a transaction"
    var attempts = Attempts(caller)
    var run = TransactionRun()
    var value: Value?
    while true {
      run.begin()
      let failure: CallFailure
      do {
        let id = try await beginTransaction(repeating: run.last)
        run.last = id
        run.open = id
        switch try await body(Transaction(client: self, id: id)) {
        case .leave(let decided):
          await rollback(id)
          if let times = try await applied(run.uncertain) { return (decided, .committed(times)) }
          return (decided, .left)
        case .commit(let writes, let decided, let changes):
          value = decided
          try await willCommit(writes)
          run.committing = writes.indices.map {
            PendingWrite(writes[$0], in: database, of: changes.isEmpty ? nil : changes[$0])
          }
          let answer = try await commitOnce(
            run.committing.map(\.json),
            deletes: run.committing.deletes,
            in: id,
            timeout: min(75, attempts.left)
          )
          return (decided, .committed(answer.updateTimes))
        }
      } catch let error as CallFailure {
        failure = error
      } catch {
        if let open = run.open { await rollback(open) }
        throw error
      }

      if let open = run.open { await rollback(open) }
      let step = run.step(after: failure)
      if step == .readBack, let times = try await applied(run.uncertain.suffix(1)) {
        return (value, .committed(times))
      }
      if case .refused(let error) = step { return (value, .refused(error)) }
      if step == .contention { try await gate.pass(.conflict) }
      let isAborted = step == .again || step == .contention || failure.isUnsent && run.uncertain.isEmpty
      if !run.committing.isEmpty, isAborted { try await didAbort() }
      let elapsed = attempts.elapsed
      guard step != .fail,
        try await attempts.wait(
          run.committing.isEmpty ? .beginTransaction : .commit,
          failure.reason,
          asked: failure.askedDelay,
          caller.policy.after(failure),
          orThrow: Failure(.interrupted, operation, path: path.string, cause: "it was stopped")
        )
      else {
        if step == .contention { return (value, .contended) }
        throw failure.asFailure(
          operation: operation,
          path: path.string,
          attempts: attempts.number,
          elapsed: elapsed
        )
      }
    }
  }

  /// Returns the update times of the first commit that was applied; nil if none was.
  private func applied(_ commits: some Collection<[PendingWrite]>) async throws(Failure) -> [Timestamp?]? {
    for writes in commits {
      let documents = try await batchGet(writes.map(\.write.path))
      if writes.allSatisfy({ $0.state(in: documents[$0.write.path]) == .applied }) {
        let time = LostCommit.time(of: writes, documents)
        return writes.map { $0.updateTime(in: documents[$0.write.path], committedAt: time) }
      }
    }
    return nil
  }
}

/// The state of a transaction between attempts; pure.
struct TransactionRun {
  /// What to do after a failed attempt.
  enum Step: Equatable {
    /// Run it again.
    case again
    /// Run it again, because what it read has changed.
    case contention
    /// Read back whether it was applied, and run it again if not.
    case readBack
    /// No retry can succeed.
    case refused(FirestoreError)
    case fail
  }

  /// The last transaction that began, which the next attempt retries.
  var last: TransactionID?
  /// The transaction of this attempt, once it has begun.
  var open: TransactionID?
  /// The writes that this attempt sent.
  var committing: [PendingWrite] = []
  /// Commits with an unknown result.
  private(set) var uncertain: [[PendingWrite]] = []

  mutating func begin() {
    open = nil
    committing = []
  }

  /// Decides about a failed attempt.
  mutating func step(after failure: CallFailure) -> Step {
    if failure.isTransactionExpired { return .again }
    if committing.isEmpty { return Self.step(beforeCommit: failure) }
    switch CommitFailure(failure) {
    case .fatal: return .fail
    case .refused(let error, _): return .refused(error)
    case .preconditionFailed, .contended: return .contention
    case .notApplied: return .again
    case .unknown:
      committing.mayBeApplied()
      uncertain.append(committing)
      return .readBack
    }
  }

  /// The codes after which Google's own clients retry a transaction (nodejs-firestore, `transaction.ts`).
  private static func step(beforeCommit failure: CallFailure) -> Step {
    switch failure {
    case .notSent, .unreadable, .foreign: return .fail
    case .malformed: return .again
    case .transport(let error): return error.kind == .lost || error.kind == .notConnected ? .again : .fail
    case .service(let error):
      if error.status == .aborted { return .contention }
      return RPC.runQuery.retries(on: error.status) ? .again : .fail
    }
  }
}

extension CallFailure {
  /// Whether the transaction expired because it was idle for too long.
  ///
  /// Its status is that of an invalid request, so only the message reveals it, as in Google's own clients.
  fileprivate var isTransactionExpired: Bool {
    guard case .service(let error) = self, error.status == .invalidArgument else { return false }
    return error.message.contains("transaction has expired")
  }
}
