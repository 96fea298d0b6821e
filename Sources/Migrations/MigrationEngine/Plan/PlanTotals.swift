package import Runs

/// The totals of a plan by collection.
///
/// A document counts once, however many migrations read or change it.
package struct PlanTotals: SummarySection {
  /// The number of documents that change; subcollections that the run does not name are counted by the pattern of their
  /// collection.
  package let changes: ChangeCounts
  /// The number of documents that were read.
  package let documents: [CollectionPath: Int]
  /// The plan file, if the user named one.
  package var file: String?

  /// Creates the totals of migrations that were planned separately: every document was read once, and is changed by one of them
  /// at most.
  package init(_ reports: [MigrationReport], _ counts: RunCounts) {
    let read = counts.collections.compactMap { collection in
      CollectionPath(collection.name).map { ($0, collection.counts.read) }
    }
    var changes = ChangeCounts()
    for report in reports { changes.add(report.changes) }
    self.init(changes, Dictionary(read) { $0 + $1 }, counts)
  }

  /// - Parameters:
  ///   - documents: The number of documents that were read, by collection, each counted once.
  ///   - counts: The counts of the run, which name its collections.
  package init(_ changes: ChangeCounts, _ documents: [CollectionPath: Int], _ counts: RunCounts) {
    let known = Set(counts.collections.map { UTF8Key($0.name) })
    func name(_ path: CollectionPath) -> CollectionPath {
      known.contains(UTF8Key(path.string)) ? path : path.pattern
    }
    self.changes = changes.named(name)
    self.documents = Dictionary(documents.map { (name($0), $1) }) { $0 + $1 }
  }

  /// Returns how many documents of a collection were read, which does not include those to be created.
  package func documents(of collection: CollectionPath) -> Int { documents[collection] ?? 0 }

  package var name: StaticString { "plan" }

  /// Nil, because the command's own lines show the totals.
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
