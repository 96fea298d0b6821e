import GRDB

extension DocumentTable {
  /// Creates a data file of documents that all have the same time.
  ///
  /// - Parameters:
  ///   - next: Returns the next documents; nil at the end.
  ///   - time: Microseconds since 1970.
  /// - Throws: ``Failure`` if SQLite fails; errors of `next`.
  static func write(
    _ next: () throws -> [RawDocument]?,
    of database: DatabaseName,
    at time: Int64,
    to file: String
  ) throws {
    do {
      // Needs no journal, because a partial file after a failure is useless.
      var configuration = Configuration()
      configuration.prepareDatabase { db in
        try db.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2048")
      }
      let queue = try DatabaseQueue(path: file, configuration: configuration)
      try queue.write { db in try fill(db, with: next, of: database, at: time) }
      try queue.close()
    } catch let error as DatabaseError {
      throw DocumentStore.failure(error, file: file)
    }
  }

  private static func fill(
    _ db: Database,
    with next: () throws -> [RawDocument]?,
    of database: DatabaseName,
    at time: Int64
  ) throws {
    try create(db)
    var table = try DocumentTable(db, database, createTime: time)
    var json = JSONWriter()
    while let page = try next() {
      for document in page {
        json.removeAll()
        json.fields(document.fields)
        try table.put(document.path, createTime: time, updateTime: time, fields: json.bytes)
      }
    }
    try table.setLastCommit(time)
  }
}
