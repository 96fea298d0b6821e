import FirestoreREST
import GRDB

/// The documents that a plan or an undo deletes, in a temporary database.
struct PlannedDeletions: Sendable {
  private let spool: SpoolDatabase

  /// - Throws: `.cannotWrite`.
  init() throws(Failure) {
    let schema = "CREATE TABLE deletions (path BLOB PRIMARY KEY) WITHOUT ROWID"
    spool = try SpoolDatabase(of: "the planned deletions", schema: schema)
  }

  init(of plan: consuming PlanFileReader) async throws {
    try self.init()
    var paths: [DocumentPath] = []
    while let line = try plan.next() {
      if line.change.isDeletion { paths.append(line.change.path) }
      if paths.count == SpoolDatabase.batch {
        try await insert(paths)
        paths.removeAll(keepingCapacity: true)
      }
    }
    try await insert(paths)
  }

  func insert(_ paths: [DocumentPath]) async throws {
    try await spool.insert(paths, "INSERT OR IGNORE INTO deletions VALUES (?)") {
      [SpoolDatabase.bytes($0.string)]
    }
  }

  /// Returns the IDs of the collections below a document in which a document remains at any depth.
  func collections(leftBelow path: DocumentPath, in client: FirestoreClient) async throws -> [String] {
    try await client.collectionIDs(below: path) { try await kept(of: $0.map(\.path)) }
  }

  /// Returns the documents that are not deleted.
  func kept(of paths: [DocumentPath]) async throws -> [DocumentPath] {
    try await spool.use { db in
      let known = try db.cachedStatement(sql: "SELECT 1 FROM deletions WHERE path = ?")
      return try paths.filter { path in
        try Int.fetchOne(known, arguments: [SpoolDatabase.bytes(path.string)]) == nil
      }
    }
  }
}
