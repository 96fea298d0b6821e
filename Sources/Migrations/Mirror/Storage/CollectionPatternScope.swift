import FirestoreREST

/// The stored documents of a collection, or of the collections of a pattern.
struct CollectionPatternScope {
  let scope: DocumentTable.Scope
  private let pattern: CollectionPattern?

  init(_ collection: CollectionPath) {
    let pattern = CollectionPattern(collection)
    if pattern.isOpen {
      self.pattern = pattern
      scope = .group(collection.id, below: pattern.root)
    } else {
      self.pattern = nil
      scope = .collection(collection)
    }
  }

  func contains(_ path: DocumentPath) -> Bool { pattern?.contains(path) ?? true }
}
