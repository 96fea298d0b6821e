import Files
package import FirestoreModels
package import FirestoreREST
package import Runs

/// A transaction that writes several documents or none: its changes are in the run's journal before they are committed,
/// and counted when they are settled.
///
///     let transaction = RecordedTransaction(in: context)
///     let (found, end) = try await transaction.run(on: group) { reader in
///       guard let document = try await reader.document(group) else { return .leave(false) }
///       return .commit([Change(of: document, ["memberCount": .integer(3)], reasons: ["recount"])], true)
///     }
package struct RecordedTransaction: Sendable {
  /// What a transaction does, once it has read.
  package enum Decision<Value: Sendable>: Sendable {
    /// Make these changes, each of another document.
    case commit([Change], Value)
    /// Write nothing.
    case leave(Value)
  }

  private let client: FirestoreClient
  private let journal: Journal?
  private let counts: RunCounts
  private let plan: TransactionPlan?

  /// - Parameter plan: What takes the changes instead of the database; nil to write them.
  package init(in context: RunContext, planning plan: TransactionPlan? = nil) {
    self.init(context.client, journal: context.journal, counts: context.counts, planning: plan)
  }

  init(_ client: FirestoreClient, journal: Journal?, counts: RunCounts, planning plan: TransactionPlan? = nil)
  {
    self.client = client
    self.journal = journal
    self.counts = counts
    self.plan = plan
  }

  /// Runs a transaction; `body` may be called several times.
  ///
  /// - Parameter path: The document, for errors.
  /// - Returns: The value of the last call of `body`, nil if none completed, and how the transaction ended.
  /// - Throws: ``Failure``, and what `body` throws.
  package func run<Value: Sendable>(
    on path: DocumentPath,
    _ body: @escaping @Sendable (any DocumentReader) async throws -> Decision<Value>
  ) async throws -> (value: Value?, end: TransactionEnd) {
    if let plan { return try await plan.run(counting: counts, body) }
    let attempts = Locked(Attempts())
    let (value, end) = try await client.runTransaction(on: path) { _ in
      try await journal?.record(transaction: attempts.withLock { $0.send() })
    } didAbort: {
      let aborted = attempts.withLock { $0.abort() }
      try journal?.settle(aborted.map { ($0.path, .conflicted) })
    } _: { transaction -> TransactionDecision<Value> in
      switch try await body(transaction) {
      case .leave(let value):
        attempts.withLock { $0.decided = [] }
        return .leave(value)
      case .commit(let changes, let value):
        attempts.withLock { $0.decided = changes }
        return .commit(changes.map(\.write), value)
      }
    }
    try settle(attempts.withLock { $0 }, end)
    return (value, end)
  }

  /// The attempts of a transaction.
  private struct Attempts {
    /// What the last one decided to write.
    var decided: [Change] = []
    /// What was sent, and is not known to be refused.
    private var sent: [[Change]] = []

    mutating func send() -> [Change] {
      sent.append(decided)
      return decided
    }

    mutating func abort() -> [Change] { sent.popLast() ?? [] }

    /// What was committed at some time, also where a later attempt found nothing left to do.
    func committed(_ count: Int) -> [Change] { sent.last { $0.count == count } ?? decided }
  }

  /// An attempt of which nothing was heard, and of which nothing can be seen any more, is left open in the journal.
  private func settle(_ attempts: Attempts, _ end: TransactionEnd) throws(Failure) {
    switch end {
    case .committed(let times):
      let changes = attempts.committed(times.count)
      try settle(changes, zip(changes, times).map { .written(updateTime: $1) })
    case .refused(let error):
      try settle(attempts.decided, attempts.decided.map { _ in .rejected(error) })
    case .contended, .left:
      try settle(attempts.decided, attempts.decided.map { _ in .conflicted })
    }
  }

  private func settle(_ changes: [Change], _ results: [WriteResult]) throws(Failure) {
    try journal?.settle(zip(changes, results).map { ($0.path, $1) })
    for (change, result) in zip(changes, results) {
      counts.update(change.path.collection.pattern) { counts in
        if change.before == nil { counts.created += 1 } else { counts.read += 1 }
        counts.settle(change.write, result)
      }
    }
  }
}
