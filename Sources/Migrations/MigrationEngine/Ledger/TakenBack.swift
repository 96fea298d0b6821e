import Runs

/// The scope of what a run reverts without being an undo: a reset deletes everything, and a restore makes documents what they
/// were before.
package struct TakenBack: Sendable {
  /// The point in time whose documents are restored; nil if everything is reverted.
  package var moment: Timestamp?
  /// Whether the writes of a migration are reverted.
  package var covers: @Sendable (_ migration: String) -> Bool

  package init(since moment: Timestamp?, covers: @escaping @Sendable (String) -> Bool = { _ in true }) {
    (self.moment, self.covers) = (moment, covers)
  }

  /// Returns the migrations that must be applied again afterwards, in the order of the ledger.
  func migrations(of entries: [LedgerEntry]) -> [String] {
    var found: [String] = []
    for entry in entries where entry.isOfMigrations && isLater(entry) {
      for applied in entry.migrations where !found.contains(where: { $0.isIdentical(to: applied.id) }) {
        let state = MigrationState(of: applied.id, in: entries)
        if state.isStanding || state.leftToUndo > 0, covers(applied.id) { found.append(applied.id) }
      }
    }
    return found
  }

  private func isLater(_ entry: LedgerEntry) -> Bool {
    guard let moment, let began = entry.startedAt else { return true }
    return began > moment
  }
}

extension [LedgerEntry] {
  /// Returns the entries of a migration's runs, without undos; what a later run reverted counts as undone by that run.
  package func own(_ id: String) -> [LedgerEntry] {
    let place = lastIndex { entry in
      entry.isStanding && entry.hasChanged && entry.takenBack.contains { $0.isIdentical(to: id) }
    }
    return enumerated().compactMap { index, entry in
      guard entry.undoes == nil, entry.applied(id) != nil else { return nil }
      guard let place, index < place else { return entry }
      var undone = entry
      undone.leftToUndo = 0
      if entry.status != .undone { (undone.status, undone.undoneBy) = (.undone, self[place].run) }
      return undone
    }
  }
}

extension LedgerEntry {
  /// Whether the entry belongs to a command about migrations, unlike 'fix', which has a migration only for itself.
  fileprivate var isOfMigrations: Bool { undoes == nil && command.hasPrefix("migrate ") }
}
