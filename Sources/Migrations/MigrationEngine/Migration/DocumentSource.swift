package import FirestoreREST

/// The documents that a migration reads, page by page and in the order of their names.
package protocol DocumentSource: Sendable {
  /// Calls `body` with every document of a read; no more than two pages are held.
  func forEachDocument(
    matching read: CollectionRead,
    _ body: (RawDocument) async throws -> Void
  ) async throws

  /// The same page by page, for a migration that decides on each document by itself.
  func forEachPage(
    matching read: CollectionRead,
    _ body: ([RawDocument]) async throws -> Void
  ) async throws

  /// The number of documents in a collection; they are not read, and the run does not count them.
  func count(_ collection: CollectionPath) async throws -> Int

  /// Whether a run that is resumed has done a document already, so that it is not given again.
  func isPast(_ path: DocumentPath) -> Bool
}

/// Documents that are looked up by their names, too: those of a transaction, or as planned changes would leave them.
package protocol DocumentReader: DocumentSource {
  /// Returns documents by path, without those that do not exist.
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

  /// Pages of one document.
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
