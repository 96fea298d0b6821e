/// The scope of what a run reverts without being an undo: a reset deletes everything, and a restore makes documents what they
/// were before.
package struct TakenBack: Sendable {
  /// The point in time whose documents are restored; nil if everything is reverted.
  package var moment: Timestamp?
  /// When the documents to revert were read; nil if everything is reverted.
  ///
  /// What a run wrote that began later stays.
  package var readTime: Timestamp?
  /// Whether documents that a migration may have written are reverted.
  package var covers: @Sendable (_ migration: String) -> Bool
  /// Whether documents that a migration reads or writes are reverted.
  package var touches: @Sendable (_ migration: String) -> Bool

  package init(
    since moment: Timestamp?,
    readAt readTime: Timestamp? = nil,
    covers: @escaping @Sendable (String) -> Bool = { _ in true },
    touches: @escaping @Sendable (String) -> Bool = { _ in true }
  ) {
    (self.moment, self.readTime) = (moment, readTime)
    (self.covers, self.touches) = (covers, touches)
  }

  /// Returns the migrations that must be applied again afterwards, and those whose verification no longer holds, in the order of
  /// the ledger.
  func found(in entries: [LedgerEntry]) -> (takenBack: [String], unverified: [String]) {
    let read = entries.filter(mayHaveBeenRead)
    let former = read.filter { !isLater($0) }
    var found: (takenBack: [String], unverified: [String]) = ([], [])
    for id in entries.migrations {
      if reverts(id, MigrationState(of: id, in: read), read, former) {
        found.takenBack.append(id)
      } else if let moment, let verified = MigrationState(of: id, in: entries).applied?.verifiedAt,
        verified > moment, touches(id)
      {
        found.unverified.append(id)
      }
    }
    return found
  }

  /// Whether a migration must be applied again.
  ///
  /// It stays applied only if it was at the moment, and no run has written for it since. A run that ended later may have written
  /// later.
  private func reverts(
    _ id: String,
    _ state: MigrationState,
    _ entries: [LedgerEntry],
    _ former: [LedgerEntry]
  ) -> Bool {
    let later = entries.own(id).filter(isLater)
    guard state.isStanding || state.leftToUndo > 0, !later.isEmpty else { return false }
    if MigrationState(of: id, in: former).isStanding,
      !later.contains(where: { $0.isStanding && $0.hasWritten })
    {
      return false
    }
    return covers(id)
  }

  /// Returns what a person should know of the entry of a run that reverts something.
  static func lines(_ entry: LedgerEntry) -> [String] {
    let texts = [
      ("What these migrations did is taken back, so that they are pending again", entry.takenBack),
      ("These migrations were verified after that moment, which no longer holds", entry.rewrites),
    ]
    return texts.filter { !$0.1.isEmpty }.map { "\($0.0): \($0.1.joined(separator: ", "))." }
  }

  /// Whether the run had begun when the documents were read; times of the ledger have milliseconds, cut off.
  private func mayHaveBeenRead(_ entry: LedgerEntry) -> Bool {
    guard let readTime, let began = entry.startedAt else { return true }
    return began <= readTime
  }

  private func isLater(_ entry: LedgerEntry) -> Bool { moment.map(entry.mayHaveEnded) ?? true }
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

extension [LedgerEntry] {
  /// The migrations of the runs, each once.
  fileprivate var migrations: [String] {
    var seen: Set<UTF8Key> = []
    return filter(\.isOfMigrations).flatMap(\.migrations).filter { !$0.isOneOff }.map(\.id)
      .filter { seen.insert(UTF8Key($0)).inserted }
  }
}

extension LedgerEntry {
  /// Whether the entry belongs to a command about migrations, unlike 'fix', which has a migration only for itself.
  fileprivate var isOfMigrations: Bool { undoes == nil && command.hasPrefix("migrate ") }
}
