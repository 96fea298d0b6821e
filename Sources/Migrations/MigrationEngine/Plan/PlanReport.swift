package import Configuration
package import FirestoreModels
package import Runs

/// What a plan or an apply found, migration by migration.
package struct MigrationReport: Sendable {
  /// Findings that are counted together.
  ///
  /// One code may be of two kinds: a name for review, and one that was decided.
  package struct FindingGroup: Hashable, Comparable, Sendable {
    package var kind: Finding.Kind
    package var code: String

    package static func < (a: Self, b: Self) -> Bool {
      (a.code, a.kind.rawValue) < (b.code, b.kind.rawValue)
    }
  }

  /// The migration's id.
  package var migration: String
  package var collections: [RunSummary.Collection] = []
  /// The number of documents that change or were changed, by collection.
  package var changes: [CollectionPath: Int] = [:]
  package var creations = 0
  package var deletions = 0
  /// How often each reason for a change holds.
  package var reasons: [String: Int] = [:]
  /// How often each finding was made.
  package var findings: [FindingGroup: Int] = [:]
  /// Documents that the service bills as read when it is applied, of a plan.
  package var reads = 0
  /// The first changes, to be shown.
  package var examples: [Change] = []

  package init(migration: String) {
    self.migration = migration
  }

  package var changeCount: Int { changes.values.reduce(0, +) }

  /// What applying a plan costs; the run's own ledger and lease, a few documents, are not in it.
  package var cost: Cost { Cost(reads: reads, writes: changeCount - deletions, deletes: deletions) }

  mutating func add(_ change: Change, keeping examples: Int) {
    changes[change.path.collection, default: 0] += 1
    if change.before == nil { creations += 1 }
    if change.isDeletion { deletions += 1 }
    for reason in change.reasons { reasons[reason, default: 0] += 1 }
    if self.examples.count < examples { self.examples.append(change) }
  }

  mutating func add(_ finding: Finding) {
    findings[FindingGroup(kind: finding.kind, code: finding.code), default: 0] += 1
  }

  /// Counts a write that the run made before it was interrupted; why it was made is not kept.
  mutating func addOwnWrite(to collection: CollectionPath, _ write: Journal.OwnWrite.Kind) {
    changes[collection, default: 0] += 1
    if write == .creation { creations += 1 }
    if write == .deletion { deletions += 1 }
  }
}

extension MigrationReport {
  /// The numbers of the report, by name, for a checkpoint.
  var counters: [String: Int] {
    var counters = ["creations": creations, "deletions": deletions]
    for (path, count) in changes { counters["change \(path.string)"] = count }
    for (reason, count) in reasons { counters["reason \(reason)"] = count }
    for (group, count) in findings { counters["\(group.kind.rawValue) \(group.code)"] = count }
    return counters
  }

  /// A report that continues from the counters of a checkpoint.
  init(migration: String, counters: [String: Int]) {
    self.init(migration: migration)
    creations = counters["creations"] ?? 0
    deletions = counters["deletions"] ?? 0
    for (name, count) in counters {
      let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
      guard parts.count == 2 else { continue }
      switch parts[0] {
      case "change": CollectionPath(parts[1]).map { changes[$0] = count }
      case "reason": reasons[parts[1]] = count
      default:
        Finding.Kind(rawValue: parts[0]).map { findings[FindingGroup(kind: $0, code: parts[1])] = count }
      }
    }
  }
}
