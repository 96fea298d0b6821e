package import Configuration
import Files
import MigrationEngine

/// What all tasks of a sharded run may be billed together, and what they took of it: `bill.json`.
///
/// Each change is made under a lock, in a file that is replaced as a whole.
package struct ShardBill: SharedBill {
  /// A bound of all tasks, with its origin for display.
  package struct Bound: Sendable {
    package var name: String
    package var bound: BillBound

    package init(name: String, bound: BillBound) { (self.name, self.bound) = (name, bound) }
  }

  private struct Record: JSONRecord {
    /// The bound that was given for all tasks.
    var bound: BillBound?
    /// What the tasks were billed, and what they have taken for their next requests.
    var taken = Cost()
    /// What is kept for `finish`.
    var kept = Cost()

    func validate() throws(WireError) {
      for count in [taken, kept].flatMap({ [$0.reads, $0.writes, $0.deletes] }) where count < 0 {
        throw WireError("a number of operations is negative")
      }
    }
  }

  /// The name of the file.
  package static let fileName = "bill.json"

  /// What to do where too little is left.
  package var remedy = "Allow more."
  private let path: String
  private let limits: [Bound]

  /// - Parameters:
  ///   - folder: The folder of the plan.
  ///   - limits: The configured bounds for a run, which apply beside the one that was given.
  package init(in folder: String, limits: [Bound]) {
    path = "\(folder)/\(Self.fileName)"
    self.limits = limits
  }

  /// Whether the tasks of a folder count what they are billed.
  package static func exists(in folder: String) -> Bool { FileCheck.exists("\(folder)/\(fileName)") }

  /// Removes what an earlier plan left, so that the tasks do not count.
  package static func remove(in folder: String) throws(Failure) {
    if exists(in: folder) { try FilePaths.remove("\(folder)/\(fileName)") }
  }

  /// Begins to count, with what `finish` needs of a run that writes set aside.
  ///
  /// - Parameter bound: The bound that was given; nil for none.
  package func begin(_ bound: BillBound?, writes: Bool) throws(Failure) {
    let record = Record(bound: bound, kept: writes ? MigrationLedger.end : Cost())
    try locked { () throws(Failure) in try JSONFile.write(record.json, to: path) }
  }

  /// Replaces the bound that was given, in each respect in which there is a new one.
  package func allow(_ bound: BillBound) throws(Failure) {
    try change { record in
      record.bound = BillBound(
        reads: bound.reads ?? record.bound?.reads,
        writes: bound.writes ?? record.bound?.writes,
        dollars: bound.dollars ?? record.bound?.dollars
      )
    }
  }

  /// The bound that was given; nil for none.
  package func bound() throws(Failure) -> BillBound? { try read().bound }

  /// Allows what was set aside for the end.
  package func beginEnd() throws(Failure) { try change { $0.kept = Cost() } }

  /// The most that was billed so far.
  package func billed() throws(Failure) -> Cost { try read().taken }

  package func take(
    _ cost: Cost,
    leastReads: Int,
    ahead: Cost,
    at prices: PriceList
  ) throws(Failure) -> Cost? {
    try change { record in
      let smaller = Cost(reads: leastReads, writes: cost.writes, deletes: cost.deletes)
      var fitting = [cost + ahead, cost].first { reached(by: $0, in: record, at: prices).isEmpty }
      if fitting == nil, reached(by: smaller, in: record, at: prices).isEmpty {
        fitting = most(between: smaller, and: cost, in: record, at: prices)
      }
      guard let fitting else { return nil }
      record.taken = record.taken + fitting
      return fitting
    }
  }

  package func give(_ unused: Cost) throws(Failure) {
    try change { record in record.taken = record.taken - unused }
  }

  package func exhausted(before cost: Cost, at prices: PriceList) throws(Failure) -> Failure? {
    let record = try read()
    let names = reached(by: cost, in: record, at: prices).map(\.name)
    if names.isEmpty { return nil }
    var failure = Failure(
      .tryLater,
      "go on",
      cause:
        "the next request might be billed more than \(names.joined(separator: ", ")) allows for all tasks (so far: \(record.taken.textOfSome) at most)",
      remedy: remedy
    )
    failure.isOfBound = true
    return failure
  }

  /// Returns the bounds that do not allow a cost in addition.
  private func reached(by cost: Cost, in record: Record, at prices: PriceList) -> [Bound] {
    let total = record.taken + record.kept + cost
    let given = record.bound?.options.map { Bound(name: $0.name, bound: $0.bound) } ?? []
    return (given + limits).filter { !$0.bound.allows(total, at: prices) }
  }

  /// Returns the cost with the most reads that is allowed, by halving.
  private func most(between low: Cost, and high: Cost, in record: Record, at prices: PriceList) -> Cost {
    var (low, high) = (low, high)
    while high.reads - low.reads > 1 {
      var middle = low
      middle.reads += (high.reads - low.reads) / 2
      if reached(by: middle, in: record, at: prices).isEmpty { low = middle } else { high = middle }
    }
    return low
  }

  // MARK: The file

  private func read() throws(Failure) -> Record {
    if let record = try JSONFile.read(path, as: Record.self) { return record }
    throw Failure(
      .inputMissing,
      "count what the tasks are billed in",
      path: path,
      cause: "the file is gone",
      remedy: "Put it back, or plan the tasks again in another folder."
    )
  }

  private func change<Result>(_ body: (inout Record) -> Result) throws(Failure) -> Result {
    try locked { () throws(Failure) in
      var record = try read()
      let result = body(&record)
      try JSONFile.write(record.json, to: path)
      return result
    }
  }

  /// Runs `body` while no other process changes the file.
  private func locked<Result>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    // Without locks, two processes might use the same rest.
    try FileLock.holding("\(path).lock", isRequired: true, body)
  }
}

extension BillBound {
  /// Whether a cost is within the bound.
  fileprivate func allows(_ cost: Cost, at prices: PriceList) -> Bool {
    if let reads, cost.reads > reads { return false }
    if let writes, cost.writes.addingClamped(cost.deletes) > writes { return false }
    if let dollars, prices.amount(of: cost) > PriceList.amount(ofDollars: dollars) { return false }
    return true
  }
}
