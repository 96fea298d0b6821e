package import Configuration
import Files
package import FirestoreREST
import TypedDocuments

/// What a run was billed over all its processes: `billed.json`.
private struct BilledRecord: JSONRecord {
  var billed = Cost()
  /// What may have been billed in addition, by requests without a complete response and since the file was last written.
  var perhaps = Cost()
  /// What the cost ledger contains of it.
  var recorded: Cost?

  /// What the cost ledger does not contain.
  var unrecorded: Cost {
    let rest = billed + perhaps - (recorded ?? Cost())
    return Cost(reads: max(rest.reads, 0), writes: max(rest.writes, 0), deletes: max(rest.deletes, 0))
  }

  static let name = "billed.json"

  /// Records in a file that the cost ledger contains everything.
  static func noteRecorded(in file: String) throws(Failure) {
    guard var bill = try JSONFile.read(file, as: Self.self) else { return }
    bill.recorded = bill.billed + bill.perhaps
    try JSONFile.write(bill.json, to: file)
  }
}

extension Account {
  /// Continues with what the run was billed before, and saves the account in its directory.
  ///
  /// - Throws: `.inputMalformed` for a damaged file.
  package func keep(in run: RunDirectory) throws(Failure) {
    let file = run.file(BilledRecord.name)
    let last = try JSONFile.read(file, as: BilledRecord.self) ?? BilledRecord()
    carry(known: last.billed, uncertain: last.perhaps, recorded: last.recorded ?? Cost()) {
      (known, uncertain) throws(Failure) in
      let now = BilledRecord(billed: known, perhaps: uncertain, recorded: last.recorded)
      try JSONFile.write(now.json, to: file)
    }
  }
}

extension RunDirectory {
  /// Records that the cost ledger contains everything that the run was billed.
  ///
  /// - Throws: `.cannotWrite`.
  package func noteRecorded() throws(Failure) {
    try BilledRecord.noteRecorded(in: file(BilledRecord.name))
  }
}

extension RunHistory {
  /// Returns the most that runs since a moment were billed in addition to the cost ledger.
  ///
  /// These are runs that are running or were killed, as far as they have a journal.
  func unrecordedBills(since moment: Timestamp) -> [(run: RunRecord, cost: Cost)] {
    names.compactMap { id in
      guard let cost = unrecordedBill(of: id),
        let run = try? JSONFile.read(file("run.json", of: id), as: RunRecord.self), run.startedAt >= moment
      else { return nil }
      return (run, cost)
    }
  }

  /// Returns the most that a run was billed in addition to the cost ledger; nil for nothing.
  package func unrecordedBill(of id: String) -> Cost? {
    let bill = try? JSONFile.read(file(BilledRecord.name, of: id), as: BilledRecord.self)
    return bill.map(\.unrecorded).flatMap { $0 == Cost() ? nil : $0 }
  }

  /// Records that the cost ledger contains everything that a run was billed.
  ///
  /// - Throws: `.cannotWrite`.
  func noteRecorded(_ run: RunRecord) throws(Failure) {
    try BilledRecord.noteRecorded(in: file(BilledRecord.name, of: run.id))
  }
}
