import Platform
import Synchronization

/// A thread of its own that runs tasks one after another, for callers that block their thread until a task is done.
///
/// A thread of the cooperative pool that waits for a task of that pool may wait forever: with one processor there is no other
/// thread. Whatever such a task awaits (requests, tokens, delays) must come back to this thread, so it has a ``sleep(_:)``
/// of its own.
final class BlockingThread: TaskExecutor {
  private struct Timer {
    var deadline: ContinuousClock.Instant
    var id: UInt64
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var jobs: [UnownedJob] = []
    var timers: [Timer] = []
    /// Those that were cancelled before they began.
    var cancelled: Set<UInt64> = []
    var nextTimer: UInt64 = 0
    var isStopped = false
  }

  private let state = Mutex(State())
  /// A pipe: a byte after each change of the state wakes the thread.
  private let reading: Int32
  private let writing: Int32

  private init(reading: Int32, writing: Int32) {
    self.reading = reading
    self.writing = writing
  }

  deinit {
    close(reading)
    close(writing)
  }

  /// Starts a thread; nil if the process has no descriptors left.
  static func start() -> BlockingThread? {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    let thread = BlockingThread(reading: ends[0], writing: ends[1])
    BackgroundThread.start { thread.run() }
    return thread
  }

  /// Ends the thread once its jobs are done.
  func stop() {
    state.withLock { $0.isStopped = true }
    wake()
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
    wake()
  }

  /// Waits without a thread of the cooperative pool.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  func sleep(_ seconds: Double) async throws {
    let deadline = ContinuousClock.now + .nanoseconds(Int64(max(0, min(seconds, 1e9)) * 1e9))
    let id = state.withLock { state in
      state.nextTimer += 1
      return state.nextTimer
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let isCancelled = state.withLock { state in
          if state.cancelled.remove(id) != nil { return true }
          state.timers.append(Timer(deadline: deadline, id: id, continuation: continuation))
          return false
        }
        if isCancelled { continuation.resume(throwing: CancellationError()) } else { wake() }
      }
    } onCancel: {
      let continuation = state.withLock { state -> CheckedContinuation<Void, any Error>? in
        guard let index = state.timers.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil
        }
        return state.timers.remove(at: index).continuation
      }
      continuation?.resume(throwing: CancellationError())
    }
    state.withLock { _ = $0.cancelled.remove(id) }
  }

  private func wake() {
    // A full pipe has woken it already.
    _ = withUnsafeBytes(of: UInt8(0)) { write(writing, $0.baseAddress, 1) }
  }

  private func run() {
    var drained = [UInt8](repeating: 0, count: 64)
    while true {
      let now = ContinuousClock.now
      let (jobs, due, next, isStopped) = state.withLock {
        state -> ([UnownedJob], [Timer], ContinuousClock.Instant?, Bool) in
        let jobs = state.jobs
        state.jobs = []
        let due = state.timers.filter { $0.deadline <= now }
        state.timers.removeAll { $0.deadline <= now }
        return (jobs, due, state.timers.map(\.deadline).min(), state.isStopped)
      }
      for timer in due { timer.continuation.resume() }
      for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
      if !jobs.isEmpty || !due.isEmpty { continue }
      if isStopped, next == nil { return }
      var wait = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
      _ = poll(&wait, 1, next.map { Self.milliseconds(from: now, to: $0) } ?? -1)
      while read(reading, &drained, drained.count) > 0 {}
    }
  }

  private static func milliseconds(
    from start: ContinuousClock.Instant,
    to end: ContinuousClock.Instant
  ) -> Int32 {
    let (seconds, attoseconds) = (end - start).components
    return Int32(clamping: max(0, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
  }
}
