import Platform
import Synchronization

/// The clock of commits and reads, in microseconds since 1970.
///
/// Commit times strictly increase, and no later commit of this process has a time before an earlier read: repeating a read at
/// its time returns the same result (``CommitWatch`` sees to the commits that have begun already).
final class CommitClock: Sendable {
  /// The latest time of a commit or read.
  private let latest = Mutex<Int64>(0)
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

  /// Returns the time of a commit after `last`, the previous commit in the database.
  ///
  /// The caller must hold the database's write lock.
  func beginCommit(after last: Int64) -> Int64 {
    latest.withLock { latest in
      latest = max(source(), last.addingClamped(1), latest.addingClamped(1))
      return latest
    }
  }

  /// Returns the time for a read whose snapshot is opened afterwards.
  func beginRead() -> Int64 {
    latest.withLock { latest in
      latest = max(source(), latest)
      return latest
    }
  }
}
