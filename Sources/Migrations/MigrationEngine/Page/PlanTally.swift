/// The number of documents that a plan changes, by collection; collections without their own row are counted by pattern, such as
/// `groups/*/members`, because there may be one for every document.
struct PlanTally: Equatable {
  let known: Set<CollectionPath>
  private(set) var counts = ChangeCounts()

  init(known: Set<CollectionPath>) { self.known = known }

  /// Returns the name under which a document is counted.
  func collection(of path: DocumentPath) -> CollectionPath {
    known.contains(path.collection) ? path.collection : path.collection.pattern
  }

  mutating func add(_ change: Change) { counts.add(change.kind, in: collection(of: change.path)) }
}
