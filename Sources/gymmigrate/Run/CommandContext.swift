import Configuration
import Logging
import Transfer

/// What every command has, whatever it connects to: clock, logger, progress and counts.
struct CommandContext: Sendable {
  let clock: RunClock
  let logger: Logger
  let traffic: TrafficCounter
  let progress: Progress
  let counts: RunCounts
  /// Asked before each commit whether it may be sent.
  let gate: CommitGate
  /// The environments, with the addresses that they were reached at.
  let sides = Locked<(target: DatabaseEnvironment?, source: DatabaseEnvironment?)>((nil, nil))
  /// Why standard output could not take what a run that writes reported.
  let unprinted = Locked<Failure?>(nil)
  /// The journal, once there is one.
  let journal = Locked<Journal?>(nil)

  /// Whether something of the run may be written.
  var hasWritten: Bool { journal.withLock { $0 }.map { !$0.isEmpty } ?? false }

  /// Runs `body` with a client for an environment; the embedded store is up meanwhile where that is meant.
  ///
  /// - Parameter other: A connection that is open already: both sides share one embedded store.
  func withConnection<Result: Sendable>(
    _ environment: DatabaseEnvironment,
    _ options: ConnectionSettings,
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
    let retries = RetryReport(logger, clock: clock)
    let isOfSource = other != nil
    let resolver = EnvironmentResolver(options)
    try resolver.warnOfEdits(in: environment, logger)
    return try await resolver.withCaller(
      environment,
      serving: try resolver.openSnapshot(of: environment, progress, logger),
      policy: RetryPolicy(
        budget: options.retryFor,
        connecting: environment.isOnThisMachine && options.retryFor == ConnectionSettings.usualRetry
          ? 10 : nil
      ),
      clock: clock,
      traffic: traffic,
      onRetry: { retries.take($0) }
    ) { endpoint, signer, caller in
      note(environment, endpoint)
      var caller = caller
      caller.isOfSource = isOfSource
      let client = FirestoreClient(
        database: environment.database,
        endpoint: endpoint,
        caller: caller,
        gate: gate
      )
      do {
        let result = try await body(Connection(environment: environment, client: client, signer: signer))
        // Its requests are of no bill, and its server ends here.
        if options.isScratch == true { await caller.traffic.account.settleAll(by: clock) }
        return result
      } catch let failure as Failure where failure.service?.status == .invalidArgument {
        throw failure.explained(by: environment.database)
      }
    }
  }

  /// Returns what `body` does, once what it asked for is billed.
  func settled(_ body: () async throws -> CommandResult) async throws -> CommandResult {
    do {
      let result = try await body()
      await traffic.account.settleAll(by: clock)
      return result
    } catch {
      await traffic.account.settleAll(by: clock)
      throw error
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
