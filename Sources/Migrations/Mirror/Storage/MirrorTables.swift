import FirestoreModels
import GRDB
import LocalFirestore

/// The tables of a mirror that hold no documents.
enum MirrorTables {
  /// The version of the layout; another one is pulled anew.
  static let version = "1"
  static let edits = "_mirror_edits"

  /// `_mirror` holds what the file is of, as pairs; `_mirror_collections` how far each collection was pulled;
  /// `_mirror_columns` which field a column holds; `_mirror_edits` the documents whose rows somebody changed since.
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
    """

  /// The documents whose rows somebody changed, in the order of the paths' bytes.
  ///
  /// What is no path of a document is left out: the triggers write paths, and somebody may write anything.
  static func editedPaths(_ db: Database) throws -> [DocumentPath] {
    var paths: [DocumentPath] = []
    try StatementReader(db, "SELECT path FROM \(edits) ORDER BY path", []).forEach {
      if let path = DocumentPath($0.string(0)) { paths.append(path) }
      return true
    }
    return paths
  }
}
