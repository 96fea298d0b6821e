import Files

/// What stands between a run and the commits of a client and its copies.
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

  /// The document that says that the run may write.
  ///
  /// Whoever ends the run writes to it first.
  /// Each commit is made in a transaction that has read it, so none is applied after it was written.
  package struct Fence: Sendable {
    let path: DocumentPath
    let updateTime: Timestamp
    /// Why nothing may be written once the document has changed.
    let lost: Failure

    package init(_ path: DocumentPath, at updateTime: Timestamp, lost: Failure) {
      self.path = path
      self.updateTime = updateTime
      self.lost = lost
    }
  }

  package typealias Check = @Sendable (Occasion) async throws -> Void

  private let held = Locked<(check: Check, fence: Fence?)?>(nil)
  private let sent = Locked(false)

  package init() {}

  /// Runs `body` while `check` decides and no commit passes the fence; what `check` throws ends the writing.
  package func hold<Result>(
    _ check: @escaping Check,
    fence: Fence?,
    _ body: () async throws -> Result
  ) async throws -> Result {
    held.withLock { $0 = (check, fence) }
    defer { held.withLock { $0 = nil } }
    return try await body()
  }

  /// The fence of who holds the gate.
  package var fence: Fence? { held.withLock { $0?.fence } }

  /// Whether a commit was sent through it, which may have been applied.
  package var hasSent: Bool { sent.withLock { $0 } }

  /// Notes that a commit was sent.
  func noteSent() { sent.withLock { $0 = true } }

  /// - Throws: Why the run may not write any more.
  package func pass(_ occasion: Occasion) async throws(Failure) {
    guard let check = held.withLock({ $0?.check }) else { return }
    do {
      try await check(occasion)
    } catch {
      throw error as? Failure ?? Failure(.interrupted, "finish writing", cause: "it was stopped")
    }
  }
}
