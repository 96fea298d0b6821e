import Foundation
import GRDB

/// The members and their snapshots on disk, so that memory does not grow with what ``SnapshotBackfill`` looks up.
struct SnapshotSpool {
  private let database: SpoolDatabase

  init() throws {
    database = try SpoolDatabase(
      of: "the members' plans",
      schema: "CREATE TABLE members (id BLOB PRIMARY KEY, snapshot BLOB) WITHOUT ROWID;"
    )
  }

  /// Adds members; a snapshot is nil if the member has none.
  func add(_ members: [(id: String, snapshot: FieldMap?)]) async throws {
    try await database.insert(members, "INSERT OR REPLACE INTO members VALUES (?, ?)") { id, snapshot in
      [SpoolDatabase.bytes(id), snapshot.map { fields in Data(JSONWriter.bytes { $0.fields(fields) }) }]
    }
  }

  /// Returns what is known about members, in the order of their IDs; a nil ID is not looked up.
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
