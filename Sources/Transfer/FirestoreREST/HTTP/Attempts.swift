/// The attempts of one call and the delays between them: ``RetryPolicy`` decides, and the caller's clock waits.
///
///     var attempts = Attempts(caller)
///     while true {
///       if let answer = try await attempt() { return answer }
///       guard try await attempts.wait(.runQuery, reason, asked: nil, orThrow: interrupted) else { throw failure }
///     }
package struct Attempts {
  private let caller: ServiceCaller
  private var start: Double
  /// The number of the current attempt, from 1.
  package private(set) var number = 1

  package init(_ caller: ServiceCaller) {
    self.caller = caller
    start = caller.clock.now()
  }

  /// The number of seconds since the first attempt.
  var elapsed: Double { caller.clock.now() - start }

  /// The number of seconds that the current attempt may take.
  var left: Double { max(1, caller.policy.budget - elapsed) }

  /// Excludes seconds in which nothing was attempted.
  mutating func leaveOut(_ seconds: Double) { start += seconds }

  /// Starts over with the first attempt, because something was achieved.
  package mutating func restart() { (start, number) = (caller.clock.now(), 1) }

  /// Waits before the next attempt; returns false if the retry budget is spent.
  ///
  /// - Parameters:
  ///   - reason: Why the current attempt failed, without document data.
  ///   - asked: The delay that the service requests, in seconds.
  ///   - policy: The policy after that failure; nil for the caller's policy.
  ///   - interrupted: The failure if the task is cancelled while waiting.
  package mutating func wait(
    _ rpc: RPC,
    _ reason: String,
    asked: Double?,
    _ policy: RetryPolicy? = nil,
    orThrow interrupted: Failure
  ) async throws(Failure) -> Bool {
    let (policy, clock, elapsed) = (policy ?? caller.policy, caller.clock, elapsed)
    let random = clock.random()
    guard
      let delay = policy.delay(afterAttempt: number, elapsed: elapsed, asked: asked, random: random)
    else { return false }
    let remaining = policy.budget - elapsed
    caller.note(RetryNotice(rpc: rpc, attempt: number, delay: delay, reason: reason, remaining: remaining))
    number += 1
    do {
      try await clock.sleep(delay)
    } catch {
      throw interrupted
    }
    return true
  }
}
