import FirestoreModels
import TestSupport
import Testing

@testable import FirestoreREST

@Suite("Write pacer")
struct WritePacerTests {
  /// The writes that the ramp allows in its first `seconds`: 500, 750, 1125, … a second, five minutes each.
  private func allowance(_ seconds: Double, cap: Double = .infinity) -> Double {
    var sum = 0.0
    var rate = 500.0
    var rest = seconds
    while rest > 0 {
      sum += min(rate, cap) * min(rest, 300)
      rest -= 300
      rate *= 1.5
    }
    return sum
  }

  @Test("The rate is that of the documentation's ramp")
  func rates() {
    let ramp = WritePacer(ramp: true)
    #expect(ramp.rate(after: 0) == 500)
    #expect(ramp.rate(after: 299.9) == 500)
    #expect(ramp.rate(after: 300) == 750)
    #expect(ramp.rate(after: 600) == 1125)
    #expect(ramp.rate(after: 3599) == 500 * 86.497_558_593_75)
    #expect(WritePacer(ramp: true, maximum: 600).rate(after: 300) == 600)
    #expect(WritePacer(ramp: false, maximum: 20).rate(after: 1e6) == 20)
    #expect(!WritePacer(ramp: false).isLimiting)
    var free = WritePacer(ramp: false)
    #expect(free.take(1_000_000, at: 0) == nil)
    #expect(free.largestChunk(at: 0) == .max)
  }

  @Test(
    "An hour of continuous writing never exceeds the ramp, and comes close to it",
    arguments: [(1, nil), (100, nil), (500, nil), (37, 900.0), (500, 3.0)] as [(Int, Double?)]
  )
  func hour(size: Int, maximum: Double?) throws {
    var pacer = WritePacer(ramp: true, maximum: maximum)
    let start = 1234.5
    var now = start
    var sent = 0
    var asked = 0
    let end = size == 1 ? 30.0 : 3600.0
    while now < start + end {
      let count = min(size, pacer.largestChunk(at: now))
      asked += 1
      try #require(asked < 3_000_000)
      if let later = pacer.take(count, at: now) {
        try #require(later > now)
        now = later
      } else {
        sent += count
        let allowed = allowance(now - start, cap: maximum ?? .infinity)
        try #require(Double(sent) <= allowed + 1e-3, "at \(now - start)")
      }
    }
    #expect(Double(sent) > allowance(end, cap: maximum ?? .infinity) * 0.98 - Double(2 * size))
  }

  @Test("A pause is not followed by a burst")
  func pause() {
    var pacer = WritePacer(ramp: true)
    _ = pacer.take(1, at: 0)
    var burst = 0
    while pacer.take(50, at: 290) == nil { burst += 50 }
    #expect(burst <= 500)
    while pacer.take(50, at: 3000) == nil { burst += 50 }
    // The eleventh step: 500 × 1.5^10 a second, of which one second is kept.
    #expect(burst <= 500 + 28_833)
  }

  @Test("Chunks larger than a second's credit are still sent, and random requests never get stuck")
  func neverStuck() throws {
    for seed in UInt64(1)...200 {
      var random = SplitMix64(seed: seed)
      let maximum = Double.random(in: 0.05...5000, using: &random)
      var pacer = WritePacer(ramp: Bool.random(using: &random), maximum: maximum)
      var now = Double.random(in: 0...1e6, using: &random)
      let start = now
      var sent = 0
      for _ in 0..<50 {
        let count = Int.random(in: 1...2000, using: &random)
        var turns = 0
        while let later = pacer.take(count, at: now) {
          turns += 1
          try #require(turns < 10, "seed \(seed)")
          now = later
        }
        sent += count
        try #require(Double(sent) <= (now - start) * maximum * (1 + 1e-9) + 1e-3, "seed \(seed)")
        if Int.random(in: 0..<4, using: &random) == 0 { now += Double.random(in: 0...100, using: &random) }
      }
    }
  }

  /// Processes that write as fast as they may, and begin at different moments; the writes of each second since the first one.
  private func seconds(
    of processes: Int,
    beginning starts: [Double],
    until end: Double,
    sharing: Bool,
    _ random: inout SplitMix64
  ) throws -> [(time: Double, count: Int)] {
    let first = starts.min() ?? 0
    var pacers = starts.map { start in
      WritePacer(
        ramp: true,
        share: sharing ? WritePacer.Share(processes: processes, elapsed: start - first) : nil
      )
    }
    var times = starts
    var writes: [(time: Double, count: Int)] = []
    while let next = times.indices.min(by: { times[$0] < times[$1] }), times[next] < end {
      let now = times[next]
      // Pauses collect credit, which is what a burst is made of.
      if Int.random(in: 0..<400, using: &random) == 0 {
        times[next] += Double.random(in: 0...5, using: &random)
        continue
      }
      let count = min(100, pacers[next].largestChunk(at: now))
      if let later = pacers[next].take(count, at: now) {
        try #require(later > now)
        times[next] = later
      } else {
        writes.append((now, count))
      }
    }
    return writes.sorted { $0.time < $1.time }
  }

  @Test(
    "Processes that share the ramp write no more than one and a half times one process within any second, and no more in all",
    arguments: [1, 2, 7, 16, 64]
  )
  func shared(processes: Int) throws {
    for seed in UInt64(1)...3 {
      var random = SplitMix64(seed: seed)
      let starts = [1000.0] + (1..<processes).map { _ in 1000 + Double.random(in: 0...500, using: &random) }
      let writes = try seconds(of: processes, beginning: starts, until: 1000 + 700, sharing: true, &random)
      var (from, sum, total) = (0, 0, 0)
      for write in writes {
        sum += write.count
        total += write.count
        while writes[from].time <= write.time - 1 {
          sum -= writes[from].count
          from += 1
        }
        let rate = WritePacer(ramp: true).rate(after: write.time - 1000)
        try #require(Double(sum) <= rate * 1.5 + 1, "seed \(seed): \(sum) at \(write.time - 1000)")
        try #require(Double(total) <= allowance(write.time - 1000) + 1, "seed \(seed)")
      }
      #expect(total > 0)
    }
  }

  @Test("A process that begins late has the share of that moment, and no more than the others")
  func late() {
    let early = WritePacer(ramp: true, share: WritePacer.Share(processes: 10, elapsed: 0))
    let late = WritePacer(ramp: true, share: WritePacer.Share(processes: 10, elapsed: 450))
    #expect(early.rate(after: 0) == 50)
    #expect(late.rate(after: 0) == 75)
    #expect(early.rate(after: 450) == late.rate(after: 0))
    #expect(late.rate(after: 149.9) == 75)
    #expect(late.rate(after: 150) == 112.5)
    #expect(late.largestChunk(at: 0) == 18)
    let bounded = WritePacer(ramp: false, maximum: 200, share: WritePacer.Share(processes: 4, elapsed: 0))
    #expect(bounded.rate(after: 1e5) == 50)
  }
}
