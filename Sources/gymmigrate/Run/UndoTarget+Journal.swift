import Configuration
import Logging
import MigrationEngine
import Transfer

extension UndoTarget {
  /// Returns the journals of a run, which may be missing if it is not divided.
  ///
  /// - Throws: `.inputMalformed` if one has lost its end; the errors of ``ShardPlace/journals(of:in:)``.
  static func journals(of record: RunRecord, in stateDir: String) throws(Failure) -> [String] {
    if record.shards != nil { return try ShardPlace.journals(of: record.id, in: stateDir).map(\.path) }
    let history = RunHistory(in: stateDir)
    try history.assertWholeJournal(record)
    return [history.file("journal.jsonl", of: record.id)]
  }

  /// Whether the journals of a run contain a write, or may have done so before they were damaged.
  static func hasWritten(_ record: RunRecord, in stateDir: String) -> Bool {
    do throws(Failure) {
      return try journals(of: record, in: stateDir).contains(where: JournalReader.hasWrite)
    } catch {
      return true
    }
  }

  /// Warns of a line of the journal that could not be read.
  static func warn(_ session: Session, of changes: RunChanges, in stateDir: String) {
    guard let line = changes.tornLine else { return }
    let journal = RunHistory(in: stateDir).file("journal.jsonl", of: changes.run)
    session.logger.warning("\(RunText.torn(line, journal))")
  }

  /// Returns the run that an undo refers to; nil for a run that is not an undo.
  static func undone(by run: RunRecord) -> String? {
    if let job = run.job { return try? job.job(UndoJob.self).run }
    // Earlier versions recorded only words, with the run at the end.
    guard run.command.hasPrefix("migrate undo ") else { return nil }
    return run.command.split(separator: " ").last.map(String.init)
  }

  /// Refuses a database other than the one that was changed.
  ///
  /// - Throws: `.notPermitted`.
  static func assertSameDatabase(
    _ changes: RunChanges,
    _ connection: ConnectionSettings,
    run: String
  ) throws(Failure) {
    let database = try EnvironmentResolver(connection).environment().database
    try changes.assertOf(database, "look at what was changed by", run)
  }
}
