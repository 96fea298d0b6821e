import ArgumentParser
import Configuration
import Files
import FirestoreModels
import Logging
import MigrationEngine
import Runs

/// `gymmigrate migrate undo RUN`, which is also `gymmigrate runs undo RUN`.
struct MigrateUndo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Restore what a run changed.",
    discussion: """
      Every document that is still as the run left it becomes exactly what it was before, update times included: documents that the run created are deleted, those that it deleted are created again. Documents that changed since are left alone and listed as conflicted in rejects.jsonl, and the exit code is 2. Works for migrations, imports and copies, also for those that were stopped or killed, from the run's journal; so it needs the run's folder. Of a sharded run that is the place of its plan: --state-dir WHERE, on any machine that sees it. An undo is a run of its own: it can be planned first (-n) and resumed, but not undone.

        gymmigrate migrate undo last -e local -n
        gymmigrate migrate undo last -e local
      """
  )

  @Argument(help: "The run: its id, a prefix of it, or 'last' (the last run that is not an undo).")
  var undone: String
  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var logging: LoggingOptions
  @OptionGroup var write: WriteOptions

  @Flag(name: [.customShort("n"), .long], help: "Show what would be restored; write nothing.")
  var dryRun = false

  func run() async throws {
    // What 'last' was when the undo began is not what it is when the undo is resumed.
    let name = Invocation.current.resuming.map(UndoTarget.name) ?? undone
    let (entry, changes) = try UndoTarget.find(name, in: connection.stateDir) { !UndoTarget.isUndo($0) }
    try UndoTarget.assertMayBeUndone(entry, in: connection.stateDir)
    if entry.record.shards != nil { try await ShardPlace(connection.stateDir).assertNobodyWorks() }
    let connection = try UndoTarget.connection(connection, of: entry.record)
    try UndoTarget.assertSameDatabase(changes, connection, run: entry.record.id)
    let id = entry.record.id
    let command = CommandRun(
      name: "migrate undo \(id)",
      connection: connection,
      logging: logging,
      write: dryRun ? nil : write,
      resumesUnfinished: true
    )
    try await command.perform { session, run in
      UndoTarget.warn(session, of: changes, in: connection.stateDir)
      let source = ChangeSource.list(
        try UndoRun(
          id,
          changes,
          client: session.client,
          rules: BuiltInSchema.restoration(for: session.schema)
        )
      )
      let runner = MigrationRunner(in: session, run, writing: write)
      if dryRun {
        let report = try await runner.plan(source)
        if !logging.json { try StandardOutput.write(MigrationText.plan(report)) }
      } else {
        try await LedgerRun(session, run, sources: [source], undoes: id).perform {
          let report = try await runner.apply(source)
          if !logging.json { try StandardOutput.write(MigrationText.applied(report)) }
        }
        try RunHistory(in: connection.stateDir).judge(id, as: "undone", by: run.id)
      }
      return CommandResult(lists: MigrationRunner.lists.map(run.file))
    }
  }
}

/// The run that an undo or a verification is about.
enum UndoTarget {
  /// Finds a run and what it changed.
  ///
  /// - Throws: `.inputMissing` where there is no such run, or it has no journal; `.notPermitted` where somebody else may have
  ///   written it; `.inputMalformed` where the journal is damaged, or another run's.
  static func find(
    _ name: String,
    in stateDir: String,
    where condition: (RunRecord) -> Bool = { _ in true }
  ) throws(Failure) -> (RunHistory.Entry, RunChanges) {
    let entry = try RunHistory(in: stateDir).entry(named: name) { $0.record.writes && condition($0.record) }
    let changes = try changes(of: entry.record, in: stateDir)
    recogniseUndos(since: entry.record, in: stateDir, by: changes)
    return (entry, changes)
  }

  private static func changes(of record: RunRecord, in stateDir: String) throws(Failure) -> RunChanges {
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
      return try RunChanges(of: record.id, journals: try ShardPlace.journals(in: stateDir))
    }
    let journal = history.file("journal.jsonl", of: record.id)
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

  /// Lets what a run changed know what the undos of later runs put back.
  ///
  /// What cannot be read of them only makes a conflict of what would be none.
  private static func recogniseUndos(since record: RunRecord, in stateDir: String, by changes: RunChanges) {
    let history = RunHistory(in: stateDir)
    for undo in history.entries().map(\.record) where isUndo(undo) && undo.startedAt >= record.startedAt {
      guard undo.database == record.database, undo.endpoint.isIdentical(to: record.endpoint) else { continue }
      do throws(Failure) {
        try history.assertPrivate(undo)
        let undone = try history.entry(named: name(undo)).record
        try changes.recognise(
          undoOf: undone.id.isIdentical(to: record.id) ? changes : Self.changes(of: undone, in: stateDir),
          journal: history.file("journal.jsonl", of: undo.id)
        )
      } catch {
        continue
      }
    }
  }

  /// Warns of a line of the journal that could not be read.
  static func warn(_ session: Session, of changes: RunChanges, in stateDir: String) {
    guard let line = changes.tornLine else { return }
    let journal = RunHistory(in: stateDir).file("journal.jsonl", of: changes.run)
    session.logger.warning("\(RunText.torn(line, journal))")
  }

  /// The run that an undo is about.
  static func name(_ undo: RunRecord) -> String { String(undo.command.split(separator: " ").last ?? "") }

  /// Whether a run is an undo.
  static func isUndo(_ record: RunRecord) -> Bool { record.command.hasPrefix("migrate undo ") }

  /// Refuses a run that cannot be undone.
  ///
  /// - Throws: `.usage`, `.tryLater`.
  static func assertMayBeUndone(_ entry: RunHistory.Entry, in stateDir: String) throws(Failure) {
    func refusal(_ cause: String, _ remedy: String, kind: Failure.Kind = .usage) -> Failure {
      Failure(kind, "undo", path: entry.record.id, cause: cause, remedy: remedy)
    }
    if entry.isRunning {
      throw refusal("it is running", "Wait for its end, or stop it first.", kind: .tryLater)
    }
    if isUndo(entry.record) {
      throw refusal(
        "it is an undo itself",
        "Run again what it undid: that does it once more, on the data as they are now."
      )
    }
    if entry.verdict == "undone" {
      // An undo that was killed before it could record its end is resumed all the same.
      let isCut = RunHistory(in: stateDir).entries().contains { undo in
        undo.isResumable && entry.undoneBy?.isIdentical(to: undo.record.id) == true
      }
      if isCut { return }
      throw refusal("it was undone already", "There is nothing left to undo.")
    }
  }

  /// Refuses another database than the one that was changed.
  ///
  /// - Throws: `.notPermitted`.
  static func assertSameDatabase(
    _ changes: RunChanges,
    _ connection: ConnectionOptions,
    run: String
  ) throws(Failure) {
    let database = try EnvironmentResolver(connection).environment().database
    if changes.database == database { return }
    throw Failure(
      .notPermitted,
      "look at what was changed",
      path: run,
      cause: "it changed \(changes.database), and this is \(database)",
      remedy: "Name the environment that the run worked on."
    )
  }

  /// The run's own database and signer, where the command line names none.
  ///
  /// - Throws: `.notPermitted` where that leads elsewhere by now, or the run was not made here, so that what it says of places
  ///   and signers does not count; what keeps the database from being known.
  static func connection(
    _ options: ConnectionOptions,
    of record: RunRecord
  ) throws(Failure) -> ConnectionOptions {
    var options = options
    guard options.environment == nil, options.project == nil else { return options }
    do throws(Failure) {
      try RunHistory(in: options.stateDir).assertOwn(record)
    } catch {
      var failure = error
      failure.remedy =
        "Name the environment with -e, or with --project, --database and --endpoint, if you know the run."
      throw failure
    }
    let namesEndpoint = options.endpoint != nil
    let given = CompletedArguments.typed(record.arguments, by: try CommandTree.whole())
    // Of a command that takes the environment as an argument, the record has its name.
    options.environment =
      given["env"] ?? given["to"] ?? (given["project"] == nil ? record.environment : nil)
    options.project = options.project ?? given["project"]
    options.database = options.database ?? given["database"]
    options.endpoint = options.endpoint ?? given["endpoint"]
    func file(_ name: String) -> String? {
      given[name].map { $0.hasPrefix("/") ? $0 : "\(record.workingDirectory)/\($0)" }
    }
    options.credentials = options.credentials ?? file("credentials")
    options.accessTokenFile = options.accessTokenFile ?? file("access-token-file")
    options.impersonateServiceAccount =
      options.impersonateServiceAccount
      ?? given["impersonate-service-account"].flatMap { ServiceAccountChain($0) }
    options.files.config = options.files.config ?? file("config")
    let environment = try EnvironmentResolver(options).environment()
    let endpoint = environment.isEmbedded ? "embedded" : environment.effectiveEndpoint
    if !namesEndpoint, environment.database == record.database, !endpoint.isIdentical(to: record.endpoint) {
      throw Failure(
        .notPermitted,
        "work on the database of",
        path: record.id,
        cause: "its server was \(record.endpoint), and is \(endpoint) now",
        remedy: "Name the environment with -e, or with --project, --database and --endpoint."
      )
    }
    return options
  }
}
