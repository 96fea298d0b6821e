import ArgumentParser
import Configuration
import Files
import FirestoreModels
import FirestoreREST
import Logging
import Runs
import Transfer

/// Runs one command from its options to its summary: the environment, the guards before a write, the run directory, the
/// counts, and the last lines.
struct CommandRun {
  let name: String
  let connection: ConnectionOptions
  let logging: LoggingOptions
  /// The guards; nil for a command that only reads.
  var write: WriteOptions?
  /// The guards of a command that writes but has no journal.
  var confirm: ConfirmOptions?
  /// The files that it reads.
  var inputs: [String] = []
  /// The SHA-256 of those that it has read already, by their paths.
  var digests: [String: String] = [:]
  /// Where it reads, of a command that reads one database and writes another.
  var source: ConnectionOptions?

  /// The files or folders given instead of environments, of a command that takes either.
  var paths: (source: String?, target: String?) = (nil, nil)
  /// Whether a run of the very same command that stopped before it was done is resumed, from the start, instead of a new one.
  var resumesUnfinished = false
  /// What is left after an error, of a command that knows better than its run.
  var remainder: (@Sendable () -> Remainder)?
  /// Sections of the summary that are known only at the end, however the command ends; in place of counts.
  var sections: (@Sendable () -> [any SummarySection])?
  /// Whether it works on documents, so that its last lines are their counts.
  var countsDocuments = true
  /// What prints the end on standard output; nil: the summary with --json, else nothing.
  var printing: (@Sendable (RunSummary) throws -> Void)?

  /// What is left after an error.
  enum Remainder: Sendable {
    /// The run itself, or the same command.
    case run
    /// Another command does it.
    case command(String)
    case nothing
  }

  /// Runs `body` with a folder for its lists, its log and its summary.
  ///
  /// - Throws: `ExitCode` where it did not end in 0; ``Failure`` where it could not begin.
  func perform(_ body: @escaping @Sendable (Session, RunDirectory) async throws -> CommandResult) async throws
  {
    let environment = try prepare()
    let run = try runDirectory(for: environment)
    try await perform(on: environment, run: run) { try await body($0, run) }
  }

  /// Runs `body` for a command that only reads, from two sides that are environments or not.
  ///
  /// - Throws: As ``perform(_:)``.
  func performReading(
    from source: ConnectionOptions?,
    to target: ConnectionOptions?,
    _ body:
      @escaping @Sendable (CommandContext, _ from: Connection?, _ to: Connection?) async throws ->
      CommandResult
  ) async throws {
    let from = try source.map { try EnvironmentResolver($0).environment() }
    let to = try target.map { try EnvironmentResolver($0).environment() }
    let run = try RunDirectory(in: connection.stateDir, command: name)
    let environment = to ?? from ?? DatabaseEnvironment(name: "-", database: DatabaseName(project: "-"))
    try record(run, in: environment, source: from, inputs: [paths.source, paths.target].compactMap { $0 })
    try await conclude(run: run) { context in
      context.sides.withLock { $0 = (to, from) }
      let withSource = { @Sendable (other: Connection?) async throws -> CommandResult in
        guard let from, let source else { return try await body(context, nil, other) }
        return try await context.withConnection(from, source, beside: other) {
          try await body(context, $0, other)
        }
      }
      guard let to, let target else { return try await withSource(nil) }
      return try await context.withConnection(to, target) { try await withSource($0) }
    }
  }

  /// Runs `body` for a command that leaves nothing behind.
  ///
  /// - Throws: As ``perform(_:)``.
  func performWithoutRun(_ body: @escaping @Sendable (Session) async throws -> CommandResult) async throws {
    try await perform(on: prepare(), run: nil, body)
  }

  private func runDirectory(for environment: DatabaseEnvironment) throws(Failure) -> RunDirectory {
    let shard = Invocation.current.shard
    let stateDir = shard?.stateDir ?? connection.stateDir
    let unfinished = try Invocation.current.resuming == nil ? unfinished(in: environment) : nil
    guard let record = shard?.resumed ?? Invocation.current.resuming ?? unfinished else {
      let run = try RunDirectory(in: stateDir, command: String(name.prefix { $0 != " " }))
      try record(run, in: environment, source: try sourceEnvironment(), inputs: inputs)
      return run
    }
    try RunHistory(in: stateDir).assertOwn(record)
    guard write != nil, record.writes, record.command.isIdentical(to: name) else {
      throw Failure.damagedRecord(
        record,
        "it names the command '\(record.command)', and its arguments '\(name)'"
      )
    }
    try record.assertInputsUnchanged(inputs, digests: digests)
    try record.assertSameEnvironments(environment, source: try sourceEnvironment())
    return try RunDirectory(
      resuming: record,
      in: stateDir,
      fromStart: shard == nil && Invocation.current.resuming == nil
    )
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
        arguments: Invocation.current.arguments.words,
        workingDirectory: CommandLineText.workingDirectory,
        environment: environment,
        startedAt: .now,
        writes: write != nil,
        inputs: inputs,
        digests: digests,
        source: source
      )
    )
  }

  /// The last run of the same command in the same database and folder, if it stopped before it was done.
  private func unfinished(in environment: DatabaseEnvironment) throws(Failure) -> RunRecord? {
    guard resumesUnfinished, write != nil, Invocation.current.shard == nil else { return nil }
    let arguments = Invocation.current.arguments.words
    let history = RunHistory(in: connection.stateDir)
    let last = history.entries().last { entry in
      entry.record.writes && entry.record.arguments.elementsEqual(arguments) { $0.isIdentical(to: $1) }
        && entry.record.command.isIdentical(to: name) && entry.record.database == environment.database
        && entry.record.workingDirectory.isIdentical(to: CommandLineText.workingDirectory)
    }
    return last.flatMap { $0.isResumable && history.isOwn($0.record) ? $0.record : nil }
  }

  private func prepare() throws(Failure) -> DatabaseEnvironment {
    let environment = try EnvironmentResolver(connection).environment()
    if let source = try sourceEnvironment() { try Guard.assertTwoDatabases(source, environment) }
    // What a shard writes was confirmed when it was planned.
    if let guards = write?.guards ?? confirm, Invocation.current.shard == nil {
      try Guard.assertNoMirror(environment)
      try Guard.confirm(environment, with: guards)
    }
    return environment
  }

  private func sourceEnvironment() throws(Failure) -> DatabaseEnvironment? {
    try source.map { source throws(Failure) in try EnvironmentResolver(source).environment() }
  }

  private func perform(
    on environment: DatabaseEnvironment,
    run: RunDirectory?,
    _ body: @Sendable (Session) async throws -> CommandResult
  ) async throws {
    let source = try sourceEnvironment()
    let schema = try EnvironmentResolver(connection).schema()
    try await conclude(run: run) { context in
      context.sides.withLock { $0 = (environment, source) }
      return try await context.withConnection(environment, connection) { connected in
        if write != nil, source == nil, Invocation.current.shard == nil {
          context.logger.notice(
            "Writing to \(environment.name): project \(environment.database.project), database \(environment.database.database), \(connected.client.endpoint), as \(connected.signer)."
          )
        }
        var checkpoints: Checkpoints?
        if let run, write != nil {
          checkpoints = try await Checkpoints(
            run,
            client: connected.client,
            counts: context.counts,
            clock: context.clock
          )
          if run.isResumed { context.logger.notice("Resuming run \(run.id).") }
          if let line = run.tornLine {
            context.logger.warning("\(RunText.torn(line, run.file("journal.jsonl")))")
          }
        }
        let session = Session(
          command: name,
          environment: environment,
          client: connected.client,
          schema: schema,
          logger: context.logger,
          progress: context.progress,
          counts: context.counts,
          checkpoints: checkpoints,
          signer: connected.signer
        )
        guard let source, let options = self.source else { return try await body(session) }
        return try await context.withConnection(source, options, beside: connected) { connected in
          var both = session
          both.source = connected
          return try await body(both)
        }
      }
    }
  }

  /// Runs `work`, and reports how it ended: as text, in the summary and by the exit code.
  private func conclude(
    run: RunDirectory?,
    _ work: (CommandContext) async throws -> CommandResult
  ) async throws {
    let clock = RunClock.system
    let began = clock.now()
    let logger = Self.logger(logging, run)
    let traffic = Invocation.current.traffic
    let progress = Progress(
      terminal: logging.noProgress || logging.quiet ? nil : Terminal.standardError,
      logger: logger,
      clock: clock,
      traffic: traffic
    )
    let counts = RunCounts(budget: write?.errorBudget, resuming: run?.restoredCounts ?? [])
    var summary = RunSummary(
      command: name,
      runID: run?.id ?? "-",
      environment: nil,
      startedAt: run?.resumed?.startedAt ?? .now
    )
    let context = CommandContext(
      clock: clock,
      logger: logger,
      traffic: traffic,
      progress: progress,
      counts: counts
    )
    var failure: Failure?
    var lists: [String] = []
    var applies: String?
    do {
      let ending = try await work(context)
      summary.sections = ending.sections
      summary.release = ending.release
      summary.status = ending.status
      summary.readTime = ending.readTime
      summary.cost = ending.cost
      lists = ending.lists
      applies = ending.applies
      if write != nil { try counts.assertBalance() }
      // A gap in the log is reported nowhere else.
      if let failure = run?.log.failure { throw failure }
      if summary.status == .done, write != nil, counts.totals.leavesSomething { summary.status = .incomplete }
      summary.exitCode = ExitCodes.code(of: summary.status)
    } catch {
      failure = Self.failure(of: error, command: name)
      summary.status = Interruption.wasReceived || failure?.kind == .interrupted ? .interrupted : .failed
      summary.exitCode = ExitCodes.code(of: failure?.kind ?? .internal)
      summary.error = failure?.description
      switch remainder?() ?? .run {
      case .run: if Self.mayResume(after: failure) { summary.resumeCommand = resumeCommand(run) }
      case .command(let command): summary.resumeCommand = command
      case .nothing: break
      }
    }
    progress.end()
    if let sections {
      summary.sections += sections()
      summary.showsCounts = false
    }
    let (target, source) = context.sides.withLock { $0 }
    summary.environment = target
    summary.targetPath = paths.target
    summary.source = source.map { .environment($0) } ?? paths.source.map { .path($0) }
    summary.collections = counts.collections
    summary.traffic = traffic.current
    summary.durationSeconds = clock.now() - began
    do throws(Failure) {
      try run?.write(summary)
    } catch  where failure == nil {
      failure = error
      summary.status = .failed
      summary.exitCode = ExitCodes.code(of: error.kind)
      summary.error = error.description
    } catch {
      // What ended the command says more than that its summary could not be kept.
    }
    if let shard = Invocation.current.shard {
      shard.end(summary, failure: failure, run: run)
      if summary.exitCode != 0 { throw ExitStatus(summary.exitCode) }
      return
    }
    try finish(summary, failure: failure, lists: lists, applies: applies, logger: logger)
  }

  private func finish(
    _ summary: RunSummary,
    failure: Failure?,
    lists: [String],
    applies: String?,
    logger: Logger
  ) throws {
    if countsDocuments { for line in SummaryText.lines(summary) { logger.info("\(line)") } }
    for list in lists where FileCheck.exists(list) { logger.notice("See \(list).") }
    if let applies, failure == nil { logger.notice("To apply exactly this: \(applies)") }
    if let failure { logger.error("\(failure)") }
    if let resume = summary.resumeCommand, summary.status != .done {
      logger.notice("To resume: \(resume)")
    }
    do {
      if let printing {
        try printing(summary)
      } else if logging.json {
        try StandardOutput.write(line: summary.json)
      }
    } catch  where failure != nil {
      // What ended the command says more than that its end could not be printed.
    }
    if summary.exitCode != 0 { throw ExitStatus(summary.exitCode) }
  }

  /// The command that does what is left: it resumes the run where that is possible, else repeats the command.
  private func resumeCommand(_ run: RunDirectory?) -> String {
    guard let run, write != nil, !inputs.contains(where: ImportSource.isStream) else {
      return CommandLineText.current
    }
    return CommandLineText.quoted(
      ["gymmigrate", "runs", "resume", run.id]
        + (connection.stateDir == ConnectionOptions.defaultStateDir
          ? [] : ["--state-dir", connection.stateDir])
        + (write?.guards.confirm.map { ["--confirm", $0] } ?? [])
    )
  }

  private static func logger(_ logging: LoggingOptions, _ run: RunDirectory?) -> Logger {
    let terminal = TerminalLogHandler(format: logging.logFormat, level: logging.level)
    return Logger(label: "gymmigrate") { _ in
      guard let file = run?.logHandler else { return terminal }
      return MultiplexLogHandler([terminal, file])
    }
  }

  /// Whether the same command, once its cause is corrected, does what is left; what is wrong with the command itself or
  /// with its input changes the command.
  private static func mayResume(after failure: Failure?) -> Bool {
    switch failure?.kind {
    case .usage?, .inputMalformed?, .inputMissing?, .internal?, .rejected?, nil: false
    case .unavailable?, .tryLater?, .interrupted?, .cannotWrite?, .notPermitted?, .configuration?: true
    }
  }

  private static func failure(of error: any Error, command: String) -> Failure {
    if let failure = error as? Failure { return Invocation.current.arguments.naming(failure) }
    if error is CancellationError {
      return Failure(.interrupted, "finish \(command)", cause: "it was stopped")
    }
    return Failure(.internal, "run \(command)", cause: "\(error)")
  }
}

extension CommandRun {
  /// A run of a command whose `--json` is not the summary.
  init(name: String, connection: ConnectionOptions, verbosity: VerbosityOptions) {
    self.init(name: name, connection: connection, logging: .withoutSummary(verbosity))
  }
}
