import Platform

/// The authorization of a request.
///
/// Its description does not contain the token.
package struct Authorization: Sendable, CustomStringConvertible {
  let token: AccessToken?
  let quotaProject: String?
  /// The number of the provider's token, from 1; 0 if it cannot be refreshed.
  let generation: Int

  /// The headers to add: `Authorization`, and `x-goog-user-project` if another project is billed.
  package var headers: [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    if let token { headers.append(("Authorization", "Bearer \(token.secret.revealed)")) }
    if let quotaProject { headers.append(("x-goog-user-project", quotaProject)) }
    return headers
  }

  package var description: String { token == nil ? "unsigned" : "token \(generation)" }
}

/// Keeps one valid access token and replaces it before it expires.
///
/// At most one token request is in flight, and all callers share its result. While the current token is valid, nobody
/// waits. A cancelled caller returns immediately; the token request is cancelled with its last caller.
package actor TokenProvider {
  /// The remaining lifetime in seconds above which a token is used while it is being replaced.
  static let headroom = 60.0
  /// How long to wait after a failed early replacement before the next one, in seconds.
  static let holdOff = 10.0

  package nonisolated let credentials: Credentials

  private let exchange: TokenExchange
  private let executor: (any TaskExecutor)?
  private var now: @Sendable () -> Double { exchange.now }

  private var current: (token: AccessToken, generation: Int)?
  private var lastGeneration = 0
  private var noRefreshBefore = -Double.infinity

  private typealias Outcome = Result<Authorization, Failure>
  private var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
  private var nextWaiter = 0
  private var refresh: (task: Task<Void, Never>, number: Int)?
  private var nextRefresh = 0

  /// Creates a provider; see ``TokenExchange`` for the parameters.
  ///
  /// - Parameter executor: Where tokens are requested; nil for the global task pool.
  package init(
    _ credentials: Credentials,
    transport: any HTTPTransport,
    executor: (any TaskExecutor)? = nil,
    readFile: @escaping CredentialDiscovery.FileReader = CredentialDiscovery.readFile(at:),
    now: @escaping @Sendable () -> Double = wallClock,
    sleep: @escaping @Sendable (Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
  ) {
    self.init(
      credentials,
      TokenExchange(transport: transport, readFile: readFile, run: TokenProgram.run, now: now, sleep: sleep),
      executor: executor
    )
  }

  /// Creates a provider whose tokens come from an exchange.
  init(_ credentials: Credentials, _ exchange: TokenExchange, executor: (any TaskExecutor)? = nil) {
    self.credentials = credentials
    self.exchange = exchange
    self.executor = executor
  }

  /// Returns a provider of tokens with other scopes for the same credentials.
  package nonisolated func scoped(to scopes: [OAuthScope]) -> TokenProvider {
    TokenProvider(credentials.scoped(to: scopes), exchange, executor: executor)
  }

  /// Returns the time of this machine in seconds since 1970.
  package static let wallClock: @Sendable () -> Double = {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Returns the authorization of a request, waiting for a token if none is valid.
  ///
  /// - Throws: ``Failure``: `.configuration` if the credentials are refused, `.notPermitted` if they may not impersonate
  ///   the intended account, `.unavailable` if no token can be obtained, `.interrupted` if the caller was cancelled.
  package func authorization() async throws(Failure) -> Authorization {
    switch credentials.kind {
    case .none: return Authorization(token: nil, quotaProject: credentials.quotaProject, generation: 0)
    case .emulatorOwner:
      return Authorization(token: AccessToken(Secret("owner")), quotaProject: nil, generation: 0)
    case .bearer(let bearer):
      return Authorization(token: AccessToken(bearer.secret), quotaProject: nil, generation: 0)
    case .serviceAccount, .authorizedUser, .metadataServer, .accessTokenFile, .externalAccount, .impersonated:
      break
    }
    let time = now()
    if let current {
      if !current.token.isStale(at: time) { return authorization(of: current) }
      let mayRefresh = time >= noRefreshBefore
      if current.token.expiry.map({ $0 - time > Self.headroom }) ?? false {
        // It is still valid for a while, so replace it in the background, where a slow endpoint delays nothing.
        if mayRefresh { startRefresh() }
        return authorization(of: current)
      }
      if !mayRefresh, !current.token.isExpired(at: time) { return authorization(of: current) }
    }
    return try await shared().get()
  }

  /// Discards a token that the service refused (401), unless it was already replaced.
  package func invalidate(_ refused: Authorization) {
    if let current, current.generation == refused.generation { self.current = nil }
  }

  /// Returns a new authorization after the service refused one (401); nil if there is no better one.
  package func refreshed(after refused: Authorization) async throws(Failure) -> Authorization? {
    if refused.generation == 0 { return nil }
    invalidate(refused)
    let fresh = try await authorization()
    return fresh.token?.secret == refused.token?.secret ? nil : fresh
  }

  private func authorization(of current: (token: AccessToken, generation: Int)) -> Authorization {
    let (token, generation) = current
    return Authorization(token: token, quotaProject: credentials.quotaProject, generation: generation)
  }

  // MARK: One refresh for all

  /// The callers waiting for the current token request.
  var waiting: Int { waiters.count }

  /// Whether a token request is in flight.
  var isRefreshing: Bool { refresh != nil }

  private func shared() async -> Outcome {
    let waiter = nextWaiter
    nextWaiter += 1
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if Task.isCancelled {
          continuation.resume(returning: .failure(TokenExchange.interrupted))
        } else {
          waiters[waiter] = continuation
          startRefresh()
        }
      }
    } onCancel: {
      Task(executorPreference: executor) { await self.leave(waiter) }
    }
  }

  private func leave(_ waiter: Int) {
    guard let continuation = waiters.removeValue(forKey: waiter) else { return }
    continuation.resume(returning: .failure(TokenExchange.interrupted))
    if waiters.isEmpty {
      refresh?.task.cancel()
      refresh = nil
    }
  }

  private func startRefresh() {
    if refresh != nil { return }
    let number = nextRefresh
    nextRefresh += 1
    let task = Task(executorPreference: executor) {
      let token = await Result { () async throws(Failure) in
        try await self.exchange.token(for: self.credentials)
      }
      await self.finish(number, token)
    }
    refresh = (task, number)
  }

  private func finish(_ number: Int, _ result: Result<AccessToken, Failure>) {
    // This request was abandoned; a later one may have replaced it.
    guard let refresh, refresh.number == number else { return }
    self.refresh = nil
    let outcome: Outcome
    switch result {
    case .success(let token):
      lastGeneration += 1
      current = (token, lastGeneration)
      noRefreshBefore = -.infinity
      outcome = .success(authorization(of: (token, lastGeneration)))
    case .failure(let failure):
      let time = now()
      noRefreshBefore = time + Self.holdOff
      if let current, mayOutlast(failure), !current.token.isExpired(at: time) {
        // The early replacement failed, but the current token is still valid.
        outcome = .success(authorization(of: current))
      } else {
        outcome = .failure(failure)
      }
    }
    let waiting = waiters
    waiters = [:]
    for continuation in waiting.values { continuation.resume(returning: outcome) }
  }

  /// Whether the current token remains in use after a failure to replace it.
  ///
  /// A file of another program may be read while it is being written; the service reports soon enough if the old token is
  /// invalid.
  private func mayOutlast(_ failure: Failure) -> Bool {
    credentials.areRenewedElsewhere || failure.kind == .unavailable
  }
}
