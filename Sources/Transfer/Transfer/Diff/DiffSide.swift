package import Configuration
package import FirestoreREST
package import Logging

extension Diff {
  /// One side of a comparison: a database as of a moment, or a snapshot.
  package enum Side: Sendable {
    case database(DatabaseEnvironment, FirestoreClient, at: ReadTimeChoice)
    case snapshot(Snapshot)

    /// The database of the documents, if known.
    package var database: DatabaseName? {
      switch self {
      case .database(_, let client, _): client.database
      case .snapshot(let snapshot): snapshot.database
      }
    }

    /// Whether reading it is billed by the service; files and mirrors are local.
    package var isBilled: Bool {
      if case .database(_, let client, _) = self { client.caller.isBilled } else { false }
    }

    /// The read time; nil for a snapshot, or to read each page as of the present.
    package func moment(_ logger: Logger) async throws -> Timestamp? {
      guard case .database(let environment, let client, let choice) = self else { return nil }
      return try await client.readTime(choice, of: environment, logger)
    }

    /// The root collections.
    package func roots(at moment: Timestamp?) async throws -> [CollectionPath] {
      switch self {
      case .database(_, let client, _):
        return try await client.collectionIDs(readTime: moment).compactMap { CollectionPath($0) }
      case .snapshot(let snapshot): return snapshot.roots
      }
    }

    /// Whether a scope has no document.
    func isEmpty(_ scope: CollectionScope, at moment: Timestamp?) async throws -> Bool {
      switch self {
      case .database(_, let client, _): try await client.isEmpty(scope.read(at: moment))
      case .snapshot(let snapshot): try snapshot.documents(of: [scope]).next(0) == nil
      }
    }

    /// Returns the documents of some scopes, scope by scope, each in the order of names.
    ///
    /// - Parameter remedy: A sentence on what to do if the moment can no longer be read.
    package func pages(
      of scopes: [CollectionScope],
      at moment: Timestamp?,
      reading: ReadingSettings,
      orElse remedy: String
    ) throws -> DiffPages {
      switch self {
      case .snapshot(let snapshot): return .snapshot(try snapshot.documents(of: scopes))
      case .database(_, let client, _):
        let reads = scopes.map { scope in
          var read = scope.read(at: moment)
          reading.apply(to: &read)
          return read
        }
        return .database(client.pages(ofEach: reads), of: scopes, at: moment, orElse: remedy)
      }
    }
  }
}

/// The pages of one side, scope by scope.
package enum DiffPages {
  case database(CollectionPages, of: [CollectionScope], at: Timestamp?, orElse: String)
  case snapshot(SnapshotDocuments)

  /// Returns the next page of a scope; nil at its end.
  package func next(_ scope: Int) async throws -> [RawDocument]? {
    switch self {
    case .snapshot(let documents): return try documents.next(scope)
    case .database(let pages, let scopes, let readTime, let remedy):
      guard let page = try await pages.next(of: scope, at: readTime, orElse: remedy) else { return nil }
      if scopes.count == 1, scopes[0].kind == nil, scopes[0].document == nil { return page }
      return page.filter { CollectionScope.index(of: $0.path, in: scopes) == scope }
    }
  }

  /// The number of documents read from a database, including those that a pattern leaves out.
  package var billed: Int {
    switch self {
    case .database(let pages, _, _, _): pages.billed.total
    case .snapshot: 0
    }
  }
}
