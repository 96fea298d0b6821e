package import FirestoreModels
import GRDB
import Schema

/// What a mirror is of, and how far it was pulled.
package struct MirrorInfo: Sendable {
  /// The name of the environment that it was pulled from.
  package var environment: String
  package var database: DatabaseName
  /// The moment of the service that it shows; nil where the service did not report its time.
  package var readTime: Timestamp?
  /// When the last pull ended, by this machine's clock.
  package var pulledAt: Timestamp
  /// The schema as YAML.
  package var schemaText: String
  /// What was inferred for the collections that the schema does not declare, as YAML.
  package var inferredText: String
  /// How far each collection was pulled, by its path or pattern.
  package var collections: [Collection]

  package struct Collection: Sendable, Equatable {
    package var path: CollectionPath
    package var table: String
    /// The number of documents at the end of the last pull.
    package var documents: Int
    /// The time from which the next pull reads; nil where it reads the collection whole.
    package var mark: Timestamp?
  }

  /// Reads what the file says of itself.
  package init(_ file: MirrorFile) throws(Failure) {
    self = try file.use { db in
      func value(_ name: String) throws -> String {
        guard let value = try Self.value(name, db) else { throw Self.damage(file.path, name) }
        return value
      }
      guard let database = DatabaseName(parsing: try value("database")),
        let pulledAt = Timestamp(try value("pulledAt"))
      else { throw Self.damage(file.path, "database") }
      let rows = try Row.fetchAll(
        db,
        sql: "SELECT collection, table_name, documents, mark FROM _mirror_collections ORDER BY collection"
      )
      return MirrorInfo(
        environment: try value("environment"),
        database: database,
        readTime: try Self.value("readTime", db).flatMap { Timestamp($0) },
        pulledAt: pulledAt,
        schemaText: try value("schema"),
        inferredText: try value("inferred"),
        collections: rows.compactMap { row in
          guard let path = String.fromDatabaseValue(row[0]).flatMap({ CollectionPath($0) }) else {
            return nil
          }
          return Collection(
            path: path,
            table: String.fromDatabaseValue(row[1]) ?? "",
            documents: Int.fromDatabaseValue(row[2]) ?? 0,
            mark: String.fromDatabaseValue(row[3]).flatMap { Timestamp($0) }
          )
        }
      )
    }
  }

  init(
    environment: String,
    database: DatabaseName,
    readTime: Timestamp?,
    pulledAt: Timestamp,
    schemaText: String,
    inferredText: String,
    collections: [Collection]
  ) {
    self.environment = environment
    self.database = database
    self.readTime = readTime
    self.pulledAt = pulledAt
    self.schemaText = schemaText
    self.inferredText = inferredText
    self.collections = collections
  }

  /// The mark of a collection.
  func mark(of collection: CollectionPath) -> Timestamp? {
    collections.first { $0.path == collection }?.mark
  }

  /// The tables, as they are in the file.
  package func layout() throws(Failure) -> MirrorLayout {
    MirrorLayout(try Self.collections(schemaText) + (try Self.collections(inferredText)))
  }

  private static func collections(_ yaml: String) throws(Failure) -> [CollectionSchema] {
    yaml.isEmpty ? [] : try SchemaReader.schema(parsing: yaml, path: "the mirror's schema").collections
  }

  static func value(_ name: String, _ db: Database) throws -> String? {
    try String.fetchOne(db, sql: "SELECT value FROM _mirror WHERE name = ?", arguments: [name])
  }

  private static func damage(_ path: String, _ name: String) -> Failure {
    Failure(
      .inputMalformed,
      "read the mirror",
      path: path,
      cause: "it does not say its \(name)",
      remedy: "Move it away and pull again."
    )
  }

  /// Writes all of it in the present transaction.
  func write(_ db: Database, _ layout: MirrorLayout) throws {
    let pairs: [(String, String?)] = [
      ("version", MirrorTables.version), ("environment", environment), ("database", database.description),
      ("readTime", readTime?.description), ("pulledAt", pulledAt.description), ("schema", schemaText),
      ("inferred", inferredText),
    ]
    try db.execute(sql: "DELETE FROM _mirror; DELETE FROM _mirror_collections; DELETE FROM _mirror_columns;")
    for case (let name, let value?) in pairs {
      try db.execute(sql: "INSERT INTO _mirror (name, value) VALUES (?, ?)", arguments: [name, value])
    }
    for collection in collections {
      try db.execute(
        sql: "INSERT INTO _mirror_collections (collection, table_name, documents, mark) VALUES (?, ?, ?, ?)",
        arguments: [
          collection.path.string, collection.table, collection.documents, collection.mark?.description,
        ]
      )
    }
    for table in layout.tables {
      let collection = table.collection.string
      try Self.write(table.columns.map { ($0, $0.field.description) }, of: collection, table.name, db)
      for elements in table.elementTables {
        let fields = elements.columns.map { column in
          ([elements.field.description + "[]"] + column.field.segments.dropFirst()).joined(separator: ".")
        }
        try Self.write(Array(zip(elements.columns, fields)), of: collection, elements.name, db)
      }
    }
  }

  private static func write(
    _ columns: [(column: TableLayout.FieldColumn, field: String)],
    of collection: String,
    _ table: String,
    _ db: Database
  ) throws {
    for (position, (column, field)) in columns.enumerated() {
      try db.execute(
        sql: """
          INSERT INTO _mirror_columns (table_name, position, column_name, collection, field, type) \
          VALUES (?, ?, ?, ?, ?, ?)
          """,
        arguments: [table, position, column.name, collection, field, column.type.rawValue]
      )
    }
  }
}
