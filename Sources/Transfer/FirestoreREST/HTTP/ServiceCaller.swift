import Configuration
import Synchronization

/// The network traffic of a run.
package struct Traffic: Codable, Sendable, Equatable {
  /// Bytes of response bodies, as received.
  package var bytesIn = 0
  /// Bytes of response bodies, decompressed.
  package var contentIn = 0
  /// Bytes of request bodies.
  package var bytesOut = 0
  /// Requests sent, including retries.
  package var requests = 0
  package var retries = 0

  package init() {}
}

package final class TrafficCounter: Sendable {
  private let state = Mutex(Traffic())
  /// The number of bytes that the cost ledger contains.
  private let recorded = Mutex((in: 0, out: 0))
  /// The bill for the traffic.
  package let account = Account()

  package init() {}

  package var current: Traffic { state.withLock { $0 } }

  /// Returns the numbers of bytes that the cost ledger does not contain, which count as recorded from now on.
  package func takeUnrecordedBytes() -> (in: Int, out: Int) {
    let now = current
    return recorded.withLock { last in
      defer { last = (now.bytesIn, now.bytesOut) }
      return (now.bytesIn - last.in, now.bytesOut - last.out)
    }
  }

  func count(_ change: (inout Traffic) -> Void) { state.withLock { change(&$0) } }
}

/// A retry, for progress output.
package struct RetryNotice: Sendable {
  package var rpc: RPC
  /// The number of failed attempts.
  package var attempt: Int
  /// The number of seconds until the next attempt.
  package var delay: Double
  /// The reason, without document data.
  package var reason: String
  /// The number of seconds until the call is given up; nil if unknown.
  package var remaining: Double?
}

/// Calls the methods of the service.
///
/// It adds credentials, decodes errors, refreshes a refused token once, and retries where that is safe.
package struct ServiceCaller: Sendable {
  package let transport: any HTTPTransport
  package let credentials: TokenProvider
  let parsers = ParserPool()
  package private(set) var policy: RetryPolicy
  package let clock: RunClock
  package let traffic: TrafficCounter
  package let serverClock = ServerClock()
  private let onRetry: @Sendable (RetryNotice) -> Void
  /// Whether its requests belong to the end of the run, for which some cost is reserved.
  private var isLast = false
  /// Whether its requests are billed, which those to a mirror are not.
  package var isBilled = true
  /// Whether its requests go to the source database of a command with two databases.
  package var isOfSource = false
  /// Whether nothing that is shown may name a document, or quote the service, because the documents are masked.
  package var hidesNames = false

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

  /// Returns the same caller with a lower retry budget, in seconds.
  package func within(_ seconds: Double) -> ServiceCaller {
    var limited = self
    limited.policy.budget = min(policy.budget, seconds)
    return limited
  }

  /// The same caller for the requests at the end of a run.
  var forTheEnd: ServiceCaller {
    var caller = self
    caller.isLast = true
    return caller
  }

  // MARK: The bill

  /// Reserves the reads of a request, which is then marked as reserved: as many as are wanted, or as are left.
  ///
  /// - Throws: `.tryLater` if none are left.
  func reserve(reads wanted: Int) async throws(Failure) -> Int {
    if !isBilled { return wanted }
    return try await traffic.account.reserve(Cost(reads: max(1, wanted)), least: 1, isLast: isLast).reads
  }

  private func settle(_ request: HTTPRequest, as cost: Cost?) {
    traffic.account.settle(request.billing.most, as: cost, isOfSource: isOfSource)
  }

  /// Settles a request after a failure: it was free if the service refused it, otherwise it may have been billed in full.
  private func settle(_ request: HTTPRequest, after failure: CallFailure) {
    let isFree =
      switch failure {
      case .notSent: true
      case .transport(let error): error.kind == .notConnected || error.kind == .invalid
      case .service(let error): error.isFromService && (400..<500).contains(error.code)
      case .malformed, .unreadable, .foreign: false
      }
    settle(request, as: isFree ? Cost() : nil)
  }

  // MARK: One attempt

  /// Sends a request once (twice if the token was refused) and parses the response.
  ///
  /// The maximum cost is reserved before, and settled afterwards.
  ///
  /// - Parameter prepare: Called with the body of a successful response before it is parsed, or after that if reads are
  ///   bounded, because others may wait for what this request does not use.
  /// - Returns: The parsed body and its root, which is valid while the body is held.
  func attempt(
    _ request: HTTPRequest,
    beforeParsing prepare: (([UInt8]) async -> Void)? = nil
  ) async throws(CallFailure) -> (ParsedBody, JSONCursor) {
    var request = request
    if !isBilled { request.billing = .nothing }
    if !request.isReserved {
      _ = try await CallFailure.ofUnsent { () throws(Failure) in
        try await traffic.account.reserve(request.billing.most, isLast: isLast)
      }
    }
    do throws(CallFailure) {
      return try await reserved(request, beforeParsing: prepare)
    } catch {
      settle(request, after: error)
      throw error
    }
  }

  private func reserved(
    _ request: HTTPRequest,
    beforeParsing prepare: (([UInt8]) async -> Void)?
  ) async throws(CallFailure) -> (ParsedBody, JSONCursor) {
    var response = try await exchange(request)
    let isBounded = !traffic.account.bound.isNone
    if response.status == 200, !isBounded { await prepare?(response.body) }
    let body = parsers.take(forBytes: response.body.count)
    guard response.status == 200 else {
      throw .service(ErrorBody.read(response, with: body.parser))
    }
    let root = try parse(response.body, with: body.parser)
    settle(request, as: request.billing.cost(of: root))
    if isBounded { await prepare?(response.body) }
    var json: [UInt8] = []
    swap(&json, &response.body)
    transport.reclaim(consume json)
    return (body, root)
  }

  /// Sends a signed request once (twice if the token was refused), and returns the response, whatever its status.
  package func exchange(_ request: HTTPRequest) async throws(CallFailure) -> HTTPResponse {
    let authorization = try await CallFailure.ofUnsent { () throws(Failure) in
      try await credentials.authorization()
    }
    let response = try await send(request, with: authorization)
    guard response.status == 401 else { return response }
    let fresh = try await CallFailure.ofUnsent { () throws(Failure) in
      try await credentials.refreshed(after: authorization)
    }
    guard let fresh else { return response }
    return try await send(request, with: fresh)
  }

  private func send(
    _ request: HTTPRequest,
    with authorization: Authorization
  ) async throws(CallFailure) -> HTTPResponse {
    var request = request
    request.headers += authorization.headers
    traffic.count {
      $0.requests += 1
      $0.bytesOut += request.body?.count ?? 0
    }
    do throws(TransportError) {
      let response = try await transport.send(request)
      traffic.count {
        $0.bytesIn += response.wireBytes
        $0.contentIn += response.body.count
      }
      serverClock.note(response)
      return response
    } catch {
      throw .transport(error)
    }
  }

  private func parse(_ json: [UInt8], with parser: JSONParser) throws(CallFailure) -> JSONCursor {
    do throws(WireError) {
      let root = try json.span.withUnsafeBytes { bytes throws(WireError) in
        try parser.parseHolding(bytes, room: json.capacity)
      }
      // The members of nested messages are checked by those who read them.
      try root.assertUniqueOwnMembers()
      for element in root.elements { try element.assertUniqueOwnMembers() }
      return root
    } catch {
      throw .malformed("the response cannot be read: \(error)")
    }
  }

  // MARK: With retries

  /// Calls a method until it succeeds, fails permanently, or the retry budget is spent.
  ///
  /// - Parameters:
  ///   - operation: A verb phrase for errors.
  ///   - path: The object of the operation, for errors.
  ///   - prepare: Called with the body of each successful response before it is parsed; the time that it takes does not
  ///     count towards the retry budget.
  ///   - decode: Decodes the response; the cursor is valid while the body is held. `.malformed` and
  ///     `.service` failures that it throws are retried like those of the transport.
  package func call<Answer>(
    _ rpc: RPC,
    _ request: HTTPRequest,
    operation: String,
    path: String?,
    beforeParsing prepare: (([UInt8]) async -> Void)? = nil,
    decode: (ParsedBody, JSONCursor) throws(CallFailure) -> Answer
  ) async throws(Failure) -> Answer {
    var attempts = Attempts(self)
    while true {
      var timed = request
      timed.timeout = min(request.timeout, attempts.left)
      timed.isReserved = request.isReserved && attempts.number == 1
      let failure: CallFailure
      do throws(CallFailure) {
        let (body, root) = try await attempt(timed) { body in
          guard let prepare else { return }
          let before = clock.now()
          await prepare(body)
          attempts.leaveOut(clock.now() - before)
        }
        return try decode(body, root)
      } catch {
        failure = shown(error)
      }
      let elapsed = attempts.elapsed
      guard Self.mayRetry(failure, rpc),
        try await attempts.wait(
          rpc,
          failure.reason,
          asked: failure.askedDelay,
          policy.after(failure),
          orThrow: Failure(.interrupted, operation, path: path, cause: "it was stopped")
        )
      else {
        throw failure.asFailure(
          operation: operation,
          path: path,
          of: rpc,
          attempts: attempts.number,
          elapsed: elapsed
        )
      }
    }
  }

  /// Reports a retry by a caller of ``attempt(_:)`` or ``exchange(_:)``.
  package func note(_ notice: RetryNotice) {
    traffic.count { $0.retries += 1 }
    onRetry(notice)
  }

  static func mayRetry(_ failure: CallFailure, _ rpc: RPC) -> Bool {
    switch failure {
    case .transport(let error): error.kind == .notConnected || (error.kind == .lost && rpc.isRead)
    case .service(let error): rpc.retries(on: error.status) && (error.isFromService || rpc.isRead)
    case .malformed: rpc.isRead
    case .notSent, .unreadable, .foreign: false
    }
  }
}

extension CallFailure {
  /// Calls `body`, whose failure is that of a request which is not sent.
  static func ofUnsent<Result>(
    _ body: () async throws(Failure) -> Result
  ) async throws(CallFailure) -> Result {
    do throws(Failure) {
      return try await body()
    } catch {
      throw .notSent(error)
    }
  }

  /// The delay that the service requests.
  var askedDelay: Double? {
    if case .service(let error) = self { error.retryDelay } else { nil }
  }

  /// The reason in one line, without document data.
  package var reason: String {
    switch self {
    case .transport(let error): error.message
    case .service(let error): error.description
    case .malformed(let text), .unreadable(let text), .foreign(let text): text
    case .notSent(let failure): failure.description
    }
  }

  /// Returns the failure that ends a command.
  ///
  /// - Parameter rpc: The failed method; nil if its request contains nothing of the command line.
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
    case .notSent(let failure): return failure
    case .malformed: return failure(.unavailable, "There may be a proxy in between; try again later.")
    case .unreadable:
      var unreadable = failure(.unavailable, "Check the endpoint, or get a version that knows the value.")
      unreadable.isUnreadable = true
      return unreadable
    case .foreign:
      return failure(.unavailable, "This is not a response of Firestore: check the endpoint and any proxy.")
    case .transport(let error):
      switch error.kind {
      case .cancelled: return failure(.interrupted, nil)
      case .invalid:
        return failure(.configuration, "Check the endpoint and the certificates of this machine.")
      case .bodyTooLarge:
        var tooLarge = failure(.unavailable, "Request fewer documents per page (--page-size).")
        tooLarge.isBodyTooLarge = true
        return tooLarge
      case .notConnected, .lost: return failure(.unavailable, "Check the network and try again.")
      }
    case .service(let error) where !error.isFromService && error.status != .resourceExhausted:
      let remedy = "The response is not from Firestore: check the endpoint and the proxy."
      return failure(.unavailable, remedy, service: error)
    case .service(let error):
      let (kind, remedy) = error.kindAndRemedy(of: rpc)
      return failure(kind, remedy, service: error)
    }
  }
}
