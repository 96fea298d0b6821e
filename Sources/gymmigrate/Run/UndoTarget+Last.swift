import Transfer

extension UndoTarget {
  /// Names the run that `last` is where it passes over newer ones, and where nothing else would name it; asks a person before it
  /// undoes one that is not the newest: who gives the command once more than meant, or after a run that changed nothing, means
  /// none from before.
  ///
  /// - Throws: `.notPermitted` where the answer is no.
  static func confirmLast(_ entry: RunHistory.Entry, as run: JobRun, isDryRun: Bool) throws(Failure) {
    let stateDir = run.connection.stateDir
    let record = entry.record
    let passed = lastRun(after: record, in: stateDir)
    if passed != nil || run.output.quiet {
      let newer = passed.map { "; of the newer runs, as \($0.id) (\($0.command)), none can be undone" } ?? ""
      Terminal.standardError.line("The last run is \(record.id) (\(record.command))\(newer).")
    }
    if passed == nil || isDryRun { return }
    let count = creations(of: entry, in: stateDir)
    let made = "Delete the \(NumberText.counted(count, "document")) that it made?"
    try Guard.ask(count > 0 ? made : "Undo it?", with: run.confirmation)
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
