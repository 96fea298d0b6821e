import FirestoreModels
import Platform
import Synchronization

/// The moments that the store gives to commits and reads, in microseconds since 1970.
///
/// Commit times strictly increase, and a read's time never has an earlier commit to come: a client that reads again at
/// that time gets the same answer.
final class CommitClock: Sendable {
  private struct State {
    /// The latest time given to a commit or a read.
    var latest: Int64 = 0
    /// The time of the commit that is being written, if one is.
    var pending: Int64?
  }

  private let state = Mutex(State())
  private let source: @Sendable () -> Int64

  /// Makes a clock over a source of microseconds since 1970, which may stand still or go back.
  init(source: @escaping @Sendable () -> Int64) {
    self.source = source
  }

  /// The system's time.
  static func system() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }

  /// The source's time, unadjusted.
  func now() -> Int64 { source() }

  /// Begins a commit after `last`, the last one in the database.
  ///
  /// The caller holds the database's write lock, and
  /// ends it with ``endCommit(_:)`` whatever becomes of it.
  func beginCommit(after last: Int64) -> Int64 {
    state.withLock { state in
      let time = max(source(), last.addingClamped(1), state.latest.addingClamped(1))
      state.latest = time
      state.pending = time
      return time
    }
  }

  /// Ends a commit, done or not; the next one may have begun.
  func endCommit(_ time: Int64) {
    state.withLock { state in
      if state.pending == time { state.pending = nil }
    }
  }

  /// The time of a read whose snapshot is taken after this.
  func beginRead() -> Int64 {
    state.withLock { state in
      if let pending = state.pending { return pending.subtractingClamped(1) }
      state.latest = max(source(), state.latest)
      return state.latest
    }
  }
}

extension Timestamp {
  /// A moment of microseconds since 1970; the bounds of the years 1 to 9999 where it lies beyond them.
  init(microseconds: Int64) {
    let seconds = microseconds.flooredDivision(by: 1_000_000)
    let rest = Int32(microseconds.flooredRemainder(by: 1_000_000)) * 1000
    let bounded = min(max(seconds, Timestamp.minimumSeconds), Timestamp.maximumSeconds)
    guard let moment = Timestamp(seconds: bounded, nanoseconds: rest) else {
      preconditionFailure("\(microseconds) microseconds have a remainder out of range")
    }
    self = moment
  }

  /// Microseconds since 1970, finer digits dropped.
  var microseconds: Int64 { seconds * 1_000_000 + Int64(nanoseconds / 1000) }
}
