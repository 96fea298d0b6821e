package import Runs
import TypedDocuments

/// What a restore found, besides its changes.
package struct RestoreNumbers: JSONRecord, Equatable {
  /// The restored point in time, by the database's clock; nil if not known.
  package var moment: Timestamp?
  /// When the documents were read, by the database's clock; nil if not known.
  package var readTime: Timestamp?
  /// The number of existing documents that were written after ``moment``.
  package var written = 0
  /// The number of documents that no longer exist.
  package var deleted = 0
  /// The number of documents billed as read, of both sides.
  package var reads = 0
  /// The number of documents left alone because they were changed since, by the pattern of their collection.
  package var kept: [UTF8Key: Int] = [:]

  /// The patterns of the collections that are named or have documents, now or then; nil in records of versions that did not
  /// record them.
  package var collections: [String]?

  package init(at moment: Timestamp? = nil, readAt readTime: Timestamp? = nil) {
    (self.moment, self.readTime) = (moment, readTime)
  }

  mutating func add(_ outcome: Outcome, of path: DocumentPath) {
    let isKept = outcome.findings.contains { $0.code == RestoreRules.Code.kept.rawValue }
    if isKept { kept[UTF8Key(path.collection.pattern.string), default: 0] += 1 }
  }

  mutating func read(present: RawDocument?) {
    guard let moment else { return }
    if present == nil { deleted += 1 }
    if let time = present?.updateTime, time > moment { written += 1 }
  }
}

/// What a restore plans or did, by collection.
package struct RestoreReport: SummarySection {
  package struct Row: Codable, Sendable, Equatable {
    package var name: String
    package var creates = 0
    package var updates = 0
    package var deletes = 0
    package var kept = 0
    package var conflicts = 0
  }

  package let rows: [Row]
  package let numbers: RestoreNumbers
  /// Whether documents are left alone that were to be changed.
  package var leavesSome = false

  /// Creates the report of a plan.
  package init(_ totals: PlanTotals, _ numbers: RestoreNumbers) {
    let changes = totals.changes
    let rows = changes.collections.map { path in
      Row(
        name: path.string,
        creates: changes.count(.create, in: path),
        updates: changes.count(.update, in: path),
        deletes: changes.count(.delete, in: path)
      )
    }
    self.init(rows, numbers)
  }

  /// Creates the report of a completed restore.
  package init(_ counts: RunCounts, _ numbers: RestoreNumbers) {
    let rows = counts.collections.map { collection in
      let counts = collection.counts
      return Row(
        name: collection.name,
        creates: counts.new,
        updates: counts.written - counts.new - counts.deleted,
        deletes: counts.deleted,
        conflicts: counts.conflicted
      )
    }
    self.init(rows.filter { $0 != Row(name: $0.name) }, numbers)
    leavesSome = counts.totals.rejected > 0
  }

  private init(_ rows: [Row], _ numbers: RestoreNumbers) {
    self.numbers = numbers
    var open = numbers.kept
    var all = rows.map { row in
      var row = row
      row.kept = open.removeValue(forKey: UTF8Key(row.name)) ?? 0
      return row
    }
    all += open.map { Row(name: $0.key.string, kept: $0.value) }
    self.rows = all.sorted { $0.name.compareUTF8($1.name) < 0 }
  }

  /// The sum of all collections.
  package var total: Row {
    rows.reduce(into: Row(name: "")) { sum, row in
      sum.creates += row.creates
      sum.updates += row.updates
      sum.deletes += row.deletes
      sum.kept += row.kept
      sum.conflicts += row.conflicts
    }
  }

  package var name: StaticString { "restore" }
  /// Nil, because the command's own lines show it.
  package var line: String? { nil }

  private enum CodingKeys: String, CodingKey {
    case moment, writtenSince, deletedSince, collections, creates, updates, deletes, kept, conflicts
  }

  package func encode(to encoder: any Encoder) throws {
    var json = encoder.container(keyedBy: CodingKeys.self)
    try json.encode(numbers.moment, forKey: .moment)
    try json.encode(numbers.written, forKey: .writtenSince)
    try json.encode(numbers.deleted, forKey: .deletedSince)
    try json.encode(rows, forKey: .collections)
    let total = total
    try json.encode(total.creates, forKey: .creates)
    try json.encode(total.updates, forKey: .updates)
    try json.encode(total.deletes, forKey: .deletes)
    try json.encode(total.kept, forKey: .kept)
    try json.encode(total.conflicts, forKey: .conflicts)
  }
}
