import Files
import FirestoreREST
import Runs

/// The writes that a resumed run made before its interruption.
extension PlanSession {
  func current(ofWritten paths: [DocumentPath]) async throws -> [DocumentPath: RawDocument?] {
    guard let journal, journal.hasTail else { return [:] }
    let written = paths.filter { journal.hasUnmetWrite(of: $0) }
    if written.isEmpty { return [:] }
    let found = try await client.batchGet(written)
    return Dictionary(written.map { ($0, found[$0]) }) { first, _ in first }
  }

  /// Takes the earlier write because of which a document needs no write now, or must get none because it was changed since.
  func takeOwnWrite(
    _ outcome: Outcome,
    of document: RawDocument
  ) throws(Failure) -> (Journal, Journal.OwnWrite)? {
    guard let journal, journal.hasTail else { return nil }
    if outcome.isRejected || !source.mayWrite(document.path.collection) { return nil }
    switch outcome.action {
    case .unchanged, .skip: break
    case .change: guard try journal.isChangedSince(document) else { return nil }
    case .conflict: return nil
    }
    let own = try journal.takeOwnWrite(of: document.path, current: document)
    return own.map { (journal, $0) }
  }

  /// Counts and lists a document that was written before an interruption by its state before that write, on which the migration
  /// decided.
  func record(
    _ own: Journal.OwnWrite,
    in journal: Journal,
    _ outcome: Outcome,
    of document: RawDocument
  ) throws(Failure) {
    let change = try journal.change(of: own)
    let planned = change.before.flatMap { source.replan($0) }
    try count(change, planned ?? outcome, of: change.before ?? document)
    if case .change = outcome.action {
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

  /// Counts what the run wrote before it was interrupted and no read returned, because a filter now excludes it or it was
  /// deleted.
  func countUnmetWrites() async throws {
    try await countDeletions()
    guard let journal else { return }
    for some in journal.unmetWrites.chunks(of: 300) {
      let writes = try some.map { (own: $0, change: try journal.change(of: $0)) }
      let current = try await client.batchGet(writes.map(\.change.path))
      for (own, change) in writes {
        let document = current[change.path]
        let isOwn =
          own.isConfirmed || change.seemsApplied(to: document, since: journal.serverTime)
          || change.isContained(in: document)
        guard isOwn, let taken = try journal.takeOwnWrite(of: change.path, current: document)
        else { continue }
        let left = document ?? RawDocument(path: change.path, fields: change.after ?? FieldMap())
        try record(taken, in: journal, Outcome(.unchanged), of: left)
      }
    }
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
