import GRDB
import Synchronization

/// Determines up to which time all commits to a data file have ended, in whichever process, so that a read at such a time
/// returns the same whenever it is repeated.
///
/// A commit takes its time while it holds the file's write lock. So if the lock is free after the clock was read, everything
/// with an earlier time is visible.
final class CommitWatch: Sendable {
  private let connection: DatabaseQueue
  private let settled = Mutex<Int64>(0)

  init(file: String) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(20)
    configuration.label = "LocalFirestore.commits"
    connection = try DatabaseQueue(path: file, configuration: configuration)
    try connection.inDatabase { db in try db.execute(sql: "PRAGMA busy_timeout = 0") }
  }

  /// Returns the latest time up to which all commits are known to have ended, in microseconds since 1970.
  ///
  /// - Parameters:
  ///   - now: The time of the clock, which is returned if nobody is committing.
  ///   - wanted: A time for which a later one need not be looked for.
  func settledTime(at now: Int64, wanted: Int64?) throws -> Int64 {
    let known = settled.withLock { $0 }
    if let wanted, wanted <= known { return known }
    if try isFree() { note(now) }
    return settled.withLock { $0 }
  }

  /// Notes that all commits up to a time have ended.
  func note(_ time: Int64) { settled.withLock { $0 = max($0, time) } }

  /// Whether nobody holds the write lock.
  private func isFree() throws -> Bool {
    do {
      try connection.inDatabase { db in
        try db.beginTransaction(.immediate)
        try db.rollback()
      }
      return true
    } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
      return false
    }
  }

  func close() throws { try connection.close() }
}
