/// Decides how an export or import is started exactly once.
///
/// The service's own clients do not retry this, because a start that is sent twice may run twice
/// (`firestore_admin_grpc_service_config.json`). So the operations with the same prefix are listed before the request. If
/// its response is lost, they are listed again, and one that was not there before is the one that was started.
///
///     var start = OperationStart(request, policy: policy)
///     start.handle(.listed([]))                // .send
///     start.handle(.failed(.service(error)))   // .wait(1.2), if the error may hide a start
///     start.handle(.waited)                    // .list
///     start.handle(.listed([operation]))       // .found(operation)
///
/// The type is pure: time and randomness are arguments.
struct OperationStart: Sendable {
  enum Event: Sendable {
    /// The operations of the database; nil if they could not be listed.
    case listed([ManagedOperation]?)
    case answered(ManagedOperation)
    case failed(CallFailure)
    case waited
  }

  enum Action: Sendable, Equatable {
    case list
    case send
    /// Wait for the given number of seconds.
    case wait(Double)
    /// The request was answered.
    case started(ManagedOperation)
    /// The response was lost, and this is the operation that the request started.
    case found(ManagedOperation)
    /// The same work is already in progress.
    case isRunning(ManagedOperation)
    /// Nothing was started.
    case fail(CallFailure)
    /// It may have been started, but that cannot be determined.
    case giveUp(CallFailure)
  }

  /// The minimum delay before operations are listed again, in seconds, because a list may lag behind.
  static let leastDelay = 1.0

  private let request: ManagedRequest
  private let policy: RetryPolicy
  /// The operations with the same prefix before the request; nil if they could not be listed.
  private var before: Set<OperationName>?
  /// Whether a request was sent whose effect is unknown.
  private var isOpen = false
  private var hasListed = false
  /// Whether the budget is spent, so that nothing more is sent.
  private var isLast = false
  private var attempts = 0
  private var next = Action.send
  /// Why the last request failed.
  private var failure: CallFailure?

  init(_ request: ManagedRequest, policy: RetryPolicy) {
    (self.request, self.policy) = (request, policy)
  }

  /// Returns what to do after an event; the first action is to list.
  ///
  /// - Parameters:
  ///   - elapsed: The number of seconds since the beginning.
  ///   - random: A random number in 0..<1.
  mutating func handle(_ event: Event, elapsed: Double = 0, random: Double = 0) -> Action {
    switch event {
    case .waited: return next
    case .answered(let operation): return .started(operation)
    case .listed(let operations) where !hasListed:
      hasListed = true
      guard let operations else { return .send }
      let same = operations.filter(request.isBeside)
      if let running = same.first(where: { !$0.isDone }) { return .isRunning(running) }
      before = Set(same.map(\.name))
      return .send
    case .listed(let operations): return search(operations)
    case .failed(let failure): return handle(failure, elapsed: elapsed, random: random)
    }
  }

  private mutating func search(_ operations: [ManagedOperation]?) -> Action {
    guard let failure else { return .send }
    guard let operations, let before else { return .giveUp(failure) }
    if let found = operations.first(where: { request.isDone(by: $0) && !before.contains($0.name) }) {
      return .found(found)
    }
    return isLast || failure.effect == .refused ? .fail(failure) : .send
  }

  private mutating func handle(_ failure: CallFailure, elapsed: Double, random: Double) -> Action {
    attempts += 1
    self.failure = failure
    switch failure.effect {
    case .cancelled: return .giveUp(failure)
    case .refused:
      // The service may refuse the result of an earlier request: "Path already exists".
      if isOpen { return before == nil ? .giveUp(failure) : .list }
      return .fail(failure)
    case .unbegun: next = isOpen ? .list : .send
    case .unknown:
      isOpen = true
      if before == nil { return .giveUp(failure) }
      next = .list
    }
    let delay = policy.delay(
      afterAttempt: attempts,
      elapsed: elapsed,
      asked: failure.askedDelay,
      random: random
    )
    guard let delay else {
      // One last list shows whether it was started.
      isLast = true
      return isOpen ? .list : .fail(failure)
    }
    return .wait(next == .list ? max(delay, Self.leastDelay) : delay)
  }
}

extension CallFailure {
  /// The effect of a failed request to start an operation.
  fileprivate enum Effect {
    /// Nothing, and it would be refused again.
    case refused
    /// Nothing, and it may be sent again.
    case unbegun
    /// It may have started the operation.
    case unknown
    /// It may have started the operation, and the command is being stopped.
    case cancelled
  }

  fileprivate var effect: Effect {
    switch self {
    case .notSent: .refused
    case .malformed, .unreadable, .foreign: .unknown
    case .transport(let error):
      switch error.kind {
      case .notConnected: .unbegun
      case .invalid: .refused
      case .cancelled: .cancelled
      case .lost, .bodyTooLarge: .unknown
      }
    case .service(let error):
      switch error.status {
      case .invalidArgument, .notFound, .alreadyExists, .permissionDenied, .failedPrecondition, .outOfRange,
        .unimplemented, .unauthenticated:
        .refused
      case .resourceExhausted: .unbegun
      case .ok, .cancelled, .unknown, .deadlineExceeded, .aborted, .internal, .unavailable, .dataLoss:
        .unknown
      }
    }
  }
}
