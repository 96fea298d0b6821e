import Logging

/// Reports that a request keeps failing: what is retried, why, and until when.
///
/// A first failure is normal and only logged. From the second attempt on there is a warning, even with `--quiet`, at most once a
/// minute.
final class RetryReport: Sendable {
  private static let interval = 60.0

  private let logger: Logger
  private let last = Locked<Double?>(nil)

  init(_ logger: Logger) { self.logger = logger }

  func take(_ notice: RetryNotice) {
    logger.debug(
      "retrying",
      metadata: [
        "rpc": "\(notice.rpc.rawValue)", "attempt": "\(notice.attempt)", "reason": "\(notice.reason)",
      ]
    )
    guard notice.attempt > 1, let remaining = notice.remaining, isDue() else { return }
    let end = Timestamp.now.seconds + Int64(max(0, remaining))
    let time = Timestamp(seconds: end)?.description ?? "the end of its time"
    logger.warning(
      "\(notice.rpc.rawValue) failed \(NumberText.counted(notice.attempt, "time")) (\(notice.reason)); it is tried until \(time) (--retry-for)."
    )
  }

  private func isDue() -> Bool {
    let now = RunClock.system.now()
    return last.withLock { last in
      if let last, now - last < Self.interval { return false }
      last = now
      return true
    }
  }
}
