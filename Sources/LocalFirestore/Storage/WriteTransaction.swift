import FirestoreModels
import GRDB

/// A write transaction on one database: documents are looked up and replaced, and what was is kept for reads of the
/// past.
struct WriteTransaction {
  private let db: Database
  private let database: Int64
  private var groups: [UTF8Key: Int64] = [:]
  /// The commit's time, in microseconds since 1970.
  let commitTime: Int64

  /// A document as it is, with its row.
  struct Current {
    /// The row.
    var id: Int64
    /// When it was created.
    var createTime: Int64
    /// When it last changed.
    var updateTime: Int64
    /// Its map's JSON.
    var fields: [UInt8]
  }

  /// Opens a transaction; the database is made where it is not there yet.
  init(_ db: Database, _ name: DatabaseName, commitTime: Int64) throws {
    self.db = db
    self.commitTime = commitTime
    database = try Self.makeDatabase(name, at: commitTime, db)
  }

  /// The row of a database, made where there is none.
  static func makeDatabase(_ name: DatabaseName, at time: Int64, _ db: Database) throws -> Int64 {
    if let row = try Snapshot.row(of: name, db) { return row }
    try db.execute(
      sql: "INSERT INTO databases (project, name, create_time) VALUES (?, ?, ?)",
      arguments: [name.project, name.database, time]
    )
    return db.lastInsertedRowID
  }

  /// The document under a key, nil where there is none.
  func current(_ key: [UInt8]) throws -> Current? {
    var found: Current?
    let sql = "SELECT id, create_time, update_time, fields FROM documents WHERE database = ? AND key = ?"
    try StatementReader(db, sql, [database, Blob(key)]).forEach { row in
      found = Current(
        id: row.integer(0),
        createTime: row.integer(1),
        updateTime: row.integer(2),
        fields: row.array(3)
      )
      return false
    }
    return found
  }

  /// Creates a document.
  mutating func insert(_ path: DocumentPath, key: [UInt8], fields: [UInt8]) throws {
    let group = try group(path.collection.id)
    let statement = try db.cachedStatement(
      sql: """
        INSERT INTO documents \
        (database, collection_group, depth, key, path, create_time, update_time, fields) \
        VALUES (?, ?, ?, ?, CAST(? AS TEXT), ?6, ?6, CAST(? AS TEXT))
        """
    )
    let depth = path.string.utf8.lazy.filter { $0 == UInt8(ascii: "/") }.count / 2 + 1
    try statement.execute(
      arguments: [
        database, group, depth, Blob(key), Blob(Array(path.string.utf8)), commitTime, Blob(fields),
      ])
  }

  /// Gives a document other fields.
  func update(_ current: Current, fields: [UInt8]) throws {
    try keep(current)
    try db.cachedStatement(sql: "UPDATE documents SET update_time = ?, fields = CAST(? AS TEXT) WHERE id = ?")
      .execute(arguments: [commitTime, Blob(fields), current.id])
  }

  /// Deletes a document.
  func delete(_ current: Current) throws {
    try keep(current)
    try db.cachedStatement(sql: "DELETE FROM documents WHERE id = ?").execute(arguments: [current.id])
  }

  /// Keeps a version that ends with this commit; one that this commit made was never there for anybody.
  private func keep(_ current: Current) throws {
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

  private mutating func group(_ name: String) throws -> Int64 {
    if let known = groups[UTF8Key(name)] { return known }
    let found =
      try Int64.fetchOne(
        db.cachedStatement(
          sql: "SELECT id FROM collection_groups WHERE database = ? AND name = CAST(? AS TEXT)"
        ),
        arguments: [database, Blob(Array(name.utf8))]
      )
    let id: Int64
    if let found {
      id = found
    } else {
      try db.execute(
        sql: "INSERT INTO collection_groups (database, name) VALUES (?, CAST(? AS TEXT))",
        arguments: [database, Blob(Array(name.utf8))]
      )
      id = db.lastInsertedRowID
    }
    groups[UTF8Key(name)] = id
    return id
  }

  /// Forgets every document and version of the database.
  func deleteAll() throws {
    try db.execute(sql: "DELETE FROM documents WHERE database = ?", arguments: [database])
    try db.execute(sql: "DELETE FROM versions WHERE database = ?", arguments: [database])
  }
}
