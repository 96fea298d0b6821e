import GRDB

/// What somebody did to the tables of a mirror themselves, as opposed to their rows.
extension MirrorLayout {
  /// Returns the tables that are not as the mirror made them, so that edits may have gone unrecorded, each with what is wrong.
  func damaged(_ db: Database) throws -> [(table: TableLayout, cause: String)] {
    try tables.compactMap { table in try table.damage(db).map { (table, $0) } }
  }

  /// - Throws: `.inputMalformed` if a table is not as the mirror made it.
  func assertIntact(_ file: String, to operation: String, _ db: Database) throws {
    guard let (_, cause) = try damaged(db).first else { return }
    throw Failure(
      .inputMalformed,
      operation,
      path: file,
      cause: "\(cause), so what was edited in it is not known",
      remedy:
        "'mirror pull --discard-edits' recreates it; to keep edits, copy the table under another name first, and make them again."
    )
  }

  /// Returns the columns that somebody added, as ``TableLayout/addedColumns(_:)``.
  func addedColumns(_ db: Database) throws -> [String] {
    try tables.flatMap { try $0.addedColumns(db) }
  }

  /// Returns the columns of a table in order, with whether they are part of its key.
  fileprivate static func columns(of table: String, _ db: Database) throws -> [(name: String, isKey: Bool)] {
    try Row.fetchAll(
      db,
      sql: "SELECT name, pk > 0 FROM pragma_table_xinfo(?) WHERE hidden <> 1 ORDER BY cid",
      arguments: [table]
    ).map { ($0[0], $0[1]) }
  }
}

extension TableLayout {
  /// Returns the columns that somebody added, which belong to no field: `table.column`.
  func addedColumns(_ db: Database) throws -> [String] {
    try MirrorLayout.columns(of: name, db).dropFirst(width).map { "\(name).\($0.name)" }
  }

  /// Returns what is wrong with the table, or with one of an array's elements; nil if it is as the mirror made it.
  func damage(_ db: Database) throws -> String? {
    let names = keyColumns + columns.map(\.name) + [Self.otherColumn]
    if let cause = try Self.damage(to: name, names, key: keyColumns.count, mayHaveMore: true, db) {
      return cause
    }
    for elements in elementTables {
      let keys = elements.documentIDs + [ElementTable.positionColumn]
      let names = keys + elements.columns.map(\.name) + [Self.otherColumn]
      if let cause = try Self.damage(to: elements.name, names, key: keys.count, mayHaveMore: false, db) {
        return cause
      }
    }
    return nil
  }

  /// Whether a trigger records which rows are given another ID.
  func recordsMoves(_ db: Database) throws -> Bool { try Self.count([moveTriggerName], of: name, db) == 1 }

  private static func damage(
    to table: String,
    _ names: [String],
    key: Int,
    mayHaveMore: Bool,
    _ db: Database
  ) throws -> String? {
    let found = try MirrorLayout.columns(of: table, db)
    if found.isEmpty { return "the table \(table) is gone" }
    let isSame =
      found.prefix(names.count).map(\.name) == names && found.map(\.isKey).firstIndex(of: false) == key
      && (mayHaveMore || found.count == names.count)
    if !isSame { return "the table \(table) was recreated or has other columns" }
    let triggers = triggerNames(of: table)
    return try count(triggers, of: table, db) == triggers.count ? nil : "the table \(table) lost its triggers"
  }

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
