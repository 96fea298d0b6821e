/// Time and randomness as values, so that tests can control them.
package struct RunClock: Sendable {
  /// Returns the seconds on a monotonic clock, which continues while the machine is suspended.
  package var now: @Sendable () -> Double
  /// Waits for a number of seconds; throws `CancellationError` as soon as the task is cancelled.
  package var sleep: @Sendable (Double) async throws -> Void
  /// Returns a random number in 0..<1.
  package var random: @Sendable () -> Double

  package init(
    now: @escaping @Sendable () -> Double,
    sleep: @escaping @Sendable (Double) async throws -> Void,
    random: @escaping @Sendable () -> Double
  ) {
    self.now = now
    self.sleep = sleep
    self.random = random
  }

  /// The machine's clock (`CLOCK_BOOTTIME` on Linux).
  package static let system: RunClock = {
    let start = ContinuousClock.now
    return RunClock(
      now: { (ContinuousClock.now - start).inSeconds },
      sleep: { seconds in
        try await Task.sleep(for: .nanoseconds(Int64(max(0, min(seconds, 1e9)) * 1e9)))
      },
      random: { Double.random(in: 0..<1) }
    )
  }()
}

extension RunClock {
  /// Runs work that has to be done even if the task is cancelled, and cancels it five seconds after that.
  ///
  /// - Throws: The errors of `body`.
  package func finishing<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task(operation: body)
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      Task {
        try? await sleep(5)
        task.cancel()
      }
    }
  }
}
