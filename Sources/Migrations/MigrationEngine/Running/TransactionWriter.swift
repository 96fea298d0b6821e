import Files
package import FirestoreModels
package import FirestoreREST
import Runs

/// What a ``TransactionWriter`` calls while it works.
///
/// Calls for different documents may overlap; those for one document come one after another.
package protocol TransactionDelegate: Sendable {
  /// Called before a commit is sent with what it changes; a journal is written and synced here.
  ///
  /// A transaction that is run again calls it again, with what it changes then.
  func willCommit(_ change: Change) async throws(Failure)
  /// Called once for each document, when it is settled for good.
  func didSettle(_ settlement: TransactionSettlement) async throws(Failure)
}

/// What became of one document.
package struct TransactionSettlement: Sendable, Equatable {
  package var path: DocumentPath
  /// The document as the last transaction read it; nil where it is gone or never was read.
  package var document: RawDocument?
  /// What the migration decided on it, findings included; nil where there was nothing to decide on.
  package var outcome: Outcome?
  /// How it ended: conflicted where the document is gone, or what the transaction read kept changing.
  package var result: WriteResult
}

/// Applies a ``MigrationStrategy/transactional(_:)`` migration: a Firestore transaction a document, in which the document
/// and all that decides on it are read, and its write is committed.
package struct TransactionWriter: Sendable {
  /// What becomes of a document, by what a transaction reads.
  package typealias Decision = @Sendable (RawDocument, any DocumentSource) async throws -> Outcome

  private let client: FirestoreClient
  private let id: String
  private let outcome: Decision
  private let delegate: any TransactionDelegate
  /// Transactions in flight at most.
  package var maximumInFlight = 4

  package init(
    _ client: FirestoreClient,
    id: String,
    outcome: @escaping Decision,
    delegate: any TransactionDelegate
  ) {
    self.client = client
    self.id = id
    self.outcome = outcome
    self.delegate = delegate
  }

  /// Decides on documents and writes them, several side by side; returns when each is settled.
  ///
  /// - Throws: ``Failure`` where no further document can be settled; those in flight are cancelled, and what they may
  ///   have committed was passed to ``TransactionDelegate/willCommit(_:)``.
  package func write(_ paths: [DocumentPath]) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, path) in paths.enumerated() {
        if index >= maximumInFlight { try await group.next() }
        group.addTask { try await write(path) }
      }
      try await group.waitForAll()
    }
  }

  /// Decides on one document and writes it.
  ///
  /// - Throws: As the writing of several.
  package func write(_ path: DocumentPath) async throws {
    let latest = Locked<Change?>(nil)
    let (decided, end) = try await client.runTransaction(on: path) { _ in
      if let change = latest.withLock({ $0 }) { try await delegate.willCommit(change) }
    } _: { transaction -> TransactionDecision<Decided> in
      guard let document = try await transaction.document(path) else { return .leave(Decided()) }
      let outcome = try await self.outcome(document, transaction)
      let decided = Decided(document: document, outcome: outcome)
      guard case .change(let change) = outcome.action else { return .leave(decided) }
      guard change.path == path else {
        throw Failure(
          .internal,
          "write in a transaction",
          path: path.string,
          cause: "\(id) changes another document"
        )
      }
      latest.withLock { $0 = change }
      return .commit([change.write], decided)
    }
    try await delegate.didSettle(
      TransactionSettlement(
        path: path,
        document: decided?.document,
        outcome: decided?.outcome,
        result: Self.result(end, decided)
      )
    )
  }

  private struct Decided: Sendable {
    var document: RawDocument?
    var outcome: Outcome?
  }

  private static func result(_ end: TransactionEnd, _ decided: Decided?) -> WriteResult {
    switch end {
    case .committed(let times): return .written(updateTime: times.first ?? nil)
    case .refused(let error): return .rejected(error)
    case .contended: return .conflicted
    case .left:
      switch decided?.outcome?.action {
      case .unchanged?: return .unchanged
      case .skip?: return .skipped
      case .conflict?, .change?, nil: return .conflicted
      }
    }
  }
}

extension Transaction: DocumentReader {}

/// Keeps the journal and the counts of an apply whose changes are transactions.
struct TransactionRecorder: TransactionDelegate {
  private let delegate: ApplyDelegate
  private let journal: Journal?

  init(settling delegate: ApplyDelegate, journal: Journal?) {
    self.delegate = delegate
    self.journal = journal
  }

  func willCommit(_ change: Change) async throws(Failure) {
    try await journal?.record([change])
  }

  func didSettle(_ settlement: TransactionSettlement) async throws(Failure) {
    // What the service said is counted, whether it could be kept or not.
    var failure: Failure?
    do throws(Failure) {
      try journal?.settle(settlement.path, settlement.result)
      if let document = settlement.document, let outcome = settlement.outcome {
        try delegate.report(outcome.findings, of: document)
      }
    } catch {
      failure = error
    }
    // As a write that expected the document, for the counts and the lists.
    let fields = settlement.document?.fields ?? FieldMap()
    let write = Write(
      path: settlement.path,
      operation: .update(fields: fields, mask: []),
      precondition: .exists(true)
    )
    try await delegate.didSettle(write, settlement.result)
    if let failure { throw failure }
  }
}
