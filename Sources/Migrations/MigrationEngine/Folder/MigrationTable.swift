package import Configuration
import Runs

/// The state of each migration of a folder in several environments, according to their ledgers.
package struct MigrationTable: Sendable {
  package struct Cell: Sendable {
    package var environment: String
    /// The state; nil if the migration does not apply to the environment.
    package var state: MigrationState?
  }

  package struct Row: Sendable {
    package var migration: FolderMigration
    package var cells: [Cell]
  }

  package let environments: [String]
  package let rows: [Row]

  /// A column: an environment with the names of its database, and its ledger, the latest run last.
  package typealias Column = (environment: String, names: DatabaseNames, entries: [LedgerEntry])

  package init(_ folder: MigrationFolder, _ ledgers: [Column]) {
    environments = ledgers.map(\.environment)
    rows = folder.migrations.map { migration in
      let cells = ledgers.map { environment, names, entries in
        let isFor = migration.isFor(names)
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
  /// The state in words, and whether the file changed since; `-` if the migration does not apply to the environment.
  package var status: String {
    guard let state else { return "-" }
    return state.words + (state.change == nil ? "" : ", changed since")
  }

  /// The run that ``details`` describes.
  package var run: LedgerEntry? {
    let writer = state?.isInForce ?? false ? state?.writer : nil
    return writer ?? state?.entry
  }

  /// When and by whom it was applied, how many documents its run wrote and with how many migrations together, and how many
  /// documents the last run left for review; empty if no run has touched it.
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
  /// A note that the run's counts are shared by several migrations.
  fileprivate var company: String {
    migrations.count > 1 ? " by \(migrations.count) migrations together" : ""
  }
}
