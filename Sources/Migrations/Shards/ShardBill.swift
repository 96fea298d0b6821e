package import Configuration
import Files
import FirestoreREST
import MigrationEngine

/// What all tasks of a sharded run may be billed together, and what they took of it: `bill.json`.
///
/// Each change is made under a lock, in a file that is replaced as a whole.
package struct ShardBill: SharedBill {
  /// A bound of all tasks, with its origin for display.
  package typealias Bound = (name: String, bound: BillBound)

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
    try change { $0.bound = $0.bound?.replaced(by: bound) ?? bound }
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
      var bill = bill(of: record, at: prices)
      for bound in bounds(of: record) { bill.bound = bill.bound.tightened(by: bound.bound) }
      var answer = bill.reserve(cost + ahead)
      if answer == .exhausted { answer = bill.reserve(cost, least: leastReads) }
      guard case .granted(let granted) = answer else { return nil }
      record.taken = record.taken + granted
      return granted
    }
  }

  package func give(_ unused: Cost) throws(Failure) {
    try change { record in record.taken = record.taken - unused }
  }

  package func exhausted(before cost: Cost, at prices: PriceList) throws(Failure) -> Failure? {
    let record = try read()
    let bill = bill(of: record, at: prices)
    let names = bounds(of: record).filter { bill.isExhausted(by: $0.bound, before: cost) }.map(\.name)
    if names.isEmpty { return nil }
    let billed = "\(record.taken.textOfSome) at most"
    return Bill.failure(names, allowing: " for all tasks", billed: billed, remedy: remedy)
  }

  private func bounds(of record: Record) -> [Bound] {
    (record.bound?.options ?? []) + limits
  }

  /// What was taken and is set aside, without a bound.
  private func bill(of record: Record, at prices: PriceList) -> Bill {
    var bill = Bill()
    (bill.prices, bill.kept) = (prices, record.kept)
    bill.carry(known: record.taken, uncertain: Cost())
    return bill
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
