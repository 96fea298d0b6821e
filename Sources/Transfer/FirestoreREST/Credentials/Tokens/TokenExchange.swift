import FirestoreModels

/// One token request, and the meaning of its response for the run.
enum TokenExchange {
  /// The result of one request; permanent failures are thrown.
  enum Outcome {
    case token(AccessToken)
    case passing(Passing)
  }

  /// A failure that may be transient.
  struct Passing {
    var cause: String
    /// The seconds to wait that the server specifies.
    var retryAfter: Double?
    /// The maximum number of attempts.
    var attempts = TokenRetryPolicy.attempts
    /// The failure to throw after the last attempt, if not an unavailable endpoint.
    var verdict: Failure?
    let endpoint: String

    func failure(after attempt: Int) -> Failure {
      verdict
        ?? Failure(
          .unavailable,
          "get an access token",
          path: endpoint,
          cause: "\(cause) (\(attempt) attempt\(attempt == 1 ? "" : "s"))",
          remedy: "Try again later."
        )
    }
  }

  static let interrupted = Failure(.interrupted, "get an access token", cause: "it was cancelled")

  /// Sends one token request and evaluates the response.
  static func outcome(
    of credentials: Credentials,
    transport: any HTTPTransport,
    now: @Sendable () -> Double
  ) async throws(Failure) -> Outcome {
    guard let (request, endpoint) = try request(for: credentials, at: now()) else {
      throw Failure(.internal, "get an access token", cause: "\(credentials) does not need one")
    }
    let response: HTTPResponse
    do throws(TransportError) {
      response = try await transport.send(request)
    } catch {
      return .passing(try passing(error, of: credentials, endpoint: endpoint))
    }
    if case .metadataServer = credentials.kind, response.status < 500, !MetadataServer.isGenuine(response) {
      throw refusal(
        of: credentials,
        endpoint: endpoint,
        code: nil,
        cause: "the response is not from a metadata server"
      )
    }
    switch TokenEndpoint.answer(response, at: now()) {
    case .token(let token): return .token(token)
    case .unavailable(let cause, let retryAfter):
      return .passing(Passing(cause: cause, retryAfter: retryAfter, endpoint: endpoint))
    case .refused(let code, let cause):
      throw refusal(of: credentials, endpoint: endpoint, code: code, cause: cause)
    }
  }

  private static func request(
    for credentials: Credentials,
    at now: Double
  ) throws(Failure) -> (HTTPRequest, endpoint: String)? {
    switch credentials.kind {
    case .none, .emulatorOwner, .bearer, .accessTokenFile: return nil
    case .serviceAccount(let account):
      let request = try account.tokenRequest(for: credentials.scopes, at: Int64(now))
      return (request, account.tokenURI)
    case .authorizedUser(let user): return (user.tokenRequest(), AuthorizedUser.tokenURI)
    case .metadataServer(let server): return (server.tokenRequest(for: credentials.scopes), server.host)
    }
  }

  private static func passing(
    _ error: TransportError,
    of credentials: Credentials,
    endpoint: String
  ) throws(Failure) -> Passing {
    switch error.kind {
    case .notConnected, .lost:
      var passing = Passing(cause: TokenEndpoint.harmless(error.message), endpoint: endpoint)
      if case .metadataServer = credentials.kind, error.kind == .notConnected {
        // Most likely there is no metadata server, and a person is waiting.
        passing.attempts = 3
        passing.verdict = CredentialDiscovery.nothingFound
      }
      return passing
    case .cancelled: throw interrupted
    case .bodyTooLarge, .invalid:
      throw refusal(
        of: credentials,
        endpoint: endpoint,
        code: nil,
        cause: TokenEndpoint.harmless(error.message)
      )
    }
  }

  /// Returns the failure of a refused request, with a remedy.
  static func refusal(of credentials: Credentials, endpoint: String, code: String?, cause: String) -> Failure
  {
    let remedy: String
    switch credentials.kind {
    case .authorizedUser:
      remedy =
        "Run `gcloud auth application-default login`, and check that this machine's clock is right."
    case .serviceAccount(let account):
      remedy =
        "Check that the key of \(account.clientEmail) is neither deleted nor disabled and that this machine's clock is right."
    case .metadataServer:
      remedy = "Check that this machine has a service account, or use a service account key."
    case .none, .emulatorOwner, .bearer, .accessTokenFile:
      remedy = CredentialDiscovery.remedy
    }
    return Failure(
      .configuration,
      "get an access token for \(credentials)",
      path: "from \(endpoint)",
      cause: cause,
      remedy: remedy
    )
  }
}

/// When a token request is repeated.
///
/// Requesting a token twice is harmless, so every transient failure is retried.
enum TokenRetryPolicy {
  /// The maximum number of attempts.
  static let attempts = 4
  /// The longest delay in seconds, whatever the server specifies.
  static let longestDelay = 30.0

  /// Returns the delay in seconds after an attempt (1 for the first); nil to give up.
  ///
  /// - Parameter jitter: From 0 to 1; half of the delay is random, so that many clients do not retry at once.
  static func delay(
    after attempt: Int,
    of attempts: Int = attempts,
    retryAfter: Double?,
    jitter: Double
  ) -> Double? {
    if attempt >= attempts { return nil }
    var delay = 1.0
    for _ in 1..<max(1, attempt) { delay *= 2 }
    delay *= 0.5 + jitter / 2
    if let retryAfter, retryAfter.isFinite, retryAfter > delay { delay = retryAfter }
    return min(delay, longestDelay)
  }
}
