import Models
import Transfer

/// Takes what a migration decides: counts it, lists it, and hands changes on to be written.
///
/// A document is counted once, as read together with what became of it, so that the accounts hold at every moment.
struct PlanSession: PlanSink {
  /// What is done about changes.
  enum Performer: Sendable {
    /// They are listed.
    case planning(PlanFile)
    /// They are written; the journal knows what was written before an interruption.
    case applying(Journal?)
  }

  let client: FirestoreClient
  let migration: any Migration
  let performer: Performer
  let book: AccountsBook
  let lists: FindingLists
  let rejects: RejectList
  let examples: Int
  let maximumDeletes: Int?
  let report: Guarded<MigrationReport>
  /// What was found of the documents whose writes are not settled yet.
  let pending = Guarded<[DocumentPath: [Finding]]>([:])
  /// Who writes the changes.
  private var writer: BatchWriter?

  init(
    client: FirestoreClient,
    migration: any Migration,
    performer: Performer,
    book: AccountsBook,
    lists: FindingLists,
    rejects: RejectList,
    examples: Int,
    maximumDeletes: Int?,
    report: Guarded<MigrationReport>
  ) {
    self.client = client
    self.migration = migration
    self.performer = performer
    self.book = book
    self.lists = lists
    self.rejects = rejects
    self.examples = examples
    self.maximumDeletes = maximumDeletes
    self.report = report
  }

  /// The same session with somebody to hand changes to.
  func writing(to writer: BatchWriter) -> PlanSession {
    var session = self
    session.writer = writer
    return session
  }

  func tell(_ outcome: Outcome, of document: RawDocument) async throws {
    if let (journal, own) = try takeOwnWrite(outcome, of: document) {
      try tell(own, in: journal, outcome, of: document)
      return
    }
    for finding in outcome.findings {
      report.withLock { $0.add(finding) }
      try lists.add(finding, of: migration.id, document: document)
    }
    count(outcome, of: document)
    if outcome.isConflict {
      try rejects.addConflict(document.path, "the document was changed since")
    }
    if outcome.isRejected || outcome.isConflict { try book.assertBudget() }
    guard case .change(let change) = outcome.action else { return }
    if change.isDeletion { try assertMayDelete() }
    report.withLock { $0.add(change, keeping: examples) }
    if case .planning(let file) = performer { try await file.append([change], of: migration) }
    guard let writer else { return }
    if !outcome.findings.isEmpty { pending.withLock { $0[change.path] = outcome.findings } }
    if let migration = migration as? any TransactionalMigration {
      let delegate = TransactionRecorder(settling: ApplyDelegate(self), journal: journal)
      try await TransactionWriter(client, migration: migration, delegate: delegate).write(change.path)
    } else {
      try await writer.submit(change.write, before: change.before)
    }
  }

  func tell(_ outcomes: [Outcome], of page: [RawDocument]) async throws {
    // What is written is settled document by document, and so is what a bound may stop.
    guard case .planning(let file) = performer, maximumDeletes == nil else {
      for (outcome, document) in zip(outcomes, page) { try await tell(outcome, of: document) }
      return
    }
    var changes: [Change] = []
    changes.reserveCapacity(page.count)
    var failure: Failure?
    do throws(Failure) {
      for run in page.runs {
        try tell(outcomes, of: page, at: run.documents, in: run.collection, &changes)
      }
    } catch {
      failure = error
    }
    // Also where the run stops: the plan holds what was counted.
    try await file.append(changes, of: migration)
    if let failure { throw failure }
  }

  /// Counts and lists documents of one collection, together.
  private func tell(
    _ outcomes: [Outcome],
    of documents: [RawDocument],
    at indices: Range<Int>,
    in collection: CollectionPath,
    _ changes: inout [Change]
  ) throws(Failure) {
    var tally = OutcomeTally(isReadOnly: !migration.mayWrite(collection))
    var lines = FindingLists.Lines()
    defer { settle(&tally, in: collection) }
    for index in indices {
      tally.count(outcomes[index], keeping: examples, collecting: &changes)
      for finding in outcomes[index].findings {
        lines.add(finding, of: migration.id, document: documents[index])
      }
      if outcomes[index].isConflict {
        lines.addConflict(documents[index].path, "the document was changed since")
      }
      if outcomes[index].isConflict || outcomes[index].isRejected {
        settle(&tally, in: collection)
        do throws(Failure) {
          try book.assertBudget()
        } catch {
          try lists.add(lines)
          throw error
        }
      }
    }
    try lists.add(lines)
  }

  /// Adds what was counted to the report and to the accounts.
  private func settle(_ tally: inout OutcomeTally, in collection: CollectionPath) {
    let counted = tally
    report.withLock { $0.add(counted, of: collection, keeping: examples) }
    book.count(collection) { $0 = $0 + counted.accounts }
    tally = OutcomeTally(isReadOnly: counted.isReadOnly)
  }

  private var journal: Journal? {
    if case .applying(let journal) = performer { journal } else { nil }
  }

  func tell(_ finding: Finding) async throws {
    report.withLock { $0.add(finding) }
    try lists.add(finding, of: migration.id, document: RawDocument(path: finding.path, fields: FieldMap()))
    if finding.kind == .review { book.count(finding.path.collection) { $0.review += 1 } }
  }

  private func count(_ outcome: Outcome, of document: RawDocument) {
    let collection = document.path.collection
    let isReadOnly = !migration.mayWrite(collection)
    // A change that is written is counted when it is settled.
    if case .change = outcome.action, case .applying = performer {
      book.count(collection) { if outcome.needsReview { $0.review += 1 } }
      return
    }
    book.count(collection) { $0.add(outcome, isReadOnly: isReadOnly) }
  }

  /// The write of before an interruption by which a document needs none (any more).
  private func takeOwnWrite(
    _ outcome: Outcome,
    of document: RawDocument
  ) throws(Failure) -> (Journal, Journal.OwnWrite)? {
    guard let journal, journal.hasTail else { return nil }
    if outcome.isRejected || !migration.mayWrite(document.path.collection) { return nil }
    guard outcome.action == .unchanged || outcome.action == .skip else { return nil }
    let own = try journal.takeOwnWrite(of: document.path, current: document)
    return own.map { (journal, $0) }
  }

  /// Counts and lists a document that was written before an interruption by what it was before that, where that alone
  /// tells, because that is what the migration decided on.
  private func tell(
    _ own: Journal.OwnWrite,
    in journal: Journal,
    _ outcome: Outcome,
    of document: RawDocument
  ) throws {
    let before = try journal.change(of: own).before
    let planned = before.flatMap { migration.replan($0) }
    let findings = (planned ?? outcome).findings
    for finding in findings {
      report.withLock { $0.add(finding) }
      try lists.add(finding, of: migration.id, document: before ?? document)
    }
    report.withLock { report in
      if case .change(let change)? = planned?.action {
        report.add(change, keeping: examples)
      } else {
        report.addOwnWrite(to: document.path.collection, own.kind)
      }
    }
    book.count(document.path.collection) { accounts in
      if findings.contains(where: { $0.kind == .review }) { accounts.review += 1 }
      accounts.settle(own.kind)
    }
  }

  /// Counts a document that was deleted before an interruption.
  func countDeletion(of path: DocumentPath) {
    report.withLock { $0.addOwnWrite(to: path.collection, .deletion) }
    book.count(path.collection) { $0.settle(.deletion) }
  }

  /// Stops before one deletion too many is handed on.
  private func assertMayDelete() throws(Failure) {
    guard let maximumDeletes, report.withLock({ $0.deletions }) >= maximumDeletes else { return }
    throw Failure(
      .notPermitted,
      "delete more than \(maximumDeletes) documents by",
      path: migration.id,
      cause: "--max-delete allows no more",
      remedy: "Look at the plan, then allow more with --max-delete."
    )
  }
}

extension Outcome {
  /// Whether the document cannot be migrated as it is.
  var isRejected: Bool { findings.contains { $0.kind == .reject } }

  /// Whether the document is not what it has to be.
  var isConflict: Bool { if case .conflict = action { true } else { false } }

  /// Whether a person must decide something about the document.
  var needsReview: Bool { findings.contains { $0.kind == .review } }
}

extension Accounts {
  /// Counts a document that was read, and what becomes of it; a change as one that is not made.
  ///
  /// - Parameter isReadOnly: Whether it was counted as unchanged when it came.
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

  /// Counts a document that is to be changed, or created, as one that is not.
  mutating func add(_ change: Change, needsReview: Bool = false) {
    if needsReview { review += 1 }
    if change.before == nil { created += 1 } else { read += 1 }
  }

  /// Counts what becomes of a document that is not written.
  private mutating func addUnwritten(_ outcome: Outcome) {
    if outcome.isRejected {
      rejected += 1
    } else if outcome.action == .skip {
      skipped += 1
    } else {
      unchanged += 1
    }
  }

  /// Counts a write of before an interruption.
  fileprivate mutating func settle(_ write: Journal.OwnWrite.Kind) {
    if write == .creation { created += 1 } else { read += 1 }
    if write == .deletion { deleted += 1 }
    written += 1
  }
}

extension RejectList {
  /// Adds a document that is left as somebody else made it.
  func addConflict(_ path: DocumentPath, _ message: String) throws(Failure) {
    try add(path, code: "conflict", message: message, fields: nil)
  }
}
