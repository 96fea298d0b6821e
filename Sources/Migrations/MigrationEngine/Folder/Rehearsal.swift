package import Configuration

/// What migrations did to a copy of a database, and the problems that were found; does no I/O.
package struct Rehearsal: Sendable {
  package enum Code: String, CaseIterable, Sendable {
    /// After it was applied, it would still change something.
    case notVerified = "not-verified"
    /// Applied a second time, it changes something.
    case notIdempotent = "not-idempotent"
    /// A rule of `check` is violated more often than before.
    case checkWorse = "check-worse"
    /// An undo does not restore what was there before, or documents are deleted for good.
    case notUndone = "not-undone"
    /// The original database has no index for its filter.
    case needsIndex = "needs-index"
  }

  package struct Finding: Sendable, Equatable {
    package var code: Code
    /// The migration, or the rule.
    package var subject: String
    /// One sentence.
    package var message: String
  }

  package private(set) var findings: [Finding] = []
  /// The plans, in the order in which the migrations are applied.
  package var plans: [MigrationReport] = []
  /// The duration of the first applies, in seconds.
  package var seconds = 0.0

  package init() {}

  /// The cost of applying the migrations to a database like the copy.
  package var cost: Cost { plans.reduce(Cost()) { $0 + $1.cost } }

  /// The number of documents left for review, which is not a problem.
  package var leftForReview: Int {
    plans.reduce(0) { sum, plan in sum + plan.findings.filter { $0.key.kind == .review }.values.reduce(0, +) }
  }

  /// The number of refused documents, because of which an apply exits with 2.
  package var refused: Int { plans.reduce(0) { $0 + $1.refused } }

  /// Examines the plan made after a migration was applied.
  package mutating func verify(_ plan: MigrationReport) {
    if plan.changeCount == 0 { return }
    let count = NumberText.counted(plan.changeCount, "document")
    add(.notVerified, plan.migration, "it would still change \(count) after it was applied")
  }

  /// Examines the report of a migration's second apply.
  package mutating func repeated(_ report: MigrationReport) {
    let code = MigrationReport.FindingGroup(kind: .reject, code: DeclarativeMigration.Code.notAtRest.rawValue)
    // Those that were refused from the beginning were never changed.
    let before = plans.first { $0.migration == report.migration }?.findings[code] ?? 0
    let count = report.changeCount + max(0, report.findings[code, default: 0] - before)
    if count == 0 { return }
    add(
      .notIdempotent,
      report.migration,
      "applied again, it changes \(NumberText.counted(count, "document"))"
    )
  }

  /// Compares the number of findings of each rule before and after.
  package mutating func compare(_ before: [String: Int], _ after: [String: Int]) {
    for (rule, count) in after.sorted(by: { $0.key < $1.key }) where count > before[rule, default: 0] {
      add(.checkWorse, rule, "\(before[rule, default: 0]) before, \(count) after")
    }
  }

  /// Examines the plan's permanent deletions, which an undo cannot fully restore.
  package mutating func judgeDeletions(of migration: FolderMigration, _ plan: MigrationReport) {
    guard plan.deletions > 0, migration.header.irreversible == nil else { return }
    let count = NumberText.counted(plan.deletions, "document")
    add(
      .notUndone,
      migration.id,
      "it deletes \(count) for good: an undo makes them anew. Say 'irreversible: REASON' where that is meant"
    )
  }

  /// Records how many documents differ after everything was undone.
  package mutating func judgeUndo(differing: Int, in examples: [String]) {
    if differing == 0 { return }
    let shown = examples.joined(separator: ", ")
    add(
      .notUndone,
      plans.map(\.migration).joined(separator: " "),
      "after the undo, \(NumberText.counted(differing, "document")) is not as before: \(shown)"
    )
  }

  /// Records that an index for a filter is missing.
  package mutating func judgeIndex(of migration: String, _ message: String) {
    add(.needsIndex, migration, message)
  }

  private mutating func add(_ code: Code, _ subject: String, _ message: String) {
    findings.append(Finding(code: code, subject: subject, message: message))
  }
}
