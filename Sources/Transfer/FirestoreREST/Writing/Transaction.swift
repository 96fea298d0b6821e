package import FirestoreModels

/// A Firestore transaction while it reads: what it has read must not have changed when it commits.
///
/// Its reads throw ``CallFailure``, which is for ``FirestoreClient/runTransaction(on:willCommit:_:)`` to catch: it
/// runs the whole again.
package struct Transaction: Sendable {
  let client: FirestoreClient
  let id: TransactionID

  /// A document, nil where there is none.
  package func document(_ path: DocumentPath) async throws -> RawDocument? {
    try await client.documentOnce(path, in: id)
  }

  /// The number of documents in a collection, by their names.
  ///
  /// Not by an aggregation: one that fails would end the transaction, and what is counted in one is small.
  package func count(_ collection: CollectionPath) async throws -> Int {
    var count = 0
    try await forEachDocument(matching: CollectionRead(collection, mask: [.documentName])) { _ in count += 1 }
    return count
  }

  /// Calls `body` with every document that a read gives, in the order of their names; a page is held at a time.
  ///
  /// - Throws: ``Failure`` of kind `internal` where the read wants another order, or another moment.
  package func forEachDocument(
    matching read: CollectionRead,
    _ body: (RawDocument) async throws -> Void
  ) async throws {
    guard read.isOrderedByName, read.readTime == nil else {
      throw Failure(
        .internal,
        "read in a transaction",
        path: read.collection.string,
        cause: "it reads the present, in the order of names"
      )
    }
    let size = read.pageSize
    var last: DocumentPath?
    while true {
      let page = try await client.pageOnce(of: read, after: last, in: id)
      for document in page { try await body(document) }
      guard page.count >= size, let end = page.last?.path else { return }
      if let last, end <= last { throw CallFailure.malformed("the query began again before its end") }
      last = end
    }
  }
}

/// What a transaction comes to, once it has read.
package enum TransactionDecision<Value: Sendable>: Sendable {
  /// These writes are committed, each with a precondition that tells whether it was applied.
  case commit([Write], Value)
  /// Nothing is written.
  case leave(Value)
}

/// How a transaction ended.
package enum TransactionEnd: Sendable, Equatable {
  /// The service confirmed it, or what is read back shows it; the update time of each document, nil after a delete.
  case committed([Timestamp?])
  /// It wrote nothing.
  case left
  /// The service refuses its writes for good.
  case refused(FirestoreError)
  /// What it read kept changing, as long as it may be repeated.
  case contended
}

extension FirestoreClient {
  /// Runs a transaction: what `body` reads, decides and writes is one, or is run again.
  ///
  /// ABORTED and every failure that may pass run the whole again, from its beginning and with full jitter, within the
  /// budget of the ``RetryPolicy``. Where the answer to the commit is lost, the transaction is rolled back, so that it
  /// cannot be applied any more, and its documents are read back: they tell what became of it.
  ///
  /// - Parameters:
  ///   - path: The document that it is about, for errors.
  ///   - willCommit: Called before each commit with what it holds; a journal is written and synced here.
  ///   - body: Reads by the transaction alone and decides; it may be called several times.
  /// - Returns: What the last call of `body` gave (nil where none came to its end), and how it ended.
  /// - Throws: ``Failure`` where no attempt can succeed, or the budget is spent and it was not for contention;
  ///   what `willCommit` and `body` throw.
  package func runTransaction<Value: Sendable>(
    on path: DocumentPath,
    willCommit: ([Write]) async throws -> Void,
    _ body: (Transaction) async throws -> TransactionDecision<Value>
  ) async throws -> (value: Value?, end: TransactionEnd) {
    let clock = caller.clock
    let start = clock.now()
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
        case .commit(let writes, let decided):
          value = decided
          try await willCommit(writes)
          run.committing = writes.map { PendingWrite($0, in: database) }
          let left = caller.policy.budget - (clock.now() - start)
          let answer = try await commitOnce(
            run.committing.map(\.json),
            in: id,
            timeout: min(75, max(1, left))
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
      let elapsed = clock.now() - start
      guard step != .fail,
        let delay = caller.policy.delay(
          afterAttempt: run.attempts,
          elapsed: elapsed,
          asked: failure.askedDelay,
          random: clock.random()
        )
      else {
        if step == .contention { return (value, .contended) }
        throw failure.asFailure(
          operation: "write in a transaction",
          path: path.string,
          attempts: run.attempts,
          elapsed: elapsed
        )
      }
      caller.note(
        RetryNotice(
          rpc: run.committing.isEmpty ? .beginTransaction : .commit,
          attempt: run.attempts,
          delay: delay,
          reason: failure.reason
        )
      )
      do {
        try await clock.sleep(delay)
      } catch {
        throw Failure(.interrupted, "write in a transaction", path: path.string, cause: "it was cancelled")
      }
    }
  }

  /// The update times of the documents of the first of several commits that was applied; nil where none was.
  private func applied(_ commits: some Collection<[PendingWrite]>) async throws(Failure) -> [Timestamp?]? {
    for writes in commits {
      let documents = try await batchGet(writes.map(\.write.path))
      if writes.allSatisfy({ $0.state(in: documents[$0.write.path]) == .applied }) {
        return writes.map { documents[$0.write.path]?.updateTime }
      }
    }
    return nil
  }
}

/// A transaction between its attempts: pure, so that a table can test it.
struct TransactionRun {
  /// What is done after an attempt failed.
  enum Step: Equatable {
    /// Run it again.
    case again
    /// Run it again; what it read has changed.
    case contention
    /// See whether it was applied, and run it again where it was not.
    case readBack
    /// No attempt can do better.
    case refused(FirestoreError)
    case fail
  }

  private(set) var attempts = 0
  /// The transaction of the last attempt that began, which the next one repeats.
  var last: TransactionID?
  /// The transaction of this attempt, once it has begun.
  var open: TransactionID?
  /// What this attempt sent to be committed.
  var committing: [PendingWrite] = []
  /// Commits of which no answer told whether they were applied.
  private(set) var uncertain: [[PendingWrite]] = []

  mutating func begin() {
    attempts += 1
    open = nil
    committing = []
  }

  /// Judges the failure of an attempt.
  mutating func step(after failure: CallFailure) -> Step {
    if failure.isTransactionExpired { return .again }
    if committing.isEmpty { return Self.step(beforeCommit: failure) }
    switch CommitFailure(failure) {
    case .fatal: return .fail
    case .refused(let error, _): return .refused(error)
    case .preconditionFailed: return .contention
    case .notApplied:
      if case .service(let error) = failure, error.status == .aborted { return .contention }
      return .again
    case .unknown:
      uncertain.append(
        committing.map { write in
          var write = write
          write.mayBeApplied = true
          return write
        }
      )
      return .readBack
    }
  }

  /// The codes are those that Google's own clients run a transaction again on (nodejs-firestore, `transaction.ts`).
  private static func step(beforeCommit failure: CallFailure) -> Step {
    switch failure {
    case .credentials, .unreadable, .foreign: return .fail
    case .malformed: return .again
    case .transport(let error): return error.kind == .lost || error.kind == .notConnected ? .again : .fail
    case .service(let error):
      if error.status == .aborted { return .contention }
      return RPC.runQuery.retries(on: error.status) ? .again : .fail
    }
  }
}

extension CallFailure {
  /// Whether the transaction has stood idle for too long.
  ///
  /// Its status is that of a malformed request, so that the text alone can tell, as in Google's own clients.
  fileprivate var isTransactionExpired: Bool {
    guard case .service(let error) = self, error.status == .invalidArgument else { return false }
    return error.message.contains("transaction has expired")
  }
}
