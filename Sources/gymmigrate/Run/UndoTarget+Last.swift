extension UndoTarget {
  /// Names the run that `last` refers to if it skips newer ones and nothing else would name it, and asks a person before undoing
  /// a run that is not the newest.
  ///
  /// A person who repeats the command by mistake, or gives it after a run that changed nothing, does not mean an earlier run.
  ///
  /// - Throws: `.notPermitted` if the answer is no.
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

  /// Returns the newest later run that may have written to the same database, other than undos of this one.
  private static func lastRun(after record: RunRecord, in stateDir: String) -> RunRecord? {
    RunHistory(in: stateDir, warn: { _ in }).entries().map(\.record).last { other in
      other.writes && other.database == record.database && other.startedAt > record.startedAt
        && !(undone(by: other)?.isIdentical(to: record.id) ?? false)
    }
  }

  /// Returns how many documents a run created, according to its journals if it has no summary.
  private static func creations(of entry: RunHistory.Entry, in stateDir: String) -> Int {
    if let new = entry.ending?.totals.new, new > 0 { return new }
    let journals = (try? journals(of: entry.record, in: stateDir)) ?? []
    return journals.reduce(0) { $0 + JournalReader.creations(in: $1) }
  }
}
