import FirestoreModels
import Platform

/// A thread that runs the library's jobs one after the other, while another thread renders rows.
///
/// libxlsxwriter is not safe for use by several threads at once. So other threads wait until this one is idle
/// (``drain()``) before they call it, and add no jobs meanwhile.
final class LibraryThread: Sendable {
  typealias Job = @Sendable () throws(Failure) -> Void

  /// The most jobs that wait; ``run(_:)`` blocks while there are as many.
  private static let room = 4

  private struct State {
    var jobs: [Job] = []
    var isBusy = false
    var isStopped = false
    var isRunning = false
    var failure: Failure?
  }

  private let condition = Condition(State())

  deinit { stop() }

  /// Adds a job; blocks while too many of them wait.
  ///
  /// - Throws: The failure of an earlier job, after which no others are run.
  func run(_ job: @escaping Job) throws(Failure) {
    let (failure, starts): (Failure?, Bool) = condition.change(when: { state in
      state.failure != nil || state.jobs.count < Self.room
    }) { state in
      if state.failure != nil { return (state.failure, false) }
      state.jobs.append(job)
      defer { state.isRunning = true }
      return (nil, !state.isRunning)
    }
    if let failure { throw failure }
    if starts { BackgroundThread.start { [condition] in Self.work(condition) } }
  }

  /// Waits until all jobs are done.
  ///
  /// - Throws: As ``run(_:)``.
  func drain() throws(Failure) {
    let failure = condition.change(when: { !$0.isBusy && ($0.jobs.isEmpty || $0.failure != nil) }) {
      $0.failure
    }
    if let failure { throw failure }
  }

  /// Drops the jobs that wait, and waits for the current one.
  func stop() {
    condition.change(when: { _ in true }) { state in
      state.isStopped = true
      state.jobs = []
    }
    condition.change(when: { !$0.isBusy }) { _ in }
  }

  private static func work(_ condition: Condition<State>) {
    while true {
      let job = condition.change(when: { $0.isStopped || !$0.jobs.isEmpty }) { state -> Job? in
        if state.isStopped { return nil }
        state.isBusy = true
        return state.jobs.removeFirst()
      }
      guard let job else { return }
      var failure: Failure?
      do throws(Failure) {
        try job()
      } catch {
        failure = error
      }
      condition.change(when: { _ in true }) { state in
        state.isBusy = false
        if let failure {
          state.failure = failure
          state.jobs = []
        }
      }
    }
  }
}

/// A value under a lock, with a condition variable to wait for its changes.
private final class Condition<State: Sendable>: @unchecked Sendable {
  // The value is only used under the lock.
  private var state: State
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  init(_ state: State) {
    self.state = state
    pthread_mutex_init(lock, nil)
    pthread_cond_init(changed, nil)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(lock)
    lock.deallocate()
    changed.deallocate()
  }

  /// Waits until a condition holds, changes the value and wakes the others.
  func change<Result>(when isReady: (State) -> Bool, _ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(lock)
    while !isReady(state) { pthread_cond_wait(changed, lock) }
    let result = body(&state)
    pthread_cond_broadcast(changed)
    pthread_mutex_unlock(lock)
    return result
  }
}
