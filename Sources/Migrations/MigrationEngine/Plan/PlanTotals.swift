package import Runs

/// What a plan comes to, by collection.
///
/// A document counts once, however many migrations read or change it.
package struct PlanTotals: SummarySection {
  /// The documents that change; those of subcollections that the run does not name by the kind of their collection.
  package let changes: ChangeCounts
  /// The documents that were read.
  private let documents: [CollectionPath: Int]
  /// The file of the plan, where the user named one.
  package var file: String?

  /// The totals of what was planned apart: every document was read once, and is changed by one of them at most.
  package init(_ reports: [MigrationReport], _ counts: RunCounts) {
    let read = counts.collections.compactMap { collection in
      CollectionPath(collection.name).map { ($0, collection.counts.read) }
    }
    var changes = ChangeCounts()
    for report in reports { changes.add(report.changes) }
    self.init(changes, Dictionary(read) { $0 + $1 }, counts)
  }

  init(_ changes: ChangeCounts, _ documents: [CollectionPath: Int], _ counts: RunCounts) {
    let known = Set(counts.collections.map { UTF8Key($0.name) })
    func name(_ path: CollectionPath) -> CollectionPath {
      known.contains(UTF8Key(path.string)) ? path : path.pattern
    }
    self.changes = changes.named(name)
    self.documents = Dictionary(documents.map { (name($0), $1) }) { $0 + $1 }
  }

  /// How many documents of a collection were read; those that are to be made were not.
  package func documents(of collection: CollectionPath) -> Int { documents[collection] ?? 0 }

  package var name: StaticString { "plan" }

  /// The command's own lines show it.
  package var line: String? { nil }

  private enum CodingKeys: String, CodingKey { case collections, create, update, delete, file }

  private struct Row: Encodable {
    var name: String
    var documents: Int
    var create: Int
    var update: Int
    var delete: Int
  }

  package func encode(to encoder: any Encoder) throws {
    var json = encoder.container(keyedBy: CodingKeys.self)
    let names = Set(documents.keys).union(changes.collections).sorted()
    try json.encode(
      names.map { name in
        Row(
          name: name.string,
          documents: documents(of: name),
          create: changes.count(.create, in: name),
          update: changes.count(.update, in: name),
          delete: changes.count(.delete, in: name)
        )
      },
      forKey: .collections
    )
    try json.encode(changes.count(.create), forKey: .create)
    try json.encode(changes.count(.update), forKey: .update)
    try json.encode(changes.count(.delete), forKey: .delete)
    try json.encodeIfPresent(file, forKey: .file)
  }
}
