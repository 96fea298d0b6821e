import LocalFirestore
import Logging
import Models
import Transfer

/// What a command works with: a place, a client for it, a run to keep its lists in, and voices.
struct Session: Sendable {
  let environment: Environment
  let client: FirestoreClient
  let run: RunDirectory
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
  /// Told on a retry of the same command.
  var isResumable = true

  /// Runs `body`.
  ///
  /// - Throws: `ExitCode` where it did not end in 0; ``Failure`` where it could not begin.
  func perform(_ body: @Sendable (Session) async throws -> Ending) async throws {
    let clock = RunClock.system
    let began = clock.now()
    let resolver = EnvironmentResolver(connection)
    let environment = try resolver.environment()
    if let write { try Guard.confirm(environment, with: write) }

    let run = try RunDirectory(in: connection.stateDir, command: String(name.prefix { $0 != " " }))
    let terminal = Terminal.standardError
    let logger = Self.logger(talk, run)
    let traffic = TrafficCounter()
    let progress = Progress(
      terminal: talk.noProgress || talk.quiet ? nil : terminal, logger: logger, clock: clock, traffic: traffic)
    let book = AccountsBook()
    var summary = RunSummary(
      command: name, runID: run.id, environment: environment, startedAt: Timestamp.now)
    var failure: Failure?
    var lists: [String] = []
    do {
      let ending = try await resolver.withCaller(
        environment, policy: RetryPolicy(budget: connection.retryFor), clock: clock, traffic: traffic,
        onRetry: { notice in
          logger.debug(
            "retrying", metadata: ["rpc": "\(notice.rpc.rawValue)", "attempt": "\(notice.attempt)", "reason": "\(notice.reason)"])
        }
      ) { (endpoint, signer, caller) async throws -> Ending in
        if write != nil {
          logger.notice(
            "Writing to \(environment.name): project \(environment.database.project), database \(environment.database.database), \(endpoint), as \(signer)."
          )
        }
        let client = FirestoreClient(database: environment.database, endpoint: endpoint, caller: caller)
        return try await body(
          Session(
            environment: environment, client: client, run: run, logger: logger, progress: progress, book: book))
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
      if isResumable { summary.resumeCommand = CommandLineText.current }
    }
    progress.end()
    summary.collections = book.collections
    summary.traffic = traffic.current
    summary.durationSeconds = clock.now() - began
    try run.write(summary)
    try finish(summary, failure: failure, lists: lists, run: run, logger: logger)
  }

  private func finish(
    _ summary: RunSummary, failure: Failure?, lists: [String], run: RunDirectory, logger: Logger
  ) throws {
    for line in SummaryText.lines(summary) { logger.info("\(line)") }
    for list in lists where FileCheck.exists(list) { logger.warning("See \(list).") }
    if talk.json { try StandardOutput.write(summary.json + [UInt8(ascii: "\n")]) }
    if let failure { logger.error("\(failure)") }
    if let resume = summary.resumeCommand, summary.status != .done {
      logger.notice("To go on: \(resume)")
    }
    if summary.exitCode != 0 { throw ExitStatus(summary.exitCode) }
  }

  private static func logger(_ talk: TalkOptions, _ run: RunDirectory) -> Logger {
    let file = run.logHandler
    return Logger(label: "gymmigrate") { _ in
      MultiplexLogHandler([TerminalLogHandler(format: talk.logFormat, level: talk.level), file])
    }
  }

  private static func failure(of error: any Error, command: String) -> Failure {
    if let failure = error as? Failure { return failure }
    if error is CancellationError { return Failure(.interrupted, "finish \(command)", cause: "it was stopped") }
    return Failure(.internal, "run \(command)", cause: "\(error)")
  }
}
