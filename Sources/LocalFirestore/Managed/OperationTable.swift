import FirestoreModels
import GRDB

/// The operations in a data file, and the documents of exports.
///
/// There is no Cloud Storage here: exported documents stay in the file under their prefix, from where any database of
/// the file can import them. The tables are created with the first operation, so files without one do not change.
struct OperationTable {
  private let db: Database

  private static let statements = """
    CREATE TABLE managed_operations (
      id INTEGER PRIMARY KEY,
      database INTEGER NOT NULL REFERENCES databases (id),
      name TEXT NOT NULL UNIQUE,
      kind TEXT NOT NULL,
      prefix TEXT NOT NULL,
      collections TEXT NOT NULL,
      snapshot_time INTEGER,
      start_time INTEGER NOT NULL,
      end_time INTEGER,
      state TEXT NOT NULL,
      documents INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      completed_documents INTEGER NOT NULL,
      completed_bytes INTEGER NOT NULL,
      is_forgotten INTEGER NOT NULL DEFAULT 0
    );
    CREATE INDEX managed_operations_by_prefix ON managed_operations (prefix);
    CREATE TABLE managed_documents (
      id INTEGER PRIMARY KEY,
      operation INTEGER NOT NULL REFERENCES managed_operations (id),
      collection TEXT NOT NULL,
      path TEXT NOT NULL,
      fields TEXT NOT NULL
    );
    CREATE INDEX managed_documents_by_operation ON managed_documents (operation, id);
    """

  /// The operations of a file; nil if none was ever started.
  init?(_ db: Database) throws {
    guard try Self.isMade(in: db) else { return nil }
    self.db = db
  }

  /// The operations of a file that is written to, with the tables for them.
  init(making db: Database) throws {
    if try !Self.isMade(in: db) { try db.execute(sql: Self.statements) }
    self.db = db
  }

  private static func isMade(in db: Database) throws -> Bool { try db.tableExists("managed_operations") }

  // MARK: Operations

  private static let columns = """
    name, kind, prefix, collections, snapshot_time, start_time, end_time, state, documents, bytes, \
    completed_documents, completed_bytes
    """

  /// An operation of a database; nil if there is none.
  func operation(_ id: String, of database: Int64) throws -> StoredOperation? {
    try operations(
      "database = ? AND name = CAST(? AS TEXT) AND is_forgotten = 0",
      [database, Blob(Array(id.utf8))]
    ).first
  }

  /// Operations of a database in the order in which they were started.
  ///
  /// - Parameter row: The row of the one before the first.
  func operations(of database: Int64, after row: Int64, limit: Int) throws -> [StoredOperation] {
    try operations(
      "database = ? AND id > ? AND is_forgotten = 0 ORDER BY id LIMIT ?",
      [database, row, limit]
    )
  }

  /// The number of running operations of all databases.
  func countRunning() throws -> Int {
    let sql = "SELECT count(*) FROM managed_operations WHERE state NOT IN ('SUCCESSFUL', 'CANCELLED')"
    return try Int.fetchOne(db, sql: sql) ?? 0
  }

  /// The export of a prefix, complete or running; nil if there is none.
  func export(at prefix: String) throws -> StoredOperation? {
    try operations(
      "kind = 'export' AND prefix = CAST(? AS TEXT) AND state NOT IN ('CANCELLING', 'CANCELLED')",
      [Blob(Array(prefix.utf8))]
    ).first
  }

  private func operations(_ condition: String, _ arguments: StatementArguments) throws -> [StoredOperation] {
    let sql = "SELECT id, \(Self.columns) FROM managed_operations WHERE \(condition)"
    return try StatementReader(db, sql, arguments).map { row in
      guard let kind = StoredOperation.Kind(rawValue: row.string(2)),
        let state = StoredOperation.State(rawValue: row.string(8))
      else { throw FirestoreError(.dataLoss, "An operation of the data file is damaged.") }
      return StoredOperation(
        row: row.integer(0),
        id: row.string(1),
        kind: kind,
        prefix: row.string(3),
        collections: row.string(4).utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) },
        snapshotTime: row.type(5) == .null ? nil : row.integer(5),
        startTime: row.integer(6),
        endTime: row.type(7) == .null ? nil : row.integer(7),
        state: state,
        documents: row.integer(9),
        bytes: row.integer(10),
        completedDocuments: row.integer(11),
        completedBytes: row.integer(12)
      )
    }
  }

  /// Inserts a new operation and returns it with its row.
  func insert(_ operation: StoredOperation, of database: Int64) throws -> StoredOperation {
    try db.execute(
      sql: """
        INSERT INTO managed_operations (database, \(Self.columns)) \
        VALUES (?, ?, ?, CAST(? AS TEXT), CAST(? AS TEXT), ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        database, operation.id, operation.kind.rawValue, Blob(Array(operation.prefix.utf8)),
        // A slash is in no collection ID.
        Blob(Array(operation.collections.joined(separator: "/").utf8)), operation.snapshotTime,
        operation.startTime, operation.endTime, operation.state.rawValue, operation.documents,
        operation.bytes, operation.completedDocuments, operation.completedBytes,
      ]
    )
    var operation = operation
    operation.row = db.lastInsertedRowID
    return operation
  }

  /// Records the progress of an operation.
  func update(_ operation: StoredOperation) throws {
    try db.execute(
      sql: """
        UPDATE managed_operations SET end_time = ?, state = ?, documents = ?, bytes = ?, \
        completed_documents = ?, completed_bytes = ? WHERE id = ?
        """,
      arguments: [
        operation.endTime, operation.state.rawValue, operation.documents, operation.bytes,
        operation.completedDocuments, operation.completedBytes, operation.row,
      ]
    )
  }

  /// Forgets an operation; the documents that it exported stay.
  func forget(_ operation: StoredOperation) throws {
    try db.execute(
      sql: "UPDATE managed_operations SET is_forgotten = 1 WHERE id = ?",
      arguments: [operation.row]
    )
  }

  // MARK: Documents

  /// Adds a document to an export.
  func add(
    path: UnsafeRawBufferPointer,
    collection: String,
    fields: UnsafeRawBufferPointer,
    to row: Int64
  ) throws {
    let insert = try StatementWriter(
      db,
      "INSERT INTO managed_documents (operation, collection, path, fields) VALUES (?, ?, ?, ?)"
    )
    insert.bind(1, integer: row)
    insert.bind(2, text: collection)
    insert.bind(3, text: path)
    insert.bind(4, text: fields)
    try insert.run()
  }

  /// Removes the documents of a cancelled export.
  func removeDocuments(of operation: StoredOperation) throws {
    try db.execute(sql: "DELETE FROM managed_documents WHERE operation = ?", arguments: [operation.row])
  }

  /// The number and size in bytes of the documents of an export, of some collections or all.
  func size(of export: StoredOperation, _ collections: [String]) throws -> (documents: Int64, bytes: Int64) {
    let (condition, arguments) = Self.selection(export, collections)
    let sql = """
      SELECT count(*), coalesce(sum(length(CAST(path AS BLOB)) + length(CAST(fields AS BLOB))), 0) \
      FROM managed_documents WHERE \(condition)
      """
    return try StatementReader(db, sql, arguments).first { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
  }

  /// Calls `body` with the path and the JSON of the fields of each document of an export, of some collections or all,
  /// in a fixed order.
  ///
  /// - Parameter offset: The number of documents before the first.
  func forEachDocument(
    of export: StoredOperation,
    _ collections: [String],
    from offset: Int64,
    to end: Int64,
    _ body: (String, [UInt8]) throws -> Void
  ) throws {
    let (condition, arguments) = Self.selection(export, collections)
    let sql = "SELECT path, fields FROM managed_documents WHERE \(condition) ORDER BY id LIMIT ? OFFSET ?"
    let reader = try StatementReader(db, sql, arguments + [end.subtractingClamped(offset), offset])
    try reader.forEach { row in
      try body(row.string(0), row.array(1))
      return true
    }
  }

  private static func selection(
    _ export: StoredOperation,
    _ collections: [String]
  ) -> (condition: String, arguments: StatementArguments) {
    var arguments: StatementArguments = [export.row]
    if collections.isEmpty { return ("operation = ?", arguments) }
    let places = collections.map { _ in "CAST(? AS TEXT)" }.joined(separator: ", ")
    for id in collections { arguments += [Blob(Array(id.utf8))] }
    return ("operation = ? AND collection IN (\(places))", arguments)
  }
}
