import Files

/// Controls whether a client and its copies may commit.
///
/// It is open unless the holder of the database's lease holds it, while a run works.
package final class CommitGate: Sendable {
  /// Why the gate is asked.
  package enum Occasion: Sendable {
    /// A commit is about to be sent.
    case commit
    /// A document is not as it was read: somebody else writes, perhaps another run.
    case conflict
  }

  /// The document that permits the run to write.
  ///
  /// Anybody who ends the run writes to it first. Each commit is made in a transaction that has read it, so no commit is
  /// applied after that.
  package struct Fence: Sendable {
    let path: DocumentPath
    let updateTime: Timestamp
    /// The failure that says why nothing may be written after the document has changed.
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

  /// Runs `body` while `check` decides and no commit passes the fence; an error that `check` throws ends the writing.
  package func hold<Result>(
    _ check: @escaping Check,
    fence: Fence?,
    _ body: () async throws -> Result
  ) async throws -> Result {
    held.withLock { $0 = (check, fence) }
    defer { held.withLock { $0 = nil } }
    return try await body()
  }

  /// The fence of the gate's holder.
  package var fence: Fence? { held.withLock { $0?.fence } }

  /// Whether a commit was sent, which may have been applied.
  package var hasSent: Bool { sent.withLock { $0 } }

  /// Records that a commit was sent.
  func noteSent() { sent.withLock { $0 = true } }

  /// - Throws: The reason why the run may no longer write.
  package func pass(_ occasion: Occasion) async throws(Failure) {
    guard let check = held.withLock({ $0?.check }) else { return }
    do {
      try await check(occasion)
    } catch {
      throw error as? Failure ?? Failure(.interrupted, "finish writing", cause: "it was stopped")
    }
  }
}
