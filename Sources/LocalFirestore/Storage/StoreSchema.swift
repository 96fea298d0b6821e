import GRDB

/// The tables of a data file.
///
/// `documents` contains the current documents, `versions` the previous ones, each from its `update_time` to
/// its `end_time`. Times are microseconds since 1970, `fields` is the map in REST JSON, `key` is the
/// ``NameKey`` of `path`. All are rowid tables: with rows of 1 kB, range scans are fast only over an index
/// that contains nothing but keys.
enum StoreSchema {
  /// Identifies a file as a data file of the embedded store ("GymF").
  static let applicationID: Int64 = 0x4779_6D46
  static let version: Int64 = 1

  static let statements = """
    CREATE TABLE state (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      last_commit INTEGER NOT NULL,
      last_prune INTEGER NOT NULL
    );
    INSERT INTO state VALUES (1, 0, 0);
    CREATE TABLE databases (
      id INTEGER PRIMARY KEY,
      project TEXT NOT NULL,
      name TEXT NOT NULL,
      create_time INTEGER NOT NULL,
      UNIQUE (project, name)
    );
    CREATE TABLE collection_groups (
      id INTEGER PRIMARY KEY,
      database INTEGER NOT NULL REFERENCES databases (id),
      name TEXT NOT NULL,
      UNIQUE (database, name)
    );
    CREATE TABLE documents (
      id INTEGER PRIMARY KEY,
      database INTEGER NOT NULL,
      collection_group INTEGER NOT NULL,
      depth INTEGER NOT NULL,
      key BLOB NOT NULL,
      path TEXT NOT NULL,
      create_time INTEGER NOT NULL,
      update_time INTEGER NOT NULL,
      fields TEXT NOT NULL
    );
    CREATE UNIQUE INDEX documents_by_name ON documents (database, key);
    CREATE INDEX documents_by_group ON documents (collection_group, key, depth);
    CREATE TABLE versions (
      id INTEGER PRIMARY KEY,
      database INTEGER NOT NULL,
      collection_group INTEGER NOT NULL,
      depth INTEGER NOT NULL,
      key BLOB NOT NULL,
      path TEXT NOT NULL,
      create_time INTEGER NOT NULL,
      update_time INTEGER NOT NULL,
      end_time INTEGER NOT NULL,
      fields TEXT NOT NULL
    );
    CREATE INDEX versions_by_name ON versions (database, key, update_time);
    CREATE INDEX versions_by_group ON versions (collection_group, key, update_time);
    CREATE INDEX versions_by_end ON versions (end_time);
    PRAGMA application_id = \(applicationID);
    PRAGMA user_version = \(version);
    """

  /// Creates the tables in a new file.
  ///
  /// - Returns: Why the file cannot be used; nil if it can.
  static func prepare(_ db: Database) throws -> String? {
    let application = try Int64.fetchOne(db, sql: "PRAGMA application_id") ?? 0
    let objects = try Int64.fetchOne(db, sql: "SELECT count(*) FROM sqlite_master") ?? 0
    if application == applicationID {
      let existing = try Int64.fetchOne(db, sql: "PRAGMA user_version") ?? 0
      if existing != version {
        return "its tables have version \(existing); this program reads version \(version)"
      }
      let times = "SELECT min(last_commit, last_prune), max(last_commit, last_prune) FROM state"
      let row = try Row.fetchOne(db, sql: times)
      let bounds = (0..<2).map { column in row.flatMap { Int64.fromDatabaseValue($0[column]) } }
      // The next commit follows the last, whose time must therefore be in the service's range.
      guard let first = bounds[0], let last = bounds[1], first >= 0,
        last < Timestamp.maximumSeconds * 1_000_000
      else { return "it is damaged: the time of its last commit lies outside the years 1970 to 9999" }
      return nil
    }
    if application != 0 || objects != 0 { return "it is another program's database" }
    try db.execute(sql: statements)
    return nil
  }
}
