package import Configuration
import Files
import FirestoreREST
import TypedDocuments

/// What one process of a run was billed: a line in `costs.jsonl`.
package struct CostRecord: JSONRecord, Equatable {
  package struct Collection: Codable, Sendable, Equatable {
    /// The name as in the summary; for subcollections only the last ID, such as `members`.
    package var name: String
    package var read: Int
    package var written: Int
    package var deleted: Int
  }

  /// The part of it that the source database of a command with two databases was billed.
  package struct Side: Codable, Sendable, Equatable {
    package var environment: String
    package var reads: Int
    package var usd: Double?
  }

  package var startedAt: Timestamp
  /// When the line was added, for a run that was killed and is being removed; nil if that was at `startedAt`.
  package private(set) var recordedAt: Timestamp?
  /// The command, without its arguments.
  package var command: String
  package var environment: String
  /// The database, and the source database of a command with two databases.
  package var database: String
  package var source: String?
  package var endpoint: String
  package var runId: String?
  /// An upper bound, because requests without a complete response count in full.
  package var billed: Cost
  /// By the prices of the time; nil if they were not known.
  package var usd: Double?
  package var bytesIn: Int
  package var bytesOut: Int
  package var collections: [Collection]
  /// Nil also if the sides were not distinguished.
  package private(set) var ofSource: Side?

  package init(
    _ summary: RunSummary,
    command: String,
    in environment: DatabaseEnvironment,
    billed: Cost,
    usd: Double?
  ) {
    startedAt = .now
    (self.command, self.environment) = (command, environment.name)
    (database, endpoint) = (environment.database.description, environment.server)
    if case .environment(let other)? = summary.source { source = other.database.description }
    runId = summary.hasRun ? summary.runID : nil
    (self.billed, self.usd) = (billed, usd)
    (bytesIn, bytesOut) = (summary.traffic.bytesIn, summary.traffic.bytesOut)
    collections = Self.collections(of: summary)
  }

  /// Creates a record of what a run that is running or was killed may have been billed, as far as its directory shows.
  package init(_ run: RunRecord, command: String, billed: Cost, usd: Double?) {
    startedAt = run.startedAt
    (self.command, environment) = (command, run.environment)
    (database, source, endpoint) = (run.database.description, run.source?.database.description, run.endpoint)
    (runId, self.billed, self.usd) = (run.id, billed, usd)
    (bytesIn, bytesOut, collections) = (0, 0, [])
  }

  /// Returns the record as it is added after the run.
  fileprivate func addedLater() -> CostRecord {
    var record = self
    record.recordedAt = .now
    return record
  }

  /// Removes the counts of what was written to a database that is not billed.
  package mutating func leaveOutWrites() {
    for index in collections.indices { (collections[index].written, collections[index].deleted) = (0, 0) }
  }

  /// Removes the counts that earlier records of the same run have, which a resumed run continues.
  package mutating func leaveOut(_ earlier: [CostRecord]) {
    for index in collections.indices {
      var rest = collections[index]
      for one in earlier.flatMap(\.collections) where one.name.isIdentical(to: rest.name) {
        rest.read = max(rest.read - max(one.read, 0), 0)
        rest.written = max(rest.written - max(one.written, 0), 0)
        rest.deleted = max(rest.deleted - max(one.deleted, 0), 0)
      }
      collections[index] = rest
    }
  }

  /// Records the reads of the source database, with their price and that of everything else.
  package mutating func note(reads: Int, of environment: String, usd: (source: Double?, own: Double?)) {
    ofSource = Side(environment: environment, reads: reads, usd: usd.source)
    self.usd = usd.source.flatMap { source in usd.own.map { $0 + source } }
  }

  /// What each environment was billed; a source was billed only its reads.
  var parts: [CostRecord] {
    guard let side = ofSource, !side.environment.isIdentical(to: environment) else { return [self] }
    var (own, other) = (self, self)
    own.billed.reads -= side.reads
    own.usd = usd.flatMap { all in side.usd.map { all - $0 } }
    other.environment = side.environment
    (other.billed, other.usd) = (Cost(reads: side.reads), side.usd)
    (other.bytesIn, other.bytesOut, other.collections) = (0, 0, [])
    return [own, other]
  }

  /// The counts, grouped by the last ID of the collections.
  private static func collections(of summary: RunSummary) -> [Collection] {
    var kinds: [Collection] = []
    for collection in summary.collections {
      let name = collection.name.parts(at: "/").last ?? ""
      let index = kinds.firstIndex { $0.name.isIdentical(to: name) } ?? kinds.endIndex
      if index == kinds.endIndex { kinds.append(Collection(name: name, read: 0, written: 0, deleted: 0)) }
      let counts = collection.counts
      kinds[index].read = kinds[index].read.addingClamped(counts.read)
      kinds[index].written = kinds[index].written.addingClamped(max(counts.written - counts.deleted, 0))
      kinds[index].deleted = kinds[index].deleted.addingClamped(counts.deleted)
    }
    return kinds
  }

  /// Whether it concerns a database, on either side.
  func isOf(_ environment: DatabaseEnvironment) -> Bool {
    let isTarget = database.isIdentical(to: environment.database.description)
    return isTarget && environment.isServed(by: endpoint) || hasSource(environment)
  }

  /// Whether a database is the source of a command with two databases.
  package func hasSource(_ environment: DatabaseEnvironment) -> Bool {
    environment.isServed(by: endpoint)
      && source?.isIdentical(to: environment.database.description) ?? false
  }
}

/// What runs were billed, in the order in which they ended: `costs.jsonl` in the state directory.
///
/// It is kept when the directories of runs are removed.
package struct CostLedger: Sendable {
  private let stateDirectory: String
  private var path: String { "\(stateDirectory)/costs.jsonl" }

  package init(in stateDirectory: String) { self.stateDirectory = stateDirectory }

  /// Adds the line that a killed run lacks, before its directory is removed.
  ///
  /// - Throws: `.cannotWrite`, and the errors of ``forEach(since:_:)``.
  package func complete(_ run: RunRecord, with record: CostRecord) throws(Failure) {
    // A removal that was interrupted may have added it.
    let isThere = try records(of: run).contains { $0.recordedAt != nil && $0.billed == record.billed }
    if !isThere { try append(record.addedLater()) }
    try RunHistory(in: stateDirectory).noteRecorded(run)
  }

  /// Adds a line.
  ///
  /// - Throws: `.cannotWrite`.
  package func append(_ record: CostRecord) throws(Failure) {
    try RunDirectory.makeDirectory(stateDirectory)
    let file = try AppendOnlyFile(path)
    // What another process has written half of is no torn line.
    file.lockWaiting()
    try file.append(record.line)
  }

  /// Reads the records since a moment, skipping lines that are torn or written by other versions.
  ///
  /// - Returns: The numbers of the skipped lines, except those that were added before that moment: a line that was added
  ///   before it follows, and neither the line itself nor an earlier one has a later time.
  /// - Throws: `.inputMissing` if the file cannot be read; `.inputMalformed` for a pipe.
  @discardableResult
  package func forEach(since moment: Timestamp, _ body: (CostRecord) -> Void) throws(Failure) -> [Int] {
    if FileCheck.isMissing(path) { return [] }
    try FileCheck.assertNoPipe(path)
    let parser = JSONParser()
    var lines = try LineReader(path, maximumLineBytes: 1 << 20)
    // A line that cannot be read is certainly of that time, or may be older.
    var (skipped, undated, isReached): ([Int], [Int], Bool) = ([], [], false)
    while try lines.advance() {
      let record = lines.withLine { bytes in
        try? parser.parse(bytes) { json throws(WireError) in try CostRecord(json) }
      }
      if let record {
        if record.startedAt >= moment { body(record) }
        if record.recordedAt ?? record.startedAt < moment { undated = [] } else { isReached = true }
      } else if isReached || lines.withLine({ Self.isDated($0, since: moment) }) {
        skipped.append(lines.number)
        // Whatever follows was added after it.
        isReached = true
      } else {
        undated.append(lines.number)
      }
    }
    return (skipped + undated).sorted()
  }

  /// Whether a line that cannot be read still shows a time since a moment.
  private static func isDated(_ line: UnsafeRawBufferPointer, since moment: Timestamp) -> Bool {
    let text = String(decoding: line, as: UTF8.self)
    guard let time = text.firstMatch(of: /"startedAt":"([^"]*)"/)?.1 else { return false }
    return Timestamp(String(time)).map { $0 >= moment } ?? false
  }

  /// Returns a warning of lines that are in no sum.
  package func warning(ofSkipped lines: [Int]) -> String? {
    guard let first = lines.first else { return nil }
    let others = lines.count == 1 ? "" : ", and \(NumberText.grouped(lines.count - 1)) after it"
    return "\(path):\(first)\(others) cannot be read. What was billed then is in no sum."
  }

  /// Returns the records of a run so far, one for each of its processes.
  ///
  /// - Throws: The errors of ``forEach(since:_:)``.
  package func records(of run: RunRecord) throws(Failure) -> [CostRecord] {
    var records: [CostRecord] = []
    try forEach(since: run.startedAt) { if $0.runId?.isIdentical(to: run.id) ?? false { records.append($0) } }
    return records
  }

  /// Returns the most that runs since a moment were billed without a line in the ledger.
  ///
  /// These are runs that are running or were killed, as far as they have a journal.
  package func unrecorded(since moment: Timestamp) -> [(run: RunRecord, cost: Cost)] {
    RunHistory(in: stateDirectory).unrecordedBills(since: moment)
  }

  /// Returns what was billed for a database since a moment, including by running and killed runs as far as their
  /// directories show, and the lines that may belong to it but cannot be read.
  ///
  /// - Throws: The errors of ``forEach(since:_:)``.
  package func billed(
    since moment: Timestamp,
    of environment: DatabaseEnvironment
  ) throws(Failure) -> (cost: Cost, skipped: [Int]) {
    var billed = Cost()
    let skipped = try forEach(since: moment) { if $0.isOf(environment) { billed = billed + $0.billed } }
    for (run, cost) in unrecorded(since: moment)
    where CostRecord(run, command: "", billed: cost, usd: nil).isOf(environment) { billed = billed + cost }
    return (billed, skipped)
  }
}
