import Files

/// A table of migrations as one self-contained page, which loads nothing and has no scripts.
package struct MigrationTablePage: Sendable {
  private let table: MigrationTable
  private let madeAt: Timestamp

  package init(_ table: MigrationTable, madeAt: Timestamp) {
    self.table = table
    self.madeAt = madeAt
  }

  /// Writes the page atomically.
  ///
  /// - Throws: `.cannotWrite`.
  package func write(to path: String) throws(Failure) {
    var file = try OutputFile(path)
    try file.write(try markup().bytes)
    _ = try file.finish()
  }

  private func markup() throws(Failure) -> Markup {
    """
    \(try PlanPageAssets.head("Migrations", hasScript: false))<header>
    <h1>Migrations</h1>
    <p>From the ledgers alone, at \(madeAt.description).</p>
    </header>
    <main>
    <div class="wide" tabindex="0" role="group" aria-label="Migrations by environment"><table class="stacked">
    <thead><tr><th scope="col">Migration</th>\
    \(table.environments.map { "<th scope=\"col\"><bdi>\($0)</bdi></th>" })</tr></thead>
    <tbody>
    \(table.rows.map(row))</tbody>
    </table></div>
    </main>
    </body>
    </html>

    """
  }

  private func row(_ row: MigrationTable.Row) -> Markup {
    let reason = row.migration.header.irreversible.map { Self.soft("irreversible: \($0)") } ?? ""
    return """
      <tr><th scope="row"><bdi>\(row.migration.name)</bdi>\(Self.soft(row.migration.summary))\(reason)</th>\
      \(row.cells.map(cell))</tr>

      """
  }

  private func cell(_ cell: MigrationTable.Cell) -> Markup {
    let state = cell.state
    var notes = cell.details
    if let override = state?.entry?.override { notes.append("because: \(override)") }
    if let change = state?.change { notes += ["applied: \(change.applied)", "now: \(change.present)"] }
    return """
      <td data-label="\(cell.environment)"><span class="\(Self.mark(state))">\(cell.status)</span>\
      \(notes.map(Self.soft))</td>
      """
  }

  private static func soft(_ text: String) -> Markup { "<br><span class=\"soft\"><bdi>\(text)</bdi></span>" }

  private static func mark(_ state: MigrationState?) -> String {
    if state?.change != nil { return "mark delete" }
    return switch state?.kind {
    case .verified?, .byHand?: "mark create"
    case .applied?, .conflicted?, .planned?, .running?: "mark update"
    case .failed?, .cleared?: "mark delete"
    case .pending?, .undone?, nil: "soft"
    }
  }
}
