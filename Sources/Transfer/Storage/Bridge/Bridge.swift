import Dispatch
import Files

/// Runs asynchronous work on a separate queue, for callers that block their thread until it is done, such as readers and
/// writers of files.
///
/// A thread of the cooperative pool that waits for a task in that pool may wait forever, because with one processor there
/// is no other thread. Everything that such a task awaits (requests, tokens, delays) has to come back to this queue, which
/// is why it has its own ``sleep(_:)``.
final class Bridge: TaskExecutor {
  private let queue = DispatchQueue(label: "gymmigrate.storage")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }

  /// Waits without occupying a thread of the cooperative pool.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  func sleep(_ seconds: Double) async throws {
    let waiting = Locked<CheckedContinuation<Void, any Error>?>(nil)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        waiting.withLock { $0 = continuation }
        // An earlier cancellation had nobody to wake.
        let delay = Task.isCancelled ? 0 : max(0, min(seconds, 1e9))
        queue.asyncAfter(deadline: .now() + delay) { waiting.withLock { $0.take() }?.resume() }
      }
    } onCancel: {
      waiting.withLock { $0.take() }?.resume(throwing: CancellationError())
    }
    try Task.checkCancellation()
  }

  /// Begins work, whose result is awaited later.
  func begin<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(Failure) -> Value
  ) -> Pending<Value> {
    let outcome = Pending<Value>.Outcome()
    let task = Task(executorPreference: self) { outcome.settle(await Result(awaiting: work)) }
    return Pending(task: task, outcome: outcome)
  }

  /// Runs work and waits for its result.
  ///
  /// - Parameters:
  ///   - operation: A verb phrase, which is used with the address in the failure if the process is asked to stop.
  /// - Throws: `.interrupted` if the process is asked to stop; the errors of `work`.
  func run<Value: Sendable>(
    _ operation: String,
    _ address: String,
    _ work: @escaping @Sendable () async throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try begin(work).wait(operation, address)
  }
}

/// The result of work in progress.
struct Pending<Value: Sendable>: Sendable {
  final class Outcome: Sendable {
    private let result = Locked<Result<Value, Failure>?>(nil)
    private let isSettled = DispatchSemaphore(value: 0)

    func settle(_ result: Result<Value, Failure>) {
      self.result.withLock { $0 = result }
      isSettled.signal()
    }

    /// Blocks until there is a result; returns nil if there is none after 50 milliseconds.
    func wait() -> Result<Value, Failure>? {
      _ = isSettled.wait(timeout: .now() + .milliseconds(50))
      return result.withLock { $0 }
    }
  }

  fileprivate let task: Task<Void, Never>
  fileprivate let outcome: Outcome

  /// Waits for the result, once.
  ///
  /// - Throws: `.interrupted` if the process is asked to stop in the meantime, which cancels the work; the errors of the
  ///   work.
  func wait(_ operation: String, _ address: String) throws(Failure) -> Value {
    while true {
      if let result = outcome.wait() { return try result.get() }
      if StopSignal.isRaised {
        cancel()
        throw Failure.stopped(operation, address)
      }
    }
  }

  func cancel() { task.cancel() }
}
