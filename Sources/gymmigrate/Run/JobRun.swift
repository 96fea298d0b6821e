import MigrationEngine
import Shards

/// A job that this program performs.
protocol PerformableJob: Job {
  /// Performs it.
  ///
  /// - Throws: `ExitCode` where it did not end in 0, but not of a part; ``Failure`` where it could not begin.
  func perform(as run: JobRun) async throws -> RunEnding
}

extension PerformableJob {
  fileprivate static func read(_ record: JobRecord) throws(WireError) -> any PerformableJob {
    try record.job(Self.self)
  }
}

/// A job with where and how it is done.
struct JobRun: Sendable {
  var job: any PerformableJob
  /// The database; the target of a job that has two.
  var connection: ConnectionSettings
  /// The source of a job that has two databases.
  var source: ConnectionSettings?
  var write = WriteSettings()
  var output = OutputSettings()
  /// What a person confirmed; no record has it.
  var confirmation = Confirmation()
  /// The run that is resumed; nil for a new one.
  var resuming: RunRecord?
  /// The range of a sharded run that is worked on; nil for all of it.
  var part: ShardPart?
  /// Whether a plan ends with the command that applies it.
  var offersPlan = true

  /// Counts the requests, to databases and buckets; each range has its own account, and they are added up.
  var traffic: TrafficCounter { part?.traffic ?? Invocation.current.traffic }

  /// As `run.json` and the plan of a sharded run keep it.
  var record: JobRecord {
    JobRecord(job, connection: connection, source: source, write: write, output: output)
  }

  @discardableResult
  func perform() async throws -> RunEnding { try await job.perform(as: self) }
}

extension JobRun {
  /// The words of the command line that made a plan, without what makes it one.
  var wordsOfPlan: [String] {
    Invocation.current.arguments.words.filter { $0 != "-n" && $0 != "--dry-run" }.without("--html")
  }

  /// A command that writes, with what confirms it.
  func command(_ words: [String]) throws(Failure) -> String {
    let target = try EnvironmentResolver(connection).environment()
    let confirmed = confirmation.confirm == nil ? target.confirmationWords : []
    return CommandLineText.quoted(["gymmigrate"] + words + confirmed)
  }

  /// The job of a record, with where and how it is done.
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

/// A job that can be divided among tasks.
protocol DivisibleJob: PerformableJob {
  /// The extension of the parts, without the dot; nil for a job without output of its own.
  var partExtension: String? { get }

  /// Refuses options with which it cannot be divided.
  ///
  /// - Throws: `.usage` saying why.
  func assertDivisible(_ run: JobRun) throws

  /// Returns its migrations, with the checksums of their files.
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

  /// The failure to divide a job that says where its output goes.
  func refusal(ofOutput option: String) -> Failure {
    refusal(
      of: option,
      "it says where its output goes, and that is the place of --to",
      "Leave it out; --format names the format of an export."
    )
  }
}

/// What a job divides among tasks.
struct ShardDivision {
  /// What is read, each in the order of names; empty for a job that divides documents by a checksum of their names.
  var reads: [CollectionRead] = []
  /// Whether the plan may hold no name: it is cut at the first two characters of IDs.
  var hidesNames = false
  /// The choice of the read time; nil for a job that reads the present.
  var readTime: ReadTimeChoice?
  /// The input files.
  var inputs: [String] = []

  /// Refuses reads that cannot be cut at names.
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
  /// The folder that its run folder is in.
  let stateDir: String
  /// Where the part of an export is written; nil for a job without output of its own.
  let output: String?
  /// The run of an earlier process that is resumed; nil for none.
  let resumed: RunRecord?
  /// What it may have of the rate of the whole run; nil for a job that only reads.
  let pace: WritePacer.Share?
  /// Asked before each commit whether the whole run may write.
  let gate: CommitGate
  let traffic = TrafficCounter()

  /// What an export that is to be divided is given as its output.
  static let placeholder = "parts/00000.jsonl"

  /// What is read, within the range.
  var read: CollectionRead {
    let planned = range.read.map { plan.reads[$0] }
    var read = CollectionRead(planned?.collection ?? CollectionPath(nil, "-"))
    read.reach = planned?.reach ?? .collection
    read.kind = planned?.kind
    read.range = range.names
    read.readTime = plan.readTime
    return read
  }

  /// The moment that the whole run reads.
  var readTime: ReadTimeChoice { ReadTimeChoice(plan.readTime) }
}

extension WriteSettings {
  /// Refuses what is about one process.
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

  /// The rate of writing of a session.
  func pacer(in session: Session) -> WritePacer { pacer(for: session.environment, share: session.part?.pace) }
}
