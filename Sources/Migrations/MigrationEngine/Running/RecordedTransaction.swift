import Files
package import FirestoreREST
package import Runs

/// A transaction whose changes are recorded in the run's journal before they are committed.
///
///     let transaction = RecordedTransaction(in: context)
///     let (found, end) = try await transaction.run(on: group) { reader in
///       guard let document = try await reader.document(group) else { return .leave(false) }
///       return .commit([Change(of: document, ["memberCount": .integer(3)], reasons: ["recount"])], true)
///     }
package struct RecordedTransaction: Sendable {
  /// What a transaction does once it has read.
  package enum Decision<Value: Sendable>: Sendable {
    /// Commits these changes, each to another document.
    case commit([Change], Value)
    /// Writes nothing.
    case leave(Value)
  }

  /// A finished transaction; the results of its changes are in the journal.
  struct Ended<Value: Sendable>: Sendable {
    /// The value of the last call of the body; nil if none completed.
    var value: Value?
    var end: TransactionEnd
    var settled: [(change: Change, result: WriteResult)]
    /// Why the results could not be written to the journal; they are counted all the same.
    var failure: Failure?
  }

  private let client: FirestoreClient
  private let journal: Journal?
  private let counts: RunCounts
  private let plan: TransactionPlan?
  /// As ``RunContext/noteChange``.
  private let noteChange: @Sendable (DocumentPath) throws(Failure) -> Void
  /// Called before each commit with its changes, which are recorded next.
  var willCommit: @Sendable ([Change]) async throws -> Void = { _ in }

  /// - Parameter plan: Receives the changes instead of the database; nil to write them.
  package init(in context: RunContext, planning plan: TransactionPlan? = nil) {
    self.init(
      context.client,
      journal: context.journal,
      counts: context.counts,
      planning: plan,
      noteChange: context.noteChange
    )
  }

  init(
    _ client: FirestoreClient,
    journal: Journal?,
    counts: RunCounts = RunCounts(),
    planning plan: TransactionPlan? = nil,
    noteChange: @escaping @Sendable (DocumentPath) throws(Failure) -> Void = { _ in }
  ) {
    self.client = client
    self.noteChange = noteChange
    self.journal = journal
    self.counts = counts
    self.plan = plan
  }

  /// Runs a transaction and counts the results of its changes; `body` may be called several times.
  ///
  /// The first one of a resumed run is not run if it was committed before the interruption.
  ///
  /// - Parameter path: The document, for errors.
  /// - Returns: The value of the last call of `body`, nil if none completed, and how the transaction ended.
  /// - Throws: ``Failure``, and errors of `body`.
  package func run<Value: Sendable>(
    on path: DocumentPath,
    _ body: @escaping @Sendable (any DocumentReader) async throws -> Decision<Value>
  ) async throws -> (value: Value?, end: TransactionEnd) {
    if let plan { return try await plan.run(counting: counts, body) }
    if try await claimEarlier() { return (nil, .committed([])) }
    let ended = try await perform(on: path, isJoint: true, body)
    // What was sent before the interruption may have been applied only now.
    if ended.end == .left, try await claimEarlier() { return (nil, .committed([])) }
    journal?.endTail()
    for (change, result) in ended.settled {
      counts.update(change.path.collection) { $0.add(change.kind, result) }
    }
    if let failure = ended.failure { throw failure }
    return (ended.value, ended.end)
  }

  /// Counts what transactions wrote before the run was interrupted, and settles it in the journal.
  ///
  /// One without a response was applied if no document shows the contrary, and one is as it left it.
  ///
  /// - Returns: Whether they wrote anything.
  private func claimEarlier() async throws -> Bool {
    guard let journal, journal.hasTail else { return false }
    let writes = try journal.unmetWrites.map { (write: $0, change: try journal.change(of: $0)) }
    let current = try await client.batchGet(writes.map(\.change.path))
    func seemsApplied(_ change: Change) -> Bool {
      change.seemsApplied(to: current[change.path], since: journal.serverTime)
    }
    let applied = Dictionary(grouping: writes, by: \.write.transaction).filter { _, writes in
      if writes.contains(where: \.write.isConfirmed) { return true }
      let parts = writes.map { JointChange.Part(change: $0.change) }
      let state = JointChange(number: 0, parts: parts).state(of: current, serverTime: journal.serverTime)
      return state != .untouched && writes.contains { seemsApplied($0.change) }
    }
    if applied.isEmpty { return false }
    for (write, change) in writes where applied[write.transaction] != nil {
      let isChanged =
        write.isConfirmed
        ? try journal.isChanged(change.path, current: current[change.path]) : !seemsApplied(change)
      guard try journal.takeOwnWrite(of: change.path, current: current[change.path]) != nil else { continue }
      counts.update(change.path.collection) { $0.add(write.kind, .written(updateTime: nil)) }
      if isChanged { try noteChange(change.path) }
    }
    journal.endTail()
    return true
  }

  /// Runs a transaction; `body` may be called several times.
  ///
  /// - Parameter isJoint: Whether an undo must also restore its changes in one transaction.
  func perform<Value: Sendable>(
    on path: DocumentPath,
    isJoint: Bool,
    _ body: @escaping @Sendable (any DocumentReader) async throws -> Decision<Value>
  ) async throws -> Ended<Value> {
    let attempts = Locked(Attempts())
    let (value, end) = try await client.runTransaction(on: path) { _ in
      let changes = attempts.withLock { $0.send() }
      try await willCommit(changes)
      if isJoint {
        try await journal?.record(transaction: changes)
      } else {
        try await journal?.record(changes)
      }
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
        return .commit(changes.map(\.write), value, of: changes)
      }
    }
    var ended = Ended(value: value, end: end, settled: attempts.withLock { $0.settled(end) })
    do throws(Failure) {
      try journal?.settle(ended.settled.map { ($0.change.path, $0.result) })
    } catch {
      ended.failure = error
    }
    return ended
  }

  /// The attempts of a transaction.
  private struct Attempts {
    /// The changes that the last attempt decided on.
    var decided: [Change] = []
    /// The changes that were sent and are not known to be refused.
    private var sent: [[Change]] = []

    mutating func send() -> [Change] {
      sent.append(decided)
      return decided
    }

    mutating func abort() -> [Change] { sent.popLast() ?? [] }

    /// Returns the results of the changes.
    ///
    /// An attempt without a response, whose result cannot be determined, is left open in the journal.
    func settled(_ end: TransactionEnd) -> [(change: Change, result: WriteResult)] {
      switch end {
      case .committed(let times):
        // One of the attempts was committed, even if a later one found nothing left to do.
        let changes = sent.last { $0.count == times.count } ?? decided
        return zip(changes, times).map { ($0, .written(updateTime: $1)) }
      case .refused(let error): return decided.map { ($0, .rejected(error)) }
      case .contended, .left: return decided.map { ($0, .conflicted) }
      }
    }
  }
}

extension Transaction: DocumentReader {}

/// The result for one document that a migration decides on in a transaction.
struct TransactionSettlement: Sendable, Equatable {
  /// The document as last read by the transaction; nil if it no longer exists or was never read.
  var document: RawDocument?
  /// The migration's decision, with its findings; nil if there was nothing to decide on.
  var outcome: Outcome?
  /// The result of the write: conflicted if the document no longer exists, or if what the transaction read kept changing.
  var result = WriteResult.conflicted
  /// As ``RecordedTransaction/Ended/failure``.
  var failure: Failure?
}

extension RecordedTransaction {
  /// Executes a ``MigrationStrategy/transactional(_:)`` migration on one document: reads the document and everything that the
  /// decision depends on in a transaction, and commits the change.
  ///
  /// - Parameter id: The migration, for errors.
  /// - Throws: ``Failure`` if nothing can be settled.
  func decide(
    on path: DocumentPath,
    by id: String,
    _ outcome: @escaping @Sendable (RawDocument, any DocumentSource) async throws -> Outcome
  ) async throws -> TransactionSettlement {
    let ended = try await perform(on: path, isJoint: false) { reader -> Decision<TransactionSettlement> in
      guard let document = try await reader.document(path) else { return .leave(TransactionSettlement()) }
      let outcome = try await outcome(document, reader)
      let decided = TransactionSettlement(document: document, outcome: outcome)
      guard case .change(let change) = outcome.action else { return .leave(decided) }
      guard change.path == path else {
        let cause = "\(id) changes another document"
        throw Failure(.internal, "write in a transaction", path: path.string, cause: cause)
      }
      return .commit([change], decided)
    }
    var settlement = ended.value ?? TransactionSettlement()
    settlement.failure = ended.failure
    switch (ended.end, settlement.outcome?.action) {
    case (.committed(let times), _): settlement.result = .written(updateTime: times.first ?? nil)
    case (.refused(let error), _): settlement.result = .rejected(error)
    case (.left, .unchanged?): settlement.result = .unchanged
    case (.left, .skip?): settlement.result = .skipped
    case (.contended, _), (.left, _): settlement.result = .conflicted
    }
    if ended.end == .left { try journal?.settle(path, settlement.result) }
    return settlement
  }
}
