import Runs

/// What of a ledger a run takes back that is no undo: it deletes everything, or makes documents what they were before.
package struct TakenBack: Sendable {
  /// The moment that the documents are to be as they were at; nil for none, so that all is taken back.
  package var moment: Timestamp?
  /// Whether what a migration writes is among it.
  package var covers: @Sendable (_ migration: String) -> Bool

  package init(since moment: Timestamp?, covers: @escaping @Sendable (String) -> Bool = { _ in true }) {
    (self.moment, self.covers) = (moment, covers)
  }

  /// The migrations that are to be applied again afterwards, in the order of the ledger.
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
  /// The entries of runs of a migration, undos aside; what was taken back since counts as undone by what took it back.
  package func own(_ id: String) -> [LedgerEntry] {
    let place = lastIndex { entry in
      entry.status != .undone && entry.hasChanged && entry.takenBack.contains { $0.isIdentical(to: id) }
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
  /// Whether it is of a command about migrations, and not of one that makes up a migration of its own, as 'fix' does.
  fileprivate var isOfMigrations: Bool { undoes == nil && command.hasPrefix("migrate ") }
}
