/// How many writes may have been sent by when: the 500/50/5 ramp of the documentation, a fixed limit, or both.
///
/// Pure: time is given. Credit grows from nothing at the rate of the moment and is spent before sending, so the
/// writes sent up to any moment never exceed what the rate allows up to it.
package struct WritePacer: Sendable {
  /// 500 writes a second at first, half as many again every five minutes (best-practices, "ramping up traffic").
  package static let rampStart = 500.0
  /// Seconds between two steps of the ramp.
  package static let rampStep = 300.0

  private let ramp: Bool
  private let maximum: Double?
  private var start: Double?
  private var credit = 0.0
  private var creditedUntil = 0.0

  /// Makes a pacer.
  ///
  /// - Parameters:
  ///   - ramp: Whether the ramp is on.
  ///   - maximum: Writes a second that are never exceeded.
  package init(ramp: Bool, maximum: Double? = nil) {
    self.ramp = ramp
    self.maximum = maximum
  }

  /// Whether anything is limited.
  package var isLimiting: Bool { ramp || maximum != nil }

  /// Writes a second that are allowed so many seconds after the first.
  package func rate(after elapsed: Double) -> Double {
    var rate = maximum ?? .infinity
    if ramp {
      var allowed = Self.rampStart
      var steps = min(Int(elapsed / Self.rampStep), 60)
      while steps > 0 {
        allowed *= 1.5
        steps -= 1
      }
      rate = min(rate, allowed)
    }
    return rate
  }

  /// Takes credit for `count` writes at `now`, or tells when there will be enough of it.
  ///
  /// - Returns: nil where the writes may be sent now, else the time to ask again at.
  package mutating func take(_ count: Int, at now: Double) -> Double? {
    guard isLimiting else { return nil }
    let begin = start ?? now
    if start == nil {
      start = now
      creditedUntil = now
    }
    // Credit is added step by step, because the rate changes at the steps of the ramp.
    while creditedUntil < now {
      let elapsed = creditedUntil - begin
      let stepEnd =
        ramp ? begin + (elapsed / Self.rampStep).rounded(.down) * Self.rampStep + Self.rampStep : now
      let until = min(now, max(stepEnd, creditedUntil + 1e-6))
      credit += rate(after: elapsed) * (until - creditedUntil)
      creditedUntil = until
    }
    let rate = rate(after: now - begin)
    // What was not used for a second is gone, so that a pause is not followed by a burst.
    credit = min(credit, max(rate, Double(count)))
    if credit >= Double(count) {
      credit -= Double(count)
      return nil
    }
    return now + max((Double(count) - credit) / rate, 0.001)
  }

  /// The most writes that one commit may hold so that the pacer can ever let it go.
  package func largestChunk(at now: Double) -> Int {
    guard isLimiting else { return .max }
    let rate = rate(after: start.map { now - $0 } ?? 0)
    return max(1, Int(min(rate / 4, 1e6)))
  }
}
