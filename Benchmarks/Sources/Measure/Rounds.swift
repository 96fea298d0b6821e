import Platform

/// Rivals timed turn by turn in one process: A B C A B C …, so that whatever else the machine does meets all of them.
struct Rounds {
  /// One rival: what it does in a turn, and what it tidies up afterwards, unmeasured.
  struct Rival {
    let name: String
    let work: () -> Void
    let cleanUp: () -> Void

    init(_ name: String, cleanUp: @escaping () -> Void = {}, _ work: @escaping () -> Void) {
      self.name = name
      self.work = work
      self.cleanUp = cleanUp
    }
  }

  /// The rivals' times, turn by turn, in seconds of the CPU time of all threads.
  private(set) var times: [[Double]]
  /// The same in seconds that passed.
  private(set) var passed: [[Double]]

  /// Times every rival `count` times, after some turns that do not count.
  init(_ rivals: [Rival], count: Int) {
    times = Array(repeating: [], count: rivals.count)
    passed = times
    for turn in -5..<count {
      for (index, rival) in rivals.enumerated() {
        let (start, begin) = (Self.now(CLOCK_PROCESS_CPUTIME_ID), Self.now(CLOCK_MONOTONIC))
        rival.work()
        let (time, pass) = (Self.now(CLOCK_PROCESS_CPUTIME_ID) - start, Self.now(CLOCK_MONOTONIC) - begin)
        rival.cleanUp()
        if turn < 0 { continue }
        times[index].append(time)
        passed[index].append(pass)
      }
    }
  }

  /// The median time of one rival.
  func median(_ rival: Int) -> Double { Self.median(times[rival]) }

  /// The median of one rival's time over another's in the same turn.
  func ratio(_ rival: Int, to other: Int) -> Double {
    Self.median(zip(times[rival], times[other]).map { $0 / $1 })
  }

  /// As ``ratio(_:to:)``, of the time that passed.
  func passedRatio(_ rival: Int, to other: Int) -> Double {
    Self.median(zip(passed[rival], passed[other]).map { $0 / $1 })
  }

  /// One rival's shortest time over another's: what is left when the machine does least besides.
  func bestRatio(_ rival: Int, to other: Int) -> Double {
    (times[rival].min() ?? .nan) / (times[other].min() ?? .nan)
  }

  private static func median(_ numbers: [Double]) -> Double { numbers.sorted()[numbers.count / 2] }

  private static func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

/// A number with some digits behind the point.
func text(_ number: Double, _ digits: Int = 2) -> String {
  var scale = 1.0
  for _ in 0..<digits { scale *= 10 }
  let whole = Int((number * scale).rounded())
  if digits == 0 { return String(whole) }
  let fraction = String(whole % Int(scale))
  return "\(whole / Int(scale)).\(String(repeating: "0", count: digits - fraction.utf8.count))\(fraction)"
}
