import Files
import FirestoreREST
import Runs

/// Documents that are decided and written together.
extension PlanSession {
  func record(_ decision: JointDecision) async throws {
    if let planned {
      let outcomes = try await decision.outcomes(planned)
      let changes = outcomes.compactMap(\.outcome.change)
      var session = self
      // The number of changes before a transaction is another for each.
      if changes.count > 1 { session.plannedTransaction = report.withLock { $0.changeCount } }
      for (document, outcome) in outcomes { try await session.record(outcome, of: document) }
      try await planned.append(changes, by: source.asApplied)
      return try planned.advance()
    }
    let ended = try await transaction.perform(on: decision.path, isJoint: true) {
      reader -> RecordedTransaction.Decision<[JointDecision.Decided]> in
      let outcomes = try await decision.outcomes(reader)
      let changes = outcomes.compactMap(\.outcome.change)
      try assertMayDelete(changes.count(where: \.isDeletion))
      return changes.isEmpty ? .leave(outcomes) : .commit(changes, outcomes)
    }
    let changes = ended.value?.compactMap(\.outcome.change) ?? []
    for (document, outcome) in ended.value ?? [] where outcome.change == nil {
      try await record(outcome, of: document)
    }
    if case .list = source { progress.advance(by: changes.count) }
    if case .committed(let times) = ended.end {
      for change in changes { report.withLock { $0.add(change, keeping: examples) } }
      try decision.didCommit(changes, times)
    }
    let delegate = ApplyDelegate(self)
    var failure = ended.failure
    // Also if the run stops, so that all that was written together is counted.
    for (change, result) in ended.settled {
      do throws(Failure) {
        try await delegate.settle(change.write, result, of: change)
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Decides on a document again and writes it, in a transaction.
  func write(
    _ path: DocumentPath,
    by outcome: @escaping @Sendable (RawDocument, any DocumentSource) async throws -> Outcome
  ) async throws {
    let settlement = try await transaction.decide(on: path, by: source.id, outcome)
    let delegate = ApplyDelegate(self)
    var failure = settlement.failure
    if let document = settlement.document, let outcome = settlement.outcome {
      do throws(Failure) {
        try delegate.report(outcome.findings, of: document)
      } catch {
        failure = failure ?? error
      }
    }
    if let change = settlement.outcome?.change { replan(change) }
    // Expressed as an ordinary write with a precondition, for the counts and the lists.
    let fields = settlement.document?.fields ?? FieldMap()
    let write = Write(
      path: path,
      operation: .update(fields: fields, mask: []),
      precondition: .exists(true)
    )
    try await delegate.didSettle(write, settlement.result)
    if let failure { throw failure }
  }

  private var transaction: RecordedTransaction {
    var transaction = RecordedTransaction(client, journal: journal)
    transaction.willCommit = { [times] in try await times?.willWrite($0.map(\.write)) }
    return transaction
  }
}
