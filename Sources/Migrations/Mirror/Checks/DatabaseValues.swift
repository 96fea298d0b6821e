import GRDB

/// The values of any SQLite file, regardless of the meaning of its tables.
package enum DatabaseValues {
  /// Calls `body` with every text, integer and blob of every table.
  ///
  /// - Throws: `.inputMalformed` if SQLite cannot read the entire file.
  package static func forEach(
    in path: String,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(Failure) {
    var configuration = Configuration()
    (configuration.readonly, configuration.label) = (true, "proof")
    do {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.read { db in
        // Virtual tables store their contents in other tables.
        let tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
        for table in try String.fetchAll(db, sql: tables) {
          let rows = try Row.fetchCursor(db, sql: "SELECT * FROM \(table.quotedDatabaseIdentifier)")
          while let row = try rows.next() { look(at: row, body) }
        }
      }
    } catch {
      let cause = (error as? DatabaseError)?.message ?? "\(error)"
      throw Failure(.inputMalformed, "read the database", path: path, cause: cause)
    }
  }

  private static func look(at row: Row, _ body: (UnsafeRawBufferPointer) -> Void) {
    for value in row.databaseValues {
      switch value.storage {
      case .string(let text): Array(text.utf8).withUnsafeBytes(body)
      case .blob(let bytes): Array(bytes).withUnsafeBytes(body)
      case .int64(let number): Array(String(number).utf8).withUnsafeBytes(body)
      case .double(let number):
        if let whole = Int64(exactly: number) { Array(String(whole).utf8).withUnsafeBytes(body) }
      case .null: continue
      }
    }
  }
}
