/// The changes that a dry run foresees.
///
/// Of the existing documents that would change, it has the first few, and the number of changes per field; of the new ones,
/// the first few.
package struct ForeseenChanges: Sendable {
  /// The maximum number of documents to show, and of fields to count.
  private static let shown = 3
  private static let counted = 1000

  /// The number of documents that change.
  package private(set) var documents = 0
  package private(set) var examples: [Change] = []
  /// The number of new documents, and the paths of the first of them.
  package private(set) var created = 0
  package private(set) var new: [DocumentPath] = []
  private var counts: [FieldPath: Int] = [:]

  /// The fields, those that change in the most documents first.
  package var fields: [(path: FieldPath, documents: Int)] {
    counts.map { (path: $0.key, documents: $0.value) }.sorted { a, b in
      a.documents == b.documents
        ? a.path.description.compareUTF8(b.path.description) < 0 : a.documents > b.documents
    }
  }

  /// Adds a change, which must not be a deletion.
  mutating func add(_ change: Change) {
    if change.before == nil {
      created += 1
      if new.count < Self.shown { new.append(change.path) }
      return
    }
    documents += 1
    if examples.count < Self.shown { examples.append(change) }
    for difference in change.differences where !difference.isServerTime {
      if counts[difference.path] != nil || counts.count < Self.counted {
        counts[difference.path, default: 0] += 1
      }
    }
  }
}
