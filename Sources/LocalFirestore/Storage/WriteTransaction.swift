import FoundationEssentials
import GRDB

/// A write transaction on one database, which keeps previous versions for reads in the past.
struct WriteTransaction {
  let db: Database
  private var table: DocumentTable
  /// The commit time in microseconds since 1970.
  let commitTime: Int64

  /// Opens a transaction; creates the database if missing.
  init(_ db: Database, _ name: DatabaseName, commitTime: Int64) throws {
    self.db = db
    self.commitTime = commitTime
    table = try DocumentTable(db, name, createTime: commitTime)
  }

  /// The row of a database, created if missing.
  static func createDatabase(_ name: DatabaseName, at time: Int64, _ db: Database) throws -> Int64 {
    if let row = try StoreSnapshot.row(of: name, db) { return row }
    try db.execute(
      sql: "INSERT INTO databases (project, name, create_time) VALUES (?, ?, ?)",
      arguments: [name.project, name.database, time]
    )
    return db.lastInsertedRowID
  }

  /// Reads the current version of a document; nil if it does not exist.
  func current(_ path: DocumentPath) throws -> DocumentTable.Row? { try table.row(path) }

  mutating func insert(_ path: DocumentPath, fields: [UInt8]) throws {
    try table.put(path, createTime: commitTime, updateTime: commitTime, fields: fields)
  }

  func update(_ current: DocumentTable.Row, fields: [UInt8]) throws {
    try archive(current)
    try db.cachedStatement(sql: "UPDATE documents SET update_time = ?, fields = CAST(? AS TEXT) WHERE id = ?")
      .execute(arguments: [commitTime, Data(fields), current.id])
  }

  func delete(_ current: DocumentTable.Row) throws {
    try archive(current)
    try db.cachedStatement(sql: "DELETE FROM documents WHERE id = ?").execute(arguments: [current.id])
  }

  /// Archives a version that ends with this commit, unless this commit created it.
  private func archive(_ current: DocumentTable.Row) throws {
    if current.updateTime == commitTime { return }
    try db.cachedStatement(
      sql: """
        INSERT INTO versions \
        (database, collection_group, depth, key, path, create_time, update_time, end_time, fields) \
        SELECT database, collection_group, depth, key, path, create_time, update_time, ?, fields \
        FROM documents WHERE id = ?
        """
    ).execute(arguments: [commitTime, current.id])
  }

  /// The row of a collection group, created if missing.
  static func collectionGroup(_ name: String, of database: Int64, _ db: Database) throws -> Int64 {
    if let existing = try StoreSnapshot.group(name, of: database, db) { return existing }
    try db.execute(
      sql: "INSERT INTO collection_groups (database, name) VALUES (?, CAST(? AS TEXT))",
      arguments: [database, Data(name.utf8)]
    )
    return db.lastInsertedRowID
  }

  /// Deletes all documents and versions of the database.
  func deleteAll() throws {
    try db.execute(sql: "DELETE FROM documents WHERE database = ?", arguments: [table.database])
    try db.execute(sql: "DELETE FROM versions WHERE database = ?", arguments: [table.database])
  }
}
