import FoundationEssentials
package import GRDB

/// The current documents of one database in a mirror's data file, which the embedded store can serve like its own.
///
/// Documents have the service's times, and no previous versions are kept.
package struct DocumentTable {
  private let db: Database
  let database: Int64
  private var groups: [UTF8Key: Int64] = [:]

  package struct Row {
    package var id: Int64
    package var key: [UInt8]
    package var path: DocumentPath
    /// In microseconds since 1970.
    package var createTime: Int64
    package var updateTime: Int64
    /// The map in REST JSON; empty if not requested.
    package var fields: [UInt8]
  }

  /// The documents to read.
  package enum Scope: Sendable {
    case all
    case collection(CollectionPath)
    /// The documents of a collection and of everything below it.
    case subtree(CollectionPath)
    /// The documents of a collection group below a collection, whatever their depth.
    case group(String, below: CollectionPath)
  }

  /// Creates the tables in an empty file.
  package static func create(_ db: Database) throws { try db.execute(sql: StoreSchema.statements) }

  /// The key of a document, whose byte order is the service's order of names.
  package static func key(_ path: DocumentPath) -> [UInt8] { NameKey.key(path.string) }

  /// Opens the table of a database; creates the database's row if missing.
  package init(_ db: Database, _ name: DatabaseName, createTime: Int64 = 0) throws {
    self.db = db
    database = try WriteTransaction.createDatabase(name, at: createTime, db)
  }

  /// Sets the time up to which the file contains all commits.
  package func setLastCommit(_ time: Int64) throws {
    try db.execute(sql: "UPDATE state SET last_commit = ?, last_prune = ?", arguments: [time, time])
  }

  // MARK: Writing

  /// Inserts or replaces a document.
  package mutating func put(
    _ path: DocumentPath,
    createTime: Int64,
    updateTime: Int64,
    fields: [UInt8]
  ) throws {
    let group = try group(path.collection.id)
    let insert = try StatementWriter(
      db,
      """
      INSERT INTO documents (database, collection_group, depth, key, path, create_time, update_time, fields) \
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (database, key) DO UPDATE \
      SET create_time = excluded.create_time, update_time = excluded.update_time, fields = excluded.fields
      """
    )
    insert.bind(1, integer: database)
    insert.bind(2, integer: group)
    insert.bind(3, integer: Int64(NameKey.depth(of: path.string)))
    insert.bind(4, blob: NameKey.key(path.string))
    insert.bind(5, text: path.string)
    insert.bind(6, integer: createTime)
    insert.bind(7, integer: updateTime)
    fields.withUnsafeBytes { insert.bind(8, text: $0) }
    try insert.run()
  }

  /// Removes a document, if it exists.
  package func remove(_ path: DocumentPath) throws {
    let remove = try StatementWriter(db, "DELETE FROM documents WHERE database = ? AND key = ?")
    remove.bind(1, integer: database)
    remove.bind(2, blob: NameKey.key(path.string))
    try remove.run()
  }

  private mutating func group(_ name: String) throws -> Int64 {
    if let id = groups[UTF8Key(name)] { return id }
    let id = try WriteTransaction.collectionGroup(name, of: database, db)
    groups[UTF8Key(name)] = id
    return id
  }

  // MARK: Reading

  /// The row and the update time of a document; nil if there is none.
  package func find(_ key: [UInt8]) throws -> (id: Int64, updateTime: Int64)? {
    let sql = "SELECT id, update_time FROM documents WHERE database = ? AND key = ?"
    return try StatementReader(db, sql, [database, Data(key)]).first { ($0.integer(0), $0.integer(1)) }
  }

  /// A document with its fields; nil if there is none.
  package func row(_ path: DocumentPath) throws -> Row? {
    let key = NameKey.key(path.string)
    let sql = "SELECT id, create_time, update_time, fields FROM documents WHERE database = ? AND key = ?"
    return try StatementReader(db, sql, [database, Data(key)]).first { row in
      Row(
        id: row.integer(0),
        key: key,
        path: path,
        createTime: row.integer(1),
        updateTime: row.integer(2),
        fields: row.array(3)
      )
    }
  }

  /// Returns the documents of a scope in name order, as many as fit into a batch; empty at the end.
  ///
  /// - Parameters:
  ///   - first: The first name; the document need not exist.
  ///   - end: The exclusive upper bound of names.
  ///   - after: The key of the document before the first; nil to begin at the first.
  package func rows(
    _ scope: Scope,
    from first: DocumentPath? = nil,
    before end: DocumentPath? = nil,
    after: [UInt8]? = nil,
    limit: Int,
    withFields: Bool = true
  ) throws -> [Row] {
    guard let range = try range(of: scope) else { return [] }
    // A single lower and a single upper bound, because SQLite seeks only to the first of several and steps over the rest.
    let begin = after.map(NameKey.successor) ?? first.map(Self.key)
    let lower = begin.map { ValueOrder.compare($0, range.lower) > 0 ? $0 : range.lower } ?? range.lower
    let condition = "\(range.condition) AND key >= ? AND key < ?"
    let arguments = range.arguments + [Data(lower), Data(end.map(Self.key) ?? range.upper)]
    var rows: [Row] = []
    var fill = BatchFill(count: limit)
    let sql = """
      SELECT id, key, path, create_time, update_time\(withFields ? ", fields" : "") FROM documents \
      WHERE \(condition) ORDER BY key LIMIT ?
      """
    try StatementReader(db, sql, arguments + [limit]).forEach { row in
      guard let path = DocumentPath(row.string(2)) else { return true }
      rows.append(
        Row(
          id: row.integer(0),
          key: row.array(1),
          path: path,
          createTime: row.integer(3),
          updateTime: row.integer(4),
          fields: withFields ? row.array(5) : []
        )
      )
      fill.add(bytes: rows[rows.count - 1].fields.count)
      return !fill.isFull
    }
    return rows
  }

  /// Selects the keys of a collection's documents merged with those of another table, in order.
  ///
  /// - Parameters:
  ///   - table: A table of further documents of the collection, with an index on its column `key`.
  ///   - first: The key to begin at; nil for the first.
  ///   - offset: The number of keys to skip.
  package func keys(
    of collection: CollectionPath,
    and table: String,
    from first: [UInt8]? = nil,
    offset: Int = 0
  ) throws -> StatementReader {
    let keys = KeyRange(below: NameKey.key(collection.string))
    let arguments: StatementArguments = [
      try StoreSnapshot.group(collection.id, of: database, db), NameKey.depth(of: collection.string),
      Data(first ?? keys.lower), Data(keys.upper), offset,
    ]
    let sql = """
      SELECT key FROM documents WHERE collection_group = ?1 AND depth = ?2 AND key >= ?3 AND key < ?4 \
      UNION ALL SELECT key FROM \(table) WHERE key >= ?3 AND key < ?4 ORDER BY key LIMIT -1 OFFSET ?5
      """
    return try StatementReader(db, sql, arguments)
  }

  /// The path of a document in a collection, by its key.
  package static func path(_ key: [UInt8], in collection: CollectionPath) -> DocumentPath? {
    let start = NameKey.key(collection.string).count
    let segment = key.withUnsafeBytes { NameKey.segment(of: $0, at: start) }
    return segment.map { DocumentPath(collection, $0.id) }
  }

  /// Returns the number of documents in a scope.
  package func count(_ scope: Scope) throws -> Int {
    guard let range = try range(of: scope) else { return 0 }
    let sql = "SELECT count(*) FROM documents WHERE \(range.condition) AND key >= ? AND key < ?"
    let reader = try StatementReader(db, sql, range.arguments + [Data(range.lower), Data(range.upper)])
    return try reader.first { Int($0.integer(0)) } ?? 0
  }

  /// Returns the patterns of all collections that contain documents, sorted.
  package func patterns() throws -> [CollectionPath] {
    var patterns: Set<CollectionPath> = []
    let sql = "SELECT id, name FROM collection_groups WHERE database = ?"
    let groups = try StatementReader(db, sql, [database]).compactMap { ($0.integer(0), $0.string(1)) }
    for (group, name) in groups {
      let isRoot = "SELECT 1 FROM documents WHERE collection_group = ? AND depth = 1 LIMIT 1"
      if try StatementReader(db, isRoot, [group]).first({ _ in true }) ?? false,
        let root = CollectionPath(name)
      {
        patterns.insert(root)
      }
      let below = "SELECT path FROM documents WHERE collection_group = ? AND depth > 1"
      try StatementReader(db, below, [group]).forEach {
        if let path = DocumentPath($0.string(0)) { patterns.insert(path.collection.pattern) }
        return true
      }
    }
    return patterns.sorted()
  }

  /// The half-open range of keys of a scope, and a further condition with its arguments; nil if the scope is empty.
  private func range(
    of scope: Scope
  ) throws -> (condition: String, arguments: StatementArguments, lower: [UInt8], upper: [UInt8])? {
    switch scope {
    case .all: return ("database = ?", [database], [], NameKey.end([]))
    case .collection(let collection):
      guard let group = try StoreSnapshot.group(collection.id, of: database, db) else { return nil }
      let keys = KeyRange(below: NameKey.key(collection.string))
      let arguments: StatementArguments = [group, NameKey.depth(of: collection.string)]
      return ("collection_group = ? AND depth = ?", arguments, keys.lower, keys.upper)
    case .subtree(let collection):
      let keys = KeyRange(below: NameKey.key(collection.string))
      return ("database = ?", [database], keys.lower, keys.upper)
    case .group(let id, let collection):
      guard let group = try StoreSnapshot.group(id, of: database, db) else { return nil }
      let keys = KeyRange(below: NameKey.key(collection.string))
      return ("collection_group = ?", [group], keys.lower, keys.upper)
    }
  }
}
