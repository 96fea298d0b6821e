import GRDB

/// The values of any SQLite file, whatever its tables mean.
package enum DatabaseValues {
  /// Calls `body` with every text, whole number and run of bytes of every table.
  ///
  /// - Throws: `.inputMalformed` where SQLite cannot read all of it.
  package static func forEach(
    in path: String,
    _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(Failure) {
    var configuration = Configuration()
    (configuration.readonly, configuration.label) = (true, "proof")
    do {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.read { db in
        // Virtual tables keep what they have in others.
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
