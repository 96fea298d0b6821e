import FirestoreModels
import Testing

@testable import FirestoreREST

@Suite("Retry policy")
struct RetryPolicyTests {
  private let policy = RetryPolicy(initial: 0.5, maximum: 60, budget: 300)

  // 0.5 × 1.5^(n - 1), worked out by hand; 60 s are reached at the 13th (0.5 × 1.5^12 = 64.87).
  @Test(
    "The ceiling grows by half an attempt up to the maximum",
    arguments: [
      (1, 0.5), (2, 0.75), (3, 1.125), (5, 2.531_25), (8, 8.542_968_75), (12, 43.248_8), (13, 60), (99, 60),
    ]
  )
  func ceiling(attempt: Int, most: Double) throws {
    let delay = try #require(policy.delay(afterAttempt: attempt, elapsed: 0, asked: nil, random: 1))
    #expect(abs(delay - most) < 0.001)
    #expect(policy.delay(afterAttempt: attempt, elapsed: 0, asked: nil, random: 0) == 0)
    let half = try #require(policy.delay(afterAttempt: attempt, elapsed: 0, asked: nil, random: 0.5))
    #expect(abs(half - most / 2) < 0.001)
  }

  @Test("The delay that the service requests is waited in full, however small the random one")
  func asked() {
    #expect(policy.delay(afterAttempt: 1, elapsed: 0, asked: 7.5, random: 0) == 7.5)
    #expect(policy.delay(afterAttempt: 1, elapsed: 0, asked: 0.1, random: 1) == 0.5)
    #expect(policy.delay(afterAttempt: 1, elapsed: 0, asked: -3, random: 0.5) == 0.25)
    #expect(policy.delay(afterAttempt: 1, elapsed: 0, asked: .infinity, random: 0.5) == nil)
    #expect(policy.delay(afterAttempt: 1, elapsed: 0, asked: .nan, random: 0.5) == 0.25)
  }

  @Test("It gives up when the next attempt would start after the budget")
  func budget() {
    #expect(policy.delay(afterAttempt: 1, elapsed: 299.5, asked: nil, random: 1) == 0.5)
    #expect(policy.delay(afterAttempt: 1, elapsed: 299.6, asked: nil, random: 1) == nil)
    #expect(policy.delay(afterAttempt: 1, elapsed: 0, asked: 301, random: 0) == nil)
    #expect(policy.delay(afterAttempt: 0, elapsed: 0, asked: nil, random: 1) == 0.5)
  }

  @Test("Only what is certainly not applied, or changes nothing, is retried")
  func repeats() {
    let lost = CallFailure.transport(TransportError(.lost, "reset"))
    #expect(ServiceCaller.mayRetry(lost, .listDocuments))
    #expect(!ServiceCaller.mayRetry(lost, .commit))
    #expect(!ServiceCaller.mayRetry(lost, .deleteDocument))
    #expect(ServiceCaller.mayRetry(.transport(TransportError(.notConnected, "")), .commit))
    for kind in [TransportError.Kind.cancelled, .invalid, .bodyTooLarge] {
      #expect(!ServiceCaller.mayRetry(.transport(TransportError(kind, "")), .listDocuments))
    }
    #expect(ServiceCaller.mayRetry(.malformed("half"), .runQuery))
    #expect(!ServiceCaller.mayRetry(.malformed("half"), .commit))
    // A proxy's 503 says nothing of what became of a commit.
    let proxy = CallFailure.service(FirestoreError(.unavailable, "", isFromService: false))
    #expect(!ServiceCaller.mayRetry(proxy, .commit))
    #expect(ServiceCaller.mayRetry(proxy, .listDocuments))
  }

  // The delays after attempts 6 and 7 are 3.80 and 5.70 s at most: 6 + 3.80 is within 10 s, 8 + 5.70 is not.
  @Test("A connection that is refused is given up sooner, and only such a one")
  func refused() {
    var impatient = RetryPolicy(budget: 300, connecting: 10)
    let refused = CallFailure.transport(TransportError(.notConnected, ""))
    let lost = CallFailure.transport(TransportError(.lost, ""))
    #expect(impatient.after(refused).delay(afterAttempt: 6, elapsed: 6, asked: nil, random: 1) != nil)
    #expect(impatient.after(refused).delay(afterAttempt: 7, elapsed: 8, asked: nil, random: 1) == nil)
    #expect(impatient.after(lost).delay(afterAttempt: 7, elapsed: 200, asked: nil, random: 1) != nil)
    #expect(policy.after(refused) == policy)
    impatient.budget = 5
    #expect(impatient.after(refused).budget == 5)
  }

  @Test("Each method has its own retryable codes", arguments: FirestoreError.Status.allCases)
  func codes(status: FirestoreError.Status) {
    let read: Set<FirestoreError.Status> = [
      .resourceExhausted, .unavailable, .internal, .deadlineExceeded, .aborted, .unknown, .cancelled,
    ]
    let commit: Set<FirestoreError.Status> = [.resourceExhausted, .aborted, .unavailable]
    #expect(RPC.listDocuments.retries(on: status) == read.contains(status))
    #expect(RPC.batchGetDocuments.retries(on: status) == read.contains(status))
    #expect(RPC.commit.retries(on: status) == commit.contains(status))
  }
}

@Suite("Commit failures")
struct CommitFailureTests {
  @Test("Every failure of a commit has one meaning")
  func meanings() {
    func meaning(
      _ status: FirestoreError.Status,
      isFromService: Bool = true,
      code: Int? = nil
    ) -> CommitFailure {
      CommitFailure(.service(error(status, isFromService, code)))
    }
    func error(
      _ status: FirestoreError.Status,
      _ isFromService: Bool = true,
      _ code: Int? = nil
    ) -> FirestoreError {
      FirestoreError(status, "text", code: code, isFromService: isFromService)
    }
    for status in [
      FirestoreError.Status.unavailable, .deadlineExceeded, .unknown, .internal, .cancelled,
    ] {
      #expect(meaning(status) == .unknown)
    }
    #expect(meaning(.aborted) == .contended)
    #expect(meaning(.resourceExhausted) == .notApplied(overloaded: true))
    for status in [FirestoreError.Status.alreadyExists, .notFound, .failedPrecondition] {
      #expect(meaning(status) == .preconditionFailed(error(status)))
    }
    for status in [FirestoreError.Status.permissionDenied, .unauthenticated, .unimplemented, .dataLoss] {
      #expect(meaning(status) == .fatal)
    }
    #expect(meaning(.invalidArgument) == .refused(error(.invalidArgument), tooBig: false))
    for code in [400, 403, 404, 409, 429, 500, 502, 503, 504] {
      #expect(meaning(.init(httpCode: code), isFromService: false, code: code) == .unknown)
    }
    #expect(CommitFailure(.malformed("half")) == .unknown)
    #expect(CommitFailure(.transport(TransportError(.lost, ""))) == .unknown)
    #expect(CommitFailure(.transport(TransportError(.bodyTooLarge, ""))) == .unknown)
    #expect(CommitFailure(.transport(TransportError(.notConnected, ""))) == .notApplied(overloaded: false))
    #expect(CommitFailure(.notSent(Failure(.configuration, "sign", cause: ""))) == .fatal)
  }

  @Test(
    "A commit that is too big is recognized by each of the service's messages",
    arguments: [
      "Transaction too big. Decrease transaction size.", "maximum 500 writes allowed per request",
      "Request payload size exceeds the limit: 10485760 bytes.",
    ]
  )
  func tooBig(message: String) {
    let error = FirestoreError(.invalidArgument, message)
    #expect(CommitFailure(.service(error)) == .refused(error, tooBig: true))
  }
}
