package import FirestoreREST

/// What a wanted state knows about a database: the documents that it may contain, and what the absence of one means.
///
/// A restore never deletes or removes what the state cannot know.
package struct WantedKnowledge: Sendable, Equatable {
  /// The collections and patterns that it covers; nil for all.
  package var collections: [String]?
  /// Whether it covers everything below these collections.
  package var isDeep = true
  /// Whether ``collections`` are IDs of collection groups.
  package var isGroup = false
  /// For some root collections, the only patterns below them that it knows; for others, ``isDeep`` decides.
  package var patternsBelow: [CollectionPath: Set<CollectionPath>] = [:]
  /// Whether the absence of a document that it covers means that the document did not exist.
  package var knowsAbsence = true
  /// The only fields that it contains; nil for all.
  package var fields: [FieldPath]?
  /// Whether the absence of a field in a document that it contains means that the document did not have it.
  package var knowsAbsentFields = true
  /// A moment up to which the present says more than the files, because a document not written since is as it was; nil for
  /// none.
  ///
  /// It is the moment of the last increment, which lacks documents without a time of their last change.
  package var unchangedUntil: Timestamp?

  /// Creates complete knowledge, as a database has it.
  package init() {}

  /// Creates the knowledge that a scope gives; nil means files without a manifest, or with an old one.
  ///
  /// - Throws: `.inputMalformed` for invalid fields.
  package init(_ scope: Manifest.Scope?) throws(Failure) {
    guard let scope else {
      (knowsAbsence, knowsAbsentFields) = (false, false)
      return
    }
    (collections, isDeep, isGroup) = (scope.collections, scope.subcollections, scope.isGroup)
    // So it is with some fields: those who restore these mean the documents that have them.
    knowsAbsence =
      scope.filters.isEmpty && scope.limit == nil && scope.orderBy == nil && scope.fields == nil
      && !scope.isPartial
    knowsAbsentFields = scope.knowsFields
    do {
      fields = try scope.fields?.map { try FieldPath(parsing: $0) }
    } catch {
      throw Failure(.inputMalformed, "read", path: Manifest.fileName, cause: "fields: \(error)")
    }
  }

  /// Whether it covers everything, or everything except subcollections.
  package var isWhole: Bool { collections == nil && knowsAbsence && fields == nil && !isGroup }

  /// Whether the absence of a document means that it did not exist.
  package func knowsAbsence(of path: DocumentPath) -> Bool { knowsAbsence && holds(path.collection) }

  /// Whether it may contain documents of a scope.
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
