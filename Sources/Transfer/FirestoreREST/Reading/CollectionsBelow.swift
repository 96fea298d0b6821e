/// Finds what would lose its parent, because the service deletes only the document itself.
extension FirestoreClient {
  /// The number of documents whose subcollections are looked up at the same time.
  private static let width = 16

  /// Returns the IDs of the subcollections of those documents that have any.
  package func collectionIDs(belowEach paths: [DocumentPath]) async throws -> [DocumentPath: [String]] {
    var found: [DocumentPath: [String]] = [:]
    for some in paths.chunks(of: Self.width) {
      let below = try await Array(some).concurrentMap { try await collectionIDs(below: $0) }
      for (path, ids) in zip(some, below) where !ids.isEmpty { found[path] = ids }
    }
    return found
  }

  /// Returns the IDs of subcollections of a document in which, at any depth, a document remains; empty if none does.
  ///
  /// Reading stops at the first page with such a document, because one is enough.
  ///
  /// - Parameter kept: Returns those of some documents, which have no fields, that remain.
  package func collectionIDs(
    below path: DocumentPath,
    keeping kept: ([RawDocument]) async throws -> [DocumentPath]
  ) async throws -> [String] {
    let scope = CollectionScope(document: path, isDeep: true)
    var read = scope.read
    read.mask = [.documentName]
    let pages = pages(ofEach: [read])
    var left: Set<CollectionPath> = []
    while left.isEmpty, let page = try await pages.next(of: 0) {
      let below = page.filter { $0.path != path && scope.contains($0.path) }
      for other in try await kept(below) {
        left.insert(CollectionPath(path, other.segments[path.segments.count]))
      }
    }
    return left.sorted().map(\.id)
  }
}
