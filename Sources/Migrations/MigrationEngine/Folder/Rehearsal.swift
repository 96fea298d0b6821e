package import Configuration

/// What migrations did to a copy of a database, and what is wrong with them; pure.
package struct Rehearsal: Sendable {
  package enum Code: String, CaseIterable, Sendable {
    /// Once applied, it would change something still.
    case notVerified = "not-verified"
    /// Applied again, it changes something.
    case notIdempotent = "not-idempotent"
    /// A rule of `check` is broken more often than before.
    case checkWorse = "check-worse"
    /// What is undone is not what was there before, or deletes for good.
    case notUndone = "not-undone"
    /// The database that was copied has no index for its filter.
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
  /// How long the first applies took, in seconds.
  package var seconds = 0.0

  package init() {}

  /// What applying them costs in a database like the copy.
  package var cost: Cost { plans.reduce(Cost()) { $0 + $1.cost } }

  /// Documents that are left for a person, which is no fault.
  package var leftForReview: Int {
    plans.reduce(0) { sum, plan in sum + plan.findings.filter { $0.key.kind == .review }.values.reduce(0, +) }
  }

  /// Documents that are refused, so that an apply ends in 2.
  package var refused: Int { plans.reduce(0) { $0 + $1.refused } }

  /// Takes the plan that is made after a migration was applied.
  package mutating func verify(_ plan: MigrationReport) {
    if plan.changeCount == 0 { return }
    let count = NumberText.counted(plan.changeCount, "document")
    add(.notVerified, plan.migration, "it would still change \(count) after it was applied")
  }

  /// Takes what a migration did when all were applied once more.
  package mutating func repeated(_ report: MigrationReport) {
    let code = DeclarativeMigration.Code.notAtRest.rawValue
    let refused = report.findings[.init(kind: .reject, code: code), default: 0]
    let count = report.changeCount + refused
    if count == 0 { return }
    add(
      .notIdempotent,
      report.migration,
      "applied again, it changes \(NumberText.counted(count, "document"))"
    )
  }

  /// Takes the findings of each rule, before and after.
  package mutating func compare(_ before: [String: Int], _ after: [String: Int]) {
    for (rule, count) in after.sorted(by: { $0.key < $1.key }) where count > before[rule, default: 0] {
      add(.checkWorse, rule, "\(before[rule, default: 0]) before, \(count) after")
    }
  }

  /// Takes what a plan deletes for good, which no undo brings back as it was.
  package mutating func judgeDeletions(of migration: FolderMigration, _ plan: MigrationReport) {
    guard plan.deletions > 0, migration.header.irreversible == nil else { return }
    let count = NumberText.counted(plan.deletions, "document")
    add(
      .notUndone,
      migration.id,
      "it deletes \(count) for good: an undo makes them anew. Say 'irreversible: REASON' where that is meant"
    )
  }

  /// Takes how many documents are not as they were, after all was undone.
  package mutating func judgeUndo(differing: Int, in examples: [String]) {
    if differing == 0 { return }
    let shown = examples.joined(separator: ", ")
    add(
      .notUndone,
      plans.map(\.migration).joined(separator: " "),
      "after the undo, \(NumberText.counted(differing, "document")) is not as before: \(shown)"
    )
  }

  /// Takes what is said of an index that a filter needs and that is not there.
  package mutating func judgeIndex(of migration: String, _ message: String) {
    add(.needsIndex, migration, message)
  }

  private mutating func add(_ code: Code, _ subject: String, _ message: String) {
    findings.append(Finding(code: code, subject: subject, message: message))
  }
}
