import Configuration
import Files
package import FirestoreREST
import TypedDocuments

/// What a run was billed, of all its processes: `billed.json`.
private struct BilledRecord: JSONRecord {
  var billed = Cost()
  /// What may have been billed besides: by requests without a complete response, and before it is written again.
  var perhaps = Cost()
}

extension Account {
  /// Goes on with what the run was billed before, and keeps it in its folder.
  ///
  /// - Throws: `.inputMalformed` for a damaged file.
  package func keep(in run: RunDirectory) throws(Failure) {
    let file = run.file("billed.json")
    let last = try JSONFile.read(file, as: BilledRecord.self) ?? BilledRecord()
    carry(known: last.billed, uncertain: last.perhaps) { (known, uncertain) throws(Failure) in
      try JSONFile.write(BilledRecord(billed: known, perhaps: uncertain).json, to: file)
    }
  }
}
