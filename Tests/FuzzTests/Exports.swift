import FirestoreModels

@testable import Tables

/// A log of a managed export as it stands, and behind `e` one of its records, which is the same after it was written and read.
func fuzzExports(_ input: [UInt8]) {
  guard input.first == UInt8(ascii: "e") else {
    inMemory(input) { path in readLog(path, atMost: input.count) }
    return
  }
  guard let (database, document) = decoded(Array(input.dropFirst())) else { return }
  let encoder = EntityEncoder(database: database)
  let record = attempt { () throws(WireError) in try encoder.bytes(of: document) }
  guard let record else { return expect(false, "what was read cannot be written") }
  let again = decoded(record)
  expect(
    again?.database == database && again?.document == document,
    "a record is another after it was written and read"
  )
}

private func decoded(_ record: [UInt8]) -> (database: DatabaseName, document: RawDocument)? {
  attempt { () throws(WireError) in
    try record.span.withUnsafeBytes { bytes throws(WireError) in try EntityDecoder.document(bytes) }
  }
}

private func readLog(_ path: String, atMost limit: Int) {
  do throws(Failure) {
    var log = try LogReader(path)
    var bytes = 0
    while try log.advance() {
      bytes += log.withRecord { $0.count }
      expect(bytes <= limit && log.position <= limit, "a log has more in it than its file")
    }
  } catch {
    expect(
      error.kind == .inputMalformed && !error.description.contains("\n"),
      "a log fails otherwise: \(error)"
    )
  }
}
