import Files
import FirestoreREST
import Runs

/// The writes that a resumed run made before its interruption.
extension PlanSession {
  func current(ofWritten paths: [DocumentPath]) async throws -> [DocumentPath: RawDocument?] {
    guard let journal, journal.hasTail else { return [:] }
    let written = paths.filter { journal.unmetWrite(of: $0) != nil }
    if written.isEmpty { return [:] }
    let found = try await client.batchGet(written)
    return Dictionary(written.map { ($0, found[$0]) }) { first, _ in first }
  }

  /// A write from before the interruption, after which a document needs no other one, or must get none.
  struct OwnWrite {
    var journal: Journal
    var write: Journal.OwnWrite
    /// Whether somebody has changed the document since.
    var isChangedSince: Bool
  }

  /// Takes the earlier write because of which a document needs no write now, or must get none because it was changed since.
  func takeOwnWrite(_ outcome: Outcome, of document: RawDocument) throws(Failure) -> OwnWrite? {
    guard let journal, journal.hasTail, source.mayWrite(document.path.collection) else { return nil }
    let current = document.updateTime == nil ? nil : document
    let isChanged = try journal.isChanged(document.path, current: current)
    switch outcome.action {
    case .unchanged, .skip, .conflict:
      guard outcome.isConflict || outcome.isRejected else { break }
      // The decision was made on what somebody wrote, unless the write was never applied.
      guard let write = journal.unmetWrite(of: document.path),
        try isApplied(write, to: current, in: journal)
      else { return nil }
    case .change: guard isChanged else { return nil }
    }
    let write = try journal.takeOwnWrite(of: document.path, current: current)
    return write.map { OwnWrite(journal: journal, write: $0, isChangedSince: isChanged) }
  }

  /// Whether a document must not be changed because it is not known whether an earlier write was applied before somebody wrote it.
  ///
  /// Whatever was decided, it is settled with that and not met again.
  func dropDoubtfulWrite(of document: RawDocument) throws(Failure) -> Bool {
    guard let journal, journal.hasTail else { return false }
    return try journal.dropDoubtfulWrite(
      of: document.path,
      current: document.updateTime == nil ? nil : document
    )
  }

  /// Whether an earlier write was applied, as far as the journal and the current document show.
  private func isApplied(
    _ write: Journal.OwnWrite,
    to current: RawDocument?,
    in journal: Journal
  ) throws(Failure) -> Bool {
    if write.isConfirmed { return true }
    let change = try journal.change(of: write)
    return change.seemsApplied(to: current, since: journal.serverTime) || change.isContained(in: current)
  }

  /// Counts and lists a document that was written before an interruption by its state before that write, on which the migration
  /// decided.
  func record(_ own: OwnWrite, _ outcome: Outcome, of document: RawDocument) throws(Failure) {
    let change = try own.journal.change(of: own.write)
    let planned = change.before.flatMap { source.replan($0) }
    // The findings about what somebody wrote since are none about what the run wrote.
    let isOfOthers = outcome.isConflict || outcome.isRejected && own.isChangedSince
    try count(change, planned ?? (isOfOthers ? Outcome(.unchanged) : outcome), of: change.before ?? document)
    if own.isChangedSince, outcome.isRejected || ![.unchanged, .skip].contains(outcome.action) {
      try list([.changedAfterWrite(document.path)], by: outcome.migration, document: nil)
    }
  }

  /// Counts and lists a document that was written before an interruption and was presented in its earlier state.
  func record(
    _ original: OriginalDocuments.OwnWrite,
    _ outcome: Outcome,
    of document: RawDocument
  ) throws(Failure) {
    if original.isCounted {
      try list(outcome.findings, document: document)
      if outcome.needsReview { counts.update(document.path.collection) { $0.review += 1 } }
    } else if let journal {
      try count(try journal.change(of: original.write), outcome, of: document)
    }
  }

  /// Counts what the journal says, with its reasons, because a program, a list or a filter may not decide the same again.
  private func count(
    _ own: Change,
    _ outcome: Outcome,
    of document: RawDocument
  ) throws(Failure) {
    try list(outcome.findings, document: document)
    report.withLock { $0.add(own, keeping: examples) }
    counts.update(document.path.collection) { counts in
      if outcome.needsReview { counts.review += 1 }
      counts.add(own.kind, .written(updateTime: nil))
    }
  }

  /// Returns what is left to do for a document that was written before an interruption, if the decision is now a different one
  /// because other documents have changed; nil if nothing is left.
  func decidedAgain(
    _ outcome: Outcome,
    of path: DocumentPath,
    than original: OriginalDocuments.OwnWrite
  ) async throws(Failure) -> (Outcome, RawDocument)? {
    guard case .change(let change) = outcome.action, let journal,
      try journal.change(of: original.write).after != change.after
    else { return nil }
    let current = try await client.batchGet([path])[path]
    // Another program deleted it since, and it stays deleted.
    if current == nil, original.write.kind != .delete { return nil }
    var again = outcome
    again.action = .change(change.based(on: current))
    return (again, current ?? RawDocument(path: path, fields: FieldMap()))
  }

  /// Counts the documents that the run deleted before it was interrupted, since no read returns them; a list still names them.
  func countDeletions() async throws {
    guard let journal else { return }
    _ = try await countDeletions(among: journal.unmetDeletions)
  }

  /// Settles what the run wrote before it was interrupted, or may have written, and no read returned, because a filter now
  /// excludes it or it was deleted.
  func settleUnmetWrites() async throws {
    try await countDeletions()
    guard let journal else { return }
    for some in journal.unmetWrites.chunks(of: 300) {
      let writes = try some.map { (write: $0, change: try journal.change(of: $0)) }
      let current = try await client.batchGet(writes.map(\.change.path))
      for (write, change) in writes {
        let document = current[change.path]
        let isChanged = try journal.isChanged(change.path, current: document)
        guard try isApplied(write, to: document, in: journal) else {
          if try journal.dropDoubtfulWrite(of: change.path, current: document) {
            try leaveInDoubt(change.path)
          }
          continue
        }
        guard let taken = try journal.takeOwnWrite(of: change.path, current: document) else { continue }
        let left = document ?? RawDocument(path: change.path, fields: change.after ?? FieldMap())
        let own = OwnWrite(journal: journal, write: taken, isChangedSince: false)
        try record(own, Outcome(.unchanged), of: left)
        if !isChanged || change.isApplied(to: document) || change.isContained(in: document) { continue }
        try list([.changedAfterWrite(change.path)], document: nil)
      }
    }
  }

  /// Counts and lists a document that the run read before it was interrupted, and perhaps wrote, as a conflict.
  private func leaveInDoubt(_ path: DocumentPath) throws(Failure) {
    counts.update(path.collection) { $0.add(Outcome(.conflict), isReadOnly: false) }
    try list([.conflict(path, .changedAfterInterruption)], document: nil)
    report.withLock { $0.refused += 1 }
    try counts.assertBudget()
  }

  /// Counts those of the documents that no longer exist, and returns them.
  func countDeletions(among paths: [DocumentPath]) async throws -> [DocumentPath] {
    var counted: [DocumentPath] = []
    guard let journal else { return counted }
    for some in paths.chunks(of: 300) {
      let current = try await client.batchGet(Array(some))
      for path in some where current[path] == nil {
        guard let own = try journal.takeOwnWrite(of: path, current: nil) else { continue }
        let change = try journal.change(of: own)
        report.withLock { $0.add(change, keeping: examples) }
        counts.update(path.collection) { $0.add(.delete, .written(updateTime: nil)) }
        originals?.add(own, of: path)
        counted.append(path)
      }
    }
    return counted
  }
}
