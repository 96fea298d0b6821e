import FirestoreREST
import GRDB

/// The documents that a plan or an undo deletes, and those that a plan creates, in a temporary database.
struct PlannedDeletions: Sendable {
  private let spool: SpoolDatabase

  /// - Throws: `.cannotWrite`.
  init() throws(Failure) {
    let schema = "CREATE TABLE changes (path BLOB PRIMARY KEY, deletes INTEGER NOT NULL) WITHOUT ROWID"
    spool = try SpoolDatabase(of: "the planned deletions", schema: schema)
  }

  init(of plan: consuming PlanFileReader) async throws {
    try self.init()
    var entries: [Entry] = []
    while let line = try plan.next() {
      let change = line.change
      if change.isDeletion || change.before == nil { entries.append((change.path, change.isDeletion)) }
      if entries.count == SpoolDatabase.batch {
        try await insert(entries)
        entries.removeAll(keepingCapacity: true)
      }
    }
    try await insert(entries)
  }

  private typealias Entry = (path: DocumentPath, deletes: Bool)

  /// Adds documents that are deleted.
  func insert(_ paths: [DocumentPath]) async throws {
    try await insert(paths.map { ($0, true) })
  }

  private func insert(_ entries: [Entry]) async throws {
    try await spool.insert(entries, "INSERT OR IGNORE INTO changes VALUES (?, ?)") {
      [SpoolDatabase.bytes($0.path.string), $0.deletes]
    }
  }

  /// Returns the IDs of the collections below a document in which a document remains at any depth.
  func collections(leftBelow path: DocumentPath, in client: FirestoreClient) async throws -> [String] {
    try await client.collectionIDs(below: path) { try await kept(of: $0.map(\.path)) }
  }

  /// Returns the documents that are not deleted.
  func kept(of paths: [DocumentPath]) async throws -> [DocumentPath] {
    let deletes = try await deletes(paths)
    return zip(paths, deletes).filter { $1 != true }.map(\.0)
  }

  /// Returns those of some existing documents that are not as intended: they should have been deleted, or somebody created them
  /// since the plan was made.
  ///
  /// - Parameter time: When the plan's documents were read, by the service's clock; nil if unknown.
  func unforeseen(of documents: [RawDocument], since time: Timestamp?) async throws -> [DocumentPath] {
    let deletes = try await deletes(documents.map(\.path))
    return zip(documents, deletes).filter { document, deletes in
      if let deletes { return deletes }
      guard let time, let created = document.createTime else { return true }
      return created > time
    }.map(\.0.path)
  }

  /// Returns for each document whether it is deleted; nil if it is neither deleted nor created.
  private func deletes(_ paths: [DocumentPath]) async throws -> [Bool?] {
    try await spool.use { db in
      let known = try db.cachedStatement(sql: "SELECT deletes FROM changes WHERE path = ?")
      return try paths.map { try Bool.fetchOne(known, arguments: [SpoolDatabase.bytes($0.string)]) }
    }
  }
}
