import GRDB

/// The rows of a table whose IDs are not UTF-8 text, so that no document has them, and no statement finds them by a document's
/// ID.
enum UnfitRows {
  /// Returns the row IDs of these rows.
  static func all(in table: TableLayout, _ db: Database) throws -> [Int64] {
    let ids = 1...Int32(table.parents.count + 1)
    return try StatementReader(db, table.identities, []).compactMap { row in
      let isFit = ids.allSatisfy {
        row.type($0) == .text && String(validating: row.bytes($0), as: UTF8.self) != nil
      }
      return isFit ? nil : row.integer(0)
    }
  }

  static func remove(from table: TableLayout, _ db: Database) throws {
    for row in try all(in: table, db) {
      try db.execute(sql: "DELETE FROM \(SQLName.quoted(table.name)) WHERE rowid = ?", arguments: [row])
    }
  }
}
