import Dispatch
import Files

/// Runs the library's jobs one after another on its own thread, while another thread renders rows.
///
/// libxlsxwriter is not safe for concurrent use. Other threads therefore wait until this one is idle (``drain()``) before
/// they call it, and add no jobs meanwhile.
final class LibraryThread: Sendable {
  typealias Job = @Sendable () throws(Failure) -> Void

  private struct State {
    var isStopped = false
    var failure: Failure?
  }

  private let queue = DispatchQueue(label: "gymmigrate.workbook")
  /// The number of jobs that may wait besides the current one; ``run(_:)`` blocks when it is reached.
  private let room = DispatchSemaphore(value: 5)
  private let state = Locked(State())

  deinit { stop() }

  /// Adds a job; blocks while too many of them wait.
  ///
  /// - Throws: The failure of an earlier job, after which no other jobs are run.
  func run(_ job: @escaping Job) throws(Failure) {
    try assertSound()
    room.wait()
    queue.async { [room, state] in
      defer { room.signal() }
      if state.withLock({ $0.isStopped || $0.failure != nil }) { return }
      do throws(Failure) {
        try job()
      } catch {
        state.withLock { $0.failure = error }
      }
    }
  }

  /// Waits until all jobs are done.
  ///
  /// - Throws: The errors of ``run(_:)``.
  func drain() throws(Failure) {
    queue.sync {}
    try assertSound()
  }

  /// Drops the waiting jobs and waits for the current one.
  func stop() {
    state.withLock { $0.isStopped = true }
    queue.sync {}
  }

  private func assertSound() throws(Failure) {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }
}
