import Foundation
import GRDB
import MigrationEngine

/// The IDs and keys that rules over several documents need, on disk so that memory does not grow with the collections.
struct ReferenceSpool {
  /// A reference from a document to another.
  struct Reference: Sendable {
    /// The index of the referring field.
    var field: Int
    /// The ID of the referring document; below a root collection, its path.
    var id: String
    /// The number of the referenced collection.
    var collection: Int
    var target: String
    /// The index of the field in the referenced document that must refer back; nil if there is none.
    var mirror: Int?
  }

  /// The result of looking up a reference.
  enum Answer: Int, Sendable {
    case found, dangling, notMirrored
  }

  private let database: SpoolDatabase

  init() throws(Failure) {
    database = try SpoolDatabase(
      of: "the ids and keys",
      schema: """
        CREATE TABLE documents (
          collection INTEGER NOT NULL, id BLOB NOT NULL, PRIMARY KEY (collection, id)
        ) WITHOUT ROWID;
        CREATE TABLE links (
          field INTEGER NOT NULL, id BLOB NOT NULL, target BLOB NOT NULL, PRIMARY KEY (field, id)
        ) WITHOUT ROWID;
        CREATE TABLE pending (
          field INTEGER NOT NULL, id BLOB NOT NULL, collection INTEGER NOT NULL, target BLOB NOT NULL, mirror INTEGER
        );
        CREATE TABLE uniques (key INTEGER NOT NULL, value BLOB NOT NULL, path BLOB NOT NULL);
        """
    )
  }

  /// Adds documents of a collection that others refer to.
  func add(_ ids: [String], of collection: Int) async throws {
    try await database.insert(ids, "INSERT OR REPLACE INTO documents VALUES (?, ?)") {
      [collection, SpoolDatabase.bytes($0)]
    }
  }

  /// Adds references that must be mutual.
  func addLinks(_ links: [Reference]) async throws {
    try await database.insert(links, "INSERT OR REPLACE INTO links VALUES (?, ?, ?)") {
      [$0.field, SpoolDatabase.bytes($0.id), SpoolDatabase.bytes($0.target)]
    }
  }

  /// Stores references into a collection that has not been read yet.
  func postpone(_ references: [Reference]) async throws {
    try await database.insert(references, "INSERT INTO pending VALUES (?, ?, ?, ?, ?)") {
      [
        $0.field, SpoolDatabase.bytes($0.id), $0.collection, SpoolDatabase.bytes($0.target), $0.mirror,
      ]
    }
  }

  func addUnique(_ entries: [(key: Int, value: [UInt8], path: String)]) async throws {
    try await database.insert(entries, "INSERT INTO uniques VALUES (?, ?, ?)") {
      [$0.key, Data($0.value), SpoolDatabase.bytes($0.path)]
    }
  }

  func answers(to references: [Reference]) async throws -> [Answer] {
    if references.isEmpty { return [] }
    return try await database.use { db in
      let find = try db.cachedStatement(sql: "SELECT 1 FROM documents WHERE collection = ? AND id = ?")
      let link = try db.cachedStatement(sql: "SELECT target FROM links WHERE field = ? AND id = ?")
      return try references.map { reference in
        let target = SpoolDatabase.bytes(reference.target)
        if try Row.fetchOne(find, arguments: [reference.collection, target]) == nil { return .dangling }
        guard let mirror = reference.mirror else { return .found }
        let back = try Data.fetchOne(link, arguments: [mirror, target])
        return back == SpoolDatabase.bytes(reference.id) ? .found : .notMirrored
      }
    }
  }

  /// Reports the broken ones among the stored references into a collection that has now been read, by field and in the order of
  /// the referring documents.
  func forEachBroken(
    into collection: Int,
    _ body: (_ field: Int, _ id: String, _ target: String, Answer) throws -> Void
  ) async throws {
    try await database.forEachRow(
      of: """
        SELECT p.field, p.id, p.target, iif(d.id IS NULL, \(Answer.dangling.rawValue), \(Answer.notMirrored.rawValue))
        FROM pending p
        LEFT JOIN documents d ON d.collection = p.collection AND d.id = p.target
        LEFT JOIN links l ON l.field = p.mirror AND l.id = p.target
        WHERE p.collection = \(collection)
          AND (d.id IS NULL OR (p.mirror IS NOT NULL AND l.target IS NOT p.id))
        ORDER BY p.field, p.id
        """,
      { row -> (Int, String, String, Answer) in
        (
          row[0], SpoolDatabase.text(row[1]), SpoolDatabase.text(row[2]),
          Answer(rawValue: row[3]) ?? .dangling
        )
      },
      body
    )
    try await database.use { db in
      try db.execute(sql: "DELETE FROM pending WHERE collection = \(collection)")
    }
  }

  /// Reports the documents that share values, in the order of the values.
  func forEachDuplicate(of key: Int, _ body: (_ path: String, _ count: Int) throws -> Void) async throws {
    try await database.use { db in
      try db.execute(sql: "CREATE INDEX IF NOT EXISTS unique_values ON uniques (key, value, path)")
    }
    try await database.forEachRow(
      of: """
        SELECT u.path, d.n
        FROM (SELECT value, count(*) AS n FROM uniques WHERE key = \(key) GROUP BY value HAVING n > 1) d
        JOIN uniques u ON u.key = \(key) AND u.value = d.value
        ORDER BY d.value, u.path
        """,
      { row -> (String, Int) in (SpoolDatabase.text(row[0]), row[1]) },
      body
    )
  }
}
