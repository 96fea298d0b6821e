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

  /// Returns the changes of a run.
  ///
  /// - Throws: As ``find(_:in:of:ifWritten:)``.
  static func changes(of record: RunRecord, in stateDir: String) throws(Failure) -> RunChanges {
    let history = RunHistory(in: stateDir)
    func refusal(_ cause: String, _ remedy: String) -> Failure {
      Failure(.usage, "find what it changed", path: record.id, cause: cause, remedy: remedy)
    }
    if record.command.isIdentical(to: ManagedImport.name) {
      throw refusal(
        "the service did the import (\(record.command)), and nothing of it is journaled",
        "Import an export that was made before it."
      )
    }
    if !record.writes {
      throw refusal("it only read (\(record.command))", "'gymmigrate runs list' shows the runs.")
    }
    try history.assertPrivate(record)
    if record.shards != nil {
      let journals = try ShardPlace.journals(of: record.id, in: stateDir)
      return try RunChanges(of: record.id, in: record.database, journals: journals)
    }
    let journal = history.file("journal.jsonl", of: record.id)
    try history.assertWholeJournal(record)
    if try !JournalReader.hasHead(journal) {
      throw refusal(
        "it ended before its first write, and has no journal (\(record.command))",
        "If the folder had one that was lost, 'gymmigrate restore' puts back what was there before."
      )
    }
    let changes = try RunChanges(journal: journal)
    guard changes.run.isIdentical(to: record.id) else {
      throw Failure(
        .inputMalformed,
        "read the journal",
        path: journal,
        cause: "it is of run \(changes.run), and not of that of its folder"
      )
    }
    return changes
  }

  /// Tells a run's changes what its own undos and those of later runs restored.
  ///
  /// If an undo of a later run cannot be read, the only consequence is an unnecessary conflict.
  ///
  /// - Throws: The failure to read an undo of the run itself: another one would put back what was deleted since that one.
  static func recogniseUndos(
    since record: RunRecord,
    in stateDir: String,
    by changes: RunChanges
  ) throws(Failure) {
    let history = RunHistory(in: stateDir)
    for entry in history.entries()
    where entry.record.startedAt >= record.startedAt && !entry.record.id.isIdentical(to: record.id) {
      let undo = entry.record
      guard let name = undone(by: undo), undo.database == record.database,
        undo.endpoint.isIdentical(to: record.endpoint),
        let undone = try? history.entry(named: name).record
      else { continue }
      let isOwn = undone.id.isIdentical(to: record.id)
      let journal = history.file("journal.jsonl", of: undo.id)
      do throws(Failure) {
        try history.assertPrivate(undo)
        if isOwn { try history.assertWholeJournal(undo) }
        guard FileCheck.exists(journal) else { continue }
        try changes.recognise(
          undoOf: isOwn ? changes : Self.changes(of: undone, in: stateDir),
          journal: journal,
          isOver: !entry.isRunning && !entry.isResumable
        )
      } catch {
        guard isOwn else { continue }
        var failure = error
        failure.operation = "find what undo \(undo.id) put back"
        failure.remedy =
          "Get the whole folder of that undo; without it, 'gymmigrate restore' puts back what was there before."
        throw failure
      }
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
}
