/// The methods of the service that gymmigrate calls, with the errors after which each is retried.
///
/// The codes are those of Google's configuration (`firestore_grpc_service_config.json`), with two additions from the
/// documentation: RESOURCE_EXHAUSTED also for streamed reads (as in the Node client), and ABORTED for commits ("nothing was
/// applied; safe to retry").
package enum RPC: String, Sendable {
  case listDocuments, batchGetDocuments, runQuery, runAggregationQuery, listCollectionIds
  case partitionQuery, commit, batchWrite, deleteDocument, beginTransaction, getDatabase
  case exportDocuments, importDocuments, getOperation, listOperations, cancelOperation
  case listBackups, listBackupSchedules
  /// A request to Cloud Storage, which has its own rules.
  case storage

  /// Whether sending it twice has the same effect as sending it once.
  package var isRead: Bool {
    switch self {
    case .commit, .batchWrite, .deleteDocument, .exportDocuments, .importDocuments, .storage: false
    default: true
    }
  }

  /// Whether the request contains arguments of the command line: collections, filters, orders, times.
  var carriesArguments: Bool {
    switch self {
    case .listDocuments, .runQuery, .runAggregationQuery, .partitionQuery: true
    default: false
    }
  }

  /// Whether the same request may be sent again after a status of the service.
  package func retries(on status: FirestoreError.Status) -> Bool {
    switch self {
    case .exportDocuments, .importDocuments: false
    case .commit, .batchWrite:
      status == .resourceExhausted || status == .aborted || status == .unavailable
    default:
      switch status {
      case .resourceExhausted, .unavailable, .internal, .deadlineExceeded, .aborted, .unknown, .cancelled:
        true
      default: false
      }
    }
  }
}

/// Why an attempt of a call failed.
package enum CallFailure: Error, Sendable, Equatable {
  /// There is no complete response.
  case transport(TransportError)
  /// The service, or a server in front of it, responded with an error.
  case service(FirestoreError)
  /// The response is complete but invalid, such as a proxy's page or half of a stream.
  case malformed(String)
  /// The response is valid except for a value that cannot be read; a retry would return the same.
  case unreadable(String)
  /// The response contains something that was not requested, so it is not from the service.
  case foreign(String)
  /// Nothing was sent, because there are no credentials, or the run may no longer write.
  case notSent(Failure)

  /// Whether it is ``notSent(_:)``.
  var isUnsent: Bool { if case .notSent = self { true } else { false } }
}

/// When a call is retried: the backoff and the retry budget.
///
///     let policy = RetryPolicy(budget: 60)
///     policy.delay(afterAttempt: 3, elapsed: 2, asked: nil, random: 0.5)  // 0.5625
///     policy.delay(afterAttempt: 3, elapsed: 60, asked: nil, random: 0.5)  // nil: give up
///
/// The delay before attempt n + 1 is uniform between 0 and `initial × 1.5^(n - 1)`, capped at `maximum`
/// ("full jitter"). A delay that the service requests (RetryInfo, Retry-After) is waited in full. The type is
/// pure: time and randomness are arguments.
///
///     after attempt     1     2     3     5     8     12
///     at most (s)       0.5   0.75  1.13  2.53  8.54  43.2
package struct RetryPolicy: Sendable, Equatable {
  /// The maximum delay after the first attempt, in seconds.
  package var initial: Double
  /// The maximum delay after any attempt, in seconds.
  package var maximum: Double
  /// How long one call may be retried, in seconds (`--retry-for`).
  package var budget: Double
  /// How long a call is retried if no connection can be made, in seconds; nil for as long as any other call.
  ///
  /// On this machine, that means that nothing listens, and rarely anything starts to.
  package var connecting: Double?

  /// The time limit of one request in seconds: at most the service's own limit and the budget.
  var requestGrace: Double { min(75, budget) }

  package init(
    initial: Double = 0.5,
    maximum: Double = 60,
    budget: Double = 300,
    connecting: Double? = nil
  ) {
    self.connecting = connecting
    self.initial = initial
    self.maximum = maximum
    self.budget = budget
  }

  /// Returns the policy that applies after a failure.
  func after(_ failure: CallFailure) -> RetryPolicy {
    guard case .transport(let error) = failure, error.kind == .notConnected, let connecting else {
      return self
    }
    var policy = self
    policy.budget = min(budget, connecting)
    return policy
  }

  /// Returns the delay before the next attempt; nil to give up.
  ///
  /// - Parameters:
  ///   - attempt: The number of failed attempts, from 1.
  ///   - elapsed: The number of seconds since the start of the first attempt.
  ///   - asked: The delay that the service requests, in seconds.
  ///   - random: A random number in 0..<1.
  package func delay(afterAttempt attempt: Int, elapsed: Double, asked: Double?, random: Double) -> Double? {
    var ceiling = initial
    for _ in 1..<max(attempt, 1) {
      ceiling *= 1.5
      if ceiling >= maximum { break }
    }
    let delay = max(min(ceiling, maximum) * random, asked ?? 0)
    return elapsed + delay > budget ? nil : delay
  }
}
