import FoundationEssentials
import GRDB

/// A read-only view of one database as of a read time, within a SQLite read transaction.
struct StoreSnapshot {
  let db: Database
  /// The database's row; nil if nothing was ever written to it.
  let database: Int64?
  /// The read time in microseconds since 1970.
  let readTime: Int64
  /// The latest time that can be read: up to which all commits have ended, or that of the last commit, which may be later.
  let latest: Int64
  /// Whether the read time is current, so that `versions` is not needed.
  private let isPresent: Bool

  /// - Parameters:
  ///   - readTime: The requested read time; nil for now.
  ///   - settled: A time up to which all commits had ended before the transaction began.
  init(_ db: Database, _ name: DatabaseName, readTime: Int64?, settled: Int64) throws {
    self.db = db
    let last = try Int64.fetchOne(db.cachedStatement(sql: "SELECT last_commit FROM state")) ?? 0
    latest = max(settled, last)
    self.readTime = readTime ?? latest
    isPresent = self.readTime >= last
    database = try Self.row(of: name, db)
  }

  /// The row of a database; nil if there is none.
  static func row(of name: DatabaseName, _ db: Database) throws -> Int64? {
    try Int64.fetchOne(
      db.cachedStatement(sql: "SELECT id FROM databases WHERE project = ? AND name = ?"),
      arguments: [name.project, name.database]
    )
  }

  /// The row of a collection group; nil if it never had a document.
  ///
  /// Names are bound as bytes and cast to text, because GRDB binds text only up to its first 0 byte, which is valid in a name.
  static func group(_ id: String, of database: Int64, _ db: Database) throws -> Int64? {
    try Int64.fetchOne(
      db.cachedStatement(
        sql: "SELECT id FROM collection_groups WHERE database = ? AND name = CAST(? AS TEXT)"
      ),
      arguments: [database, Data(id.utf8)]
    )
  }

  // MARK: Documents

  private static let columns = "key, path, create_time, update_time, fields"

  /// Reads a document; nil if it does not exist.
  func document(_ key: [UInt8]) throws -> StoredDocument? {
    guard let (sql, arguments) = try select(Self.columns, Scope(), KeyRange(only: key), time: readTime)
    else { return nil }
    return try StatementReader(db, sql, arguments).first { StoredRow(reader: $0).copied() }
  }

  /// The documents of a range to scan.
  struct Scope {
    /// The collection group; nil for all collections.
    var group: String?
    /// The number of document IDs in a path; nil for any.
    var depth: Int?
  }

  /// Calls `body` for each document of a range in name order until it returns false.
  func scan(
    _ scope: Scope,
    _ range: KeyRange,
    descending: Bool = false,
    _ body: (StoredRow) throws -> Bool
  ) throws {
    guard let (sql, arguments) = try select(Self.columns, scope, range, time: readTime) else { return }
    let order = descending ? " ORDER BY 1 DESC" : " ORDER BY 1"
    try StatementReader(db, sql + order, arguments).forEach { try body(StoredRow(reader: $0)) }
  }

  /// Counts the documents in a range, up to `limit`.
  func count(_ scope: Scope, _ range: KeyRange, limit: Int64) throws -> Int64 {
    guard let (sql, arguments) = try select("key", scope, range, time: readTime) else { return 0 }
    let reader = try StatementReader(db, "SELECT count(*) FROM (\(sql) LIMIT ?6)", arguments + [limit])
    return try reader.first { $0.integer(0) } ?? 0
  }

  /// The first key of a range; nil if it is empty.
  private func firstKey(_ range: KeyRange) throws -> [UInt8]? {
    guard let (sql, arguments) = try select("key", Scope(), range, time: readTime) else { return nil }
    return try StatementReader(db, sql + " ORDER BY 1 LIMIT 1", arguments).first { $0.array(0) }
  }

  /// Returns the SELECT of columns over a range; nil if it would be empty.
  ///
  /// It binds the parameters 1 to 5.
  private func select(
    _ columns: String,
    _ scope: Scope,
    _ range: KeyRange,
    time: Int64
  ) throws -> (String, StatementArguments)? {
    guard let database, !range.isEmpty else { return nil }
    var owner = database
    var condition = "database = ?1"
    if let id = scope.group {
      guard let group = try Self.group(id, of: database, db) else { return nil }
      owner = group
      condition = "collection_group = ?1"
    }
    condition += " AND key >= ?2 AND key < ?3 AND (?4 IS NULL OR depth = ?4)"
    var sql = "SELECT \(columns) FROM documents WHERE \(condition) AND ?5 IS NOT NULL"
    if !isPresent {
      sql = """
        SELECT \(columns) FROM documents WHERE \(condition) AND update_time <= ?5 \
        UNION ALL \
        SELECT \(columns) FROM versions WHERE \(condition) AND update_time <= ?5 AND end_time > ?5
        """
    }
    return (sql, [owner, Data(range.lower), Data(range.upper), scope.depth, time])
  }

  // MARK: Collections

  /// Calls `body` with the IDs of the collections below a document (or the root, with the empty key) in order
  /// until it returns false.
  ///
  /// The IDs begin after `after`.
  func collectionIDs(below parent: [UInt8], after: String?, _ body: (String) throws -> Bool) throws {
    var range = KeyRange(below: parent)
    if let after {
      var key = parent
      NameKey.append(after[...], to: &key)
      range.raiseLowerBound(to: NameKey.end(key))
    }
    while let key = try firstKey(range) {
      guard let (id, end) = key.withUnsafeBytes({ NameKey.segment(of: $0, at: parent.count) }) else { return }
      if try !body(id) { return }
      range.raiseLowerBound(to: NameKey.end([UInt8](key[..<end])))
    }
  }

  // MARK: Changes

  /// Whether a document of a range was written or deleted after a time.
  func changed(_ scope: Scope, _ range: KeyRange, since time: Int64) throws -> Bool {
    guard let (_, arguments) = try select("1", scope, range, time: time) else { return false }
    let condition = """
      \(scope.group == nil ? "database" : "collection_group") = ?1 AND key >= ?2 AND key < ?3 \
      AND (?4 IS NULL OR depth = ?4)
      """
    let sql = """
      SELECT EXISTS (SELECT 1 FROM documents WHERE \(condition) AND update_time > ?5) \
      OR EXISTS (SELECT 1 FROM versions WHERE \(condition) AND end_time > ?5)
      """
    return try StatementReader(db, sql, arguments).first { $0.integer(0) != 0 } ?? false
  }
}
