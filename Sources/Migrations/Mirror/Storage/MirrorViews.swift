import GRDB

/// The views of a mirror that come with its schema.
///
/// All other views belong to its user and are kept.
enum MirrorViews {
  private static let list = "_mirror_views"

  /// Drops the views that an earlier pull created and nobody replaced; returns the triggers on them, which are dropped with them.
  ///
  /// - Parameter views: The views that come with the schema, for files of versions that kept no list.
  static func dropOwn(_ views: [MirrorPull.View], _ db: Database) throws -> [UserObject] {
    var triggers: [UserObject] = []
    for name in try own(views, db) {
      triggers += try UserObject.all(on: name, db)
      try db.execute(sql: "DROP VIEW \(SQLName.quoted(name))")
    }
    return triggers
  }

  private static func own(_ views: [MirrorPull.View], _ db: Database) throws -> [String] {
    guard try db.tableExists(list) else {
      return try views.map(\.name).filter { try db.viewExists($0) }
    }
    return try String.fetchAll(
      db,
      sql: """
        SELECT name FROM \(list) AS own WHERE EXISTS (
          SELECT 1 FROM sqlite_master AS m WHERE m.type = 'view' AND m.name = own.name AND m.sql = own.sql
        )
        """
    )
  }

  /// Creates views in order, unless something else has their name.
  ///
  /// A view that does not fit the tables is omitted, because views are merely an addition to the tables.
  ///
  /// - Returns: The names of the omitted views.
  static func create(_ views: [MirrorPull.View], _ db: Database) throws -> [String] {
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS \(list) (name TEXT PRIMARY KEY, sql TEXT NOT NULL);
        DELETE FROM \(list);
        """
    )
    return try views.filter { try !create($0, db) }.map(\.name)
  }

  private static func create(_ view: MirrorPull.View, _ db: Database) throws -> Bool {
    let name = SQLName.quoted(view.name)
    if try db.viewExists(view.name) || db.tableExists(view.name) { return false }
    do {
      try db.execute(sql: "CREATE VIEW \(name) AS \(view.query)")
      _ = try Row.fetchOne(db, sql: "SELECT * FROM \(name) LIMIT 0")
    } catch is DatabaseError {
      try db.execute(sql: "DROP VIEW IF EXISTS \(name)")
      return false
    }
    try db.execute(
      sql: "INSERT INTO \(list) SELECT name, sql FROM sqlite_master WHERE type = 'view' AND name = ?",
      arguments: [view.name]
    )
    return true
  }
}

/// An index or a trigger that a user created on one of the mirror's tables or views.
struct UserObject {
  let name: String
  let isTrigger: Bool
  /// The table or view that it belongs to.
  let owner: String
  private let sql: String

  /// Returns the objects on a table or view, in the order in which they were created.
  ///
  /// - Parameter own: The names of the tool's own indexes; its triggers are recognized by their prefix.
  static func all(on owner: String, except own: Set<String> = [], _ db: Database) throws -> [UserObject] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT name, type = 'trigger', sql FROM sqlite_master
        WHERE tbl_name = ? COLLATE NOCASE AND type IN ('index', 'trigger') AND sql IS NOT NULL
          AND substr(name, 1, 8) <> '_mirror_' ORDER BY rowid
        """,
      arguments: [owner]
    ).map { row in UserObject(name: row[0], isTrigger: row[1], owner: owner, sql: row[2]) }
      .filter { !own.contains($0.name) }
  }

  /// Whether there is any trigger other than the tool's own.
  static func hasTriggers(_ db: Database) throws -> Bool {
    let sql =
      "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND substr(name, 1, 8) <> '_mirror_')"
    return try Bool.fetchOne(db, sql: sql) ?? false
  }

  /// Prepares statements of each kind, because SQLite checks a trigger only when a statement that fires it is prepared.
  private func assertFit(_ db: Database) throws {
    let name = SQLName.quoted(owner)
    let first = try db.columns(in: owner).first.map { SQLName.quoted($0.name) } ?? "rowid"
    for sql in [
      "DELETE FROM \(name) WHERE 0", "INSERT INTO \(name) SELECT * FROM \(name) WHERE 0",
      "UPDATE \(name) SET \(first) = \(first) WHERE 0",
    ] {
      _ = try db.makeStatement(sql: sql)
    }
  }

  /// Creates the object again; returns false, without creating it, if it no longer fits the table.
  func restore(_ db: Database) throws -> Bool {
    do {
      try db.execute(sql: sql)
      if isTrigger { try assertFit(db) }
      return true
    } catch is DatabaseError {
      try db.execute(sql: "DROP \(isTrigger ? "TRIGGER" : "INDEX") IF EXISTS \(SQLName.quoted(name))")
      return false
    }
  }
}
