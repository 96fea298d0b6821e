import FirestoreModels
package import FirestoreREST
package import Logging
import Synchronization

/// Reports the progress of a run: a line that is overwritten on a terminal, else one log line per interval.
///
/// It is driven by the work itself, so it never speaks of a run that has ended.
package final class Progress: Sendable {
  private struct State {
    var what = ""
    var done = 0
    var total: Int?
    var started = 0.0
    /// The share that is done, where it is known by something else than the number.
    var share: Double?
    /// The share that was done when it began.
    var firstShare = 0.0
    var shown = -Double.infinity
    var number = 0
  }

  /// A piece of work, to give its total later.
  package struct Piece: Sendable, Equatable {
    fileprivate let number: Int
  }

  private let terminal: Terminal?
  private let logger: Logger
  private let clock: RunClock
  private let traffic: TrafficCounter
  private let interval: Double
  private let state = Mutex(State())

  /// Makes a progress.
  ///
  /// - Parameters:
  ///   - terminal: Where the line goes; nil shows none.
  ///   - logger: Where the lines go that are said without a terminal.
  ///   - interval: Seconds between them.
  package init(
    terminal: Terminal?,
    logger: Logger,
    clock: RunClock = .system,
    traffic: TrafficCounter,
    interval: Double = 30
  ) {
    self.terminal = terminal
    self.logger = logger
    self.clock = clock
    self.traffic = traffic
    self.interval = interval
  }

  /// A new piece of work begins.
  ///
  /// - Returns: The piece, for ``setTotal(_:of:)``.
  @discardableResult
  package func begin(_ what: String, total: Int?) -> Piece {
    let now = clock.now()
    let number = state.withLock { state in
      state = State(what: what, total: total, started: now, shown: now, number: state.number + 1)
      return state.number
    }
    show(at: now)
    return Piece(number: number)
  }

  /// The total of a piece of work that has begun is known by now; nothing where another one has begun since.
  package func setTotal(_ total: Int, of piece: Piece) {
    state.withLock { state in
      if state.number == piece.number { state.total = total }
    }
  }

  /// So many more are done.
  ///
  /// - Parameter share: The share of the piece of work that is done, from 0 to 1, where it is known otherwise than by a
  ///   total.
  package func advance(by count: Int, share: Double? = nil) {
    let now = clock.now()
    let pause = terminal?.isInteractive == true ? 0.2 : interval
    let isDue = state.withLock { state in
      state.done = state.done.addingClamped(count)
      state.share = share ?? state.share
      guard now - state.shown >= pause else { return false }
      state.shown = now
      return true
    }
    if isDue { show(at: now, log: true) }
  }

  /// The piece of work resumes where an earlier run stopped: what was done before takes no time now.
  package func resume(at share: Double?) {
    let now = clock.now()
    state.withLock { state in
      (state.share, state.firstShare, state.started) = (share, share ?? 0, now)
    }
  }

  /// The share of the piece of work, where it is known, has come to 1.
  package func reachEnd() {
    let isKnown = state.withLock { state in
      if state.share != nil { state.share = 1 }
      return state.share != nil
    }
    if isKnown { show(at: clock.now()) }
  }

  /// The piece of work has ended.
  package func end() {
    terminal?.clearStatus()
  }

  private func show(at now: Double, log: Bool = false) {
    let state = state.withLock { $0 }
    let text = Self.line(
      what: state.what,
      done: state.done,
      total: state.total,
      elapsed: now - state.started,
      retries: traffic.current.retries,
      share: state.share,
      firstShare: state.firstShare
    )
    if let terminal, terminal.isInteractive {
      terminal.setStatus(text)
    } else if log {
      logger.info("\(text)")
    }
  }

  /// `users: 12,300 of 40,000 (31 %), 5,210/s, 0:05 left, 2 retries`; `import: 12,300 (31 %), 5,210/s, 0:05 left`, where
  /// the share alone is known.
  static func line(
    what: String,
    done: Int,
    total: Int?,
    elapsed: Double,
    retries: Int,
    share: Double? = nil,
    firstShare: Double = 0
  ) -> String {
    var parts: [String] = []
    if let total, total > 0 {
      parts.append(
        "\(NumberText.grouped(done)) of \(NumberText.grouped(total)) (\(min(100, done.multipliedClamped(by: 100) / total)) %)"
      )
    } else if let share {
      parts.append("\(NumberText.grouped(done)) (\(Int(min(max(share, 0), 1) * 100)) %)")
    } else {
      parts.append(NumberText.grouped(done))
    }
    if elapsed >= 0.5, done > 0 {
      let rate = Double(done) / elapsed
      parts.append("\(NumberText.grouped(Int(clamping: rate)))/s")
      if let total, total > done {
        parts.append(timeLeft(Double(total - done) / rate))
      } else if total == nil, let share, share < 1, share > firstShare {
        parts.append(timeLeft(elapsed * (1 - share) / (share - firstShare)))
      }
    }
    if retries > 0 { parts.append(retries == 1 ? "1 retry" : "\(NumberText.grouped(retries)) retries") }
    return "\(what): \(parts.joined(separator: ", "))"
  }

  private static func timeLeft(_ seconds: Double) -> String {
    let left = Int(min(seconds.rounded(.up), 359_999))
    return "\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left"
  }
}
