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

  private let context: RunContext

  package init(in context: RunContext) {
    self.context = context
  }

  /// Runs a transaction; `body` may be called several times.
  ///
  /// - Parameter path: The document, for errors.
  /// - Returns: The value of the last call of `body`, nil if none completed, and how the transaction ended.
  /// - Throws: ``Failure``, and what `body` throws.
  package func run<Value: Sendable>(
    on path: DocumentPath,
    _ body: @escaping @Sendable (Transaction) async throws -> Decision<Value>
  ) async throws -> (value: Value?, end: TransactionEnd) {
    let latest = Locked<[Change]>([])
    let (value, end) = try await context.client.runTransaction(on: path) { _ in
      let changes = latest.withLock { $0 }
      try await context.journal?.record(changes)
    } _: { transaction -> TransactionDecision<Value> in
      switch try await body(transaction) {
      case .leave(let value):
        latest.withLock { $0 = [] }
        return .leave(value)
      case .commit(let changes, let value):
        latest.withLock { $0 = changes }
        return .commit(changes.map(\.write), value)
      }
    }
    for (index, change) in latest.withLock({ $0 }).enumerated() {
      let result = Self.result(end, index)
      try context.journal?.settle(change.path, result)
      context.counts.update(change.path.collection.pattern) { counts in
        if change.before == nil { counts.created += 1 } else { counts.read += 1 }
        counts.settle(change.write, result)
      }
    }
    return (value, end)
  }

  private static func result(_ end: TransactionEnd, _ index: Int) -> WriteResult {
    switch end {
    case .committed(let times): .written(updateTime: times.indices.contains(index) ? times[index] : nil)
    case .refused(let error): .rejected(error)
    case .contended, .left: .conflicted
    }
  }
}
