import Configuration
import Logging

/// What every command has, whatever it connects to: logger, progress and counts.
struct CommandContext: Sendable {
  let logger: Logger
  let traffic: TrafficCounter
  let progress: Progress
  let counts: RunCounts
  /// Decides before each commit whether it may be sent.
  let gate: CommitGate
  /// The environments, with the addresses at which they were reached.
  let sides = Locked<(target: DatabaseEnvironment?, source: DatabaseEnvironment?)>((nil, nil))
  /// Why standard output could not receive the report of a run that writes.
  let unprinted = Locked<Failure?>(nil)
  /// The journal, once it exists.
  let journal = Locked<Journal?>(nil)

  /// Whether the run may have written anything; reads the journal.
  var hasWritten: Bool { journal.withLock { $0 }?.hasWrite ?? false }

  /// Runs `body` with a client for an environment, starting the embedded store if that is meant.
  ///
  /// - Parameter other: A connection that is already open; both sides share one embedded store.
  func withConnection<Result>(
    _ environment: DatabaseEnvironment,
    _ options: ConnectionSettings,
    beside other: Connection? = nil,
    _ body: (Connection) async throws -> Result
  ) async throws -> Result {
    if let other, environment.isLocal, other.environment.isLocal {
      var caller = other.client.caller
      caller.hidesNames = options.hidesNames == true
      let client = FirestoreClient(
        database: environment.database,
        endpoint: other.client.endpoint,
        caller: caller
      )
      note(environment, client.endpoint)
      return try await body(Connection(environment: environment, client: client, signer: other.signer))
    }
    let retries = RetryReport(logger)
    let isOfSource = other != nil
    let resolver = EnvironmentResolver(options)
    try resolver.warnOfEdits(in: environment, logger)
    return try await resolver.withCaller(
      environment,
      serving: try resolver.openSnapshot(of: environment, in: self),
      policy: RetryPolicy(
        budget: options.retryFor,
        connecting: environment.isOnThisMachine && options.retryFor == ConnectionSettings.usualRetry
          ? 10 : nil
      ),
      traffic: traffic,
      onRetry: { retries.take($0) }
    ) { endpoint, signer, caller in
      note(environment, endpoint)
      var caller = caller
      (caller.isOfSource, caller.hidesNames) = (isOfSource, options.hidesNames == true)
      let client = FirestoreClient(
        database: environment.database,
        endpoint: endpoint,
        caller: caller,
        gate: gate
      )
      do {
        let result = try await body(Connection(environment: environment, client: client, signer: signer))
        // Its requests are not billed, and its server ends here.
        if options.isScratch == true { await caller.traffic.account.settleAll(by: .system) }
        return result
      } catch let failure as Failure {
        throw failure.explained(by: environment.database)
      }
    }
  }

  /// Returns the result of `body` once its requests have been billed.
  func settled(_ body: () async throws -> CommandResult) async throws -> CommandResult {
    do {
      let result = try await body()
      await traffic.account.settleAll(by: .system)
      return result
    } catch {
      await traffic.account.settleAll(by: .system)
      throw error
    }
  }

  /// The embedded store only has an address once it is running.
  private func note(_ environment: DatabaseEnvironment, _ endpoint: String) {
    sides.withLock { sides in
      if sides.target == environment { sides.target?.endpoint = endpoint }
      if sides.source == environment { sides.source?.endpoint = endpoint }
    }
  }
}
