import Files
import FirestoreModels
import Platform
import Synchronization

/// Runs asynchronous work for callers that block, as readers and writers of files do.
final class Bridge: Sendable {
  let thread: BlockingThread

  init(_ thread: BlockingThread) { self.thread = thread }

  deinit { thread.stop() }

  /// Begins work, whose result is waited for later.
  func begin<Value: Sendable>(
    _ work: @escaping @Sendable () async throws(Failure) -> Value
  ) throws(Failure) -> Pending<Value> {
    try Pending(on: thread, work)
  }

  /// Runs work and waits for its result.
  ///
  /// - Parameters:
  ///   - operation: A verb phrase, and the address, for the failure if the process is asked to stop.
  /// - Throws: `.interrupted` if the process is asked to stop; what `work` throws.
  func run<Value: Sendable>(
    _ operation: String,
    _ address: String,
    _ work: @escaping @Sendable () async throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try begin(work).wait(operation, address)
  }
}

/// The result of work that is under way.
final class Pending<Value: Sendable>: Sendable {
  private enum State {
    case running(Task<Void, Never>?)
    case done(Result<Value, Failure>)
  }

  private let state = Mutex(State.running(nil))
  /// A pipe that is closed at its writing end when the work is done.
  private let reading: Int32

  fileprivate init(
    on thread: BlockingThread,
    _ work: @escaping @Sendable () async throws(Failure) -> Value
  ) throws(Failure) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw Failure(.internal, "wait for Cloud Storage", cause: SystemCall.text(errno))
    }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    reading = ends[0]
    let writing = ends[1]
    let task = Task(executorPreference: thread) { [self] in
      let result: Result<Value, Failure>
      do throws(Failure) {
        result = .success(try await work())
      } catch {
        result = .failure(error)
      }
      state.withLock { $0 = .done(result) }
      close(writing)
    }
    state.withLock { state in
      if case .running = state { state = .running(task) }
    }
  }

  deinit { close(reading) }

  /// Waits for the result.
  ///
  /// - Throws: `.interrupted` if the process is asked to stop meanwhile, which cancels the work; what the work throws.
  func wait(_ operation: String, _ address: String) throws(Failure) -> Value {
    while true {
      let isReady = StopSignal.wait(for: reading)
      let result = state.withLock { state -> Result<Value, Failure>? in
        if case .done(let result) = state { result } else { nil }
      }
      if let result { return try result.get() }
      if !isReady {
        cancel()
        throw Failure.stopped(operation, address)
      }
    }
  }

  func cancel() {
    let task = state.withLock { state -> Task<Void, Never>? in
      if case .running(let task) = state { task } else { nil }
    }
    task?.cancel()
  }
}
