import Foundation
import TestSupport

/// A handler around a handler that kills the program which asks, and remembers what was asked.
final class KillSwitch: @unchecked Sendable {
  /// When a program is killed.
  enum Point: Sendable, CustomStringConvertible {
    /// At a commit (from 1): not applied, applied, or applied only some time after the program is gone.
    case commit(Int, Timing)
    /// At a request of any kind, from 1, which is not answered.
    case request(Int)
    /// So many milliseconds after its start.
    case moment(Int)
    /// At the first commit for which this holds.
    case holds(@Sendable () -> Bool)
    /// Never.
    case never

    enum Timing: String, CaseIterable { case before, after, late }

    var description: String {
      switch self {
      case .commit(let number, let timing): "\(timing) commit \(number)"
      case .request(let number): "at request \(number)"
      case .moment(let milliseconds): "after \(milliseconds) ms"
      case .holds: "when it holds"
      case .never: "never"
      }
    }
  }

  private let inner: RequestHandler
  private let delay: Duration
  private let lock = NSLock()
  private var point = Point.never
  private var victim = Later<RunningBinary>()
  private var log: [TestRequest] = []
  private var commits = 0

  /// Wraps a handler; commits are answered after a delay.
  init(_ inner: @escaping RequestHandler, delay: Duration) {
    self.inner = inner
    self.delay = delay
  }

  /// What was asked since the last start.
  var requests: [TestRequest] { lock.withLock { log } }

  var handler: RequestHandler { { self.answer($0) } }

  /// Starts a program, kills it at a point, and waits for its end.
  func run(until point: Point, _ start: () throws -> RunningBinary) async throws -> RunResult {
    let victim = Later<RunningBinary>()
    lock.withLock {
      (self.point, self.victim) = (point, victim)
      (log, commits) = ([], 0)
    }
    let process = try start()
    victim.set(process)
    if case .moment(let milliseconds) = point {
      // Any moment will do, so a nap is no guess.
      try await Task.sleep(for: .milliseconds(milliseconds))
      process.send(SIGKILL)
    }
    return await process.wait()
  }

  private func answer(_ request: TestRequest) -> Reaction {
    let isCommit = request.kind == .commit
    let (timing, victim) = lock.withLock { () -> (Point.Timing?, Later<RunningBinary>) in
      log.append(request)
      if isCommit { commits += 1 }
      switch point {
      case .commit(commits, let timing) where isCommit: return (timing, self.victim)
      case .request(log.count): return (.before, self.victim)
      case .holds(let condition) where isCommit && condition(): return (.before, self.victim)
      default: return (nil, self.victim)
      }
    }
    if let timing {
      if timing == .after { _ = inner(request) }
      victim.get()?.send(SIGKILL)
      if timing == .late {
        Thread.sleep(forTimeInterval: Double(request.body.count % 400) / 1000)
        _ = inner(request)
      }
      return .stall
    }
    let reaction = inner(request)
    return isCommit && delay > .zero ? .delayed(delay, reaction) : reaction
  }
}

extension Fault {
  /// Sends a signal to the program, whose request is applied or not and gets no answer.
  static func end(
    _ running: Later<RunningBinary>,
    with signal: Int32 = SIGKILL,
    applied: Bool = false
  ) -> Fault {
    .custom { request, inner in
      if applied { _ = inner(request) }
      running.get()?.send(signal)
      return .stall
    }
  }
}
