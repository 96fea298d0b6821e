import FirestoreREST
import GRDB

/// What a pull has read and not yet written to the mirror, in temporary tables that end with the connection.
struct PullStage {
  private let file: MirrorFile
  private let database: DatabaseName

  /// `staged` contains new and changed documents, `seen` the rows that still exist, `gone` the deleted documents, and `added` the
  /// keys of new documents in the collection whose names are compared.
  init(_ file: MirrorFile, _ database: DatabaseName) throws(Failure) {
    self.file = file
    self.database = database
    try file.use { db in
      try db.execute(
        sql: """
          CREATE TEMP TABLE staged (
            path TEXT PRIMARY KEY, is_new INTEGER NOT NULL, collection TEXT NOT NULL,
            create_time INTEGER NOT NULL, update_time INTEGER NOT NULL, fields TEXT NOT NULL
          );
          CREATE TEMP TABLE added (key BLOB PRIMARY KEY) WITHOUT ROWID;
          CREATE TEMP TABLE seen (id INTEGER PRIMARY KEY);
          CREATE TEMP TABLE gone (path TEXT PRIMARY KEY);
          """
      )
    }
  }

  /// Stages the new and changed documents of a page.
  ///
  /// - Parameter remembers: Whether the page belongs to an entire collection, so that documents in none of its pages are deleted.
  /// - Returns: The number of staged documents.
  func take(_ page: [RawDocument], remembers: Bool) throws(Failure) -> Int {
    try file.use { db in
      let documents = try DocumentTable(db, database)
      let stage = try StatementWriter(db, "INSERT OR REPLACE INTO staged VALUES (?, ?, ?, ?, ?, ?)")
      let see = try StatementWriter(db, "INSERT OR IGNORE INTO seen VALUES (?)")
      var json = JSONWriter()
      var kept = 0
      for document in page {
        let found = try documents.find(DocumentTable.key(document.path))
        if let found, remembers {
          see.bind(1, integer: found.id)
          try see.run()
        }
        let updateTime = document.updateTime?.microseconds ?? 0
        if let found, found.updateTime == updateTime, updateTime != 0 { continue }
        kept += 1
        json.removeAll()
        json.fields(document.fields)
        stage.bind(1, text: document.path.string)
        stage.bind(2, integer: found == nil ? 1 : 0)
        stage.bind(3, text: document.path.collection.string)
        stage.bind(4, integer: document.createTime?.microseconds ?? 0)
        stage.bind(5, integer: updateTime)
        json.bytes.withUnsafeBytes { stage.bind(6, text: $0) }
        try stage.run()
      }
      return kept
    }
  }

  /// Returns the documents in a page of names that must be read: new ones, and those with another update time.
  func unknown(_ page: [RawDocument]) throws(Failure) -> [DocumentPath] {
    try file.use { db in
      let documents = try DocumentTable(db, database)
      let see = try StatementWriter(db, "INSERT OR IGNORE INTO seen VALUES (?)")
      var unknown: [DocumentPath] = []
      for document in page {
        let updateTime = document.updateTime?.microseconds ?? 0
        let found = try documents.find(DocumentTable.key(document.path))
        if let found {
          see.bind(1, integer: found.id)
          try see.run()
          if found.updateTime == updateTime { continue }
        }
        let staged = try Int64.fetchOne(
          db.cachedStatement(sql: "SELECT update_time FROM staged WHERE path = ?"),
          arguments: [document.path.string]
        )
        if staged == nil || staged != updateTime { unknown.append(document.path) }
      }
      return unknown
    }
  }

  /// Records the documents of a scope that were not seen as deleted, and clears what was seen.
  ///
  /// - Parameter range: Only documents with these names are recorded.
  func removeUnseen(
    _ scope: DocumentTable.Scope,
    in range: NameRange = NameRange(),
    where isMeant: (DocumentPath) -> Bool = { _ in true }
  ) throws(Failure) {
    try file.use { db in
      let documents = try DocumentTable(db, database)
      var last: [UInt8]?
      while true {
        let rows = try documents.rows(
          scope,
          from: range.start,
          before: range.end,
          after: last,
          limit: 500,
          withFields: false
        )
        let seen = try Int64.fetchSet(
          db,
          sql: "SELECT id FROM seen WHERE id IN (\(rows.map { String($0.id) }.joined(separator: ",")))"
        )
        for row in rows where !seen.contains(row.id) && isMeant(row.path) {
          try StatementWriter(db, "INSERT OR IGNORE INTO gone VALUES (?)").run(texts: [row.path.string])
        }
        guard rows.count == 500, let end = rows.last else { break }
        last = end.key
      }
      try db.execute(sql: "DELETE FROM seen")
    }
  }

  /// Returns the names of a collection in the mirror, including those that are staged.
  func names(of collection: CollectionPath) throws(Failure) -> PullNames {
    try file.use { db in
      let documents = try DocumentTable(db, database)
      try db.execute(sql: "DELETE FROM added")
      let sql = "SELECT path FROM staged WHERE is_new AND collection = ?"
      try StatementReader(db, sql, texts: [collection.string]).forEach { row in
        guard let path = DocumentPath(row.string(0)) else { return true }
        let add = try StatementWriter(db, "INSERT INTO added VALUES (?)")
        add.bind(1, blob: DocumentTable.key(path))
        try add.run()
        return true
      }
      return try PullNames(of: collection, in: file, database, documents)
    }
  }

  /// Writes everything that is staged into the tables of documents and rows.
  ///
  /// - Returns: The numbers of written and removed documents.
  func apply(
    _ db: Database,
    _ documents: inout DocumentTable,
    _ writer: inout RowWriter
  ) throws -> (changed: Int, deleted: Int) {
    var (changed, deleted) = (0, 0)
    var gone: [DocumentPath] = []
    repeat {
      let paths = try StatementReader(db, "SELECT path FROM gone LIMIT 500", [])
      gone = try paths.compactMap { DocumentPath($0.string(0)) }
      try db.execute(sql: "DELETE FROM gone WHERE rowid IN (SELECT rowid FROM gone LIMIT 500)")
      for path in gone {
        try documents.remove(path)
        try writer.remove(path, db)
        deleted += 1
      }
    } while !gone.isEmpty
    var last: Int64 = 0
    while true {
      var rows: [(path: DocumentPath, createTime: Int64, updateTime: Int64, fields: [UInt8])] = []
      let begin = last
      var fill = BatchFill(count: 300)
      try StatementReader(
        db,
        """
        SELECT rowid, path, create_time, update_time, fields FROM staged WHERE rowid > ? ORDER BY rowid LIMIT 300
        """,
        [begin]
      ).forEach { row in
        last = row.integer(0)
        if let path = DocumentPath(row.string(1)) {
          rows.append((path, row.integer(2), row.integer(3), row.array(4)))
          fill.add(bytes: rows[rows.count - 1].fields.count)
        }
        return !fill.isFull
      }
      if last == begin { break }
      for row in rows {
        try documents.put(
          row.path,
          createTime: row.createTime,
          updateTime: row.updateTime,
          fields: row.fields
        )
        try writer.put(row.path, try writer.fields(row.fields), db)
        changed += 1
      }
    }
    return (changed, deleted)
  }
}
