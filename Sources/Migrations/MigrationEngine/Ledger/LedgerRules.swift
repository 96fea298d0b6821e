/// Whether a run may begin, by the entries of the ledger; pure.
enum LedgerRules {
  /// - Throws: `.tryLater` where another run stopped before it was done, or where this one was ended meanwhile; `.notPermitted` where
  ///   a migration's file changed since it was applied; `.usage` where there is nothing (more) to undo.
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
    if let half = others.first(where: \.blocks) {
      throw Failure(
        .tryLater,
        "begin",
        path: entry.command,
        cause: "run \(half.run) of \(half.holder) (\(half.command)) stopped before it was done",
        remedy: place.waysOut(of: half)
      )
    }
    for migration in entry.migrations {
      // A fix is another one each time, whatever program it runs.
      guard let checksum = migration.checksum, entry.undoes == nil, migration.id != "fix" else { continue }
      let changed = others.own(migration.id).last { other in
        guard other.status != .undone, other.hasChanged else { return false }
        return other.applied(migration.id)?.standing.map { !$0.isIdentical(to: checksum) } ?? false
      }
      if let changed {
        throw Failure(
          .notPermitted,
          "apply",
          path: migration.id,
          cause: "its file, or the program that it runs, is not the one that run \(changed.run) applied",
          remedy: "Give the changed migration an id of its own."
        )
      }
    }
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
