package import Configuration
import TypedDocuments

/// The results of a plan or an apply for one migration.
package struct MigrationReport: Sendable {
  /// Findings that are counted together.
  ///
  /// One code may occur with two kinds: a name to be reviewed, and one that was decided.
  package struct FindingGroup: Hashable, Comparable, Sendable {
    package var kind: Finding.Kind
    package var code: String

    package static func < (a: Self, b: Self) -> Bool {
      (a.code, a.kind.rawValue) < (b.code, b.kind.rawValue)
    }
  }

  /// The migration's id.
  package var migration: String
  /// The number of documents to change, or that were changed.
  package var changes = ChangeCounts()
  /// How often each reason for a change occurred.
  package var reasons: [UTF8Key: Int] = [:]
  /// How often each finding occurred.
  package var findings: [FindingGroup: Int] = [:]
  /// The number of refused documents, each counted once however many findings it has.
  package var refused = 0
  /// For a plan, the billed reads of applying it.
  package var reads = 0
  /// The first changes, as examples.
  package var examples: [Change] = []

  package init(migration: String) {
    self.migration = migration
  }

  package var changeCount: Int { changes.total() }
  package var deletions: Int { changes.count(.delete) }

  /// The billed reads of ``SubcollectionGuard/lister(_:)``: one for each document that is to be deleted, and another one if it
  /// has subcollections.
  package var readsBelow: Int {
    let code = DeclarativeMigration.Code.hasSubcollections.rawValue
    return deletions + 2 * findings[FindingGroup(kind: .reject, code: code), default: 0]
  }

  /// The cost of applying a plan, without the few documents of the run's own ledger and lease.
  package var cost: Cost { Cost(reads: reads, writes: changeCount - deletions, deletes: deletions) }

  mutating func add(_ change: Change, keeping examples: Int) {
    changes.add(change.kind, in: change.path.collection)
    for reason in change.reasons { reasons[UTF8Key(reason), default: 0] += 1 }
    if self.examples.count < examples { self.examples.append(change) }
  }

  /// Removes a change that was submitted and not made.
  mutating func remove(_ change: Change) {
    changes.remove(change.kind, in: change.path.collection)
    for reason in change.reasons {
      let count = reasons[UTF8Key(reason), default: 0] - 1
      reasons[UTF8Key(reason)] = count > 0 ? count : nil
    }
  }

  mutating func add(_ finding: Finding) {
    findings[FindingGroup(kind: finding.kind, code: finding.code), default: 0] += 1
  }
}

/// The counts of a report are stored in checkpoints; its examples are not.
extension MigrationReport: JSONRecord {
  private enum CodingKeys: String, CodingKey { case migration, changes, reasons, findings }

  package func encode(to encoder: any Encoder) throws {
    var json = encoder.container(keyedBy: CodingKeys.self)
    try json.encode(migration, forKey: .migration)
    try json.encode(changes, forKey: .changes)
    try json.encode(reasons, forKey: .reasons)
    let named = findings.map { ("\($0.kind.rawValue) \($0.code)", $1) }
    try json.encode(Dictionary(uniqueKeysWithValues: named), forKey: .findings)
  }

  package init(from decoder: any Decoder) throws {
    let json = try decoder.container(keyedBy: CodingKeys.self)
    migration = try json.decode(String.self, forKey: .migration)
    changes = try json.decode(ChangeCounts.self, forKey: .changes)
    reasons = try json.decode([UTF8Key: Int].self, forKey: .reasons)
    for (name, count) in try json.decode([String: Int].self, forKey: .findings) {
      let parts = name.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let kind = Finding.Kind(rawValue: String(parts[0])) else { continue }
      findings[FindingGroup(kind: kind, code: String(parts[1]))] = count
    }
  }
}
