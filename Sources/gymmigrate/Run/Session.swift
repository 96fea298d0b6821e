import Configuration
import Files
import FirestoreModels
import FirestoreREST
import Logging
import Runs
import Transfer

/// What a command works with: an environment, a client for it, counts, progress and logger.
struct Session: Sendable {
  /// The command, as `migrate apply users-unify`.
  let command: String
  let environment: DatabaseEnvironment
  let client: FirestoreClient
  let logger: Logger
  let progress: Progress
  let counts: RunCounts
  /// What makes a writing command resumable; nil for one that only reads.
  let checkpoints: Checkpoints?
  /// Who signs.
  var signer = ""
  /// Where a command that has two sides reads.
  var source: Connection?
}

extension Session {
  /// What the work of a run needs.
  func context(_ folder: RunDirectory) -> RunContext {
    RunContext(
      environment: environment,
      client: client,
      folder: folder,
      counts: counts,
      checkpoints: checkpoints,
      progress: progress,
      logger: logger
    )
  }

  /// The same with another database.
  func reading(_ connection: Connection) -> Session {
    Session(
      command: command,
      environment: connection.environment,
      client: connection.client,
      logger: logger,
      progress: progress,
      counts: counts,
      checkpoints: nil,
      signer: connection.signer
    )
  }
}

/// A database that a command works with.
struct Connection: Sendable {
  let environment: DatabaseEnvironment
  let client: FirestoreClient
  /// Who signs.
  let signer: String
}

/// How a command ended, apart from its counts.
struct CommandResult: Sendable {
  var status = RunSummary.Status.done
  var readTime: Timestamp?
  /// Lists that have something in them, to be named at the end.
  var lists: [String] = []
  /// What a comparison found.
  var differences: DiffCounts?
  /// What was released, of `migrate unlock`.
  var release: RunSummary.Release?
  /// What the service bills at most, of a plan and of a copy.
  var cost: CostEstimate?
}

/// What every command has, whatever it connects to: clock, logger, progress and counts.
struct CommandContext: Sendable {
  let clock: RunClock
  let logger: Logger
  let traffic: TrafficCounter
  let progress: Progress
  let counts: RunCounts
  /// The environments, with the addresses that they were reached at.
  let sides = Locked<(target: DatabaseEnvironment?, source: DatabaseEnvironment?)>((nil, nil))

  /// Runs `body` with a client for an environment; the embedded store is up meanwhile where that is meant.
  ///
  /// - Parameter other: A connection that is open already: both sides share one embedded store.
  func withConnection<Result: Sendable>(
    _ environment: DatabaseEnvironment,
    _ options: ConnectionOptions,
    beside other: Connection? = nil,
    _ body: @Sendable (Connection) async throws -> Result
  ) async throws -> Result {
    if let other, environment.isLocal, other.environment.isLocal {
      let client = FirestoreClient(
        database: environment.database,
        endpoint: other.client.endpoint,
        caller: other.client.caller
      )
      note(environment, client.endpoint)
      return try await body(Connection(environment: environment, client: client, signer: other.signer))
    }
    return try await EnvironmentResolver(options).withCaller(
      environment,
      policy: RetryPolicy(budget: options.retryFor.inSeconds),
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
    ) { endpoint, signer, caller in
      note(environment, endpoint)
      let client = FirestoreClient(database: environment.database, endpoint: endpoint, caller: caller)
      do {
        return try await body(Connection(environment: environment, client: client, signer: signer))
      } catch let failure as Failure where failure.service?.status == .invalidArgument {
        throw failure.explained(by: environment.database)
      }
    }
  }

  /// The embedded store has its address only once it is up.
  private func note(_ environment: DatabaseEnvironment, _ endpoint: String) {
    sides.withLock { sides in
      if sides.target == environment { sides.target?.endpoint = endpoint }
      if sides.source == environment { sides.source?.endpoint = endpoint }
    }
  }
}

extension Failure {
  /// What the service refused every request for, where that is the id of the database: other servers may take other ids, so
  /// it is asked first.
  fileprivate func explained(by database: DatabaseName) -> Failure {
    if database.hasValidID { return self }
    return Failure(
      .configuration,
      operation,
      path: path,
      cause: cause,
      remedy:
        "The id of a database is (default), or 4 to 63 small letters, digits and hyphens that begin with a letter; '\(database.database)' is none.",
      service: service
    )
  }
}
