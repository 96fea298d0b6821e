import MigrationEngine
import Shards

/// A job that this program can perform.
protocol PerformableJob: Job {
  /// Performs the job.
  ///
  /// - Throws: `ExitCode` if it did not end with 0, except for a part; ``Failure`` if it could not begin.
  func perform(as run: JobRun) async throws -> RunEnding
}

extension PerformableJob {
  fileprivate static func read(_ record: JobRecord) throws(WireError) -> any PerformableJob {
    try record.job(Self.self)
  }
}

/// A job together with where and how to perform it.
struct JobRun: Sendable {
  var job: any PerformableJob
  /// The database; for a job with two databases, the target.
  var connection: ConnectionSettings
  /// The source of a job that has two databases.
  var source: ConnectionSettings?
  var write = WriteSettings()
  var output = OutputSettings()
  /// What a person confirmed, which is never recorded.
  var confirmation = Confirmation()
  /// The run to resume; nil for a new one.
  var resuming: RunRecord?
  /// The range of a sharded run to work on; nil for everything.
  var part: ShardPart?
  /// Whether a plan ends with the command that applies it.
  var offersPlan = true

  /// Counts the requests, to databases and buckets; each range has its own account, and these are added up.
  var traffic: TrafficCounter { part?.traffic ?? Invocation.current.traffic }

  /// The job as stored in `run.json` and in the plan of a sharded run.
  var record: JobRecord {
    JobRecord(job, connection: connection, source: source, write: write, output: output)
  }

  /// The connections: to the source, if there are two databases, and to the target.
  var sides: [ConnectionSettings] { (source.map { [$0] } ?? []) + [connection] }

  @discardableResult
  func perform() async throws -> RunEnding { try await job.perform(as: self) }
}

extension JobRun {
  /// The words of the command line that made a plan, without those that make it a plan.
  var wordsOfPlan: [String] {
    Invocation.current.arguments.words.filter { $0 != "-n" && $0 != "--dry-run" }.without("--html")
  }

  /// Returns a command that writes, with the option that confirms it.
  func command(_ words: [String]) throws(Failure) -> String {
    let target = try EnvironmentResolver(connection).environment()
    let confirmed = confirmation.confirm == nil ? target.confirmationWords : []
    return CommandLineText.quoted(["gymmigrate"] + words + confirmed)
  }

  /// Creates the job of a record, with where and how to perform it.
  ///
  /// - Throws: ``WireError`` for a job of another version, or a damaged one.
  init(_ record: JobRecord) throws(WireError) {
    let type = Invocation.current.jobs.first { $0.kind.isIdentical(to: record.kind) }
    guard let type = type as? any PerformableJob.Type else {
      throw WireError("there is no job of the kind '\(record.kind)'")
    }
    self.init(
      job: try type.read(record),
      connection: record.connection,
      source: record.source,
      write: record.write,
      output: record.output
    )
  }
}

/// A command that parses its options into a job.
protocol JobCommand: AsyncParsableCommand {
  func jobRun() throws -> JobRun
}

extension JobCommand {
  func run() async throws { try await jobRun().perform() }
}

/// A job that can be divided into tasks.
protocol DivisibleJob: PerformableJob {
  /// The extension of the parts, without the dot; nil for a job without output.
  var partExtension: String? { get }

  /// Refuses options with which the job cannot be divided.
  ///
  /// - Throws: `.usage` with the reason.
  func assertDivisible(_ run: JobRun) throws

  /// Returns the job's migrations, with the checksums of their files.
  func applied(in run: JobRun) throws -> [LedgerEntry.Applied]

  /// Returns what is divided.
  func division(in session: Session, as run: JobRun) async throws -> ShardDivision
}

extension DivisibleJob {
  var partExtension: String? { nil }
  func applied(in run: JobRun) throws -> [LedgerEntry.Applied] { [] }

  /// The failure to divide the job with an option.
  func refusal(of option: String, _ cause: String, _ remedy: String? = nil) -> Failure {
    Failure(.usage, "divide the \(name) with", path: option, cause: cause, remedy: remedy)
  }

  /// Refuses to divide a job whose reads have no moment in common.
  ///
  /// - Throws: `.usage`.
  func assertOneMoment(_ readTime: ReadTimeChoice) throws(Failure) {
    if readTime != .none { return }
    throw refusal(of: "--read-time none", "the tasks would read at different moments")
  }

  /// The failure to divide a job whose options specify an output.
  func refusal(ofOutput option: String) -> Failure {
    refusal(
      of: option,
      "it says where its output goes, and that is the place of --to",
      "Leave it out; --format names the format of an export."
    )
  }
}

/// What a job divides into tasks.
struct ShardDivision {
  /// The reads, each ordered by name; empty for a job that divides documents by a hash of their names.
  var reads: [CollectionRead] = []
  /// Whether the plan must not contain names, so that ranges are cut at the first two characters of IDs.
  var hidesNames = false
  /// The choice of the read time; nil for a job that reads the present.
  var readTime: ReadTimeChoice?
  var inputs: [String] = []
  /// The SHA-256 of small inputs, and the generations of objects in buckets, by path.
  var digests: [UTF8Key: String] = [:]

  /// Refuses reads that cannot be divided at names.
  ///
  /// - Throws: `.usage`.
  static func assertOrderedByName(_ reads: [CollectionRead]) throws(Failure) {
    guard let read = reads.first(where: { !$0.isOrderedByName }) else { return }
    throw Failure(
      .usage,
      "divide the documents of",
      path: read.collection.string,
      cause: "a filter with an inequality is read in the order of its field, not of the names",
      remedy: "Filter for equality, or leave the filter out."
    )
  }
}

/// The range of a sharded run that a job works on.
struct ShardPart: Sendable {
  let plan: ShardPlan
  let range: ShardPlan.Range
  /// The folder that contains the run folder.
  let stateDir: String
  /// The folder of the plan, which holds the whole run; nil in a bucket.
  let folder: String?
  /// Where the part of an export is written; nil for a job without output.
  let output: String?
  /// The run of an earlier process to resume; nil for none.
  let resumed: RunRecord?
  /// The share of the entire run's rate; nil for a job that only reads.
  let pace: WritePacer.Share?
  /// Decides before each commit whether the entire run may write.
  let gate: CommitGate
  let traffic = TrafficCounter()

  /// The output option of an export that is to be divided.
  static let placeholder = "parts/00000.jsonl"

  /// The read, restricted to the range.
  var read: CollectionRead {
    let planned = range.read.map { plan.reads[$0] }
    var read = CollectionRead(planned?.collection ?? CollectionPath(nil, "-"))
    read.reach = planned?.reach ?? .collection
    read.kind = planned?.kind
    read.range = range.names
    read.readTime = plan.readTime
    return read
  }

  /// The read time of the entire run.
  var readTime: ReadTimeChoice { ReadTimeChoice(plan.readTime) }
}

extension WriteSettings {
  /// Refuses settings that only work in a single process.
  ///
  /// - Throws: `.usage`.
  func assertDivisible() throws(Failure) {
    guard case .count(_)? = errorBudget else { return }
    throw Failure(
      .usage,
      "divide the command with",
      path: "--max-errors",
      cause: "a number is of one process, which does not know what the others rejected",
      remedy: "Give a share, as --max-errors 1%."
    )
  }

  /// Returns the pacer for the writes of a session.
  func pacer(in session: Session) -> WritePacer { pacer(for: session.environment, share: session.part?.pace) }
}
