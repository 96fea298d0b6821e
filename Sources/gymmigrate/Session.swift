import ArgumentParser
import Logging
import Models
import Transfer

/// What a command works with: a place, a client for it, its accounts, and voices.
struct Session: Sendable {
  let environment: Environment
  let client: FirestoreClient
  let logger: Logger
  let progress: Progress
  let book: AccountsBook
}

/// How a command ended, apart from its accounts.
struct Ending: Sendable {
  var status = RunSummary.Status.done
  var readTime: Timestamp?
  /// Lists that have something in them, to be named at the end.
  var lists: [String] = []
}

/// Runs one command from its options to its summary: the environment, the guards before a write, the run directory, the
/// accounts, and the last lines.
struct CommandRun {
  let name: String
  let connection: ConnectionOptions
  let talk: TalkOptions
  /// The guards; nil for a command that only reads.
  var write: WriteOptions?

  /// Runs `body` with a folder for its lists, its log and its summary.
  ///
  /// - Throws: `ExitCode` where it did not end in 0; ``Failure`` where it could not begin.
  func perform(_ body: @escaping @Sendable (Session, RunDirectory) async throws -> Ending) async throws {
    let environment = try prepare()
    let run = try RunDirectory(in: connection.stateDir, command: String(name.prefix { $0 != " " }))
    try await perform(on: environment, run: run) { session in try await body(session, run) }
  }

  /// Runs `body` for a command that leaves nothing behind.
  ///
  /// - Throws: As ``perform(_:)``.
  func performWithoutRun(_ body: @escaping @Sendable (Session) async throws -> Ending) async throws {
    try await perform(on: prepare(), run: nil, body)
  }

  private func prepare() throws(Failure) -> Environment {
    let environment = try EnvironmentResolver(connection).environment()
    if let write { try Guard.confirm(environment, with: write) }
    return environment
  }

  private func perform(
    on environment: Environment,
    run: RunDirectory?,
    _ body: @Sendable (Session) async throws -> Ending
  ) async throws {
    let clock = RunClock.system
    let began = clock.now()
    let resolver = EnvironmentResolver(connection)
    let terminal = Terminal.standardError
    let logger = Self.logger(talk, run)
    let traffic = TrafficCounter()
    let progress = Progress(
      terminal: talk.noProgress || talk.quiet ? nil : terminal,
      logger: logger,
      clock: clock,
      traffic: traffic
    )
    let book = AccountsBook(budget: write?.errorBudget)
    var summary = RunSummary(
      command: name,
      runID: run?.id ?? "-",
      environment: environment,
      startedAt: Timestamp.now
    )
    // The embedded store has its address only once it is up.
    let reached = Guarded(environment)
    var failure: Failure?
    var lists: [String] = []
    do {
      let ending = try await resolver.withCaller(
        environment,
        policy: RetryPolicy(budget: connection.retryFor),
        clock: clock,
        traffic: traffic,
        onRetry: { notice in
          logger.debug(
            "retrying",
            metadata: [
              "rpc": "\(notice.rpc.rawValue)", "attempt": "\(notice.attempt)", "reason": "\(notice.reason)",
            ]
          )
        }
      ) { (endpoint, signer, caller) async throws -> Ending in
        reached.withLock { $0.endpoint = endpoint }
        if write != nil {
          logger.notice(
            "Writing to \(environment.name): project \(environment.database.project), database \(environment.database.database), \(endpoint), as \(signer)."
          )
        }
        let client = FirestoreClient(database: environment.database, endpoint: endpoint, caller: caller)
        return try await body(
          Session(
            environment: environment,
            client: client,
            logger: logger,
            progress: progress,
            book: book
          )
        )
      }
      summary.status = ending.status
      summary.readTime = ending.readTime
      lists = ending.lists
      if write != nil { try book.assertBalance() }
      if summary.status == .done, write != nil, book.totals.leavesSomething { summary.status = .incomplete }
      summary.exitCode = ExitCodes.code(of: summary.status)
    } catch {
      failure = Self.failure(of: error, command: name)
      summary.status = Interruption.wasReceived || failure?.kind == .interrupted ? .interrupted : .failed
      summary.exitCode = ExitCodes.code(of: failure?.kind ?? .internal)
      summary.error = failure?.description
      if Self.mayGoOn(after: failure) { summary.resumeCommand = CommandLineText.current }
    }
    progress.end()
    summary.environment = reached.withLock { $0 }
    summary.collections = book.collections
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
    try finish(summary, failure: failure, lists: lists, logger: logger)
  }

  private func finish(
    _ summary: RunSummary,
    failure: Failure?,
    lists: [String],
    logger: Logger
  ) throws {
    for line in SummaryText.lines(summary) { logger.info("\(line)") }
    for list in lists where FileCheck.exists(list) { logger.notice("See \(list).") }
    if talk.json { try StandardOutput.write(summary.json + [UInt8(ascii: "\n")]) }
    if let failure { logger.error("\(failure)") }
    if let resume = summary.resumeCommand, summary.status != .done {
      logger.notice("To go on: \(resume)")
    }
    if summary.exitCode != 0 { throw ExitStatus(summary.exitCode) }
  }

  private static func logger(_ talk: TalkOptions, _ run: RunDirectory?) -> Logger {
    let terminal = TerminalLogHandler(format: talk.logFormat, level: talk.level)
    return Logger(label: "gymmigrate") { _ in
      guard let file = run?.logHandler else { return terminal }
      return MultiplexLogHandler([terminal, file])
    }
  }

  /// Whether the same command, once its cause is mended, does what is left; what is wrong with the command itself or
  /// with its input changes the command.
  private static func mayGoOn(after failure: Failure?) -> Bool {
    switch failure?.kind {
    case .usage?, .inputMalformed?, .inputMissing?, .internal?, .rejected?, nil: false
    case .unavailable?, .tryLater?, .interrupted?, .cannotWrite?, .notPermitted?, .configuration?: true
    }
  }

  private static func failure(of error: any Error, command: String) -> Failure {
    if let failure = error as? Failure { return failure }
    if error is CancellationError {
      return Failure(.interrupted, "finish \(command)", cause: "it was stopped")
    }
    return Failure(.internal, "run \(command)", cause: "\(error)")
  }
}
