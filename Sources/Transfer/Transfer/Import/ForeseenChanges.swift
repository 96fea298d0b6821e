/// What a dry run found: of the documents that are there and would change how many have each field changed, and the first of them;
/// and the first of those that would be new.
package struct ForeseenChanges: Sendable {
  /// The most documents that are shown, and the most fields that are counted.
  private static let shown = 3
  private static let counted = 1000

  /// How many documents change.
  package private(set) var documents = 0
  package private(set) var examples: [Change] = []
  /// How many documents are new, and the first of them.
  package private(set) var created = 0
  package private(set) var new: [DocumentPath] = []
  private var counts: [FieldPath: Int] = [:]

  package init() {}

  /// The fields, those of the most documents first.
  package var fields: [(path: FieldPath, documents: Int)] {
    counts.map { (path: $0.key, documents: $0.value) }.sorted { a, b in
      a.documents == b.documents
        ? a.path.description.compareUTF8(b.path.description) < 0 : a.documents > b.documents
    }
  }

  /// Adds a change that deletes nothing.
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
