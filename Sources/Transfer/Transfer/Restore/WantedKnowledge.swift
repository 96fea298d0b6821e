package import FirestoreREST

/// What a wanted state knows of a database: documents that it may hold, and what follows where it lacks one.
///
/// What it cannot know is never deleted or removed.
package struct WantedKnowledge: Sendable, Equatable {
  /// The collections and patterns that it holds; nil for all.
  package var collections: [String]?
  /// Whether it holds what is below these collections.
  package var isDeep = true
  /// Whether ``collections`` are IDs of collection groups.
  package var isGroup = false
  /// Of root collections, the patterns below them that it knows; what is below others it knows as far as it is deep.
  package var patternsBelow: [CollectionPath: Set<CollectionPath>] = [:]
  /// Whether a document that it lacks, of what it holds, was not there.
  package var knowsAbsence = true
  /// The only fields that it has; nil for all.
  package var fields: [FieldPath]?
  /// A moment up to which the present tells more than the files: what was not written since then is as it was; nil for none.
  ///
  /// It is that of the last increment, which lacks documents without a time of last change.
  package var unchangedUntil: Timestamp?

  /// Everything, as a database knows it.
  package init() {}

  /// The scope of an export; nil is that of files without a manifest, or of an old one.
  ///
  /// - Throws: `.inputMalformed` for fields that are none.
  package init(_ scope: Manifest.Scope?) throws(Failure) {
    guard let scope else {
      knowsAbsence = false
      return
    }
    (collections, isDeep, isGroup) = (scope.collections, scope.subcollections, scope.isGroup)
    // Of some fields, too: whoever restores these means the documents that have them.
    knowsAbsence = scope.filters.isEmpty && scope.limit == nil && scope.orderBy == nil && scope.fields == nil
    do {
      fields = try scope.fields?.map { try FieldPath(parsing: $0) }
    } catch {
      throw Failure(.inputMalformed, "read", path: Manifest.fileName, cause: "fields: \(error)")
    }
  }

  /// Whether it holds everything, or everything but subcollections.
  package var isWhole: Bool { collections == nil && knowsAbsence && fields == nil && !isGroup }

  /// Whether a document that is not in it was not there.
  package func knowsAbsence(of path: DocumentPath) -> Bool { knowsAbsence && holds(path.collection) }

  /// Whether documents of a scope may be in it.
  package func mayHold(_ scope: CollectionScope) -> Bool {
    guard let collections, !isGroup else { return true }
    let root = FilePaths.root(of: scope.name.string)
    return collections.contains { name in
      CollectionPath(root).map { CollectionSelection.name(FilePaths.root(of: name), means: $0) } ?? false
    }
  }

  private func holds(_ collection: CollectionPath) -> Bool {
    if collection.parent != nil, let root = CollectionPath(FilePaths.root(of: collection.string)),
      let known = patternsBelow[root], !known.contains(collection.pattern)
    {
      return false
    }
    guard let collections else { return isDeep || collection.parent == nil }
    if isGroup { return collections.contains { $0.isIdentical(to: collection.id) } }
    var path: CollectionPath? = collection
    while let next = path {
      if collections.contains(where: { CollectionSelection.name($0, means: next) }) { return true }
      path = isDeep ? next.parent?.collection : nil
    }
    return false
  }
}
