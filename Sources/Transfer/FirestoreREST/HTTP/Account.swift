package import Configuration
import Synchronization

/// The bill of a run, which all of its clients share, with whoever waits for what is left of its bound.
///
/// A run that can be resumed saves it: what it was billed, and ahead of that what it may be billed before it is saved again, so
/// that a process that is killed has never been billed more than what was saved.
package final class Account: Sendable {
  fileprivate struct State {
    var bill = Bill()
    var waiting: [CheckedContinuation<Void, Never>] = []
    var save: Save?
    /// What bounds the bill, each by itself and with its name for people, with what others have used of it.
    var bounds: [(name: String, bound: BillBound, used: Cost?)] = []
    /// What the ledger of costs has of it.
    var recorded = Cost()
    /// The reads of the other database of a command with two that the ledger does not have.
    var sourceReads = 0
    /// What was saved allows for so much.
    var covered = Cost()
    /// Work in the background that may still make requests.
    var expected = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// What responses say, and what requests without a complete one are billed at most.
  package var billed: (known: Cost, uncertain: Cost) {
    state.withLock { ($0.bill.known, $0.bill.uncertain + $0.bill.reserved) }
  }

  /// Notes that work begins in the background, until ``endBackground()``.
  func beginBackground() { state.withLock { $0.expected += 1 } }

  func endBackground() { state.withLock { $0.expected -= 1 } }

  /// Waits for requests in flight and work in the background, a second at most.
  ///
  /// A count that nobody needs any more is answered soon, and is billed in any case; a server of this process is still up then.
  package func settleAll(by clock: RunClock) async {
    let deadline = clock.now() + 1
    while state.withLock({ $0.bill.reserved != Cost() || $0.expected > 0 }), clock.now() < deadline {
      do { try await clock.sleep(0.005) } catch { return }
    }
  }

  package var bound: BillBound { state.withLock { $0.bill.bound } }

  /// What a bound in dollars goes by.
  package var prices: PriceList { state.withLock { $0.bill.prices } }

  /// Whether anything bounds the reads.
  package var bindsReads: Bool { state.withLock { $0.bill.bindsReads } }

  /// Bounds the whole run, beside other bounds that it may have.
  ///
  /// - Parameters:
  ///   - prices: The dearest of any that are given count.
  ///   - name: What says so, for people; nil for options.
  ///   - used: What other runs have used of it today; nil for a bound of this one alone.
  ///   - given: What people gave for several runs, of which `bound` is left for this one; nil for the same.
  package func limit(
    to bound: BillBound,
    at prices: PriceList = .nam5,
    by name: String? = nil,
    after used: Cost? = nil,
    of given: BillBound? = nil
  ) {
    if bound.isNone { return }
    state.withLock { state in
      state.bill.prices = state.bounds.isEmpty ? prices : state.bill.prices.dearer(prices)
      state.bill.bound = state.bill.bound.tightened(by: bound)
      let bounds = name.map { [(name: $0, bound: bound)] } ?? bound.options(leftOf: given ?? bound)
      for (name, bound) in bounds where !state.bounds.contains(where: { $0.name == name }) {
        state.bounds.append((name, bound, used))
      }
    }
  }

  /// What was billed and the ledger of costs does not have; it counts as recorded from now on.
  package func takeUnrecorded() -> Cost {
    state.withLock { state in
      defer { state.recorded = state.bill.total }
      return state.bill.total - state.recorded
    }
  }

  /// The reads among them of the other database of a command with two; they count as recorded from now on.
  package func takeUnrecordedOfSource() -> Int {
    state.withLock { state in
      defer { state.sourceReads = 0 }
      return state.sourceReads
    }
  }

  /// Leaves something for the end of the run; nothing to give it free.
  package func keep(_ cost: Cost) { state.withLock { $0.bill.kept = cost } }

  /// The reads that are left; nil where nothing bounds them.
  package var readsLeft: Int? {
    state.withLock { $0.bill.readsLeft }
  }

  // MARK: Saving

  /// Saves what responses say, and what may have been billed besides.
  package typealias Save = @Sendable (_ known: Cost, _ uncertain: Cost) throws(Failure) -> Void

  /// Begins with what an earlier process of the run was billed, and saves from now on.
  ///
  /// - Parameter recorded: What the ledger of costs has of that.
  package func carry(
    known: Cost,
    uncertain: Cost,
    recorded: Cost = Cost(),
    save: @escaping Save
  ) {
    state.withLock { state in
      state.recorded = state.recorded + recorded
      state.bill.carry(known: known, uncertain: uncertain)
      (state.save, state.covered) = (save, Cost())
    }
  }

  /// Saves what was billed, without anything ahead.
  package func close() throws(Failure) {
    try state.withLock { state throws(Failure) in
      try state.save?(state.bill.known, state.bill.uncertain + state.bill.reserved)
      state.save = nil
    }
  }

  // MARK: Requests

  /// Reserves what a request may be billed, and waits where others may leave enough.
  ///
  /// - Returns: What is reserved: less than `most` where no more is left, but at least `least` reads.
  /// - Throws: `.tryLater` where too little is left.
  func reserve(_ most: Cost, least: Int? = nil, isLast: Bool = false) async throws(Failure) -> Cost {
    if most == Cost() { return most }
    while true {
      let answer = try state.withLock { state throws(Failure) -> Bill.Answer in
        let answer = state.bill.reserve(most, least: least, isLast: isLast)
        if case .granted = answer { try state.cover() }
        return answer
      }
      switch answer {
      case .granted(let cost): return cost
      case .exhausted: throw exhausted(before: most, least, isLast)
      case .wait: await settlement(before: most, least, isLast)
      }
    }
  }

  /// - Throws: `.tryLater` where the bound does not allow so much, beside what is kept for the end of the run.
  package func requireRoom(for cost: Cost) throws(Failure) {
    var probe = state.withLock(\.bill)
    if probe.reserve(cost) == .exhausted { throw exhausted(before: cost) }
  }

  /// Waits until a request is settled, unless there is enough by now.
  private func settlement(before most: Cost, _ least: Int?, _ isLast: Bool) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        var probe = state.bill
        if probe.reserve(most, least: least, isLast: isLast) != .wait { return true }
        state.waiting.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  /// - Parameters:
  ///   - cost: What the request was billed; nil where that is not known.
  ///   - isOfSource: Whether it went to the other database of a command with two.
  func settle(_ granted: Cost, as cost: Cost?, isOfSource: Bool = false) {
    let waiting = state.withLock { state in
      state.bill.settle(granted, as: cost)
      if isOfSource { state.sourceReads = state.sourceReads.addingClamped((cost ?? granted).reads) }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// The failure of a run that may not be billed more, which names the bounds that do not allow a request.
  func exhausted(before most: Cost, _ least: Int? = nil, _ isLast: Bool = false) -> Failure {
    let (all, bill) = state.withLock { ($0.bounds, $0.bill) }
    let reached = all.filter { bound in
      var alone = bill
      alone.bound = bound.bound
      return alone.reserve(most, least: least, isLast: isLast) == .exhausted
    }
    let billed = bill.total
    let names = (reached.isEmpty ? all : reached).map { bound in
      bound.used.map { "\(bound.name) (used today before this: \($0.text))" } ?? bound.name
    }
    var failure = Failure(
      .tryLater,
      "go on",
      cause:
        "the next request might be billed more than \(names.joined(separator: ", ")) allows (so far: \(billed.text))",
      remedy: "Allow more."
    )
    failure.isOfBound = true
    return failure
  }
}

extension Account.State {
  /// Saves more than before where a request is about to be sent that was not allowed for.
  fileprivate mutating func cover() throws(Failure) {
    guard let save, !bill.outstanding.isWithin(covered) else { return }
    let ahead = Self.step(after: bill.outstanding)
    covered = bill.outstanding + ahead
    try save(bill.known, covered - bill.known)
  }

  /// How far it is saved ahead: little, because it may be too much, and in proportion, because saving takes time; nothing of what
  /// no request has asked for.
  private static func step(after cost: Cost) -> Cost {
    func step(_ count: Int) -> Int { count == 0 ? 0 : 100 + count / 10 }
    return Cost(reads: step(cost.reads), writes: step(cost.writes), deletes: step(cost.deletes))
  }
}
