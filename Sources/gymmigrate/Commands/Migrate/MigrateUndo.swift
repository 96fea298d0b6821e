import Configuration
import Logging
import MigrationEngine

/// `gymmigrate migrate undo RUN`, which is also `gymmigrate runs undo RUN`.
struct MigrateUndo: JobCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Restore what a run changed.",
    discussion: """
      Every document that is still as the run left it becomes exactly what it was before: documents that the run \
      created are deleted, those that it deleted are created again. Documents that changed since are left alone and \
      listed as conflicted in rejects.jsonl, and the exit code is 2. Works for every run that writes, also one that \
      was killed, from the run's folder; of a sharded run that is the place of its plan: --state-dir WHERE. An undo \
      is a run of its own: it can be planned first (-n) and resumed, but not undone.

        gymmigrate migrate undo last -e local -n
        gymmigrate migrate undo last -e local
      """
  )

  @Argument(
    help: ArgumentHelp(
      "The run: its id, a part that no other has, or 'last' (the last run whose changes are not undone).",
      valueName: "run"
    ),
    completion: CompletionValues.changingRuns
  )
  var undone: String
  @OptionGroup var common: WritingOptions

  @OptionGroup var trial: DryRunOption

  @OptionGroup var shown: ExamplesOption

  func jobRun() throws -> JobRun {
    let connection = common.connection.settings
    let entry = try UndoTarget.entry(undone, in: connection.stateDir, of: UndoTarget.database(connection))
    var job = UndoJob(of: entry.record.id, isDryRun: trial.dryRun)
    job.examples = shown.examples
    var run = common.jobRun(job)
    if undone.isIdentical(to: "last") { try UndoTarget.confirmLast(entry, as: run, isDryRun: trial.dryRun) }
    run.connection = try UndoTarget.connection(run.connection, of: entry.record)
    return run
  }
}

extension UndoJob: PerformableJob {
  func perform(as run: JobRun) async throws -> RunEnding {
    let stateDir = run.connection.stateDir
    let (entry, changes) = try UndoTarget.find(self.run, in: stateDir)
    try UndoTarget.assertMayBeUndone(entry, in: stateDir)
    if entry.record.shards != nil { try await ShardPlace(stateDir).assertNobodyWorks() }
    let database = try EnvironmentResolver(run.connection).environment().database
    try changes.assertOf(database, "look at what was changed by", self.run)
    let count = NumberText.counted(changes.count, "document")
    run.output.logger().notice(
      "Run \(self.run): \(entry.record.command), begun \(entry.record.startedAt), \(count)."
    )
    try askAboutIrreversible(entry.record, run)
    return try await CommandRun(run, resumesUnfinished: true).perform { session, folder in
      UndoTarget.warn(session, of: changes, in: stateDir)
      let source = try UndoTarget.source(changes, of: self.run, in: session)
      var runner = MigrationRunner(in: session, folder, writing: run.write)
      runner.examples = examples ?? runner.examples
      if isDryRun {
        let account = session.client.caller.traffic.account
        let billed = account.billed.known.reads
        var report = try await runner.plan(source)
        // The undo makes the same look-ups.
        report.reads = account.billed.known.reads - billed
        var plan = PlanSettings()
        plan.isDryRun = true
        if !run.output.json { try plan.write(report, in: session) }
        var result = try await plan.conclude(report, of: session, folder, as: run)
        let undo = try run.command(words(of: run))
        result.applies = nil
        result.offer = report.changeCount > 0 ? "To carry this out: \(undo)" : nil
        return result
      } else {
        // What it brings back may predate a migration.
        let rewritten = run.connection.migrations(touchedBy: changes.collections)
        let ledger = LedgerRun(session, folder, sources: [source], undoes: self.run, rewriting: rewritten)
        try await ledger.perform { [runner] in
          let report = try await runner.apply(source)
          if !run.output.json { session.report(MigrationText.applied(report)) }
        }
        let totals = session.counts.totals
        guard totals.hasUndone else { return CommandResult(lists: MigrationRunner.lists.map(folder.file)) }
        try RunHistory(in: stateDir).resolve(self.run, as: "undone", by: folder.id, left: totals.refused)
      }
      return CommandResult(
        lists: MigrationRunner.lists.map(folder.file),
        offer: session.counts.totals.refused == 0 ? Self.offer(after: entry.record) : nil
      )
    }
  }

  /// Returns the words that made the plan, with the run's ID in place of `last`, which may refer to another run later.
  private func words(of run: JobRun) -> [String] {
    var words = run.wordsOfPlan
    let last = words.indices.dropFirst().first { index in
      words[index].isIdentical(to: "last") && !["-e", "--env"].contains(words[index - 1])
    }
    if let last { words[last] = self.run }
    return words
  }

  /// Warns if migrations of a run are declared irreversible, and asks a person.
  ///
  /// - Throws: `.notPermitted` if the answer is no.
  private func askAboutIrreversible(_ record: RunRecord, _ run: JobRun) throws(Failure) {
    guard let words = (try? record.job?.job(ApplyJob.self))?.migrations.migrations,
      let folder = try? MigrationFolder.find(for: run.connection)
    else { return }
    var isAny = false
    for migration in folder.migrations where words.contains(where: migration.isCalled) {
      guard let reason = migration.header.irreversible else { continue }
      isAny = true
      run.output.logger().warning(
        "What \(migration.name) changed is put back, though its file says that it is irreversible: \(reason)"
      )
    }
    if isAny, !isDryRun { try Guard.ask("Undo it all the same?", with: run.confirmation) }
  }

  /// Returns how to apply again what a run applied; nil for a plan file, which can only be applied once.
  private static func offer(after record: RunRecord) -> String? {
    guard let job = try? record.job?.job(ApplyJob.self), job.plan == nil else { return nil }
    return "To apply it again: \(CommandLineText.quoted(["gymmigrate"] + record.arguments))"
  }
}

/// Finds the run that an undo or a verification refers to.
enum UndoTarget {
  /// Returns the changes that undo a run, according to the rules of the database's application.
  static func source(_ changes: RunChanges, of run: String, in session: Session) throws -> ChangeSource {
    let rules = Invocation.current.application(of: session.schema)?.restoration
    return .list(try UndoRun(run, changes, client: session.client, rules: rules))
  }

  /// Returns the database that options name, to which `last` then refers; nil for any.
  static func database(_ options: ConnectionSettings) throws(Failure) -> DatabaseName? {
    if options.environment == nil, options.project == nil { return nil }
    return try EnvironmentResolver(options).environment().database
  }

  /// Finds the run to undo.
  ///
  /// - Parameter database: As ``database(_:)``.
  /// - Throws: As ``RunHistory/entry(named:where:preferring:)``; `.usage` if nothing is left to undo for `last`.
  static func entry(
    _ name: String,
    in stateDir: String,
    of database: DatabaseName? = nil
  ) throws(Failure) -> RunHistory.Entry {
    let history = RunHistory(in: stateDir)
    guard name.isIdentical(to: "last") else { return try history.entry(named: name) }
    // Damage is reported by the search below.
    let attempts = Attempts(RunHistory(in: stateDir, warn: { _ in }).entries())
    let last = try history.last(
      where: { $0.record.writes && undone(by: $0.record) == nil && $0.record.isOf(database) },
      preferring: { !$0.isUndone && !attempts.areFutile(on: $0) && hasWritten($0.record, in: stateDir) }
    )
    guard let last else { throw nothingLeft("no run in \(stateDir) has written to the database") }
    let isFutile = attempts.areFutile(on: last)
    let isOver =
      last.isUndone ? !isCut(last, in: stateDir) : isFutile || !hasWritten(last.record, in: stateDir)
    if !isOver || last.isRunning { return last }
    if !isFutile { throw nothingLeft("nothing that a run in \(stateDir) wrote is left to undo") }
    let id = last.record.id
    throw nothingLeft(
      "what is left of run \(id) was changed since, or has something below it (has-subcollections)",
      "Delete what is below unless it was there before the run, then 'gymmigrate runs undo \(id)'; or use 'gymmigrate restore'."
    )
  }

  private static func nothingLeft(
    _ cause: String,
    _ remedy: String =
      "'gymmigrate runs list' shows the runs; 'gymmigrate restore' puts back what none of them knows."
  ) -> Failure {
    Failure(.usage, "undo", path: "last", cause: cause, remedy: remedy)
  }

  /// Whether the undo of a run was killed before it could record its end, so that it must be resumed.
  private static func isCut(_ entry: RunHistory.Entry, in stateDir: String) -> Bool {
    RunHistory(in: stateDir).entries().contains { undo in
      undo.isResumable && entry.undoneBy?.isIdentical(to: undo.record.id) == true
    }
  }

  /// The undos so far.
  private struct Attempts {
    private var undos: [(undo: RunHistory.Entry, of: RunRecord)] = []

    init(_ entries: [RunHistory.Entry]) {
      for entry in entries where entry.record.writes {
        guard let name = undone(by: entry.record),
          let run = entries.first(where: { $0.record.id.isIdentical(to: name) })
        else { continue }
        undos.append((entry, run.record))
      }
    }

    /// Whether a further undo of a run would find the same conflicts, because none of the later writes has been undone since.
    func areFutile(on run: RunHistory.Entry) -> Bool {
      guard
        let last = undos.last(where: { $0.of.id.isIdentical(to: run.record.id) })?.undo,
        last.status == "incomplete"
      else { return false }
      return !undos.contains { attempt in
        attempt.undo.record.startedAt > last.record.startedAt && attempt.of.startedAt > run.record.startedAt
      }
    }
  }

  /// Finds a run and its changes.
  ///
  /// - Parameter ifWritten: Whether `last` skips runs that wrote nothing.
  /// - Throws: `.inputMissing` if there is no such run; `.usage` if it ended before its first write; `.notPermitted` if another
  ///   user may have written it; `.inputMalformed` if the journal is damaged, has lost its end, or is another run's.
  static func find(
    _ name: String,
    in stateDir: String,
    of database: DatabaseName? = nil,
    ifWritten: Bool = false
  ) throws(Failure) -> (RunHistory.Entry, RunChanges) {
    let entry = try RunHistory(in: stateDir).entry(
      named: name,
      where: { $0.record.writes && $0.record.isOf(database) },
      preferring: { !ifWritten || hasWritten($0.record, in: stateDir) }
    )
    let changes = try changes(of: entry.record, in: stateDir)
    try recogniseUndos(since: entry.record, in: stateDir, by: changes)
    return (entry, changes)
  }

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
    if undone(by: entry.record) != nil {
      throw refusal(
        "it is an undo itself",
        "Run again what it undid: that does it once more, on the data as they are now."
      )
    }
    if entry.isUndone {
      if isCut(entry, in: stateDir) { return }
      throw refusal("it was undone already", "There is nothing left to undo.")
    }
  }

  /// Returns the run's own database and credentials, unless the command line overrides them.
  ///
  /// - Throws: `.notPermitted` if these now lead elsewhere, or if the run was not made here, so that its record of them cannot be
  ///   trusted; the failure to determine the database.
  static func connection(
    _ options: ConnectionSettings,
    of record: RunRecord
  ) throws(Failure) -> ConnectionSettings {
    guard options.environment == nil, options.project == nil else { return options }
    do throws(Failure) {
      try RunHistory(in: options.stateDir).assertOwn(record)
    } catch {
      var failure = error
      failure.remedy =
        "Name the environment with -e, or with --project, --database and --endpoint, if you know the run."
      throw failure
    }
    let connection = record.connection.overridden(by: options)
    let environment = try EnvironmentResolver(connection).environment()
    let endpoint = environment.server
    if options.endpoint == nil, environment.database == record.database,
      !endpoint.isIdentical(to: record.endpoint)
    {
      throw Failure(
        .notPermitted,
        "work on the database of",
        path: record.id,
        cause: "its server was \(record.endpoint), and is \(endpoint) now",
        remedy: "Name the environment with -e, or with --project, --database and --endpoint."
      )
    }
    return connection
  }
}

extension RunRecord {
  /// Whether the run wrote to a database; nil for any.
  fileprivate func isOf(_ other: DatabaseName?) -> Bool { other.map { $0 == database } ?? true }

  /// How the run reached its database; for versions that recorded only words, by its environment's name.
  fileprivate var connection: ConnectionSettings {
    guard var settings = job?.connection else { return ofOldVersion }
    func absolute(_ path: String?) -> String? {
      path.map { $0.hasPrefix("/") ? $0 : "\(workingDirectory)/\($0)" }
    }
    settings.credentials = absolute(settings.credentials)
    settings.accessTokenFile = absolute(settings.accessTokenFile)
    settings.files.config = absolute(settings.files.config)
    return settings
  }

  private var ofOldVersion: ConnectionSettings {
    var settings = ConnectionSettings()
    settings.database = database.database
    let isUnnamed = environment == DatabaseEnvironment.unnamed
    if isUnnamed { settings.endpoint = endpoint } else { settings.environment = environment }
    // A named project disables the schema, so it is only set if the environment now has another database.
    let known = isUnnamed ? nil : try? EnvironmentResolver(settings).environment()
    if known?.database != database { settings.project = database.project }
    return settings
  }
}

extension ConnectionSettings {
  /// Returns these settings overridden by others, except for the environment and the project.
  fileprivate func overridden(by other: ConnectionSettings) -> ConnectionSettings {
    var settings = other
    (settings.environment, settings.project) = (environment, project)
    settings.database = other.database ?? database
    settings.endpoint = other.endpoint ?? endpoint
    settings.credentials = other.credentials ?? credentials
    settings.accessTokenFile = other.accessTokenFile ?? accessTokenFile
    settings.impersonateServiceAccount = other.impersonateServiceAccount ?? impersonateServiceAccount
    settings.files.config = other.files.config ?? files.config
    return settings
  }
}
