package import FirestoreREST
package import Logging
import Synchronization

/// Shows the progress of a run: a status line on a terminal, otherwise a log line per interval.
///
/// The work itself updates it, so it never reports on a run that has ended.
package final class Progress: Sendable {
  struct State {
    var what = ""
    var done = 0
    /// The number of documents that were counted as done but are not written yet.
    var unwritten = 0
    var total: Int?
    var started = 0.0
    /// The share that is done, if known other than by the total.
    var share: Double?
    /// The share that was done when a resumed run began.
    var firstShare = 0.0
    var shown = -Double.infinity
    /// More about the work, shown after its count.
    var note: String?
    var number = 0

    /// Returns a line such as `users: 12,300 of 40,000 (31 %), 5,210/s, 0:05 left, 2 retries`, or, if only the share is
    /// known, `import: 12,300 (31 %), 5,210/s, 0:05 left`.
    func line(at now: Double, retries: Int) -> String {
      let (done, elapsed) = (max(0, self.done - unwritten), now - started)
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
      if let note { parts.append(note) }
      if elapsed >= 0.5, done > 0 {
        let rate = Double(done) / elapsed
        parts.append("\(NumberText.grouped(Int(clamping: rate)))/s")
        if let total, total > done {
          parts.append(Self.timeLeft(Double(total - done) / rate))
        } else if total == nil, let share, share < 1, share > firstShare {
          parts.append(Self.timeLeft(elapsed * (1 - share) / (share - firstShare)))
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

  /// A piece of work whose total may be set later.
  package struct Piece: Sendable, Equatable {
    fileprivate let number: Int
  }

  private let terminal: Terminal?
  private let logger: Logger
  private let clock: RunClock
  private let traffic: TrafficCounter
  private let interval: Double
  private let state = Mutex(State())

  /// Creates a progress display.
  ///
  /// - Parameters:
  ///   - terminal: The terminal of the status line; nil for none.
  ///   - logger: The logger used if there is no interactive terminal.
  ///   - interval: The seconds between log lines.
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

  /// Begins a piece of work.
  ///
  /// - Returns: The piece, for ``setTotal(_:of:)``.
  @discardableResult
  package func begin(_ what: String, total: Int?) -> Piece {
    let now = clock.now()
    let number = state.withLock { state in
      let unwritten = state.unwritten
      state = State(what: what, total: total, started: now, shown: now, number: state.number + 1)
      state.unwritten = unwritten
      return state.number
    }
    show(at: now)
    return Piece(number: number)
  }

  /// Begins a piece of work on some reads.
  ///
  /// - Returns: The count of their documents, which becomes the total once it was begun.
  package func begin(
    _ what: String,
    counting reads: [CollectionRead],
    in client: FirestoreClient
  ) -> BackgroundCount {
    let piece = begin(what, total: nil)
    return BackgroundCount(reads, client: client) { [self] total in setTotal(total, of: piece) }
  }

  /// Sets the total of a piece of work, unless another one has begun since.
  package func setTotal(_ total: Int, of piece: Piece) {
    state.withLock { state in
      if state.number == piece.number { state.total = total }
    }
  }

  /// Counts more documents as done.
  ///
  /// - Parameters:
  ///   - share: The share of the work that is done, from 0 to 1, if known other than by the total.
  ///   - note: More about the work, shown after its count: `3.1 of 12.0 GB`.
  package func advance(by count: Int, share: Double? = nil, note: String? = nil) {
    update { state in
      state.done = state.done.addingClamped(count)
      state.share = share ?? state.share
      state.note = note ?? state.note
    }
  }

  /// Excludes a document from those that are done until ``release()``, because its write is in flight.
  package func hold() { state.withLock { $0.unwritten += 1 } }

  /// Counts a document as done that was excluded.
  package func release() { update { $0.unwritten = max(0, $0.unwritten - 1) } }

  private func update(_ change: (inout State) -> Void) {
    let now = clock.now()
    let pause = terminal?.isInteractive == true ? 0.2 : interval
    let isDue = state.withLock { state in
      change(&state)
      // Work that has not been named yet is not reported.
      guard !state.what.isEmpty, now - state.shown >= pause else { return false }
      state.shown = now
      return true
    }
    if isDue { show(at: now, log: true) }
  }

  /// Continues the work of an earlier run at a share, which does not count towards the rate.
  package func resume(at share: Double?) {
    let now = clock.now()
    state.withLock { state in
      (state.share, state.firstShare, state.started) = (share, share ?? 0, now)
    }
  }

  /// Sets the share to 1 if one is known.
  package func reachEnd() {
    let isKnown = state.withLock { state in
      if state.share != nil { state.share = 1 }
      return state.share != nil
    }
    if isKnown { show(at: clock.now()) }
  }

  /// Ends the piece of work and clears the status line.
  package func end() {
    terminal?.clearStatus()
  }

  private func show(at now: Double, log: Bool = false) {
    let text = line(at: now)
    if let terminal, terminal.isInteractive {
      terminal.setStatus(text)
    } else if log {
      logger.info("\(text)")
    }
  }

  func line(at now: Double) -> String {
    state.withLock { $0 }.line(at: now, retries: traffic.current.retries)
  }
}
