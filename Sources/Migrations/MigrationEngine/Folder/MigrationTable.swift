import Runs

/// What became of each migration of a folder in several environments, by their ledgers.
package struct MigrationTable: Sendable {
  package struct Cell: Sendable {
    package var environment: String
    /// Nil where the migration is not for the environment.
    package var state: MigrationState?
  }

  package struct Row: Sendable {
    package var migration: FolderMigration
    package var cells: [Cell]
  }

  package let environments: [String]
  package let rows: [Row]

  /// - Parameter ledgers: The environments in the order of the columns, each with its ledger, the latest run last.
  package init(_ folder: MigrationFolder, _ ledgers: [(environment: String, entries: [LedgerEntry])]) {
    environments = ledgers.map(\.environment)
    rows = folder.migrations.map { migration in
      let cells = ledgers.map { environment, entries in
        let isFor = migration.isFor(environment)
        return Cell(
          environment: environment,
          state: isFor ? MigrationState(of: migration, in: entries) : nil
        )
      }
      return Row(migration: migration, cells: cells)
    }
  }
}

extension MigrationTable.Cell {
  /// The state in a word, and whether the file changed since; `-` where the migration is not for the environment.
  package var status: String {
    guard let state else { return "-" }
    return state.words + (state.change == nil ? "" : ", changed since")
  }

  /// The run that the details are about.
  package var run: LedgerEntry? {
    let writer = state?.isInForce ?? false ? state?.writer : nil
    return writer ?? state?.entry
  }

  /// When, by whom, how many documents its run wrote and with which others, and how many the last one left for a person; of one
  /// that no run has touched, nothing.
  package var details: [String] {
    guard let run, let entry = state?.entry else { return [] }
    var details = [run.startedAt.map { String($0.description.prefix(10)) }, run.holder].compactMap { $0 }
    if let totals = run.knownTotals, !entry.isByHand {
      details.append("\(NumberText.grouped(totals.written)) written\(run.company)")
      let left = entry.knownTotals.map { $0.review + $0.refused } ?? 0
      if left > 0 { details.append("\(NumberText.grouped(left)) left\(entry.company)") }
    }
    if let left = state?.leftToUndo, left > 0 {
      details.append("\(NumberText.grouped(left)) not undone")
    }
    if entry.override != nil { details.append("gate overridden") }
    return details
  }
}

extension LedgerEntry {
  /// Whose numbers its own are, where it applied several migrations.
  fileprivate var company: String {
    migrations.count > 1 ? " by \(migrations.count) migrations together" : ""
  }
}
