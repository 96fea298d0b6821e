import GRDB

extension TableLayout {
  /// Whether a trigger records which rows are given another ID.
  func recordsMoves(_ db: Database) throws -> Bool { try Self.count([moveTriggerName], of: name, db) == 1 }

  private static func count(_ triggers: [String], of table: String, _ db: Database) throws -> Int {
    let names = triggers.map { SQLName.literal($0) }.joined(separator: ", ")
    return try Int.fetchOne(
      db,
      sql: """
        SELECT count(*) FROM sqlite_master
        WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE AND name IN (\(names))
        """,
      arguments: [table]
    ) ?? 0
  }
}
