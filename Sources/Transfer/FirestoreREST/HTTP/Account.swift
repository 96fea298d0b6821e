package import Configuration
import Synchronization

/// The bill of a run, which all of its clients share, and the callers that wait for what is left of its bound.
///
/// For a run that can be resumed, the bill is saved together with an allowance for further requests before the next save,
/// so that a killed process was never billed more than what was saved.
package final class Account: Sendable {
  fileprivate struct State {
    var bill = Bill()
    var waiting: [CheckedContinuation<Void, Never>] = []
    var save: Save?
    /// The bounds of the bill, which apply independently, each with its name for display and with what others have used of
    /// it.
    var bounds: [(name: String, kind: Failure.Bound, bound: BillBound, used: Cost?)] = []
    /// The part of the bill that the cost ledger contains.
    var recorded = Cost()
    /// The reads of the source database of a command with two databases that the cost ledger does not contain.
    var sourceReads = 0
    /// The cost that the last save allows for.
    var covered = Cost()
    /// The number of background tasks that may still make requests.
    var expected = 0
    /// What other processes of the same work use, too; nil if this process is alone.
    var shared: (any SharedBill)?
    /// What was taken of it.
    var taken = Cost()
    /// What earlier processes of the run were billed, which they have taken themselves.
    var carried = Cost()
    /// The number of requests that were settled.
    var settled = 0
  }

  private let state = Mutex(State())

  package init() {}

  /// What responses report, and the maximum that requests without a complete response were billed.
  package var billed: (known: Cost, uncertain: Cost) {
    state.withLock { ($0.bill.known, $0.bill.uncertain + $0.bill.reserved) }
  }

  /// Records that work begins in the background, until ``endBackground()``.
  func beginBackground() { state.withLock { $0.expected += 1 } }

  func endBackground() { state.withLock { $0.expected -= 1 } }

  /// Waits for requests in flight and background work, for a second at most.
  ///
  /// A count that is no longer needed completes soon, and is billed in any case; a server in this process is still running
  /// then.
  package func settleAll(by clock: RunClock) async {
    let deadline = clock.now() + 1
    while state.withLock({ $0.bill.reserved != Cost() || $0.expected > 0 }), clock.now() < deadline {
      do { try await clock.sleep(0.005) } catch { return }
    }
  }

  package var bound: BillBound { state.withLock { $0.bill.bound } }

  /// The prices by which a bound in dollars is applied.
  package var prices: PriceList { state.withLock { $0.bill.prices } }

  /// Whether the number of reads is bounded.
  package var bindsReads: Bool { state.withLock { $0.bill.bindsReads } }

  /// Bounds the whole run, in addition to any other bounds.
  ///
  /// - Parameters:
  ///   - prices: The prices for the bound; the highest of all given prices apply.
  ///   - name: The origin of the bound, for display; nil for options.
  ///   - used: What other runs have used of it today; nil for a bound of this run only.
  ///   - given: The bound as given for several runs, of which `bound` is left for this one; nil if it is the same.
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
      let kind: Failure.Bound = name == nil ? .option : used == nil ? .run : .day
      let bounds = name.map { [(name: $0, bound: bound)] } ?? bound.options(leftOf: given ?? bound)
      for (name, bound) in bounds where !state.bounds.contains(where: { $0.name == name }) {
        state.bounds.append((name, kind, bound, used))
      }
    }
  }

  /// Shares a bound with other processes: what requests may be billed is taken from it before they are sent.
  package func share(_ bill: any SharedBill) { state.withLock { $0.shared = bill } }

  /// Returns what was billed and is not in the cost ledger, which counts as recorded from now on.
  package func takeUnrecorded() -> Cost {
    state.withLock { state in
      defer { state.recorded = state.bill.total }
      return state.bill.total - state.recorded
    }
  }

  /// Returns the reads among it of the source database of a command with two databases, which count as recorded from now
  /// on.
  package func takeUnrecordedOfSource() -> Int {
    state.withLock { state in
      defer { state.sourceReads = 0 }
      return state.sourceReads
    }
  }

  /// Reserves a cost for the end of the run; an empty cost releases it.
  package func keep(_ cost: Cost) { state.withLock { $0.bill.kept = cost } }

  /// The number of reads that are left; nil if reads are not bounded.
  package var readsLeft: Int? {
    state.withLock { $0.bill.readsLeft }
  }

  // MARK: Saving

  /// Saves what responses report, and what may have been billed in addition.
  package typealias Save = @Sendable (_ known: Cost, _ uncertain: Cost) throws(Failure) -> Void

  /// Adds what an earlier process of the run was billed, or requests for it elsewhere.
  ///
  /// - Parameters:
  ///   - recorded: The part of it that the cost ledger contains.
  ///   - save: Saves the bill from now on; nil to save nothing.
  package func carry(
    known: Cost,
    uncertain: Cost,
    recorded: Cost = Cost(),
    save: Save? = nil
  ) {
    state.withLock { state in
      state.recorded = state.recorded + recorded
      state.bill.carry(known: known, uncertain: uncertain)
      state.carried = state.carried + known + uncertain
      (state.save, state.covered) = (save, Cost())
    }
  }

  /// Saves what was billed, without an allowance for further requests, and gives back what was taken and not needed.
  package func close() throws(Failure) {
    try state.withLock { state throws(Failure) in
      try state.save?(state.bill.known, state.bill.uncertain + state.bill.reserved)
      state.save = nil
      try state.giveBack()
    }
  }

  // MARK: Requests

  /// Reserves what a request may be billed, waiting if other requests may leave enough.
  ///
  /// - Returns: The reserved cost: less than `most` if no more is left, but at least `least` reads.
  /// - Throws: `.tryLater` if too little is left.
  func reserve(_ most: Cost, least: Int? = nil, isLast: Bool = false) async throws(Failure) -> Cost {
    if most == Cost() { return most }
    while true {
      let (answer, settled) = try state.withLock { state throws(Failure) -> (Bill.Answer, Int) in
        (try state.reserve(most, least: least, isLast: isLast), state.settled)
      }
      switch answer {
      case .granted(let cost): return cost
      case .exhausted: throw try exhausted(before: most, least, isLast)
      case .wait: await settlement(after: settled)
      }
    }
  }

  /// - Throws: `.tryLater` if the bound does not allow the cost in addition to what is reserved for the end of the run.
  package func requireRoom(for cost: Cost) throws(Failure) {
    let hasRoom = try state.withLock { state throws(Failure) in
      var probe = state.bill
      if probe.reserve(cost) == .exhausted { return false }
      return try state.take(for: probe.outstanding + probe.kept) != nil
    }
    if !hasRoom { throw try exhausted(before: cost) }
  }

  /// Waits until a request is settled, unless one was since there were `settled`.
  private func settlement(after settled: Int) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.settled != settled { return true }
        state.waiting.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  /// - Parameters:
  ///   - cost: What the request was billed; nil if unknown.
  ///   - isOfSource: Whether it went to the source database of a command with two databases.
  func settle(_ granted: Cost, as cost: Cost?, isOfSource: Bool = false) {
    let waiting = state.withLock { state in
      state.bill.settle(granted, as: cost)
      state.settled += 1
      state.giveBackLargeShare()
      if isOfSource { state.sourceReads = state.sourceReads.addingClamped((cost ?? granted).reads) }
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// The failure of a run that must not be billed more, with the bounds that do not allow a request.
  ///
  /// - Throws: The errors of what is shared.
  func exhausted(
    before most: Cost,
    _ least: Int? = nil,
    _ isLast: Bool = false
  ) throws(Failure) -> Failure {
    let (all, bill, shared) = state.withLock { ($0.bounds, $0.bill, $0.shared) }
    let needed = Cost(reads: least ?? most.reads, writes: most.writes, deletes: most.deletes)
    if let failure = try shared?.exhausted(before: needed, at: bill.prices) { return failure }
    var reached = all.filter { bill.isExhausted(by: $0.bound, before: most, least: least, isLast: isLast) }
    if reached.isEmpty { reached = all }
    let names = reached.map { bound in
      bound.used.map { "\(bound.name) (used today before this: \($0.text))" } ?? bound.name
    }
    return Bill.failure(names, of: Set(reached.map(\.kind)), billed: bill.total.text)
  }
}

extension Account.State {
  /// Reserves what a request may be billed, of what is left for this process and for all.
  fileprivate mutating func reserve(
    _ most: Cost,
    least: Int?,
    isLast: Bool
  ) throws(Failure) -> Bill.Answer {
    var most = most
    if shared != nil, least != nil, most.reads > Self.largeShare {
      // A count, of which nobody knows how much it needs, leaves something for the other processes.
      most.reads = max(Self.largeShare, (bill.readsLeft ?? most.reads) / 8)
    }
    let answer = bill.reserve(most, least: least, isLast: isLast)
    guard case .granted(var granted) = answer else { return answer }
    let spare = least.map { max(granted.reads - $0, 0) } ?? 0
    let total = isLast ? bill.outstanding : bill.outstanding + bill.kept
    guard let missing = try take(for: total, exceptReads: spare) else {
      bill.settle(granted, as: Cost())
      // What requests in flight do not use can be used again.
      return bill.reserved == Cost() ? .exhausted : .wait
    }
    bill.settle(Cost(reads: missing), as: Cost())
    granted.reads -= missing
    try cover()
    return .granted(granted)
  }

  /// Takes what is missing to a total from what is shared.
  ///
  /// - Parameter spare: The number of reads that may be left out.
  /// - Returns: The number of reads that are left out; nil if too little is left.
  fileprivate mutating func take(for total: Cost, exceptReads spare: Int = 0) throws(Failure) -> Int? {
    guard let shared else { return 0 }
    let own = total - carried
    if own.isWithin(taken) { return 0 }
    let wanted = Cost(
      reads: max(own.reads - taken.reads, 0),
      writes: max(own.writes - taken.writes, 0),
      deletes: max(own.deletes - taken.deletes, 0)
    )
    let least = max(wanted.reads - spare, 0)
    guard let got = try shared.take(wanted, leastReads: least, ahead: Self.step(after: own), at: bill.prices)
    else { return nil }
    taken = taken + got
    return max(wanted.reads - got.reads, 0)
  }

  /// The number of reads that a process does not keep for its next requests while others may need them.
  private static let largeShare = 10_000

  /// Gives back what was taken, if it is much more than what the next requests need.
  fileprivate mutating func giveBackLargeShare() {
    guard let shared else { return }
    let spare = taken.reads - (bill.outstanding + bill.kept - carried).reads
    // If it cannot be given back, it remains taken.
    if spare > 2 * Self.largeShare, (try? shared.give(Cost(reads: spare - Self.largeShare))) != nil {
      taken.reads -= spare - Self.largeShare
    }
  }

  /// Gives back what was taken and not used.
  fileprivate mutating func giveBack() throws(Failure) {
    guard let shared else { return }
    let used = bill.outstanding - carried
    let unused = taken - used
    taken = used
    if unused != Cost() { try shared.give(unused) }
  }

  /// Saves a larger allowance if a request is about to be sent that exceeds the last one.
  fileprivate mutating func cover() throws(Failure) {
    guard let save, !bill.outstanding.isWithin(covered) else { return }
    let ahead = Self.step(after: bill.outstanding)
    covered = bill.outstanding + ahead
    try save(bill.known, covered - bill.known)
  }

  /// How much is allowed in advance: little, because it may be too much; proportional to the bill, because saving takes
  /// time; and nothing for operations that no request has used.
  private static func step(after cost: Cost) -> Cost {
    func step(_ count: Int) -> Int { count == 0 ? 0 : 100 + count / 10 }
    return Cost(reads: step(cost.reads), writes: step(cost.writes), deletes: step(cost.deletes))
  }
}
