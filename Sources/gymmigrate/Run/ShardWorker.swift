import Configuration
import Logging
import MigrationEngine
import Shards

/// Executes one task of a sharded run.
struct ShardWorker: Sendable {
  private let task: Int
  private let plan: ShardPlan
  private let place: ShardPlace
  private let stateDir: String
  private let logger: Logger
  private let job: JobRun
  /// Counts what all tasks are billed; nil if nothing bounds it.
  private let bill: ShardBill?

  /// Prepares the work.
  ///
  /// - Parameter bound: Replaces the bound on the bill of all tasks; nil to keep it.
  /// - Throws: `.configuration` or `.inputMalformed` if this program, its configuration, its schema or its files differ from
  ///   those of the plan; `.usage` for a bound on tasks that were planned without one.
  init(
    task: Int,
    of plan: ShardPlan,
    at place: ShardPlace,
    stateDir: String,
    bound: BillBound?,
    output: OutputSettings
  ) throws {
    self.task = task
    self.plan = plan
    self.place = place
    self.stateDir = stateDir
    logger = output.logger()
    var job = try plan.jobRun(at: place)
    job.output = output
    // The bill belongs to the costs of the machine that does the work.
    job.connection.stateDir = stateDir
    bill = try place.bill(of: &job, allowing: bound)
    self.job = job
    Invocation.current.notifier?.begin(on: job.connection)
    try plan.assertSame(at: place)
    try plan.assertSameSchema(at: place)
    try plan.assertSameFiles(at: place)
    try plan.assertConfirmed(job)
  }

  private var ranges: ArraySlice<ShardPlan.Range> { plan.ranges(of: task) }

  /// Works until all ranges of the task are done.
  ///
  /// - Throws: ``Failure``; `ExitStatus` with the exit code of the failed command.
  func run() async throws {
    if try await isDone() {
      logger.info("Task \(task) of \(plan.tasks) is done already.")
      return
    }
    let claim = ShardClaim(task: task, holder: LedgerRun.holder, process: WorkerProcess.current)
    let keeper = ClaimKeeper(claim, in: place.shards)
    let isTaken = try await keeper.take {
      try await isDone()
    } onWait: { other in
      logger.notice("\(other.holder) works on task \(task); waiting for its end.")
    }
    guard isTaken else {
      logger.info("Task \(task) of \(plan.tasks) was done by another process.")
      return
    }
    do {
      try await keeper.holding {
        // Another process may have done everything, and 'finish' may have ended the run, before the claim was free.
        if try await isDone() { return }
        try await workWithLease(keeper)
      }
    } catch {
      try? await RunClock.system.finishing { try await keeper.giveBack() }
      throw error
    }
    try await place.shards.record(nil, of: task)
    try await keeper.giveBack()
    logger.info("Task \(task) of \(plan.tasks) is done: \(NumberText.counted(ranges.count, "range")).")
  }

  /// Records why the task failed, for `status` and `finish`.
  func record(_ error: any Error) async {
    var message = (error as? Failure)?.description ?? "\(error)"
    var code = (error as? Failure).map { ExitCodes.code(of: $0.kind) } ?? 70
    if let exit = error as? ExitStatus { (code, message) = (exit.rawValue, "see its log") }
    if error is CancellationError { (code, message) = (Interruption.exitCode, "it was stopped") }
    let record = ShardError(exitCode: Int(code), message: Secrets.redacted(message), holder: LedgerRun.holder)
    // Recorded even if the process was asked to stop; the error that ended the task is more important than a failure to record
    // it.
    try? await RunClock.system.finishing { [place, task] in
      try await place.shards.record(record, of: task)
    }
  }

  private func isDone() async throws -> Bool {
    let done = try await place.shards.doneRanges()
    return ranges.allSatisfy { done.contains($0.number) }
  }

  /// Works while holding the lease of the run, if it writes.
  private func workWithLease(_ keeper: ClaimKeeper) async throws {
    guard plan.writes else { return try await work(CommitGate()) }
    try await job.connection.withSession(of: "shard work", job.output) { session in
      if let bill { session.client.caller.traffic.account.share(bill) }
      let ledger = MigrationLedger(client: session.client, logger: logger, offering: session.place)
      try await SharedRun(plan.ledgerEntry, of: ledger).join {
        let gate = CommitGate()
        let check: CommitGate.Check = { occasion in
          try await session.client.gate.pass(occasion)
          try await keeper.check(occasion)
        }
        try await gate.hold(check, fence: session.client.gate.fence) { try await work(gate) }
      }
    }
  }

  private func work(_ gate: CommitGate) async throws {
    for range in ranges {
      try Task.checkCancellation()
      if try await place.shards.result(of: range.number, in: plan) != nil { continue }
      let result = try await perform(range, gate)
      try await place.shards.write(result, in: plan)
      logger.info("Range \(range.number): \(SummaryText.counts(result.totals)).")
    }
  }

  // MARK: A range

  /// Runs the command for one range, or resumes it.
  private func perform(_ range: ShardPlan.Range, _ gate: CommitGate) async throws -> ShardResult {
    var folder = try place.workFolder(of: range.number, in: plan, stateDir: stateDir)
    var former = RunHistory(in: folder).entries().last
    // Its process has lost the claim, but may still be running.
    if plan.writes, let running = former, running.isRunning {
      folder = try ShardPlace.moved(folder, with: running.record)
      former = RunHistory(in: folder).entries().last
    }
    if plan.writes { try place.assertHere(range, in: folder, hasRun: former != nil) }
    let file = plan.partExtension.map { "\(folder)/part.\($0)" }
    // It may have ended without recording a result.
    if plan.writes, let former, former.isComplete {
      logger.debug("recovered", metadata: ["range": "\(range.number)", "status": "\(former.status)"])
      return try await publish(range, run: "\(folder)/runs/\(former.record.id)", part: nil, CommandResult())
    }
    var run = job
    let own = CommitGate()
    let part = ShardPart(
      plan: plan,
      range: range,
      stateDir: folder,
      folder: place.folder,
      output: file,
      resumed: plan.writes ? former.flatMap { $0.isResumable ? $0.record : nil } : nil,
      pace: plan.writes ? try await pace() : nil,
      gate: own
    )
    if let bill { part.traffic.account.share(bill) }
    run.part = part
    let isRecorded = Locked(false)
    let check: CommitGate.Check = { [place, name = FilePaths.name(of: folder)] occasion in
      try await gate.pass(occasion)
      if occasion != .commit || isRecorded.withLock({ $0 }) { return }
      try await place.shards.recordBegin(of: name)
      isRecorded.withLock { $0 = true }
    }
    let ending = try await own.hold(check, fence: gate.fence) { [run] in try await run.perform() }
    if let failure = ending.failure { throw failure }
    guard let run = ending.run else {
      throw Failure(.internal, "work on range \(range.number)", cause: "the command left no run")
    }
    return try await publish(range, run: run.path, part: file, ending.result)
  }

  private func pace() async throws -> WritePacer.Share {
    WritePacer.Share(processes: plan.tasks, elapsed: try await place.shards.rampElapsed(task: task))
  }

  /// Uploads the output and the lists of a run to the shared place, and returns its result.
  private func publish(
    _ range: ShardPlan.Range,
    run: String,
    part: String?,
    _ found: CommandResult
  ) async throws -> ShardResult {
    var result = try ShardResult(of: run, range: range.number, plan: plan, holder: LedgerRun.holder)
    result.findings = found.findings.map { ShardResult.Finding.list(of: $0) }
    if let totals = found.sections.lazy.compactMap({ $0 as? PlanTotals }).first {
      result.changes = totals.changes
      result.documents = ShardResult.Documents.list(of: totals.documents)
    }
    if let part, let fileExtension = plan.partExtension {
      let name = ShardFolder.partName(range.number, fileExtension)
      var published = try await place.shards.put(part: part, as: name, documents: result.totals.read)
      published.columns = found.columns
      result.part = published
    }
    for list in ShardLists.names(in: run) {
      try await place.shards.put(list: "\(run)/\(list)", as: ShardFolder.listName(list, of: range.number))
      result.lists.append(list)
    }
    return result
  }
}

extension ShardPlace {
  /// Returns what counts the bill of all tasks, and gives the job their bound; nil if nothing bounds them.
  ///
  /// - Throws: `.usage` for a bound on tasks that were planned without one.
  func bill(of job: inout JobRun, allowing bound: BillBound? = nil) throws(Failure) -> ShardBill? {
    let isBounded = hasBill || job.connection.bound != nil
    guard isBounded, var bill = try bill(of: job) else {
      if bound == nil { return nil }
      throw Failure(
        .usage,
        "bound the bill of",
        path: text,
        cause: "its tasks were planned without a bound, so what they were billed is not known",
        remedy: "Leave it out, or plan the tasks with one."
      )
    }
    bill.remedy = "Allow more. Give 'gymmigrate shard work' a larger bound, or raise the limit."
    if let bound { try bill.allow(bound) }
    job.connection.bound = try bill.bound()
    job.source?.bound = job.connection.bound
    return bill
  }
}
