package import FirestoreREST

/// The documents that a migration reads, page by page and ordered by name.
package protocol DocumentSource: Sendable {
  /// Calls `body` with every document of a read, holding at most two pages in memory.
  func forEachDocument(
    matching read: CollectionRead,
    _ body: (RawDocument) async throws -> Void
  ) async throws

  /// Calls `body` with every page of a read, for migrations that decide each document by itself.
  func forEachPage(
    matching read: CollectionRead,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws

  /// Returns the number of documents in a collection without reading them; the run does not count them.
  func count(_ collection: CollectionPath) async throws -> Int

  /// Whether a resumed run has already processed a document, so that it is not presented again.
  func isPast(_ path: DocumentPath) -> Bool
}

/// Documents that can also be looked up by name: those of a transaction, or as planned changes would leave them.
package protocol DocumentReader: DocumentSource {
  /// Returns documents by path, omitting those that do not exist.
  func documents(_ paths: [DocumentPath]) async throws -> [DocumentPath: RawDocument]
}

extension DocumentReader {
  /// Returns a document; nil if it does not exist.
  package func document(_ path: DocumentPath) async throws -> RawDocument? {
    try await documents([path])[path]
  }
}

extension DocumentSource {
  package func isPast(_ path: DocumentPath) -> Bool { false }

  /// Calls `body` with pages of one document each.
  package func forEachPage(
    matching read: CollectionRead,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws {
    try await forEachDocument(matching: read) { document in try await body([document]) }
  }

  package func count(_ collection: CollectionPath) async throws -> Int {
    var count = 0
    try await forEachDocument(in: collection) { _ in count += 1 }
    return count
  }
}

extension DocumentSource {
  /// Calls `body` with every document of a collection.
  package func forEachDocument(
    in collection: CollectionPath,
    _ body: (RawDocument) async throws -> Void
  ) async throws {
    try await forEachDocument(matching: CollectionRead(collection), body)
  }
}
