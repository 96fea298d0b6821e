import FirestoreModels

/// How many documents a plan changes, by collection: numbers alone, however long the plan is.
struct PlanTally: Equatable {
  /// What a change does to its document.
  enum Kind: String, CaseIterable {
    case create
    case update
    case delete

    init(_ change: Change) {
      self = change.before == nil ? .create : change.isDeletion ? .delete : .update
    }
  }

  /// The collections with an account of their own; others are counted by their kind, as `groups/*/members`, because
  /// there may be one for every document.
  let known: Set<CollectionPath>
  private(set) var counts: [CollectionPath: [Kind: Int]] = [:]
  /// The name under which a document is counted.
  func collection(of path: DocumentPath) -> CollectionPath {
    known.contains(path.collection) ? path.collection : path.collection.pattern
  }

  mutating func add(_ change: Change) {
    counts[collection(of: change.path), default: [:]][Kind(change), default: 0] += 1
  }

  func count(_ kind: Kind, in collection: CollectionPath? = nil) -> Int {
    if let collection { return counts[collection]?[kind] ?? 0 }
    return counts.values.reduce(0) { $0 + ($1[kind] ?? 0) }
  }
}
