import FirestoreREST
import Synchronization
import TestSupport

/// A way to a service on which requests and answers are lost, others write in between, and the process is killed.
final class FailingTransport: HTTPTransport {
  /// A kill: at which commit, counted from 1, and whether the service still gets it.
  struct Kill: Sendable {
    var commit: Int
    var isApplied: Bool
  }

  private struct State {
    var random: SplitMix64
    var commits = 0
    var isDead = false
  }

  private let inner = CurlTransport()
  private let faultRate: Double
  private let kill: Kill?
  /// Runs before commits that are drawn, as another program would.
  private let between: (@Sendable () async throws -> Void)?
  private let state: Mutex<State>

  init(
    seed: UInt64,
    faultRate: Double = 0,
    kill: Kill? = nil,
    between: (@Sendable () async throws -> Void)? = nil
  ) {
    self.faultRate = faultRate
    self.kill = kill
    self.between = between
    state = Mutex(State(random: SplitMix64(seed: seed)))
  }

  var wasKilled: Bool { state.withLock { $0.isDead } }

  private enum Act { case pass, loseRequest, loseAnswer, refuse(Int, String), meddle, die(isApplied: Bool) }

  private func act(isCommit: Bool) throws(TransportError) -> Act {
    try state.withLock { state throws(TransportError) -> Act in
      if state.isDead { throw TransportError(.cancelled, "the process is gone") }
      if isCommit {
        state.commits += 1
        if let kill, state.commits == kill.commit {
          state.isDead = true
          return .die(isApplied: kill.isApplied)
        }
      }
      guard Double.random(in: 0..<1, using: &state.random) < faultRate else { return .pass }
      switch Int.random(in: 0..<5, using: &state.random) {
      case 0: return .loseRequest
      case 1: return .loseAnswer
      case 2: return .refuse(503, "UNAVAILABLE")
      case 3: return isCommit ? .refuse(409, "ABORTED") : .pass
      default: return isCommit ? .meddle : .pass
      }
    }
  }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    switch try act(isCommit: request.url.contains(":commit")) {
    case .pass: return try await inner.send(request)
    case .loseRequest: throw TransportError(.lost, "the request was lost")
    case .loseAnswer:
      _ = try await inner.send(request)
      throw TransportError(.lost, "the answer was lost")
    case .refuse(let status, let name):
      let body = #"{"error":{"code":\#(status),"message":"a fault","status":"\#(name)"}}"#
      return HTTPResponse(status: status, body: Array(body.utf8))
    case .meddle:
      try? await between?()
      return try await inner.send(request)
    case .die(let isApplied):
      if isApplied { _ = try await inner.send(request) }
      throw TransportError(.cancelled, "the process was killed")
    }
  }
}
