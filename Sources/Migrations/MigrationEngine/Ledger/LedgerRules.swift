import Runs

/// The rules for whether a run may begin, according to the ledger; does no I/O.
enum LedgerRules {
  /// - Throws: `.tryLater` if another run stopped early, or if this one was ended meanwhile; `.notPermitted` if a migration's
  ///   file changed since it was applied; `.usage` if there is nothing (more) to undo.
  static func assertMayBegin(
    _ entry: LedgerEntry,
    isResumed: Bool,
    known: [LedgerEntry],
    offering place: CommandPlace = CommandPlace()
  ) throws(Failure) {
    let own = known.first { $0.run.isIdentical(to: entry.run) }
    if let own, isResumed, own.status == .undone || own.status == .cleared {
      throw Failure(
        .usage,
        "resume",
        path: entry.run,
        cause: own.status == .undone ? "it was undone by run \(own.undoneBy ?? "?")" : "it was cleared",
        remedy: "Begin a new run."
      )
    }
    if let target = entry.undoes {
      try assertMayBeUndone(target, by: entry.run, known: known)
    }
    let others = known.filter { other in
      !other.run.isIdentical(to: entry.run) && !(entry.undoes?.isIdentical(to: other.run) ?? false)
    }
    let passed = passed(by: entry, in: known)
    if let half = others.first(where: { $0.blocks && !passed.contains($0) }) {
      throw Failure(
        .tryLater,
        "begin",
        path: entry.command,
        cause: "run \(half.run) of \(half.holder) (\(half.command)) stopped before it was done",
        remedy: place.waysOut(of: half)
      )
    }
    for migration in entry.migrations {
      // A fix differs each time, whatever program it runs.
      guard let checksum = migration.checksum, entry.undoes == nil, migration.id != "fix" else { continue }
      try assertSame(migration.id, checksum, in: others)
    }
  }

  /// Returns the runs that stopped early and do not block an undo, because the run that it undoes began later.
  ///
  /// What both runs wrote can only be restored in this order.
  static func passed(by entry: LedgerEntry, in known: [LedgerEntry]) -> [LedgerEntry] {
    guard let target = entry.undoes,
      let later = known.first(where: { $0.run.isIdentical(to: target) })?.startedAt
    else { return [] }
    return known.filter { other in
      other.blocks && !other.run.isIdentical(to: entry.run) && other.startedAt.map { $0 < later } ?? false
    }
  }

  /// - Throws: `.notPermitted` if a run changed documents with a different file of the migration and is not undone.
  static func assertSame(_ id: String, _ checksum: String, in entries: [LedgerEntry]) throws(Failure) {
    let changed = entries.own(id).last { other in
      guard other.status != .undone, other.hasWritten else { return false }
      return other.applied(id)?.standing.map { !$0.isIdentical(to: checksum) } ?? false
    }
    guard let changed, let applied = changed.applied(id)?.standing else { return }
    throw Failure(
      .notPermitted,
      "apply",
      path: id,
      cause:
        "its file, or the program that it runs, is not the one that run \(changed.run) applied: SHA-256 \(applied) then, \(checksum) now",
      remedy: "Give the changed migration an id of its own, or undo that run."
    )
  }

  private static func assertMayBeUndone(
    _ target: String,
    by run: String,
    known: [LedgerEntry]
  ) throws(Failure) {
    guard let entry = known.first(where: { $0.run.isIdentical(to: target) }) else { return }
    func refusal(_ cause: String, _ remedy: String) -> Failure {
      Failure(.usage, "undo", path: target, cause: cause, remedy: remedy)
    }
    if entry.undoes != nil {
      throw refusal(
        "it is an undo itself",
        "Apply the migration again: that does what was undone, on the data as they are now."
      )
    }
    if entry.status == .undone, entry.leftToUndo == 0, !(entry.undoneBy?.isIdentical(to: run) ?? false) {
      throw refusal("it was undone by run \(entry.undoneBy ?? "?")", "There is nothing left of it to undo.")
    }
  }
}

extension LedgerEntry {
  /// Whether the run changed documents, or may have; for a finished run, its counts decide.
  var hasWritten: Bool {
    switch status {
    case .done, .incomplete: totals.written > 0
    case .running, .failed, .interrupted, .undone, .cleared: hasChanged
    }
  }
}
