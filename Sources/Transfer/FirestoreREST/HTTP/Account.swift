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
    /// What was saved allows for so much.
    var covered = Cost()
  }

  private let state = Mutex(State())

  package init() {}

  /// What responses say, and what requests without a complete one were billed at most.
  package var billed: (known: Cost, uncertain: Cost) {
    state.withLock { ($0.bill.known, $0.bill.uncertain) }
  }

  package var bound: BillBound { state.withLock { $0.bill.bound } }

  /// Sets the bound of the whole run.
  package func limit(to bound: BillBound) { state.withLock { $0.bill.bound = bound } }

  /// Leaves something for the end of the run; nothing to give it free.
  package func keep(_ cost: Cost) { state.withLock { $0.bill.kept = cost } }

  /// The reads that are left; nil where nothing bounds them.
  package var readsLeft: Int? {
    state.withLock { state in state.bill.bound.reads.map { max(0, $0 - state.bill.total.reads) } }
  }

  // MARK: Saving

  /// Saves what responses say, and what may have been billed besides.
  package typealias Save = @Sendable (_ known: Cost, _ uncertain: Cost) throws(Failure) -> Void

  /// Begins with what an earlier process of the run was billed, and saves from now on.
  package func carry(known: Cost, uncertain: Cost, save: @escaping Save) {
    state.withLock { state in
      state.bill.carry(known: known, uncertain: uncertain)
      (state.save, state.covered) = (save, Cost())
    }
  }

  /// Saves what was billed, without anything ahead.
  package func close() throws(Failure) {
    try state.withLock { state throws(Failure) in
      try state.save?(state.bill.known, state.bill.uncertain)
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
      case .exhausted: throw exhausted()
      case .wait: await settlement(before: most, least, isLast)
      }
    }
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

  /// - Parameter cost: What the request was billed; nil where that is not known.
  func settle(_ granted: Cost, as cost: Cost?) {
    let waiting = state.withLock { state in
      state.bill.settle(granted, as: cost)
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// The failure of a run that may not be billed more.
  func exhausted() -> Failure {
    let (bound, billed) = state.withLock { ($0.bill.bound, $0.bill.total) }
    let options = [
      bound.reads.map { "--max-reads \($0)" }, bound.writes.map { "--max-writes \($0)" },
    ].compactMap { $0 }
    var failure = Failure(
      .tryLater,
      "go on",
      cause:
        "the next request might be billed more than \(options.joined(separator: ", ")) allows (so far: \(billed.text))",
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
