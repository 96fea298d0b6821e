/// Limits the rate of writes: the documented 500/50/5 ramp, a fixed maximum, or both.
///
/// Credit starts at zero, grows at the current rate and is spent before sending, so the total never exceeds what the rate
/// allows. The type is pure: time is an argument.
package struct WritePacer: Sendable {
  /// The initial rate: 500 writes per second, plus 50 % every five minutes (best practices, "ramping up traffic").
  package static let rampStart = 500.0
  /// The number of seconds between two steps of the ramp.
  package static let rampStep = 300.0

  /// A process's share of a rate that several processes share.
  package struct Share: Sendable, Equatable {
    package var processes: Int
    /// The number of seconds since the first of them began to write.
    package var elapsed: Double

    package init(processes: Int, elapsed: Double) {
      self.processes = max(1, processes)
      self.elapsed = max(0, elapsed)
    }
  }

  private let ramp: Bool
  private let maximum: Double?
  private let share: Share?
  private var start: Double?
  private var credit = 0.0
  private var creditedUntil = 0.0

  /// - Parameters:
  ///   - maximum: The maximum number of writes per second.
  ///   - share: The share of the ramp and the maximum that this process may use, if several processes share them.
  package init(ramp: Bool, maximum: Double? = nil, share: Share? = nil) {
    self.ramp = ramp
    self.maximum = maximum
    self.share = share
  }

  package var isLimiting: Bool { ramp || maximum != nil }

  /// Returns the allowed writes per second at a number of seconds after this process's first write.
  ///
  /// If processes share the ramp, it began with the first write of any of them.
  package func rate(after elapsed: Double) -> Double {
    var rate = maximum ?? .infinity
    if ramp {
      var allowed = Self.rampStart
      var steps = min(Int((elapsed + offset) / Self.rampStep), 60)
      while steps > 0 {
        allowed *= 1.5
        steps -= 1
      }
      rate = min(rate, allowed)
    }
    return rate / Double(share?.processes ?? 1)
  }

  /// The number of seconds from the beginning of the ramp to this process's first write.
  private var offset: Double { share?.elapsed ?? 0 }

  /// How many seconds' worth of credit may be spent at once.
  ///
  /// It is less for processes that share a rate, because all of them may spend theirs in the same second.
  private var burst: Double { share == nil ? 1 : 0.5 }

  /// Spends credit for `count` writes.
  ///
  /// - Returns: Nil if the writes may be sent now; otherwise the time to try again.
  package mutating func take(_ count: Int, at now: Double) -> Double? {
    guard isLimiting else { return nil }
    let begin = start ?? now
    if start == nil {
      start = now
      creditedUntil = now
    }
    // Credit is added in steps, because the rate changes with the ramp.
    while creditedUntil < now {
      let elapsed = creditedUntil - begin
      let steps = ((elapsed + offset) / Self.rampStep).rounded(.down) + 1
      let stepEnd = ramp ? begin + steps * Self.rampStep - offset : now
      let until = min(now, max(stepEnd, creditedUntil + 1e-6))
      credit += rate(after: elapsed) * (until - creditedUntil)
      creditedUntil = until
    }
    let rate = rate(after: now - begin)
    // Credit older than a second (half a second if shared) expires, so that no burst follows a pause.
    credit = min(credit, max(rate * burst, Double(count)))
    if credit >= Double(count) {
      credit -= Double(count)
      return nil
    }
    return now + max((Double(count) - credit) / rate, 0.001)
  }

  /// Returns the largest chunk that can ever be sent at the current rate.
  package func largestChunk(at now: Double) -> Int {
    guard isLimiting else { return .max }
    let rate = rate(after: start.map { now - $0 } ?? 0)
    return max(1, Int(min(rate / 4, 1e6)))
  }
}
