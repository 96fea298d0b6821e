public import Models
public import Transfer

/// What a plan or an apply found, migration by migration.
public struct MigrationReport: Sendable {
  /// The migration's id.
  public var migration: String
  /// Its collections' accounts, in the order in which they came.
  public var collections: [RunSummary.Collection] = []
  /// How many documents it changes or changed, by collection.
  public var changes: [CollectionPath: Int] = [:]
  /// How many of those are creations and deletions.
  public var creations = 0
  /// How many are deletions.
  public var deletions = 0
  /// How often each reason for a change holds.
  public var reasons: [String: Int] = [:]
  /// How often each finding was made, by kind and code.
  public var findings: [String: (kind: Finding.Kind, count: Int)] = [:]
  /// The first changes, to be shown.
  public var examples: [Change] = []

  /// An empty report.
  public init(migration: String) {
    self.migration = migration
  }

  /// The number of documents that change.
  public var changeCount: Int { changes.values.reduce(0, +) }

  mutating func add(_ change: Change, keeping examples: Int) {
    changes[change.path.collection, default: 0] += 1
    if change.before == nil { creations += 1 }
    if change.after == nil { deletions += 1 }
    for reason in change.reasons { reasons[reason, default: 0] += 1 }
    if self.examples.count < examples { self.examples.append(change) }
  }

  mutating func add(_ finding: Finding) {
    findings[finding.code, default: (finding.kind, 0)].count += 1
  }
}
