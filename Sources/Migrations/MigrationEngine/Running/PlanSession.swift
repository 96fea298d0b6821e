import Files
import FirestoreREST
import Runs

/// Counts and lists the outcomes of a migration, and submits its changes for writing.
///
/// A document is counted once, as read together with its outcome, so that the counts balance at every moment.
struct PlanSession: PlanSink {
  /// What happens to changes.
  enum Performer: Sendable {
    /// They are listed.
    case planning(any PlanList)
    /// They are written; the journal knows what was written before an interruption.
    case applying(Journal?)
  }

  let client: FirestoreClient
  let source: ChangeSource
  let performer: Performer
  let counts: RunCounts
  let progress: Progress
  let lists: FindingLists
  let examples: Int
  let maximumDeletes: Int?
  let report: Locked<MigrationReport>
  /// The documents as they were before the run, for migrations that must see them so in a resumed run.
  let originals: OriginalDocuments?
  /// The documents as left by what was planned together with others; nil while applying.
  let planned: PlannedDocuments?
  /// What was submitted and is not yet settled.
  let pending = PendingFindings()
  private(set) var writer: BatchWriter?
  /// The number of the transaction that is being planned; nil if none is.
  var plannedTransaction: Int?
  /// Records times of last change that are set back; nil while planning.
  var times: SetBackTimes?

  func writing(to writer: BatchWriter) -> PlanSession {
    var session = self
    session.writer = writer
    return session
  }

  func record(_ outcome: Outcome, of document: RawDocument) async throws {
    var (outcome, document) = (outcome, document)
    // Documents that are read are counted when they are read.
    if case .list = source { progress.advance(by: 1) }
    if let own = originals?.take(document.path) {
      guard let again = try await decidedAgain(outcome, of: document.path, than: own) else {
        return try record(own, outcome, of: document)
      }
      (outcome, document) = again
    } else if let own = try takeOwnWrite(outcome, of: document) {
      return try record(own, outcome, of: document)
    }
    let isInDoubt = try dropDoubtfulWrite(of: document)
    if isInDoubt, case .change = outcome.action { outcome.action = .conflict }
    try list(outcome.findings, by: outcome.migration, document: document)
    count(outcome, of: document)
    if outcome.isConflict, !outcome.isRejected {
      // A document that was read has an update time.
      let why: Finding.Conflict =
        isInDoubt ? .changedAfterInterruption : document.updateTime == nil ? .deletedSince : .changedSince
      try list([.conflict(document.path, why)], by: outcome.migration, document: nil)
    }
    if outcome.isRejected || outcome.isConflict { report.withLock { $0.refused += 1 } }
    try counts.assertBudget()
    guard case .change(let change) = outcome.action else { return }
    if change.isDeletion { try assertMayDelete() }
    report.withLock { $0.add(change, keeping: examples) }
    if case .planning(let list) = performer {
      try await list.append([change], by: source.asApplied, in: plannedTransaction)
    }
    guard let writer else { return }
    pending.add(outcome, with: change)
    if case .migration(let migration) = source, case .transactional(let outcome) = migration.strategy {
      try await write(change.path, by: outcome)
    } else {
      progress.hold()
      counts.hold()
      try await writer.submit(change)
    }
  }

  func record(_ outcomes: [Outcome], of page: [RawDocument]) async throws {
    // Writes are settled document by document, and so are plans that a limit may stop.
    guard case .planning(let list) = performer, maximumDeletes == nil else {
      for (outcome, document) in zip(outcomes, page) { try await record(outcome, of: document) }
      return
    }
    var changes: [Change] = []
    changes.reserveCapacity(page.count)
    var failure: Failure?
    do throws(Failure) {
      for run in page.runs {
        try record(outcomes, of: page, at: run.documents, in: run.collection, &changes)
      }
      try counts.assertBudget()
    } catch {
      failure = error
    }
    // Also if the run stops, so that the plan contains what was counted.
    try await list.append(changes, by: source.asApplied)
    if let failure { throw failure }
  }

  func drain() async throws -> Bool {
    guard let writer else { return false }
    try await writer.drain()
    return true
  }

  /// Counts and lists documents of one collection together.
  private func record(
    _ outcomes: [Outcome],
    of documents: [RawDocument],
    at indices: Range<Int>,
    in collection: CollectionPath,
    _ changes: inout [Change]
  ) throws(Failure) {
    var tally = OutcomeTally(isReadOnly: !source.mayWrite(collection))
    var lines = FindingLists.Lines(lists)
    defer { settle(&tally, in: collection) }
    for index in indices {
      let outcome = outcomes[index]
      tally.count(outcome, keeping: examples, collecting: &changes)
      let id = outcome.migration ?? source.id
      lines.add(outcome.findings, of: id, document: documents[index])
      if outcome.isConflict {
        lines.add([.conflict(documents[index].path, .changedSince)], of: id, document: nil)
      }
      if outcome.isConflict || outcome.isRejected {
        settle(&tally, in: collection)
        do throws(Failure) {
          try counts.assertBudget()
        } catch {
          try lists.add(lines)
          throw error
        }
      }
    }
    try lists.add(lines)
  }

  /// Adds the tally to the report and to the counts.
  private func settle(_ tally: inout OutcomeTally, in collection: CollectionPath) {
    let counted = tally
    report.withLock { $0.add(counted, of: collection, keeping: examples) }
    counts.update(collection) { $0 = $0 + counted.counts }
    tally = OutcomeTally(isReadOnly: counted.isReadOnly)
  }

  var journal: Journal? {
    if case .applying(let journal) = performer { journal } else { nil }
  }

  /// Counts another change of a document in place of the submitted one.
  func replan(_ change: Change) {
    guard let former = pending.replace(with: change) else { return }
    report.withLock { report in
      report.remove(former)
      report.add(change, keeping: 0)
    }
  }

  /// Counts and lists the findings about a document together, so that counts and lines agree.
  ///
  /// - Parameters:
  ///   - migration: The migration that made the findings, if not the session's own.
  ///   - document: The rejected document as it is or was intended; nil if not known.
  func list(
    _ findings: [Finding],
    by migration: String? = nil,
    document: RawDocument?
  ) throws(Failure) {
    if findings.isEmpty { return }
    report.withLock { report in
      for finding in findings { report.add(finding) }
    }
    try lists.add(findings, of: migration ?? source.id, document: document)
  }

  func record(_ finding: Finding) async throws {
    try list([finding], document: RawDocument(path: finding.path, fields: FieldMap()))
    if finding.kind == .review { counts.update(finding.path.collection) { $0.review += 1 } }
  }

  private func count(_ outcome: Outcome, of document: RawDocument) {
    let collection = document.path.collection
    let isReadOnly = !source.mayWrite(collection)
    // A change that is written is counted when it is settled.
    if case .change = outcome.action, case .applying = performer { return }
    counts.update(collection) { $0.add(outcome, isReadOnly: isReadOnly) }
  }

  /// Stops before deletions beyond the limit are submitted.
  func assertMayDelete(_ count: Int = 1) throws(Failure) {
    guard count > 0, let maximumDeletes, report.withLock({ $0.deletions }) + count > maximumDeletes else {
      return
    }
    throw Failure.tooManyDeletions(maximumDeletes, by: source.id, isBegun: journal != nil)
  }
}

extension Outcome {
  var isRejected: Bool { findings.contains { $0.kind == .reject } }

  var isConflict: Bool { if case .conflict = action { true } else { false } }

  var needsReview: Bool { findings.contains { $0.kind == .review } }
}

extension Finding {
  enum Conflict: String {
    case changedSince = "the document was changed since"
    case otherStays = "a document that would be written together with it stays as it is"
    case deletedSince = "the document was deleted since"
    case changedBetween = "the run wrote the document twice, and it was changed in between"
    case otherChangedSince = "of the documents that were written together with it, one was changed since"
    case changedAfterInterruption =
      "it is not known whether the run wrote it before it was interrupted, and it was changed since"
    case keptChanging = "the document changed while the run went on"
  }

  static let conflictCode = WriteMode.changedSince

  /// The finding about a document that another program changed and that is left as it is.
  static func conflict(_ path: DocumentPath, _ why: Conflict) -> Finding {
    Finding(.reject, path: path, code: conflictCode, message: why.rawValue)
  }

  /// The finding about a document that a resumed run leaves as it was changed since.
  package static func changedAfterWrite(_ path: DocumentPath) -> Finding {
    let message = "the run had written it, and it was changed since: it is left as it is"
    return Finding(.note, path: path, code: "changed-since", message: message)
  }
}

extension DocumentCounts {
  /// Counts a document that was read and its outcome; a change counts as not made.
  ///
  /// - Parameter isReadOnly: Whether the document was already counted as unchanged when it was read.
  mutating func add(_ outcome: Outcome, isReadOnly: Bool) {
    if outcome.needsReview { review += 1 }
    switch outcome.action {
    case .conflict:
      read += 1
      conflicted += 1
    case .unchanged, .skip:
      if !isReadOnly {
        read += 1
        addUnwritten(outcome)
      } else if outcome.action == .skip {
        unchanged -= 1
        addUnwritten(outcome)
      }
    case .change(let change): add(change)
    }
  }

  /// Counts a document to be changed as read; a document to be created was not read.
  mutating func add(_ change: Change, needsReview: Bool = false) {
    if needsReview { review += 1 }
    if change.before != nil { read += 1 }
  }

  /// Counts the outcome of a document that is not written.
  private mutating func addUnwritten(_ outcome: Outcome) {
    if outcome.isRejected {
      rejected += 1
    } else if outcome.action == .skip {
      skipped += 1
    } else {
      unchanged += 1
    }
  }
}
