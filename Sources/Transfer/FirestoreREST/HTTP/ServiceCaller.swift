package import FirestoreModels
import Synchronization

/// What went over the wire in a run.
package struct Traffic: Sendable, Equatable {
  /// Requests that were sent, retries included.
  package var requests = 0
  /// Requests that were repeats.
  package var retries = 0
  /// Bytes of bodies received, as they came over the network.
  package var bytesIn = 0
  /// Bytes of bodies sent.
  package var bytesOut = 0

  /// Nothing yet.
  package init() {}
}

/// Counts traffic from any task.
package final class TrafficCounter: Sendable {
  private let state = Mutex(Traffic())

  /// Starts at nothing.
  package init() {}

  /// What has been counted so far.
  package var current: Traffic { state.withLock { $0 } }

  func count(_ change: (inout Traffic) -> Void) {
    state.withLock { change(&$0) }
  }
}

/// Something that a person watching may want to know: a retry, a refresh.
package struct RetryNotice: Sendable {
  /// The method.
  package var rpc: RPC
  /// How many attempts have failed.
  package var attempt: Int
  /// Seconds until the next.
  package var delay: Double
  /// Why, without data.
  package var reason: String
}

/// Calls the service's methods: authorises, sends, reads errors, refreshes a refused token once, and repeats what may
/// be repeated.
package struct ServiceCaller: Sendable {
  package let transport: any HTTPTransport
  package let credentials: TokenProvider
  let parsers = ParserPool()
  /// How calls are repeated.
  package let policy: RetryPolicy
  /// Time and chance.
  package let clock: RunClock
  /// What went over the wire.
  package let traffic: TrafficCounter
  private let onRetry: @Sendable (RetryNotice) -> Void

  /// Makes a caller.
  package init(
    transport: any HTTPTransport,
    credentials: TokenProvider,
    policy: RetryPolicy = RetryPolicy(),
    clock: RunClock = .system,
    traffic: TrafficCounter = TrafficCounter(),
    onRetry: @escaping @Sendable (RetryNotice) -> Void = { _ in }
  ) {
    self.transport = transport
    self.credentials = credentials
    self.policy = policy
    self.clock = clock
    self.traffic = traffic
    self.onRetry = onRetry
  }

  /// The same caller with another bound on the time that a call may take, its retries included.
  func within(_ seconds: Double) -> ServiceCaller {
    var policy = policy
    policy.budget = min(policy.budget, seconds)
    return ServiceCaller(
      transport: transport,
      credentials: credentials,
      policy: policy,
      clock: clock,
      traffic: traffic,
      onRetry: onRetry
    )
  }

  // MARK: One attempt

  /// Sends a request once (twice where a token was refused), and parses its answer.
  ///
  /// - Returns: The parsed body and its root, which is good as long as the body is held.
  func attempt(_ request: HTTPRequest) async throws(CallFailure) -> (ParsedBody, JSONCursor) {
    var (authorization, response) = try await send(request, with: nil)
    if response.status == 401 {
      let fresh = try await Self.credentials { () async throws(Failure) in
        try await credentials.refreshed(after: authorization)
      }
      if let fresh { (authorization, response) = try await send(request, with: fresh) }
    }
    let body = parsers.take()
    guard response.status == 200 else {
      throw .service(ErrorBody.read(response, with: body.parser))
    }
    return (body, try parse(response.body, with: body.parser))
  }

  private func send(
    _ request: HTTPRequest,
    with given: Authorization?
  ) async throws(CallFailure) -> (Authorization, HTTPResponse) {
    let authorization: Authorization
    if let given {
      authorization = given
    } else {
      authorization = try await Self.credentials { () async throws(Failure) in
        try await credentials.authorization()
      }
    }
    var request = request
    request.headers += authorization.headers
    traffic.count {
      $0.requests += 1
      $0.bytesOut += request.body?.count ?? 0
    }
    do throws(TransportError) {
      let response = try await transport.send(request)
      traffic.count { $0.bytesIn += response.wireBytes }
      return (authorization, response)
    } catch {
      throw .transport(error)
    }
  }

  /// Runs `body`, whose failure is one of the credentials.
  private static func credentials<Result>(
    _ body: () async throws(Failure) -> Result
  ) async throws(CallFailure) -> Result {
    do throws(Failure) {
      return try await body()
    } catch {
      throw .credentials(error)
    }
  }

  private func parse(_ json: [UInt8], with parser: JSONParser) throws(CallFailure) -> JSONCursor {
    var result: Result<JSONCursor, WireError>?
    json.withUnsafeBytes { bytes in
      do throws(WireError) {
        result = .success(try parser.parseHolding(bytes))
      } catch {
        result = .failure(error)
      }
    }
    switch result {
    case .success(let root)?: return root
    case .failure(let error)?: throw .malformed("the answer cannot be read: \(error)")
    case nil: throw .malformed("the answer is empty")
    }
  }

  // MARK: With retries

  /// Calls a method that may be repeated, until it succeeds, fails for good, or the budget in time is spent.
  ///
  /// - Parameters:
  ///   - rpc: The method.
  ///   - operation: What is being done, as a verb phrase for an error.
  ///   - path: What it is done to.
  ///   - decode: Reads the answer; the cursor is good as long as the body is held. `.malformed` and `.service`
  ///     failures that it throws are retried like the transport's.
  package func call<Answer>(
    _ rpc: RPC,
    _ request: HTTPRequest,
    operation: String,
    path: String?,
    decode: (ParsedBody, JSONCursor) throws(CallFailure) -> Answer
  ) async throws(Failure) -> Answer {
    let start = clock.now()
    var attempt = 0
    while true {
      attempt += 1
      var timed = request
      timed.timeout = min(request.timeout, max(1, policy.budget - (clock.now() - start)))
      let failure: CallFailure
      do throws(CallFailure) {
        let (body, root) = try await self.attempt(timed)
        return try decode(body, root)
      } catch {
        failure = error
      }
      let elapsed = clock.now() - start
      guard Self.mayRetry(failure, rpc),
        let delay = policy.delay(
          afterAttempt: attempt,
          elapsed: elapsed,
          asked: failure.askedDelay,
          random: clock.random()
        )
      else {
        throw failure.asFailure(
          operation: operation,
          path: path,
          of: rpc,
          attempts: attempt,
          elapsed: elapsed
        )
      }
      onRetry(RetryNotice(rpc: rpc, attempt: attempt, delay: delay, reason: failure.reason))
      traffic.count { $0.retries += 1 }
      do {
        try await clock.sleep(delay)
      } catch {
        throw Failure(.interrupted, operation, path: path, cause: "it was cancelled")
      }
    }
  }

  /// Tells a watcher of a retry that a caller of ``attempt(_:)`` makes by itself.
  func note(_ notice: RetryNotice) {
    traffic.count { $0.retries += 1 }
    onRetry(notice)
  }

  static func mayRetry(_ failure: CallFailure, _ rpc: RPC) -> Bool {
    switch failure {
    case .transport(let error): error.kind == .notConnected || (error.kind == .lost && rpc.isRead)
    case .service(let error): rpc.retries(on: error.status) && (error.isFromService || rpc.isRead)
    case .malformed: rpc.isRead
    case .credentials, .unreadable, .foreign: false
    }
  }
}

extension CallFailure {
  /// How long the service asks to wait.
  var askedDelay: Double? {
    if case .service(let error) = self { error.retryDelay } else { nil }
  }

  /// One line without data.
  var reason: String {
    switch self {
    case .transport(let error): error.message
    case .service(let error): error.description
    case .malformed(let text), .unreadable(let text), .foreign(let text): text
    case .credentials(let failure): failure.description
    }
  }

  /// The failure that ends a command.
  ///
  /// - Parameter rpc: The method that failed; nil for one that carries nothing of the command line.
  package func asFailure(
    operation: String,
    path: String?,
    of rpc: RPC? = nil,
    attempts: Int = 1,
    elapsed: Double = 0
  ) -> Failure {
    let tried = attempts > 1 ? " (after \(attempts) attempts in \(Int(elapsed.rounded())) s)" : ""
    func failure(_ kind: Failure.Kind, _ remedy: String?, service: FirestoreError? = nil) -> Failure {
      Failure(kind, operation, path: path, cause: reason + tried, remedy: remedy, service: service)
    }
    switch self {
    case .credentials(let failure): return failure
    case .malformed: return failure(.unavailable, "A proxy may stand in between; try again later.")
    case .unreadable: return failure(.internal, nil)
    case .foreign:
      return failure(
        .unavailable,
        "Firestore does not answer so: check the endpoint, and what stands in between."
      )
    case .transport(let error):
      switch error.kind {
      case .cancelled: return failure(.interrupted, nil)
      case .invalid:
        return failure(.configuration, "Check the endpoint and the certificates of this machine.")
      case .bodyTooLarge:
        var tooLarge = failure(.unavailable, "Ask for fewer documents a page (--page-size).")
        tooLarge.isBodyTooLarge = true
        return tooLarge
      case .notConnected, .lost: return failure(.unavailable, "Check the network and try again.")
      }
    case .service(let error) where !error.isFromService && error.status != .resourceExhausted:
      let remedy = "Something in between answered, not Firestore: check the endpoint and the proxy."
      return failure(.unavailable, remedy, service: error)
    case .service(let error):
      let (kind, remedy) = error.kindAndRemedy(of: rpc)
      return failure(kind, remedy, service: error)
    }
  }
}

extension FirestoreError {
  /// The class of failure that this error ends a command with, and what to do about it.
  fileprivate func kindAndRemedy(of rpc: RPC?) -> (Failure.Kind, String?) {
    switch status {
    case .permissionDenied where reason == "SERVICE_DISABLED":
      (.configuration, "Enable the Cloud Firestore API for the project.")
    case .permissionDenied:
      (.notPermitted, "The signer needs roles/datastore.viewer to read and roles/datastore.user to write.")
    case .unauthenticated:
      (.configuration, "The credentials were refused; 'gymmigrate env show' tells which are used.")
    case .notFound: (.configuration, "Check the project and the database id ('gymmigrate env show').")
    case .failedPrecondition:
      (.configuration, "The query may want an index, or the database may be in Datastore mode.")
    case .resourceExhausted: (.tryLater, "A quota may be spent; try again later.")
    // Names were checked by the documented limits before, so what is left is a filter, an order, a time, or what this
    // server alone refuses. Other requests are of our own making.
    case .invalidArgument where rpc?.carriesArguments ?? false,
      .outOfRange where rpc?.carriesArguments ?? false:
      (
        .usage,
        "The server refuses what the command asks for: check its names, filters, order and times. Where they are right, report it."
      )
    case .invalidArgument, .outOfRange: (.internal, nil)
    case .unimplemented:
      (
        .configuration,
        "This server cannot do that: check the endpoint and the database ('gymmigrate doctor')."
      )
    case .dataLoss:
      (
        .inputMalformed,
        "The store of the server is damaged. Of the embedded one: put a copy in its place, or move the file away with the -wal and -shm beside it and import an export."
      )
    case .alreadyExists, .aborted, .cancelled, .unknown, .deadlineExceeded, .internal, .unavailable:
      (.unavailable, "Try again later.")
    }
  }
}
