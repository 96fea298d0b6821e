import Models
import Transfer

/// Settles the writes of an apply, and plans documents again that changed while it went on.
struct ApplyDelegate: BatchDelegate {
  let migration: any Migration
  let book: AccountsBook
  let lists: FindingLists
  let rejects: RejectList
  let report: Guarded<MigrationReport>
  /// What was found, and listed, of the documents whose writes are not settled yet.
  let pending: Guarded<[DocumentPath: [Finding]]>
  /// A list that could not be written while a document was planned again.
  private let failure = Guarded<Failure?>(nil)

  init(
    migration: any Migration,
    book: AccountsBook,
    lists: FindingLists,
    rejects: RejectList,
    report: Guarded<MigrationReport>,
    pending: Guarded<[DocumentPath: [Finding]]>
  ) {
    self.migration = migration
    self.book = book
    self.lists = lists
    self.rejects = rejects
    self.report = report
    self.pending = pending
  }

  func willCommit(_ writes: [Write]) async throws(Failure) {}

  func didSettle(_ write: Write, _ result: WriteResult) async throws(Failure) {
    let findings = pending.withLock { $0.removeValue(forKey: write.path) } ?? []
    if let failure = failure.withLock({ $0 }) { throw failure }
    book.count(write.path.collection) { accounts in
      // Left alone after it was planned again, and listed by then.
      if result == .skipped, findings.contains(where: { $0.kind == .reject }) {
        accounts.rejected += 1
      } else {
        accounts.settle(write, result)
      }
    }
    switch result {
    case .rejected(let error):
      try rejects.add(write.path, code: error.status.name, message: error.message, fields: write.fields)
      try book.assertBudget()
    case .conflicted:
      try rejects.add(
        write.path,
        code: "conflict",
        message: "the document changed while the run went on",
        fields: nil
      )
      try book.assertBudget()
    case .written, .unchanged, .skipped: break
    }
  }

  func resolve(_ write: Write, current: RawDocument?) async -> ConflictResolution {
    guard let current else {
      // A deletion whose document is gone already has nothing left to do.
      if case .delete = write.operation { return .settle(.unchanged) }
      return .settle(.conflicted)
    }
    guard let outcome = migration.replan(current) else { return .settle(.conflicted) }
    do throws(Failure) {
      try tell(outcome.findings, of: current)
    } catch {
      failure.withLock { $0 = error }
    }
    switch outcome.action {
    case .unchanged: return .settle(.unchanged)
    case .skip: return .settle(.skipped)
    case .change(let change): return .write(change.write)
    }
  }

  /// Lists what was not found of the document before it changed.
  private func tell(_ findings: [Finding], of document: RawDocument) throws(Failure) {
    let (new, isFirstReview) = pending.withLock { pending in
      let known = pending[document.path] ?? []
      let new = findings.filter { finding in
        !known.contains { $0.code == finding.code && $0.field == finding.field }
      }
      pending[document.path] = known + new
      let isReview = { (finding: Finding) in finding.kind == .review }
      return (new, new.contains(where: isReview) && !known.contains(where: isReview))
    }
    if isFirstReview { book.count(document.path.collection) { $0.review += 1 } }
    for finding in new {
      report.withLock { $0.add(finding) }
      try lists.add(finding, of: migration.id, document: document)
    }
  }
}

extension Write {
  fileprivate var fields: FieldMap? {
    if case .update(let fields, _) = operation { fields } else { nil }
  }
}
