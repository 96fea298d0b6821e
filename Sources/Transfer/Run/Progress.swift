public import Logging
import Models
import Synchronization

/// Tells how far a run is: a line that is written over on a terminal, else a log line an interval.
///
/// It is driven by the work itself, so it never speaks of a run that has ended.
public final class Progress: Sendable {
  private struct State {
    var what = ""
    var done = 0
    var total: Int?
    var started = 0.0
    var shown = -Double.infinity
    var number = 0
  }

  /// A piece of work, to give its total later.
  public struct Piece: Sendable, Equatable {
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
  public init(
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
  public func begin(_ what: String, total: Int?) -> Piece {
    let now = clock.now()
    let number = state.withLock { state in
      state = State(what: what, total: total, started: now, shown: now, number: state.number + 1)
      return state.number
    }
    show(at: now)
    return Piece(number: number)
  }

  /// The total of a piece of work that has begun is known by now; nothing where another one has begun since.
  public func setTotal(_ total: Int, of piece: Piece) {
    state.withLock { state in
      if state.number == piece.number { state.total = total }
    }
  }

  /// So many more are done.
  public func advance(by count: Int) {
    let now = clock.now()
    let pause = terminal?.isInteractive == true ? 0.2 : interval
    let isDue = state.withLock { state in
      state.done = state.done.addingClamped(count)
      guard now - state.shown >= pause else { return false }
      state.shown = now
      return true
    }
    if isDue { show(at: now, log: true) }
  }

  /// The piece of work has ended.
  public func end() {
    terminal?.clearStatus()
  }

  private func show(at now: Double, log: Bool = false) {
    let state = state.withLock { $0 }
    let text = Self.line(
      what: state.what,
      done: state.done,
      total: state.total,
      elapsed: now - state.started,
      retries: traffic.current.retries
    )
    if let terminal, terminal.isInteractive {
      terminal.setStatus(text)
    } else if log {
      logger.info("\(text)")
    }
  }

  /// `users: 12,300 of 40,000 (31 %), 5,210/s, 0:05 left, 2 retries`.
  static func line(what: String, done: Int, total: Int?, elapsed: Double, retries: Int) -> String {
    var parts: [String] = []
    if let total, total > 0 {
      parts.append(
        "\(grouped(done)) of \(grouped(total)) (\(min(100, done.multipliedClamped(by: 100) / total)) %)"
      )
    } else {
      parts.append(grouped(done))
    }
    if elapsed >= 0.5, done > 0 {
      let rate = Double(done) / elapsed
      parts.append("\(grouped(Int(clamping: rate)))/s")
      if let total, total > done {
        let left = Int(clamping: (Double(total - done) / rate).rounded(.up))
        parts.append("\(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left")
      }
    }
    if retries > 0 { parts.append(retries == 1 ? "1 retry" : "\(grouped(retries)) retries") }
    return "\(what): \(parts.joined(separator: ", "))"
  }

  /// A number with a comma between thousands.
  public static func grouped(_ number: Int) -> String {
    var digits = Array(String(number.magnitude))
    var at = digits.count - 3
    while at > 0 {
      digits.insert(",", at: at)
      at -= 3
    }
    return (number < 0 ? "-" : "") + String(digits)
  }
}
