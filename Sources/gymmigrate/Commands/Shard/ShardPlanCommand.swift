import Configuration
import Logging
import MigrationEngine
import Shards
import Transfer

struct ShardPlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Plan the tasks of a command.",
    discussion: """
      Fixes the read time, cuts the names of the documents into ranges of about equal size, about four per task, and writes plan.json to the \
      place that all tasks share. Name the command without its own output: the parts of an export go to WHERE/parts.

      A command that writes takes the lock of the database for the whole run: no other run begins until 'shard finish', or 'migrate unlock RUN'.

        gymmigrate shard plan --shards 16 --to /mnt/share/export -- export --all \\
            -e prod
        gymmigrate shard plan --shards 8 --to /mnt/share/digits \\
            -- migrate apply members-phone-digits.yaml -e prod --confirm prod
      """
  )

  @Option(help: "The number of tasks.", from: 1, to: ShardPlan.maximumTasks)
  var shards: Int

  @Option(
    help:
      "A folder that all tasks share, created if missing; for a command that only reads, also gs://BUCKET/FOLDER.",
    as: TypedValue.text("where")
  )
  var to: String

  @Argument(parsing: .postTerminator, help: "The command, behind --.")
  var command: [String] = []

  @OptionGroup var logging: LoggingOptions

  /// The number of ranges per task, so that an underestimated range delays its task only partly.
  private static let rangesPerTask = 4

  func validate() throws {
    if command.isEmpty { throw ValidationError("Name the command behind --, as: -- export --all -e prod.") }
  }

  func run() async throws {
    let (words, divided, job) = try divided()
    let place = try ShardPlace(to, creates: true, connection: divided.connection)
    if job.writes, place.folder == nil {
      throw Failure(
        .usage,
        "plan the tasks in",
        path: to,
        cause: "a command that writes keeps a journal, which needs a folder",
        remedy: "Name a folder of a file system that all tasks share."
      )
    }
    try await place.shards.assertNoPlan()
    var run = CommandRun(name: "shard plan", connection: divided.connection, output: logging.settings)
    run.confirmation = job.writes ? divided.confirmation : nil
    run.source = divided.source
    run.countsDocuments = false
    try await run.performWithoutRun { session in
      try Self.assertReachable(session.environment)
      if let source = session.source { try Self.assertReachable(source.environment) }
      try beginBill(of: divided, job, at: place, in: session)
      var plan = try await plan(words, divided, job, in: session)
      if job.writes, session.environment.isProtected { plan.confirmed = true }
      try await begin(plan, at: place, in: session)
      for line in ShardText.planned(plan, at: place) { session.logger.notice("\(line)") }
      return CommandResult(readTime: plan.readTime)
    }
  }

  /// Returns the command after `--`, completed from environment variables, and its job.
  ///
  /// - Throws: `.usage` for a command that cannot be divided; the parser's errors.
  private func divided() throws -> (words: [String], run: JobRun, job: any DivisibleJob) {
    let invocation = Invocation.current
    var words = try CompletedArguments(
      command,
      variables: invocation.variables,
      below: invocation.root
    ).parsed
    // The output is written to the plan's place, but the parser requires the option.
    if words.first == "export" { words.insert("--output=\(ShardPart.placeholder)", at: 1) }
    let parsed: any ParsableCommand
    do {
      parsed = try invocation.root.parseAsRoot(words)
    } catch {
      if let misspelt = MisspeltWord.failure(in: words, below: invocation.root) { throw misspelt }
      throw error
    }
    guard command.prefix(2) != ["export", "verify"], let run = try (parsed as? any JobCommand)?.jobRun(),
      let job = run.job as? any DivisibleJob
    else {
      throw Failure(
        .usage,
        "divide the command",
        path: CommandLineText.quoted(Array(command.prefix(2))),
        cause: "it does not work document by document, or is quick enough by itself",
        remedy: "export, import, copy, check, and migrate plan and apply can be divided (docs/shards.md)."
      )
    }
    let limited = try run.sides.map { try EnvironmentResolver($0).environment() }
      .first { !($0.limits?.day.isNone ?? true) }
    if let limited {
      throw job.refusal(
        of: "'limits: day' of \(limited.name)",
        "what was billed on a day is known to one machine, and tasks may work on several",
        "Bound all tasks with --max-reads, --max-writes or --max-cost, in an environment without that limit."
      )
    }
    try job.assertDivisible(run)
    return (Setting.shown(command), run, job)
  }

  /// Begins to count what all tasks are billed, with what the plan itself is billed, if anything bounds it.
  private func beginBill(
    of divided: JobRun,
    _ job: any DivisibleJob,
    at place: ShardPlace,
    in session: Session
  ) throws {
    let account = session.client.caller.traffic.account
    if account.bound.isNone {
      try place.folder.map { try ShardBill.remove(in: $0) }
      return
    }
    guard let bill = try place.bill(of: divided) else {
      throw job.refusal(
        of: "--max-reads, --max-writes, --max-cost, or 'limits' of the environment",
        "what the tasks are billed is counted under a lock, which a bucket does not have",
        "Name a folder of a file system that all tasks share."
      )
    }
    try bill.begin(divided.connection.bound, writes: job.writes)
    account.share(bill)
  }

  /// Refuses a database that only this machine can reach.
  private static func assertReachable(_ environment: DatabaseEnvironment) throws(Failure) {
    guard environment.isEmbedded else { return }
    throw Failure(
      .usage,
      "divide work on",
      path: environment.name,
      cause: "it is a file of this machine, which other tasks do not have",
      remedy: "Serve it with 'gymmigrate serve', and give its --endpoint."
    )
  }

  private func plan(
    _ words: [String],
    _ divided: JobRun,
    _ job: any DivisibleJob,
    in session: Session
  ) async throws -> ShardPlan {
    let division = try await job.division(in: session, as: divided)
    let (client, environment) =
      session.source.map { ($0.client, $0.environment) } ?? (session.client, session.environment)
    var readTime: Timestamp?
    if let choice = division.readTime {
      readTime = try await client.readTime(choice, of: environment, session.logger)
    }
    var ranges: [ShardPlan.Range] = []
    if division.reads.isEmpty {
      ranges = (0..<shards).map { ShardPlan.Range(number: $0, read: nil) }
    } else {
      let count = shards * Self.rangesPerTask
      var surveys: [ReadSurvey] = []
      for read in division.reads {
        var read = read
        read.readTime = readTime
        surveys.append(try await client.survey(of: read, parts: count))
      }
      let known = surveys.compactMap(\.estimate)
      let shares = ShardPlan.shares(of: surveys.map { $0.estimate ?? known.max() ?? 1 }, ranges: count)
      for (index, survey) in surveys.enumerated() {
        if !survey.canCut, shares[index] > 1 {
          session.logger.warning(
            "\(division.reads[index].name) is not cut: the service does not cut collection groups. One task reads it."
          )
        }
        let cuts = survey.cuts(into: shares[index])
        for names in NameRange.ranges(between: division.hidesNames ? cuts.compactMap(Self.hidden) : cuts) {
          ranges.append(ShardPlan.Range(number: ranges.count, read: index, names: names))
        }
      }
    }
    return ShardPlan(
      run: RunDirectory.newID(String(job.name.prefix { $0 != " " })),
      command: words,
      job: divided.record,
      name: job.name,
      target: RunRecord.Target(session.environment),
      source: session.source.map { RunRecord.Target($0.environment) },
      readTime: readTime,
      tasks: shards,
      writes: job.writes,
      partExtension: job.partExtension,
      reads: division.reads.map { ShardPlan.Read($0) },
      ranges: ranges,
      inputs: division.inputs.map { path in
        ShardPlan.Input(path: path, bytes: RunRecord.size(of: path), digest: division.digests[UTF8Key(path)])
      },
      migrations: try job.applied(in: divided),
      schema: try EnvironmentResolver(divided.connection).schemaDigest(),
      buckets: try divided.buckets(),
      holder: LedgerRun.holder,
      edition: session.environment.isEmbedded ? nil : await session.client.edition()
    )
  }

  /// A name near another one that does not reveal it: the first two characters of its first ID.
  private static func hidden(_ name: DocumentPath) -> DocumentPath? {
    let segments = name.segments
    let start = segments[1].unicodeScalars.prefix(2)
    return DocumentPath("\(segments[0])/\(String(String.UnicodeScalarView(start)))")
  }

  /// Writes the plan, and records the run in the ledger if it writes.
  private func begin(_ plan: ShardPlan, at place: ShardPlace, in session: Session) async throws {
    if let folder = place.folder { try record(plan, in: folder, session) }
    // First, so that the commands that end the run work as long as it holds the lock.
    try await place.shards.write(plan)
    if !plan.writes { return }
    var entry = plan.ledgerEntry
    entry.shards = place.folder
    do {
      try await SharedRun(entry, of: session.ledger).open()
    } catch {
      try? await RunClock.system.finishing { [ledger = session.ledger] in
        if try await ledger.entry(of: plan.run) == nil { try await place.shards.removePlan() }
      }
      throw error
    }
  }

  /// Writes the run's own folder, so that `runs` and `migrate undo` find it with `--state-dir WHERE`.
  private func record(_ plan: ShardPlan, in folder: String, _ session: Session) throws(Failure) {
    let run = try RunDirectory(named: plan.run, in: folder)
    var record = RunRecord(
      id: plan.run,
      command: plan.name,
      arguments: plan.command,
      workingDirectory: CommandLineText.workingDirectory,
      environment: session.environment,
      startedAt: plan.createdAt,
      writes: plan.writes,
      source: session.source?.environment,
      job: plan.job
    )
    record.shards = plan.tasks
    try run.write(record)
  }
}

extension ShardPlan {
  /// Returns the run's entry in the ledger.
  var ledgerEntry: LedgerEntry { LedgerEntry(run, of: name, migrations) }
}
