import Transfer

extension UndoTarget {
  /// Asks a person about `last` where it passes over later runs and would delete what the run made: who gives the command once
  /// more than meant, or after a run that changed nothing, means no import from before.
  ///
  /// - Throws: `.notPermitted` where the answer is no.
  static func ask(
    about name: String,
    _ entry: RunHistory.Entry,
    in stateDir: String,
    with confirmation: Confirmation
  ) throws(Failure) {
    let record = entry.record
    guard name.isIdentical(to: "last"), let passed = lastRun(after: record, in: stateDir) else { return }
    let count = creations(of: entry, in: stateDir)
    if count == 0 { return }
    try Guard.ask(
      "Run \(record.id) (\(record.command)) is not the newest: \(passed.command) came later. Delete the \(NumberText.counted(count, "document")) that it made?",
      with: confirmation
    )
  }

  /// The newest run after another one that may have written to its database, undos of that one aside.
  private static func lastRun(after record: RunRecord, in stateDir: String) -> RunRecord? {
    RunHistory(in: stateDir, warn: { _ in }).entries().map(\.record).last { other in
      other.writes && other.database == record.database && other.startedAt > record.startedAt
        && !(undone(by: other)?.isIdentical(to: record.id) ?? false)
    }
  }

  /// How many documents a run made; as its journals say, where no summary of it does.
  private static func creations(of entry: RunHistory.Entry, in stateDir: String) -> Int {
    if let new = entry.ending?.totals.new, new > 0 { return new }
    return journals(of: entry.record, in: stateDir).reduce(0) { $0 + JournalReader.creations(in: $1) }
  }
}
