package import FirestoreModels

/// The service's methods that gymmigrate calls, with what each may be retried on.
///
/// The codes are those of Google's own configuration (`firestore_grpc_service_config.json`), with two of the
/// documentation's additions: RESOURCE_EXHAUSTED for streamed reads too (the Node client adds it), and ABORTED for
/// commits ("nothing was applied; safe to retry").
package enum RPC: String, Sendable {
  case getDocument, listDocuments, batchGetDocuments, runQuery, runAggregationQuery, listCollectionIds
  case partitionQuery, commit, batchWrite, deleteDocument, beginTransaction, getDatabase, token

  /// Whether sending it twice does no more than sending it once.
  package var isRead: Bool {
    switch self {
    case .commit, .batchWrite, .deleteDocument: false
    default: true
    }
  }

  /// Whether what is asked for is that of the command line: collections, filters, orders, moments.
  var carriesArguments: Bool {
    switch self {
    case .listDocuments, .runQuery, .runAggregationQuery, .partitionQuery: true
    default: false
    }
  }

  /// The service's own errors that the same request may be repeated after.
  package func retries(on status: FirestoreError.Status) -> Bool {
    switch self {
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

/// Why one attempt of a call failed.
package enum CallFailure: Error, Sendable, Equatable {
  /// There is no complete answer.
  case transport(TransportError)
  /// The service, or something before it, answered with an error.
  case service(FirestoreError)
  /// The answer is complete by its length and no answer by its content: a proxy's page, half a stream.
  case malformed(String)
  /// The answer is complete and what it should be, but for something in it that cannot be read: it would be the same
  /// again.
  case unreadable(String)
  /// The answer is complete and holds what was not asked for: something that is not the service gave it.
  case foreign(String)
  /// No credentials could be had for the call.
  case credentials(Failure)
}

/// How long to wait before the next attempt, and when to give up: pure, so that a table can test it.
///
/// The delay before attempt n + 1 is drawn evenly from 0 to `initial × 1.5^(n - 1)`, capped at `maximum` ("full
/// jitter"). A delay that the service asks for (RetryInfo, Retry-After) is waited in full.
///
///     after attempt     1     2     3     5     8     12
///     at most (s)       0.5   0.75  1.13  2.53  8.54  43.2
package struct RetryPolicy: Sendable, Equatable {
  /// The longest delay after the first attempt, in seconds.
  package var initial: Double
  /// The longest delay after any attempt, in seconds.
  package var maximum: Double
  /// How long one call may go on being retried, in seconds (`--retry-for`).
  package var budget: Double

  /// How long one request may take, in seconds: no longer than the service itself works on one, nor than the budget.
  var requestGrace: Double { min(75, budget) }

  /// Makes a policy.
  package init(initial: Double = 0.5, maximum: Double = 60, budget: Double = 300) {
    self.initial = initial
    self.maximum = maximum
    self.budget = budget
  }

  /// The delay before the next attempt, nil where it is time to give up.
  ///
  /// - Parameters:
  ///   - attempt: How many attempts have failed, 1 after the first.
  ///   - elapsed: Seconds since the first attempt began.
  ///   - asked: What the service asks for, in seconds.
  ///   - random: From 0 up to 1.
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
