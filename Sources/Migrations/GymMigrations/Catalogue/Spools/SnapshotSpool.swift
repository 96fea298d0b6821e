import Foundation
import GRDB

/// The members and their snapshots on disk: what ``SnapshotBackfill`` has to look up, in memory that does not grow with it.
struct SnapshotSpool {
  private let database: SpoolDatabase

  init() throws {
    database = try SpoolDatabase(
      of: "the members' plans",
      schema: "CREATE TABLE members (id BLOB PRIMARY KEY, snapshot BLOB) WITHOUT ROWID;"
    )
  }

  /// Adds members; a snapshot is nil where the member has none.
  func add(_ members: [(id: String, snapshot: FieldMap?)]) async throws {
    try await database.insert(members, "INSERT OR REPLACE INTO members VALUES (?, ?)") { id, snapshot in
      [SpoolDatabase.bytes(id), snapshot.map { fields in Data(JSONWriter.bytes { $0.fields(fields) }) }]
    }
  }

  /// What is known of members, in the order of their ids; nobody is asked for where an id is nil.
  func look(up ids: [String?]) async throws -> [SnapshotBackfill.Member] {
    try await database.use { db in
      let find = try db.cachedStatement(sql: "SELECT snapshot FROM members WHERE id = ?")
      let parser = JSONParser()
      var decoder = WireDecoder()
      return try ids.map { id in
        guard let id, let row = try Row.fetchOne(find, arguments: [SpoolDatabase.bytes(id)]) else {
          return .gone
        }
        guard let json: Data = row[0] else { return .there(snapshot: nil) }
        let fields = try parser.parse(Array(json)) { root throws(WireError) in try decoder.fields(root) }
        return .there(snapshot: fields)
      }
    }
  }
}
