package import Configuration
import GRDB
import Tables

/// The origin of a mirror, and the state of its pulls.
package struct MirrorInfo: Sendable {
  /// The name of the environment from which it was pulled.
  package var environment: String
  package var database: DatabaseName
  /// The server of the database; nil in files of versions that did not record it.
  package var server: String?
  /// The service's read time that it shows; nil if the service did not report one.
  package var readTime: Timestamp?
  /// When the last pull ended, by this machine's clock.
  package var pulledAt: Timestamp
  /// The schema as YAML.
  package var schemaText: String
  /// The inferred schemas of the undeclared collections, as YAML.
  package var inferredText: String
  /// The state of each collection, with its path or pattern.
  package var collections: [Collection]
  /// Identifies the key with which it was masked; nil if it is unmasked.
  package var mask: String?
  /// Whether edits were pushed since, so that some documents are later than ``readTime``.
  package var isPushed = false
  /// Whether documents of its database may be missing, because it was exported from a part of them.
  package var isPartial = false
  /// Whether fields of its documents may be missing, too; so it is with partial ones of versions that did not record it.
  package var mayLackFields = false
  /// Whether it is recorded that it had all collections; files of earlier versions may have some of them and do not say so.
  package private(set) var isWhole = false

  package struct Collection: Sendable, Equatable {
    package var path: CollectionPath
    package var table: String
    /// The number of documents at the end of the last pull.
    package var documents: Int
    /// The time from which the next pull reads; nil if it reads the entire collection.
    package var mark: Timestamp?
  }
}

extension MirrorInfo {
  /// Reads the description of a mirror from its file.
  package init(_ file: MirrorFile) throws(Failure) {
    self = try file.use { db in
      func value(_ name: String) throws -> String {
        guard let value = try Self.value(name, db) else { throw Self.damage(file.path, name) }
        return value
      }
      guard let database = DatabaseName(parsing: try value("database")),
        let pulledAt = Timestamp(try value("pulledAt"))
      else { throw Self.damage(file.path, "database") }
      let sql = "SELECT collection, table_name, documents, mark FROM _mirror_collections ORDER BY collection"
      let collections = try StatementReader(db, sql, []).compactMap { row -> Collection? in
        guard let path = CollectionPath(row.string(0)) else { return nil }
        return Collection(
          path: path,
          table: row.string(1),
          documents: max(0, Int(row.integer(2))),
          mark: row.type(3) == .null ? nil : Timestamp(row.string(3))
        )
      }
      return MirrorInfo(
        environment: try value("environment"),
        database: database,
        server: try Self.value("server", db),
        readTime: try Self.value("readTime", db).flatMap { Timestamp($0) },
        pulledAt: pulledAt,
        schemaText: try value("schema"),
        inferredText: try value("inferred"),
        collections: collections,
        mask: try Self.value("mask", db),
        isPushed: try Self.value("pushed", db) != nil,
        isPartial: try Self.value("partial", db) != nil,
        mayLackFields: try Self.value("partial", db).map { !$0.isIdentical(to: Self.wholeDocuments) }
          ?? false,
        isWhole: try Self.value("whole", db) != nil
      )
    }
  }

  /// Refuses a database other than the mirror's, or one of the same name on another server.
  ///
  /// - Throws: `.notPermitted`.
  package func assertOf(_ environment: DatabaseEnvironment, path: String) throws(Failure) {
    var cause = "it is a mirror of \(database), and the environment is \(environment.database)"
    if environment.database == database {
      guard let server, !environment.isServed(by: server) else { return }
      cause = "it is a mirror of \(database) at \(server), and the environment is at \(environment.server)"
    }
    throw Failure(
      .notPermitted,
      "use the mirror",
      path: path,
      cause: cause,
      remedy: "Name the environment that it was pulled from, or another file."
    )
  }

  /// Refuses a masked mirror, because its documents are not those of its database.
  ///
  /// - Throws: `.notPermitted`.
  package func assertUnmasked(path: String) throws(Failure) {
    if mask == nil { return }
    throw Failure(
      .notPermitted,
      "use the mirror",
      path: path,
      cause: "its documents are masked, and are none of \(database)",
      remedy: "Pull a mirror without --mask for that."
    )
  }

  func mark(of collection: CollectionPath) -> Timestamp? {
    collections.first { $0.path == collection }?.mark
  }

  /// The schema of the last pull.
  func schema() throws(Failure) -> DatabaseSchema { try Self.schema(schemaText) }

  package func layout() throws(Failure) -> MirrorLayout {
    MirrorLayout(try schema().collections + (try Self.inferred(inferredText)))
  }

  private static func schema(_ yaml: String) throws(Failure) -> DatabaseSchema {
    if yaml.isEmpty { return .none }
    return try SchemaReader.schema(parsing: yaml, path: "the mirror's schema", days: LocalTimeZone.days)
  }

  /// The inferred schemas, as one YAML document for each collection.
  static func text(ofInferred collections: [CollectionSchema]) -> String {
    collections.map { SchemaWriter.yaml(DatabaseSchema(name: "inferred", collections: [$0])) }
      .joined(separator: Self.separator)
  }

  private static let separator = "---\n"
  private static let wholeDocuments = "whole documents"

  private static func inferred(_ text: String) throws(Failure) -> [CollectionSchema] {
    var found: [CollectionSchema] = []
    for part in text.split(separator: "\n" + separator) { found += try schema(String(part)).collections }
    return found
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

  /// Writes everything in the current transaction.
  func write(_ db: Database, _ layout: MirrorLayout) throws {
    let pairs: [(String, String?)] = [
      ("version", MirrorTables.version), ("environment", environment), ("database", database.description),
      ("server", server), ("readTime", readTime?.description), ("pulledAt", pulledAt.description),
      ("schema", schemaText),
      ("inferred", inferredText), ("mask", mask),
      (isPartial ? "partial" : "whole", isPartial && !mayLackFields ? Self.wholeDocuments : "yes"),
    ]
    try db.execute(sql: "DELETE FROM _mirror; DELETE FROM _mirror_collections; DELETE FROM _mirror_columns;")
    for case (let name, let value?) in pairs {
      try db.execute(sql: "INSERT INTO _mirror (name, value) VALUES (?, ?)", arguments: [name, value])
    }
    for collection in collections {
      let insert = try StatementWriter(
        db,
        "INSERT INTO _mirror_collections (collection, table_name, documents, mark) VALUES (?, ?, ?, ?)"
      )
      insert.bind(1, text: collection.path.string)
      insert.bind(2, text: collection.table)
      insert.bind(3, integer: Int64(collection.documents))
      if let mark = collection.mark { insert.bind(4, text: mark.description) }
      try insert.run()
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
      let insert = try StatementWriter(
        db,
        """
        INSERT INTO _mirror_columns (table_name, position, column_name, collection, field, type) \
        VALUES (?, ?, ?, ?, ?, ?)
        """
      )
      insert.bind(1, text: table)
      insert.bind(2, integer: Int64(position))
      insert.bind(3, text: column.name)
      insert.bind(4, text: collection)
      insert.bind(5, text: field)
      insert.bind(6, text: column.type.rawValue)
      try insert.run()
    }
  }

  /// Records that edits were pushed, and by how many documents collections have grown.
  static func recordPush(_ added: [CollectionPath: Int], _ db: Database) throws {
    try db.execute(sql: "INSERT OR REPLACE INTO _mirror (name, value) VALUES ('pushed', 'true')")
    for (collection, count) in added {
      let update = try StatementWriter(
        db,
        "UPDATE _mirror_collections SET documents = documents + ? WHERE collection = ?"
      )
      update.bind(1, integer: Int64(count))
      update.bind(2, text: collection.string)
      try update.run()
    }
  }
}
