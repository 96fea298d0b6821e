import MigrationEngine

/// The state of migrations in several environments, as text and as JSON.
enum MigrationTableText {
  /// One row per migration, and one column per environment.
  static func lines(_ table: MigrationTable) -> [TerminalText] {
    let rows = table.rows.map { row in
      [row.migration.name]
        + row.cells.map { cell in ([cell.status] + cell.details).joined(separator: ", ") }
    }
    return TerminalText.aligned([["migration"] + table.environments] + rows)
  }

  /// `{"environments": […], "migrations": [{…, "states": [{"environment", "status", …}]}]}`.
  static func json(_ table: MigrationTable) -> [UInt8] {
    JSONWriter.object { json in
      json.member("environments", strings: table.environments)
      json.member("migrations", objects: table.rows) { json, row in
        json.member("checksum", row.migration.checksum)
        json.member("id", row.migration.id)
        json.member("irreversible", row.migration.header.irreversible)
        json.member("name", row.migration.name)
        json.member("states", objects: row.cells) { members(of: $1, to: &$0) }
        json.member("summary", row.migration.summary)
      }
    }
  }

  private static func members(of cell: MigrationTable.Cell, to json: inout JSONWriter) {
    let run = cell.run
    json.member("changedSince", cell.state?.change != nil)
    json.member("checksum", cell.state?.applied?.standing)
    json.member("environment", cell.environment)
    json.member("holder", run?.holder)
    if let left = cell.state?.leftToUndo, left > 0 { json.member("leftToUndo", left) }
    json.member("override", cell.state?.entry?.override)
    json.member("runId", run?.run)
    json.member("startedAt", run?.startedAt?.description)
    json.member("status", cell.state?.kind.rawValue)
    if let totals = run?.knownTotals { json.member("totals", totals) }
    json.member("undoneBy", run?.undoneBy)
    json.member("verifiedAt", cell.state?.applied?.verifiedAt?.description)
  }
}
