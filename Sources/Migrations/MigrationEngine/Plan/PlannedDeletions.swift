import FirestoreREST
import GRDB

/// The documents that a plan deletes, in a temporary database.
struct PlannedDeletions {
  private let spool: SpoolDatabase

  /// Reads a plan to its end.
  init(of plan: consuming PlanFileReader) async throws {
    let schema = "CREATE TABLE deletions (path BLOB PRIMARY KEY) WITHOUT ROWID"
    spool = try SpoolDatabase(of: "the planned deletions", schema: schema)
    var paths: [DocumentPath] = []
    while let line = try plan.next() {
      if line.change.isDeletion { paths.append(line.change.path) }
      if paths.count == SpoolDatabase.batch { try await insert(&paths) }
    }
    try await insert(&paths)
  }

  private func insert(_ paths: inout [DocumentPath]) async throws {
    try await spool.insert(paths, "INSERT OR IGNORE INTO deletions VALUES (?)") {
      [SpoolDatabase.bytes($0.string)]
    }
    paths.removeAll(keepingCapacity: true)
  }

  /// Returns the ids of the collections below a document in which, at any depth, a document stays.
  func collections(leftBelow path: DocumentPath, in client: FirestoreClient) async throws -> [String] {
    let scope = CollectionScope(document: path, isDeep: true)
    var read = scope.read
    read.mask = [.documentName]
    let pages = client.pages(ofEach: [read])
    var left: Set<CollectionPath> = []
    while let page = try await pages.next(of: 0) {
      let below = page.map(\.path).filter { $0 != path && scope.contains($0) }
      for other in try await kept(of: below) {
        left.insert(CollectionPath(path, other.segments[path.segments.count]))
      }
    }
    return left.sorted().map(\.id)
  }

  private func kept(of paths: [DocumentPath]) async throws -> [DocumentPath] {
    try await spool.use { db in
      let known = try db.cachedStatement(sql: "SELECT 1 FROM deletions WHERE path = ?")
      return try paths.filter { path in
        try Int.fetchOne(known, arguments: [SpoolDatabase.bytes(path.string)]) == nil
      }
    }
  }
}
