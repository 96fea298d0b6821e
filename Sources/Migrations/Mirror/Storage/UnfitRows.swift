import GRDB

/// The rows of a table whose IDs are not UTF-8 text, so that no document has them, and no statement finds them by a document's
/// ID.
enum UnfitRows {
  /// Returns the row ID of the first such row; nil if there is none.
  static func first(in table: TableLayout, _ db: Database) throws -> Int64? {
    var found: Int64?
    try forEach(of: table, db) {
      found = $0
      return false
    }
    return found
  }

  static func remove(from table: TableLayout, _ db: Database) throws {
    var found: [Int64] = []
    try forEach(of: table, db) {
      found.append($0)
      return true
    }
    for row in found {
      try db.execute(sql: "DELETE FROM \(SQLName.quoted(table.name)) WHERE rowid = ?", arguments: [row])
    }
  }

  private static func forEach(
    of table: TableLayout,
    _ db: Database,
    _ body: (Int64) -> Bool
  ) throws {
    let ids = 1...Int32(table.parents.count + 1)
    try StatementReader(db, table.identities, []).forEach { row in
      let isFit = ids.allSatisfy {
        row.type($0) == .text && String(validating: row.bytes($0), as: UTF8.self) != nil
      }
      return isFit || body(row.integer(0))
    }
  }
}
