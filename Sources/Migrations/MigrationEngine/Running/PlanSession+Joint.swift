import Files
import FirestoreModels
import FirestoreREST
import Runs

/// Documents that are decided on and written together.
extension PlanSession {
  func record(_ decision: JointDecision) async throws {
    guard case .applying(let journal) = performer else {
      for (document, outcome) in try await decision.outcomes(planned) {
        try await record(outcome, of: document)
        if case .change(let change) = outcome.action { planned.apply(change) }
      }
      return
    }
    let transaction = RecordedTransaction(client, journal: journal, counts: counts)
    let (decided, end) = try await transaction.run(on: decision.path) {
      reader -> RecordedTransaction.Decision<[JointDecision.Decided]> in
      let outcomes = try await decision.outcomes(reader)
      let changes = outcomes.compactMap(\.outcome.change)
      if changes.isEmpty { return .leave(outcomes) }
      try await times?.willWrite(changes.map(\.write))
      return .commit(changes, outcomes)
    }
    let changes = decided?.compactMap(\.outcome.change) ?? []
    for (document, outcome) in decided ?? [] where outcome.change == nil {
      try await record(outcome, of: document)
    }
    switch end {
    case .left: break
    case .committed(let times):
      for change in changes { report.withLock { $0.add(change, keeping: examples) } }
      try decision.didCommit(changes, times)
    case .contended:
      for change in changes { try list(.conflict(change.path, .keptChanging), document: nil) }
    case .refused(let error):
      for change in changes {
        let finding = Finding(.reject, path: change.path, code: error.status.name, message: error.message)
        try list(finding, document: change.before)
      }
    }
    try counts.assertBudget()
  }
}

extension Outcome {
  fileprivate var change: Change? { if case .change(let change) = action { change } else { nil } }
}
