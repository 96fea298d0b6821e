import Synchronization

/// A handler around a handler that injects scripted faults.
///
///     let faults = mini.faults(
///       FaultRule([.commit], .number(2), .dropAfterApplying),
///       FaultRule([], .percent(20), oneOf: [.error(.unavailable), .drop])
///     )
///     faults.before(.commit, 3) { _ in try? mini.put("users/u1", fields: "{}") }
///     try await HTTPTestServer.withServer(faults.handler) { server in ... }
///
/// The first rule that fires is played, and all rules count.
package final class ScriptedFaults: Sendable {
  /// An injected fault.
  package struct Played: Sendable {
    /// The request that it was injected into.
    package let request: TestRequest
    /// The fault.
    package let fault: Fault
  }

  private struct Hook: Sendable {
    var kind: RequestKind
    var number: Int
    var closure: @Sendable (TestRequest) -> Void
  }

  private struct State {
    var counts: [Int]
    var plays: [Int]
    var seen: [RequestKind: Int] = [:]
    var attempts: [UInt64: Int] = [:]
    var consecutive: [UInt64: Int] = [:]
    var expired: Set<String> = []
    var played: [Played] = []
    var hooks: [Hook] = []
    var isOn = true
  }

  private let inner: RequestHandler
  private let rules: [FaultRule]
  private let maximumConsecutive: Int
  private let seed: UInt64
  private let identity: @Sendable (TestRequest) -> [UInt8]
  private let state: Mutex<State>

  /// Wraps a handler.
  ///
  /// - Parameters:
  ///   - maximumConsecutive: How many faults in a row the same request may meet; the next attempt succeeds.
  ///     Use `.max` for a fault that stays. Not counted: the 401s that follow `expiredToken`.
  ///   - seed: What random faults are drawn from.
  ///   - identity: What makes two requests the same: method, target and body unless given.
  package init(
    _ inner: @escaping RequestHandler,
    rules: [FaultRule],
    maximumConsecutive: Int = 2,
    seed: UInt64 = 1,
    identity: @escaping @Sendable (TestRequest) -> [UInt8] = { request in
      Array("\(request.method) \(request.target)\n".utf8) + request.body
    }
  ) {
    self.inner = inner
    self.rules = rules
    self.maximumConsecutive = maximumConsecutive
    self.seed = seed
    self.identity = identity
    state = Mutex(State(counts: rules.map { _ in 0 }, plays: rules.map { _ in 0 }))
  }

  /// The handler for a test server.
  package var handler: RequestHandler { { self.answer($0) } }

  /// The faults injected so far.
  package var played: [Played] { state.withLock { $0.played.map { $0 } } }

  /// Whether faults are injected.
  package var isOn: Bool { state.withLock { $0.isOn } }

  /// Disables or enables all faults and the expiry of tokens.
  package func setOn(_ isOn: Bool) {
    state.withLock { state in
      state.isOn = isOn
      if !isOn { state.expired = [] }
    }
  }

  /// Calls a closure on the connection's thread before the k-th request of a kind (from 1) is handled.
  package func before(
    _ kind: RequestKind,
    _ number: Int,
    _ closure: @escaping @Sendable (TestRequest) -> Void
  ) {
    state.withLock { $0.hooks.append(Hook(kind: kind, number: number, closure: closure)) }
  }

  private func answer(_ request: TestRequest) -> Reaction {
    let kind = request.kind
    let hooks = state.withLock { state in
      state.seen[kind, default: 0] += 1
      return state.hooks.filter { $0.kind == kind && $0.number == state.seen[kind] }
    }
    for hook in hooks { hook.closure(request) }
    let authorization = request.header("Authorization") ?? ""
    if kind != .token, state.withLock({ $0.expired.contains(authorization) }) {
      return .response(ServiceError.tokenExpired.response(for: kind))
    }
    guard let fault = choose(request, kind) else { return inner(request) }
    return FaultPlayer(request: request, kind: kind, inner: inner).play(fault)
  }

  private func choose(_ request: TestRequest, _ kind: RequestKind) -> Fault? {
    let key = stableHash(identity(request))
    return state.withLock { state in
      let attempt = state.attempts[key, default: 0]
      state.attempts[key] = attempt + 1
      var chosen: Fault?
      for (index, rule) in rules.enumerated() {
        guard rule.kinds.isEmpty || rule.kinds.contains(kind), rule.matches(request) else { continue }
        state.counts[index] += 1
        var generator = SplitMix64(seed: seed ^ key &+ UInt64(attempt) &* 0x9E37 &+ UInt64(index) << 48)
        let fires = Self.fires(rule.occasion, state.counts[index], &generator)
        guard fires, state.isOn, chosen == nil, state.plays[index] < rule.limit,
          state.consecutive[key, default: 0] < maximumConsecutive
        else { continue }
        chosen = rule.faults.randomElement(using: &generator)
        if chosen != nil { state.plays[index] += 1 }
      }
      guard let chosen else {
        state.consecutive[key] = 0
        return nil
      }
      state.consecutive[key, default: 0] += 1
      state.played.append(Played(request: request, fault: chosen))
      if case .expiredToken = chosen { state.expired.insert(request.header("Authorization") ?? "") }
      return chosen
    }
  }

  private static func fires(_ occasion: Occasion, _ number: Int, _ generator: inout SplitMix64) -> Bool {
    switch occasion {
    case .number(let wanted): number == wanted
    case .numbers(let wanted): wanted.contains(number)
    case .first(let count): number <= count
    case .from(let first): number >= first
    case .every(let step): number % max(1, step) == 0
    case .percent(let percent): generator.chance(percent: percent)
    case .always: true
    }
  }
}

/// Converts a fault to a reaction of the server.
private struct FaultPlayer {
  let request: TestRequest
  let kind: RequestKind
  let inner: RequestHandler

  func play(_ fault: Fault) -> Reaction {
    switch fault {
    case .error(let error): return .response(error.response(for: kind))
    case .errorAfterApplying(let error): return applied { _ in .response(error.response(for: kind)) }
    case .drop: return .dropConnection
    case .dropAfterApplying: return applied { _ in .dropConnection }
    case .reset: return .reset
    case .resetAfterApplying: return applied { _ in .reset }
    case .halfBody(let fraction): return applied { .halfBody($0, fraction: fraction) }
    case .truncatedChunked(let fraction): return applied { .truncatedChunked($0, fraction: fraction) }
    case .html(let status): return .html(status)
    case .stall: return .stall
    case .stallAfterApplying: return applied { _ in .stall }
    case .stallInBody(let fraction): return applied { .stallInBody($0, fraction: fraction) }
    case .drip(let chunk, let interval): return applied { .drip($0, chunk: chunk, interval: interval) }
    case .delay(let duration): return .delayed(duration, inner(request))
    case .errorInStream(let error, let count): return applied { errorInStream($0, error, count) }
    case .unterminated: return applied { .response(unterminated($0)) }
    case .emptyBody: return applied { .response(TestResponse($0.status, headers: $0.headers)) }
    case .expiredToken: return .response(ServiceError.tokenExpired.response(for: kind))
    case .custom(let closure): return closure(request, inner)
    }
  }

  /// Lets the service handle the request and corrupts the response.
  ///
  /// A reaction that is no plain response is left as it is.
  private func applied(_ spoil: (TestResponse) -> Reaction) -> Reaction {
    let reaction = inner(request)
    guard case .response(let response) = reaction else { return reaction }
    return spoil(response)
  }

  private func errorInStream(_ response: TestResponse, _ error: ServiceError, _ count: Int) -> Reaction {
    guard RequestKind.streaming.contains(kind), response.status == 200 else {
      return .response(error.response(for: kind))
    }
    var parts = elements(of: response.body).prefix(count).map { Array($0) }
    parts.append(error.object)
    let body = Array("[".utf8) + parts.joined(separator: Array("\n,\n".utf8)) + Array("\n]\n".utf8)
    return .response(TestResponse(200, headers: response.headers, body: body))
  }

  private func unterminated(_ response: TestResponse) -> TestResponse {
    var body = response.body
    while let last = body.last, last <= 0x20 { body.removeLast() }
    if !body.isEmpty { body.removeLast() }
    return TestResponse(response.status, headers: response.headers, body: body)
  }

  /// The elements of the array that the text is.
  private func elements(of text: [UInt8]) -> [ArraySlice<UInt8>] {
    var elements: [ArraySlice<UInt8>] = []
    var depth = 0
    var start = 0
    var isInString = false
    var isEscaped = false
    for (index, byte) in text.enumerated() {
      if isInString {
        if byte == UInt8(ascii: "\""), !isEscaped { isInString = false }
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        if depth == 2 { start = index }
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 1 { elements.append(text[start...index]) }
      default: break
      }
    }
    return elements
  }
}

extension MiniFirestore {
  /// Its answers with faults in between; see ``ScriptedFaults``.
  package func faults(
    _ rules: FaultRule...,
    maximumConsecutive: Int = 2,
    seed: UInt64 = 1
  ) -> ScriptedFaults {
    ScriptedFaults(handler, rules: rules, maximumConsecutive: maximumConsecutive, seed: seed)
  }
}
