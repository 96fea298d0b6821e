import Runs

/// What several outcomes add to a report and to the counts of their collection, collected to update both once.
struct OutcomeTally: Sendable {
  /// Whether the documents were already counted as unchanged when they were read.
  let isReadOnly: Bool
  private(set) var counts = DocumentCounts()
  private(set) var changes: [Change.Kind: Int] = [:]
  private(set) var reasons = NameCounts()
  /// The findings, by kind.
  private(set) var findings: [Finding.Kind: NameCounts] = [:]
  /// The number of refused documents.
  private(set) var refused = 0
  /// The first changes, as examples.
  private(set) var examples: [Change] = []

  /// Counts an outcome and collects its change.
  mutating func count(_ outcome: Outcome, keeping examples: Int, collecting collected: inout [Change]) {
    for finding in outcome.findings { findings[finding.kind, default: NameCounts()].add(finding.code) }
    if outcome.isConflict { findings[.reject, default: NameCounts()].add(Finding.conflictCode) }
    if outcome.isConflict || outcome.isRejected { refused += 1 }
    guard case .change(let change) = outcome.action else {
      counts.add(outcome, isReadOnly: isReadOnly)
      return
    }
    counts.add(change, needsReview: outcome.needsReview)
    collected.append(change)
    changes[change.kind, default: 0] += 1
    for reason in change.reasons { reasons.add(reason) }
    if self.examples.count < examples { self.examples.append(change) }
  }
}

/// Counts occurrences of a few names, which are nearly always the same strings in memory.
struct NameCounts: Sendable {
  private(set) var counts: [(name: String, count: Int)] = []

  mutating func add(_ name: String) {
    for index in counts.indices where counts[index].name.isIdentical(to: name) {
      counts[index].count += 1
      return
    }
    counts.append((name, 1))
  }
}

extension MigrationReport {
  mutating func add(_ tally: OutcomeTally, of collection: CollectionPath, keeping examples: Int) {
    for (kind, names) in tally.findings {
      for (code, count) in names.counts {
        findings[FindingGroup(kind: kind, code: code), default: 0] += count
      }
    }
    refused += tally.refused
    for (kind, count) in tally.changes { changes.add(kind, in: collection, count) }
    for (reason, count) in tally.reasons.counts { reasons[UTF8Key(reason), default: 0] += count }
    self.examples += tally.examples.prefix(max(0, examples - self.examples.count))
  }
}
