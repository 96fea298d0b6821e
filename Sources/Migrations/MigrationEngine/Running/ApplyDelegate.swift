import Files
import FirestoreREST
import Runs

/// Settles the writes of an apply, and plans documents again that changed during the run.
struct ApplyDelegate: BatchDelegate {
  private let session: PlanSession
  /// A failure to write a list while a document was planned again.
  private let failure = Locked<Failure?>(nil)
  /// Documents that a write in flight found deleted.
  private let gone = Locked<Set<DocumentPath>>([])

  init(_ session: PlanSession) {
    self.session = session
  }

  func willCommit(_ writes: [Write]) async throws(Failure) { try await session.times?.willWrite(writes) }

  func didSettle(_ write: Write, _ result: WriteResult) async throws(Failure) {
    try await settle(write, result, of: nil)
  }

  /// - Parameter joint: The change, if it was written together with others and not submitted by itself.
  func settle(_ write: Write, _ result: WriteResult, of joint: Change?) async throws(Failure) {
    session.progress.release()
    let pending = session.pending.take(write.path)
    session.counts.update(write.path.collection) { counts in
      // Not when it is decided, because the run may end before it is settled.
      if pending.findings.contains(where: { $0.kind == .review }) { counts.review += 1 }
      // A failed creation found an existing document, or was refused like the write of one that was read.
      counts.addSource(of: result.isWritten ? write.kind : .update)
      // Left alone after it was planned again, and already listed.
      if result == .skipped, pending.findings.contains(where: { $0.kind == .reject }) {
        counts.rejected += 1
      } else {
        counts.settle(write.kind, result)
      }
    }
    session.counts.release()
    if let failure = failure.withLock({ $0 }) { throw failure }
    // The change was counted when it was submitted.
    if !result.isWritten, let change = pending.change { session.report.withLock { $0.remove(change) } }
    switch result {
    case .rejected(let error):
      let finding = Finding(.reject, path: write.path, code: error.status.name, message: error.message)
      let document =
        (pending.change ?? joint)?.document ?? write.fields.map { RawDocument(path: write.path, fields: $0) }
      try session.list([finding], by: pending.migration, document: document)
    case .conflicted:
      let isGone = gone.withLock { $0.remove(write.path) } != nil
      let why: Finding.Conflict = isGone ? .deletedSince : session.source.conflict
      try session.list([.conflict(write.path, why)], by: pending.migration, document: nil)
    case .written, .unchanged, .skipped: break
    }
    try session.counts.assertBudget()
  }

  func resolve(_ write: Write, current: RawDocument?) async -> ConflictResolution {
    guard let current else {
      // A deletion whose document no longer exists has nothing to do.
      if case .delete = write.operation { return .settle(.unchanged) }
      gone.withLock { _ = $0.insert(write.path) }
      return .settle(.conflicted)
    }
    guard let outcome = session.source.replan(current) else {
      // Another program has already made the same change.
      let isSo = session.pending[write.path].change?.isApplied(to: current)
      return .settle(isSo == true ? .unchanged : .conflicted)
    }
    do throws(Failure) {
      try report(outcome.findings, of: current)
    } catch {
      failure.withLock { $0 = error }
    }
    switch outcome.action {
    case .unchanged: return .settle(.unchanged)
    case .skip: return .settle(.skipped)
    case .conflict: return .settle(.conflicted)
    case .change(let change):
      session.replan(change)
      return .change(change)
    }
  }

  /// Lists findings about the document that were not made before it changed.
  func report(_ findings: [Finding], of document: RawDocument) throws(Failure) {
    let new = session.pending.add(findings, to: document.path)
    let migration = session.pending[document.path].migration
    try session.list(new, by: migration, document: document)
  }
}

extension WriteResult {
  fileprivate var isWritten: Bool { if case .written = self { true } else { false } }
}

extension ChangeSource {
  /// Why a write found a document in another state than expected: a list's changes were decided before the run.
  fileprivate var conflict: Finding.Conflict {
    if case .list = self { .changedSince } else { .keptChanging }
  }
}

extension Change {
  /// The document as it was read; for a creation, as intended.
  fileprivate var document: RawDocument? { before ?? after.map { RawDocument(path: path, fields: $0) } }
}

extension Write {
  fileprivate var fields: FieldMap? {
    if case .update(let fields, _) = operation { fields } else { nil }
  }
}
