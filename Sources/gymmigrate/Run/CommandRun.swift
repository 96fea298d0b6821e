import Configuration
import Logging
import MigrationEngine
import Schema
import Shards

/// Runs one command from its options to its summary: the environment, the guards before a write, the run's folder, the counts,
/// and the last lines of output.
struct CommandRun {
  let name: String
  var connection: ConnectionSettings
  let output: OutputSettings
  /// The job, for a command whose run can be resumed or divided.
  var job: JobRun?
  /// What a person confirmed; nil for a command that only reads.
  var confirmation: Confirmation?
  /// The source, for a command that reads one database and writes another.
  var source: ConnectionSettings?
  var inputs: [String] = []
  /// The SHA-256 of input files that were already read, by path.
  var digests: [UTF8Key: String] = [:]

  /// Files or folders given in place of environments, for a command that accepts either.
  var paths: (source: String?, target: String?) = (nil, nil)
  /// Whether to resume an unfinished run of exactly the same job, from the start, instead of beginning a new one.
  var resumesUnfinished = false
  /// What remains to be done after an error, for a command that knows more than its run.
  var remainder: (() -> Remainder)?
  /// Sections of the summary that are known only at the end, however the command ends; they replace counts.
  var sections: (() -> [any SummarySection])?
  /// Whether the command works on documents, so that its last lines are their counts.
  var countsDocuments = true
  /// Prints the end to standard output; if nil, the summary is printed with `--json`, and otherwise nothing.
  var printing: ((RunSummary) throws -> Void)?

  /// What remains to be done after an error.
  enum Remainder: Sendable {
    /// To resume the run, or repeat the command.
    case run
    /// To run another command.
    case command(String)
    case nothing
  }

  /// Whether the command has a journal.
  var writes: Bool { job?.job.writes ?? false }

  /// The words of the command line, as far as the run's folder may show them.
  var words: [String] {
    let words = Invocation.current.arguments.words
    return job?.job.shown(words) ?? words
  }

  /// Runs `body` with a folder for its lists, its log and its summary.
  ///
  /// - Throws: `ExitCode` if it did not end with 0, except for a part of a sharded run; ``Failure`` if it could not begin.
  @discardableResult
  func perform(
    _ body: (Session, RunDirectory) async throws -> CommandResult
  ) async throws -> RunEnding {
    let environment = try prepare()
    let run = try runDirectory(for: environment)
    return try await perform(on: environment, run: run) { try await body($0, run) }
  }

  /// Runs `body` for a command that only reads from two sides, which need not be environments.
  ///
  /// - Throws: As ``perform(_:)``.
  func performReading(
    from source: ConnectionSettings?,
    to target: ConnectionSettings?,
    _ body:
      (CommandContext, _ from: Connection?, _ to: Connection?) async throws ->
      CommandResult
  ) async throws {
    let from = try source.map { try EnvironmentResolver($0).environment() }
    let to = try target.map { try EnvironmentResolver($0).environment() }
    if let side = to ?? from { Invocation.current.notifier?.begin(in: side, of: connection) }
    let run = try RunDirectory(in: connection.stateDir, command: name)
    let environment = to ?? from ?? DatabaseEnvironment(name: "-", database: DatabaseName(project: "-"))
    try record(run, in: environment, source: from, inputs: [paths.source, paths.target].compactMap { $0 })
    _ = try await conclude(run: run) { context in
      context.sides.withLock { $0 = (to, from) }
      func withSource(_ other: Connection?) async throws -> CommandResult {
        guard let from, let source else {
          return try await context.settled { try await body(context, nil, other) }
        }
        return try await context.withConnection(from, source, beside: other) { connected in
          try await context.settled { try await body(context, connected, other) }
        }
      }
      guard let to, let target else { return try await withSource(nil) }
      return try await context.withConnection(to, target) { try await withSource($0) }
    }
  }

  /// Runs `body` for a command without a run folder.
  ///
  /// - Throws: As ``perform(_:)``.
  func performWithoutRun(_ body: (Session) async throws -> CommandResult) async throws {
    _ = try await perform(on: prepare(), run: nil, body)
  }

  /// Adds small input files, which are compared by content rather than by modification time.
  mutating func take(_ files: [String]) throws(Failure) {
    (inputs, digests) = (files, try SHA256Digest.hexadecimal(of: files))
  }

  // MARK: The folder

  private func runDirectory(for environment: DatabaseEnvironment) throws(Failure) -> RunDirectory {
    let part = job?.part
    let stateDir = part?.stateDir ?? connection.stateDir
    let named = part?.resumed ?? job?.resuming
    let unfinished = try named == nil ? unfinished(in: environment) : nil
    guard let record = named ?? unfinished else {
      let run = try RunDirectory(in: stateDir, command: String(name.prefix { $0 != " " }))
      try record(run, in: environment, source: try sourceEnvironment(), inputs: inputs)
      return run
    }
    try RunHistory(in: stateDir).assertOwn(record)
    guard writes, record.writes, record.command.isIdentical(to: name) else {
      throw Failure.damagedRecord(record, "it names the command '\(record.command)', and its job '\(name)'")
    }
    // A range is ended with the whole run.
    let id = part?.plan.run ?? record.id
    var whole = connection
    whole.stateDir = part?.folder ?? connection.stateDir
    let ends = whole.place(of: environment).ends(of: id)
    try record.assertInputsUnchanged(
      inputs,
      digests: digests,
      schema: try schemaDigest(),
      of: id,
      remedy: resumesUnfinished || part != nil ? "Give what it began with, \(ends)." : nil
    )
    try record.assertSameEnvironments(environment, source: try sourceEnvironment())
    return try RunDirectory(resuming: record, in: stateDir, fromStart: named == nil)
  }

  /// Writes `run.json` of a new run.
  private func record(
    _ run: RunDirectory,
    in environment: DatabaseEnvironment,
    source: DatabaseEnvironment?,
    inputs: [String]
  ) throws(Failure) {
    try run.write(
      RunRecord(
        id: run.id,
        command: name,
        arguments: job?.part?.plan.command ?? words,
        workingDirectory: CommandLineText.workingDirectory,
        environment: environment,
        startedAt: .now,
        writes: writes,
        inputs: inputs,
        digests: digests,
        schema: try schemaDigest(),
        source: source,
        job: job?.record
      )
    )
  }

  /// The SHA-256 of the schema; nil for a job that does not use it.
  private func schemaDigest() throws(Failure) -> String? {
    guard job?.job.goesBySchema ?? false else { return nil }
    return try EnvironmentResolver(connection).schemaDigest()
  }

  /// Returns the last run of the same job in the same database and folder, if it stopped early.
  private func unfinished(in environment: DatabaseEnvironment) throws(Failure) -> RunRecord? {
    guard resumesUnfinished, writes, let job, job.part == nil else { return nil }
    let (own, folder) = (job.record, CommandLineText.workingDirectory)
    let history = RunHistory(in: connection.stateDir)
    let last = history.entries().last { entry in
      entry.record.job?.isSame(as: own) ?? false && entry.record.database == environment.database
        && entry.record.workingDirectory.isIdentical(to: folder)
    }
    return last.flatMap { $0.isResumable && history.isOwn($0.record) ? $0.record : nil }
  }

  // MARK: The environment

  private func prepare() throws(Failure) -> DatabaseEnvironment {
    let environment = try EnvironmentResolver(connection).environment()
    Invocation.current.notifier?.begin(in: environment, of: connection)
    if let source = try sourceEnvironment() { try Guard.assertTwoDatabases(source, environment, of: name) }
    // What a part writes was confirmed when it was planned.
    if let confirmation, job?.part == nil {
      try Guard.assertNoMirror(environment)
      try Guard.confirm(environment, with: confirmation)
    }
    return environment
  }

  private func sourceEnvironment() throws(Failure) -> DatabaseEnvironment? {
    try source.map { source throws(Failure) in try EnvironmentResolver(source).environment() }
  }

  private func perform(
    on environment: DatabaseEnvironment,
    run: RunDirectory?,
    _ body: (Session) async throws -> CommandResult
  ) async throws -> RunEnding {
    let source = try sourceEnvironment()
    let schema = try EnvironmentResolver(connection).schema()
    return try await conclude(run: run) { context in
      context.sides.withLock { $0 = (environment, source) }
      return try await context.withConnection(environment, connection) { connected in
        if writes, source == nil, job?.part == nil {
          context.logger.notice(
            "Writing to \(environment.name): project \(environment.database.project), database \(environment.database.database), \(connected.client.endpoint), as \(connected.signer)."
          )
        }
        let database = DatabaseContext(
          connected,
          schema: schema,
          counts: context.counts,
          progress: context.progress,
          logger: context.logger
        )
        let checkpoints = try await checkpoints(of: run, connected, context)
        var session = Session(command: name, database: database, checkpoints: checkpoints, part: job?.part)
        (session.place, session.unprinted) = (connection.place(of: environment), context.unprinted)
        return try await session.noted(as: run, in: connection) { [session] in
          guard let source, let options = self.source else {
            return try await context.settled { try await body(session) }
          }
          return try await context.withConnection(source, options, beside: connected) { connected in
            var both = session
            both.source = connected
            return try await context.settled { try await body(both) }
          }
        }
      }
    }
  }

  private func checkpoints(
    of run: RunDirectory?,
    _ connected: Connection,
    _ context: CommandContext
  ) async throws -> Checkpoints? {
    guard let run, writes else { return nil }
    let checkpoints = try await Checkpoints(
      run,
      client: connected.client,
      counts: context.counts,
      clock: .system
    )
    context.journal.withLock { $0 = checkpoints.journal }
    if run.isResumed { context.logger.notice("Resuming run \(run.id).") }
    if let line = run.tornLine {
      context.logger.warning("\(RunText.torn(line, run.file("journal.jsonl")))")
    }
    return checkpoints
  }
}

extension CommandRun {
  init(_ job: JobRun, resumesUnfinished: Bool = false) {
    self.init(
      name: job.job.name,
      connection: job.connection,
      output: job.output,
      job: job,
      confirmation: job.job.writes ? job.confirmation : nil,
      source: job.source,
      resumesUnfinished: resumesUnfinished
    )
  }
}

extension ConnectionSettings {
  /// Does work of a command that says nothing by itself, and returns what it found.
  func withSession<Value>(
    of command: String,
    _ output: OutputSettings,
    _ body: (Session) async throws -> Value
  ) async throws -> Value {
    var found: Value?
    let run = CommandRun(name: command, connection: self, output: output.silent)
    try await run.performWithoutRun { session in
      found = try await body(session)
      return CommandResult()
    }
    if let found { return found }
    throw Failure(.internal, "run \(command)", cause: "it ended without a result")
  }
}

extension Failure {
  /// The failure to resume a run whose `run.json` is inconsistent.
  static func damagedRecord(_ record: RunRecord, _ cause: String) -> Failure {
    Failure(
      .inputMalformed,
      "resume",
      path: record.id,
      cause: "run.json is damaged: \(cause)",
      remedy: "Give the command that you mean yourself."
    )
  }
}
