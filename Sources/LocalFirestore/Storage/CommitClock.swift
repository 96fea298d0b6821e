import Platform
import Synchronization

/// The clock of commits and reads, in microseconds since 1970.
///
/// Commit times strictly increase, and no later commit has a time before an earlier read: repeating a read at
/// its time returns the same result.
final class CommitClock: Sendable {
  private struct State {
    /// The latest time of a commit or read.
    var latest: Int64 = 0
    /// The time of the commit in progress.
    var pending: Int64?
  }

  private let state = Mutex(State())
  private let source: @Sendable () -> Int64

  /// Creates a clock from a source of microseconds since 1970, which may stand still or go backwards.
  init(source: @escaping @Sendable () -> Int64) {
    self.source = source
  }

  /// The system time.
  static func system() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  /// The time of the source, unadjusted.
  func now() -> Int64 { source() }

  /// Begins a commit after `last`, the previous commit in the database.
  ///
  /// The caller must hold the database's write lock and end the commit with ``endCommit(_:)`` in any case.
  func beginCommit(after last: Int64) -> Int64 {
    state.withLock { state in
      let time = max(source(), last.addingClamped(1), state.latest.addingClamped(1))
      state.latest = time
      state.pending = time
      return time
    }
  }

  /// Ends a commit, successful or not; the next one may already have begun.
  func endCommit(_ time: Int64) {
    state.withLock { state in
      if state.pending == time { state.pending = nil }
    }
  }

  /// Returns the time for a read whose snapshot is opened afterwards.
  func beginRead() -> Int64 {
    state.withLock { state in
      if let pending = state.pending { return pending.subtractingClamped(1) }
      state.latest = max(source(), state.latest)
      return state.latest
    }
  }
}
