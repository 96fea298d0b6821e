import Files
package import FirestoreModels

/// Asked before each commit of a client and its copies whether the run may still write.
///
/// It is open unless somebody holds it: who has the lease of the database, while a run works.
package final class CommitGate: Sendable {
  /// What asks.
  package enum Occasion: Sendable {
    /// A commit is about to be sent.
    case commit
    /// A document is not as it was read: somebody else writes, perhaps another run.
    case conflict
  }

  package typealias Check = @Sendable (Occasion) async throws -> Void

  private let check = Locked<Check?>(nil)

  package init() {}

  /// Runs `body` while `check` decides; what it throws ends the writing.
  package func hold<Result>(
    _ check: @escaping Check,
    _ body: () async throws -> Result
  ) async throws -> Result {
    self.check.withLock { $0 = check }
    defer { self.check.withLock { $0 = nil } }
    return try await body()
  }

  /// - Throws: Why the run may not write any more.
  package func pass(_ occasion: Occasion) async throws(Failure) {
    guard let check = check.withLock({ $0 }) else { return }
    do {
      try await check(occasion)
    } catch {
      throw error as? Failure ?? Failure(.interrupted, "write", cause: "it was cancelled")
    }
  }
}
