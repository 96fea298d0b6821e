package import Configuration

/// What a run was billed, what requests in flight may be billed, and what is left of its bound.
///
/// Before a request is sent, the most that it may be billed is reserved; afterwards the actual cost is settled. So the
/// bound holds regardless of the number of requests in flight.
///
///     var bill = Bill()
///     bill.bound = BillBound(reads: 500)
///     bill.reserve(Cost(reads: 300))               // .granted(300 reads)
///     bill.reserve(Cost(reads: 300))               // .wait: the first may turn out to be less
///     bill.settle(Cost(reads: 300), as: Cost(reads: 12))
///     bill.reserve(Cost(reads: 300))               // .granted(300 reads)
package struct Bill: Sendable, Equatable {
  package enum Answer: Equatable {
    case granted(Cost)
    /// Not now, but perhaps after other requests are settled.
    case wait
    /// Too little is left, whatever other requests are billed.
    case exhausted
  }

  package var bound = BillBound()
  /// The prices by which a bound in dollars is applied.
  package var prices = PriceList.nam5
  /// What is reserved for the end of the run: the lease and the ledger.
  package var kept = Cost()
  /// What responses report.
  private(set) var known = Cost()
  /// The maximum that requests without a complete response were billed.
  private(set) var uncertain = Cost()
  private(set) var reserved = Cost()

  package init() {}

  /// Whether the number of reads is bounded.
  var bindsReads: Bool { readsLeft != nil }

  /// The number of reads that are left; nil if reads are not bounded.
  var readsLeft: Int? {
    let left = bound.left(after: total, at: prices)
    let paid = left.dollars.map { prices.reads(for: PriceList.amount(ofDollars: $0)) }
    return [left.reads, paid].compactMap { $0 }.min().flatMap { $0 == .max ? nil : $0 }
  }

  /// The maximum that was billed.
  var total: Cost { known + uncertain }
  /// The maximum that will have been billed after every request in flight is settled.
  var outstanding: Cost { total + reserved }

  /// Adds what an earlier process of the run was billed, or what others use.
  package mutating func carry(known: Cost, uncertain: Cost) {
    self.known = self.known + known
    self.uncertain = self.uncertain + uncertain
  }

  /// - Parameters:
  ///   - most: The maximum that the request may be billed.
  ///   - least: The number of reads from which it is worth sending; it is granted fewer than `most` if no more are left.
  ///   - isLast: Whether it belongs to the end of the run, for which some cost is reserved.
  package mutating func reserve(
    _ most: Cost,
    least: Int? = nil,
    isLast: Bool = false
  ) -> Answer {
    var granted = most
    var waits = false
    func isShort(_ wanted: Int, _ left: Int, _ open: Int) -> Bool {
      waits = waits || wanted > left
      return wanted > left.addingClamped(open)
    }
    let kept = isLast ? Cost() : kept
    if let bound = bound.reads, most.reads > 0 {
      let left = bound.subtractingClamped(outstanding.reads.addingClamped(kept.reads))
      if isShort(least ?? most.reads, left, reserved.reads) { return .exhausted }
      granted.reads = min(most.reads, left)
    }
    if let bound = bound.writes, most.changes > 0 {
      let left = bound.subtractingClamped(outstanding.changes.addingClamped(kept.changes))
      if isShort(most.changes, left, reserved.changes) { return .exhausted }
    }
    if let bound = bound.dollars {
      var wanted = most
      wanted.reads = least ?? most.reads
      let left = PriceList.amount(ofDollars: bound)
        .subtractingClamped(prices.amount(of: outstanding).addingClamped(prices.amount(of: kept)))
      let price = prices.amount(of: wanted)
      if price > 0, isShort(price, left, prices.amount(of: reserved)) { return .exhausted }
      granted.reads = min(
        granted.reads,
        prices.reads(for: left.subtractingClamped(prices.amount(of: most.withoutReads)))
      )
    }
    if waits { return .wait }
    reserved = reserved + granted
    return .granted(granted)
  }

  /// - Parameter cost: What it was billed; nil if unknown.
  mutating func settle(_ granted: Cost, as cost: Cost?) {
    reserved = reserved - granted
    if let cost { known = known + cost } else { uncertain = uncertain + granted }
  }
}

extension Bill {
  /// Whether a bound by itself, instead of that of the bill, does not allow a cost.
  package func isExhausted(
    by bound: BillBound,
    before most: Cost,
    least: Int? = nil,
    isLast: Bool = false
  ) -> Bool {
    var alone = self
    alone.bound = bound
    return alone.reserve(most, least: least, isLast: isLast) == .exhausted
  }

  /// The failure of a run that must not be billed more.
  ///
  /// - Parameters:
  ///   - bounds: The names of the bounds that do not allow the next request.
  ///   - kinds: Their kinds.
  ///   - whom: For whom they are, with a space before it; nothing for a run.
  ///   - billed: What was billed so far, as a text.
  ///   - remedy: What to do; nil for what the kinds of bounds require.
  package static func failure(
    _ bounds: [String],
    of kinds: Set<Failure.Bound> = [.option],
    allowing whom: String = "",
    billed: String,
    remedy: String? = nil
  ) -> Failure {
    let names = bounds.joined(separator: ", ")
    let way =
      kinds.contains(.run)
      ? "Raise 'limits' in the file; options only lower it."
      : kinds.contains(.day) ? "Raise it in the file, or wait for another day (UTC)." : "Allow more."
    var failure = Failure(
      .tryLater,
      "go on",
      cause: "the next request might be billed more than \(names) allows\(whom) (so far: \(billed))",
      remedy: remedy ?? way
    )
    failure.bounds = kinds
    return failure
  }
}

extension Cost {
  /// Writes and deletes.
  fileprivate var changes: Int { writes.addingClamped(deletes) }

  fileprivate var withoutReads: Cost { Cost(writes: writes, deletes: deletes) }
}
