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
    if outcome.action == .conflict {
      try rejects.addConflict(document.path, "the document was changed since")
    }
    if outcome.isRejected || outcome.action == .conflict { try book.assertBudget() }
    guard case .change(let change) = outcome.action else { return }
    if change.after == nil { try assertMayDelete() }
    report.withLock { $0.add(change, keeping: examples) }
    if case .planning(let file) = performer { try file.append(change, of: migration) }
    guard let writer else { return }
    if !outcome.findings.isEmpty { pending.withLock { $0[change.path] = outcome.findings } }
    if let migration = migration as? any TransactionalMigration {
      let delegate = TransactionRecorder(settling: ApplyDelegate(self), journal: journal)
      try await TransactionWriter(client, migration: migration, delegate: delegate).write(change.path)
    } else {
      try await writer.submit(change.write, before: change.before)
    }
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
    book.count(collection) { accounts in
      if outcome.findings.contains(where: { $0.kind == .review }) { accounts.review += 1 }
      switch outcome.action {
      case .conflict:
        accounts.read += 1
        accounts.conflicted += 1
      case .unchanged, .skip:
        if isReadOnly {
          // A document that is only read was counted as unchanged when it came.
          guard outcome.action == .skip else { return }
          accounts.unchanged -= 1
          accounts.add(outcome)
        } else {
          accounts.read += 1
          accounts.add(outcome)
        }
      case .change(let change):
        // A change that is written is counted when it is settled.
        guard case .planning = performer else { return }
        if change.before == nil { accounts.created += 1 } else { accounts.read += 1 }
      }
    }
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
}

extension Accounts {
  /// Counts what becomes of a document that is not written.
  fileprivate mutating func add(_ outcome: Outcome) {
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
