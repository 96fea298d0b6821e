import GRDB

/// The tables of a mirror that contain no documents.
enum MirrorTables {
  /// The version of the layout; a file with another version must be pulled again.
  static let version = "2"
  /// An earlier version, whose tables are the same unless names have letters outside ASCII.
  static let versionOfASCII = "1"
  static let edits = "_mirror_edits"
  static let moves = "_mirror_moves"

  /// Creates the table of the rows that were given another ID, which files of earlier versions do not have.
  ///
  /// It has the paths now and as pulled, and the document as pulled, which a push adds before it changes anything.
  static let movesCreation =
    "CREATE TABLE IF NOT EXISTS \(moves) (path TEXT PRIMARY KEY, origin TEXT NOT NULL, fields TEXT);"

  /// `_mirror` describes the file as name-value pairs, `_mirror_collections` records how far each collection was pulled,
  /// `_mirror_columns` the field of each column, and `_mirror_edits` the documents whose rows were edited since.
  static let creation = """
    CREATE TABLE _mirror (name TEXT PRIMARY KEY, value TEXT NOT NULL);
    CREATE TABLE _mirror_collections (
      collection TEXT PRIMARY KEY,
      table_name TEXT NOT NULL,
      documents INTEGER NOT NULL,
      mark TEXT
    );
    CREATE TABLE _mirror_columns (
      table_name TEXT NOT NULL,
      position INTEGER NOT NULL,
      column_name TEXT NOT NULL,
      collection TEXT NOT NULL,
      field TEXT NOT NULL,
      type TEXT NOT NULL,
      PRIMARY KEY (table_name, position)
    );
    CREATE TABLE _mirror_edits (path TEXT PRIMARY KEY, collection TEXT NOT NULL);
    \(movesCreation)
    """

  struct Edit {
    /// The path of the document, as assembled by a trigger.
    var path: String
    var collection: String
    /// Whether the path is valid UTF-8; otherwise no document has it, and ``path`` is only for display.
    var isText = true
    /// The row ID of the entry.
    var entry: Int64

    /// The document; nil if no document can have that path in the collection of the row's table.
    var document: DocumentPath? {
      guard isText, let document = DocumentPath(path), let collection = CollectionPath(collection),
        document.collection.pattern == collection
      else { return nil }
      return document
    }
  }

  /// Returns the edited rows, ordered by the bytes of their paths.
  ///
  /// - Parameter clauses: Which, and in what order.
  static func edits(_ db: Database, _ clauses: String = "ORDER BY path") throws -> [Edit] {
    try StatementReader(db, "SELECT path, collection, rowid FROM \(edits) \(clauses)", []).compactMap {
      let text = String(validating: $0.bytes(0), as: UTF8.self)
      return Edit(
        path: text ?? $0.string(0),
        collection: $0.string(1),
        isText: text != nil,
        entry: $0.integer(2)
      )
    }
  }

  static func forget(_ path: String, _ db: Database) throws {
    try StatementWriter(db, "DELETE FROM \(edits) WHERE path = ?").run(texts: [path])
    try forgetMove(of: path, db)
  }

  /// Returns the SQL statement that forgets a row's former ID; `path` is an SQL expression.
  static func forgetMove(_ path: String) -> String { "DELETE FROM \(moves) WHERE path = \(path);" }

  static func forgetMove(of path: String, _ db: Database) throws {
    try StatementWriter(db, forgetMove("?")).run(texts: [path])
  }

  static func forget(entry: Int64, _ db: Database) throws {
    try db.execute(sql: "DELETE FROM \(edits) WHERE rowid = ?", arguments: [entry])
  }
}
