import Files
import Platform

/// Obtains an access token for credentials, with as many requests as that takes.
///
/// A federated identity gets its provider's token and exchanges it; impersonation gets a token of its source first. Each
/// request is retried separately.
struct TokenExchange: Sendable {
  /// Sends a request, without adding credentials or retries.
  let transport: any HTTPTransport
  /// Reads a file again: an access token, or the token of an identity provider.
  let readFile: CredentialDiscovery.FileReader
  /// Runs a program that prints the token of an identity provider.
  let run: ProgramRunner
  /// Returns the time in seconds since 1970.
  let now: @Sendable () -> Double
  /// Waits for a number of seconds; throws if cancelled.
  let sleep: @Sendable (Double) async throws -> Void

  /// Runs a program to its end.
  typealias ProgramRunner =
    @Sendable (TokenProgram) async -> Result<ChildProcess.Output, ChildProcess.Problem>

  static let interrupted = Failure(.interrupted, "get an access token", cause: "it was stopped")

  /// Returns a new access token.
  ///
  /// - Throws: `.configuration` if the credentials are refused or cannot be read, `.notPermitted` if a permission is
  ///   missing, `.unavailable` after the last attempt, `.interrupted` if the task was cancelled.
  func token(for credentials: Credentials) async throws(Failure) -> AccessToken {
    switch credentials.kind {
    case .none, .emulatorOwner, .bearer:
      throw Failure(.internal, "get an access token", cause: "\(credentials) does not need one")
    case .accessTokenFile(let file): return try file.token(in: try readFile(file.path), at: now())
    case .serviceAccount(let account): return try await perform(.serviceAccount(account, credentials))
    case .authorizedUser(let user): return try await perform(.authorizedUser(user, credentials))
    case .metadataServer(let server): return try await perform(.metadataServer(server, credentials))
    case .externalAccount(let account):
      return try await perform(.exchange(of: try await subjectToken(of: account), account, credentials))
    case .impersonated(let account):
      let token = try await token(for: account.source)
      return try await perform(.impersonation(account, signedWith: token, credentials))
    }
  }

  // MARK: One request

  /// Sends the request of a step until the result is final.
  private func perform<Value>(_ step: TokenStep<Value>) async throws(Failure) -> Value {
    var attempt = 1
    while true {
      let failed: Retryable
      switch try await outcome(of: step) {
      case .success(let value): return value
      case .failure(let failure): failed = failure
      }
      guard
        let delay = TokenRetryPolicy.delay(
          after: attempt,
          of: failed.attempts,
          retryAfter: failed.retryAfter,
          jitter: Double.random(in: 0...1)
        )
      else { throw failed.failure(of: step, after: attempt) }
      do {
        try await sleep(delay)
      } catch {
        throw Self.interrupted
      }
      attempt += 1
    }
  }

  /// A failure that may be transient.
  private struct Retryable: Error {
    var cause: String
    /// The number of seconds to wait, if the server specifies it.
    var retryAfter: Double?
    /// The maximum number of attempts.
    var attempts = TokenRetryPolicy.attempts
    /// The failure to throw after the last attempt, unless it is that of an unavailable server.
    var final: Failure?

    func failure<Value>(of step: TokenStep<Value>, after attempt: Int) -> Failure {
      final
        ?? Failure(
          .unavailable,
          step.purpose,
          path: "from \(step.endpoint)",
          cause: "\(cause) (\(NumberText.counted(attempt, "attempt")))",
          remedy: "Try again later."
        )
    }
  }

  /// Sends a request once; permanent failures are thrown.
  private func outcome<Value>(of step: TokenStep<Value>) async throws(Failure) -> Result<Value, Retryable> {
    let request = try step.request(now())
    let response: HTTPResponse
    do throws(TransportError) {
      response = try await transport.send(request)
    } catch {
      return .failure(try retryable(after: error, in: step))
    }
    switch step.read(response, now()) {
    case .value(let value): return .success(value)
    case .unavailable(let cause, let retryAfter):
      return .failure(Retryable(cause: cause, retryAfter: retryAfter))
    case .refused(let refusal): throw step.failure(of: refusal)
    }
  }

  private func retryable<Value>(
    after error: TransportError,
    in step: TokenStep<Value>
  ) throws(Failure) -> Retryable {
    let cause = TokenEndpoint.harmless(error.message)
    switch error.kind {
    case .notConnected, .lost:
      guard error.kind == .notConnected, let unreachable = step.unreachable else {
        return Retryable(cause: cause)
      }
      return Retryable(cause: cause, attempts: unreachable.attempts, final: unreachable.failure)
    case .cancelled: throw Self.interrupted
    case .bodyTooLarge, .invalid: throw step.failure(of: TokenRefusal(cause: cause))
    }
  }

  // MARK: The token of another identity provider

  /// Returns the token of the identity provider, which is never cached because it is renewed at its source.
  private func subjectToken(of account: ExternalAccount) async throws(Failure) -> Secret {
    switch account.source {
    case .file(let path, let format): return try subjectToken(inFile: path, format, account)
    case .address(let address): return try await perform(.subject(address, account))
    case .program(let program): return try await subjectToken(of: program)
    }
  }

  private func subjectToken(
    inFile path: String,
    _ format: SubjectTokenFormat,
    _ account: ExternalAccount
  ) throws(Failure) -> Secret {
    func failure(_ cause: String) -> Failure {
      Failure(
        .configuration,
        "read the token of the identity provider",
        path: path,
        cause: cause,
        remedy: "It is named by 'credential_source' in \(account.path), and something else has to write it."
      )
    }
    guard let bytes = try readFile(path) else { throw failure("there is no such file") }
    do throws(WireError) {
      return try format.token(in: bytes)
    } catch {
      throw failure(error.description)
    }
  }

  /// Returns the token that a program prints, or one that it printed earlier and that is still valid.
  private func subjectToken(of program: TokenProgram) async throws(Failure) -> Secret {
    if let path = program.outputFile, let bytes = try? readFile(path),
      let kept = try? ProgramResponse(bytes), kept.expiry != nil, kept.isValid(at: now())
    {
      return kept.token
    }
    var output: [UInt8]
    switch await run(program) {
    case .success(let ended) where ended.status == 0: output = ended.bytes
    case .success(let ended):
      throw program.failure(ended.status.map { "it ended with the exit status \($0)" } ?? "a signal ended it")
    case .failure(.cannotStart(let code)):
      throw program.failure("it cannot be started: \(SystemCall.text(code))")
    case .failure(.timedOut): throw program.failure("it took longer than \(Int(program.timeout)) s")
    case .failure(.tooMuchOutput): throw program.failure("it printed more than 1 MiB")
    case .failure(.cancelled): throw Self.interrupted
    }
    if output.isEmpty, let path = program.outputFile { output = try readFile(path) ?? [] }
    do throws(WireError) {
      let response = try ProgramResponse(output)
      if !response.isValid(at: now()) { throw WireError("its token has expired") }
      return response.token
    } catch {
      throw program.failure("its response cannot be used: \(error)")
    }
  }
}

extension TokenProgram {
  fileprivate func failure(_ cause: String) -> Failure {
    Failure(
      .configuration,
      "run the program that gives the token of the identity provider,",
      path: words.first,
      cause: cause,
      remedy: "Run it by hand, with the variables GOOGLE_EXTERNAL_ACCOUNT_… that it expects."
    )
  }
}

/// When a token request is repeated.
///
/// Requesting a token twice is harmless, so every transient failure is retried.
enum TokenRetryPolicy {
  /// The maximum number of attempts.
  static let attempts = 4
  /// The maximum delay in seconds, whatever the server specifies.
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
