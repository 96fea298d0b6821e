import Configuration
import Logging
import Transfer

extension CommandRun {
  /// Runs `work`, and reports how it ended: as text, in the summary, and by the exit code.
  ///
  /// - Returns: The ending, for a run that ended with 0 or is a part of a sharded one.
  func conclude(
    run: RunDirectory?,
    _ work: (CommandContext) async throws -> CommandResult
  ) async throws -> RunEnding {
    let context = context(run)
    let began = RunClock.system.now()
    let summary = RunSummary(
      command: name,
      runID: run?.id ?? RunSummary.noRun,
      environment: nil,
      startedAt: run?.resumed?.startedAt ?? .now
    )
    var ending = RunEnding(summary: summary, run: run)
    do {
      if writes, let run { try context.traffic.account.keep(in: run) }
      // A part is resumed by the command that works on all parts of its task.
      let isPart = job?.part != nil
      if !isPart, canGoOn(run) {
        Interruption.resumeCommand.withLock { $0 = resumeCommand(run, allowingMore: false) }
      }
      defer { if !isPart { Interruption.resumeCommand.withLock { $0 = nil } } }
      ending.result = try await work(context)
      try ending.complete(context.counts, writes: writes)
    } catch {
      let hasWritten = context.hasWritten
      ending.fail(failure(of: error, hasWritten: hasWritten))
      note(&ending, hasWritten: hasWritten)
    }
    context.progress.end()
    if let journal = context.journal.withLock({ $0 }) {
      // What became of the last writes is not on disk yet; without it they are looked up.
      try? await journal.sync()
      ending.summary.journalBytes = journal.syncedLength
    }
    describe(&ending.summary, context, seconds: RunClock.system.now() - began)
    // The bytes transferred by earlier processes are not known.
    if run?.isResumed ?? false { ending.summary.units = nil }
    ending.keep(context.traffic.account)
    recordCost(of: ending, context)
    Invocation.current.notifier?.note(ending.summary, context.traffic)
    if job?.part == nil { try finish(ending, context) }
    return ending
  }

  /// Runs `work` for a command without a run that reports its errors itself, and records what it was billed.
  func account(
    in environment: DatabaseEnvironment,
    for work: (CommandContext) async -> Void
  ) async {
    let context = context(nil)
    context.sides.withLock { $0 = (environment, nil) }
    await work(context)
    let summary = RunSummary(
      command: name,
      runID: RunSummary.noRun,
      environment: environment,
      startedAt: .now
    )
    recordCost(of: RunEnding(summary: summary), context)
  }

  private func context(_ run: RunDirectory?) -> CommandContext {
    let logger = output.logger(run?.logHandler)
    let traffic = job?.traffic ?? Invocation.current.traffic
    return CommandContext(
      logger: logger,
      traffic: traffic,
      progress: Progress(
        terminal: output.noProgress || output.quiet ? nil : Terminal.standardError,
        logger: logger,
        traffic: traffic
      ),
      counts: RunCounts(budget: job?.write.errorBudget, resuming: run?.restoredCounts ?? []),
      gate: job?.part?.gate ?? CommitGate()
    )
  }

  private func describe(_ summary: inout RunSummary, _ context: CommandContext, seconds: Double) {
    if let sections {
      summary.sections += sections()
      summary.showsCounts = false
    }
    let (target, source) = context.sides.withLock { $0 }
    summary.environment = target
    summary.targetPath = paths.target
    summary.source = source.map { .environment($0) } ?? paths.source.map { .path($0) }
    summary.collections = context.counts.collections
    summary.traffic = context.traffic.current
    let billed = context.traffic.account.billed
    (summary.billed, summary.perhapsBilled) = (billed.known, billed.uncertain)
    let configuration = try? EnvironmentResolver(connection).configuration()
    // If the two sides have different editions, their bytes cannot be told apart.
    let sides = [target, source].compactMap { $0 }
    let isEnterprise = sides.allSatisfy { side in
      (try? configuration?.environment(named: side.name))?.edition == "enterprise"
    }
    if isEnterprise, !sides.isEmpty, billed.known != Cost() {
      summary.units = EnterpriseUnits(of: billed.known, summary.traffic)
    }
    summary.durationSeconds = seconds
  }

  /// Adds the bill to the ledger of costs if the state folder exists.
  ///
  /// A missing folder is created for a part, whose run is elsewhere, and for an environment with a daily limit, which depends on
  /// the ledger.
  private func recordCost(of ending: RunEnding, _ context: CommandContext) {
    // Work on a temporary copy is billed to the database it was copied from.
    let place = connection.isScratch == true ? source ?? connection : connection
    let stateDir = place.stateDir
    let billed = context.traffic.account.takeUnrecorded()
    let sourceReads = min(context.traffic.account.takeUnrecordedOfSource(), billed.reads)
    let bytes = context.traffic.takeUnrecordedBytes()
    let (target, source) = context.sides.withLock { $0 }
    // The target of a comparison may be files.
    let billedSide = connection.isScratch == true ? source : target ?? source
    // A session describes the embedded store as a server; its source may still be billed.
    let isEmbedded = source == nil && (try? EnvironmentResolver(place).environment().isEmbedded) ?? false
    let named = billedSide.flatMap { side in
      try? EnvironmentResolver(place).configuration().environment(named: side.name)
    }
    let isAlone = source == nil || target == nil
    let isFree = isEmbedded || isAlone && named?.isLocal ?? false
    guard let environment = billedSide, !isFree || environment.limits != nil,
      billed != Cost(), job?.part != nil || FileCheck.exists(stateDir) || environment.limits != nil
    else { return }
    do throws(Failure) {
      let configuration = try EnvironmentResolver(place).configuration()
      func dollars(_ cost: Cost, in environment: DatabaseEnvironment) -> Double? {
        let prices = configuration.prices(of: environment)
        return prices.isExact ? prices.dollars(of: cost) : nil
      }
      var record = CostRecord(
        ending.summary,
        command: Invocation.current.commandName,
        in: environment,
        billed: billed,
        usd: dollars(billed, in: environment)
      )
      (record.bytesIn, record.bytesOut) = bytes
      let ledger = CostLedger(in: stateDir)
      if let resumed = ending.run?.resumed { record.leaveOut(try ledger.records(of: resumed)) }
      // The writes were to a temporary copy or a mirror.
      if connection.isScratch == true || billed.writes + billed.deletes == 0 { record.leaveOutWrites() }
      if connection.isScratch == true {
        record.source = nil
      } else if let source, sourceReads > 0 {
        let cost = Cost(reads: sourceReads)
        let usd = (source: dollars(cost, in: source), own: dollars(billed - cost, in: environment))
        record.note(reads: sourceReads, of: source.name, usd: usd)
      }
      try ledger.append(record)
      if writes { try ending.run?.noteRecorded() }
    } catch {
      context.logger.warning("What it cost is not in the ledger of costs: \(error)")
    }
  }

  private func finish(_ ending: RunEnding, _ context: CommandContext) throws {
    let (summary, logger) = (ending.summary, context.logger)
    if let failure = ending.failure, Interruption.isBrokenPipe(failure), !context.hasWritten {
      throw ExitStatus(ExitCodes.brokenPipe)
    }
    let isWhole = countsDocuments && summary.isWorthSaying
    let lines = isWhole ? SummaryText.lines(summary) : SummaryText.bill(summary)
    for line in lines { logger.info("\(line)") }
    for list in ending.result.lists where FileCheck.exists(list) {
      logger.notice("See \(list)\(SummaryText.purpose(of: list)).")
    }
    if let applies = ending.result.applies, ending.failure == nil, job?.offersPlan ?? true {
      logger.notice("To apply exactly this: \(applies)")
    }
    if let offer = ending.result.offer, ending.failure == nil { logger.notice("\(offer)") }
    for line in ending.failure?.lines ?? [] { logger.error("\(line)") }
    if let resume = summary.resumeCommand, summary.status != .done {
      logger.notice("To resume: \(resume)")
    } else if let bounds = ending.failure?.bounds, bounds.contains(.run), summary.canResume ?? false,
      canGoOn(ending.run)
    {
      let command = resumeCommand(ending.run, allowingMore: bounds.contains(.option))
      logger.notice("To resume after that: \(command)")
    }
    let mayBeDone = ending.failure.map(isFinal) ?? true
    if mayBeDone, let run = ending.run, let job = job?.job, job.canUndo, context.counts.totals.written > 0 {
      logger.notice("To undo: \(command([job.undoGroup, "undo", run.id]))")
    }
    do {
      if let failure = context.unprinted.withLock({ $0 }) { throw failure }
      if let printing {
        try printing(summary)
      } else if output.json {
        try StandardOutput.write(line: summary.json)
      }
    } catch  where ending.failure != nil {
      // The error that ended the command is more important than the failure to print its end.
    } catch let failure as Failure where context.hasWritten {
      // Since the database has changed, the lost output is reported.
      logger.error("\(failure)")
      throw ExitStatus(ExitCodes.code(of: failure.kind))
    }
    if summary.exitCode != 0 { throw ExitStatus(summary.exitCode) }
  }

  // MARK: Errors

  private func failure(of error: any Error, hasWritten: Bool) -> Failure {
    if var failure = error as? Failure {
      if hasWritten, isOfInput(failure) {
        let undo = "What the run wrote may be damaged, too: undo it before you import again."
        failure.remedy = failure.remedy.map { "\($0) \(undo)" } ?? undo
      }
      return Invocation.current.arguments.naming(failure)
    }
    if error is CancellationError {
      return Failure(.interrupted, "finish \(name)", cause: "it was stopped")
    }
    return Failure(.internal, "run \(name)", cause: "\(error)")
  }

  /// Whether the input of an import is damaged, or no longer what was checked before anything was written.
  private func isOfInput(_ failure: Failure) -> Bool {
    // A part of a divided import keeps its journal only if it is resumed.
    failure.kind == .inputMalformed && (job?.job.writesItsInput ?? false) && job?.part == nil
  }

  /// Whether the run must not be resumed: it would be refused again, or what it wrote is not to be trusted.
  private func isFinal(_ failure: Failure) -> Bool { failure.isRefusalOfAll || isOfInput(failure) }

  /// Records what remains to be done after an error.
  private func note(_ ending: inout RunEnding, hasWritten: Bool) {
    switch remainder?() ?? .run {
    case .run:
      let bounds = ending.failure?.bounds ?? []
      var mayPass = ending.failure?.mayPass(havingWritten: hasWritten) ?? false
      let isFinal = canGoOn(ending.run) && ending.failure.map(isFinal) ?? false
      // With the same limit, a new run would stop at the same place.
      if isFinal || !bounds.isEmpty && !canGoOn(ending.run) { mayPass = false }
      if job?.job.canResume ?? false { ending.summary.canResume = mayPass || hasWritten && !isFinal }
      // No command raises the bound of a file.
      if mayPass, !bounds.contains(.run) {
        ending.summary.resumeCommand = resumeCommand(ending.run, allowingMore: bounds.contains(.option))
      }
    case .command(let command): ending.summary.resumeCommand = command
    case .nothing: break
    }
  }

  /// Whether the run keeps its progress, so that it can be resumed.
  private func canGoOn(_ run: RunDirectory?) -> Bool {
    run != nil && writes && !inputs.contains(where: ImportSource.isStream)
  }

  /// Returns the command that does what remains: it resumes the run if possible, and otherwise repeats the command.
  ///
  /// - Parameter allowsMore: Whether a higher cost limit is required.
  private func resumeCommand(_ run: RunDirectory?, allowingMore allowsMore: Bool) -> String {
    guard let run, canGoOn(run) else {
      return CommandLineText.quoted(["gymmigrate"] + (job?.resuming?.arguments ?? words))
    }
    let bound = allowsMore ? connection.bound : nil
    let bounds =
      (bound?.reads == nil ? [] : ["--max-reads"]) + (bound?.writes == nil ? [] : ["--max-writes"])
      + (bound?.dollars == nil ? [] : ["--max-cost"])
    if job?.job.isStep ?? false, job?.resuming == nil { return sameCommand(allowingMoreOf: bounds) }
    return command(["runs", "resume", run.id] + bounds.flatMap { [$0, "MORE"] })
  }

  /// The same command again, which resumes the run and then continues with the others.
  private func sameCommand(allowingMoreOf bounds: [String]) -> String {
    var words = words
    for bound in bounds { words = words.without(bound) + [bound, "MORE"] }
    if let confirm = confirmation?.confirm { words = words.without("--confirm") + ["--confirm", confirm] }
    return CommandLineText.quoted(["gymmigrate"] + words)
  }

  /// A command about the run, with the options to find it and to write again.
  private func command(_ words: [String]) -> String {
    CommandLineText.quoted(
      ["gymmigrate"] + words + ConnectionSettings.folderWords(connection.stateDir)
        + (confirmation?.confirm.map { ["--confirm", $0] } ?? [])
    )
  }
}

extension Job {
  /// The command below which its runs are undone: an import is not a migration in people's minds.
  var undoGroup: String { writesItsInput ? "runs" : "migrate" }
}

extension RunSummary {
  /// Whether the last lines say more than the error that ended the command.
  fileprivate var isWorthSaying: Bool { status != .failed || hasRun || !collections.isEmpty }
}

extension RunEnding {
  /// Takes the result of a completed command.
  fileprivate mutating func complete(_ counts: RunCounts, writes: Bool) throws(Failure) {
    summary.sections = result.sections
    summary.release = result.release
    summary.status = result.status
    summary.readTime = result.readTime
    summary.cost = result.cost
    if writes { try counts.assertBalance() }
    // A gap in the log is not reported anywhere else.
    if let failure = run?.log.failure { throw failure }
    if summary.status == .done, writes, counts.totals.leavesSomething { summary.status = .incomplete }
    summary.exitCode = ExitCodes.code(of: summary.status)
  }

  fileprivate mutating func fail(_ failure: Failure) {
    self.failure = failure
    // A reader that closes standard output interrupts the command, like a signal.
    let isStopped =
      Interruption.wasReceived || failure.kind == .interrupted || Interruption.isBrokenPipe(failure)
    summary.status = isStopped ? .interrupted : .failed
    summary.exitCode = ExitCodes.code(of: failure.kind)
    summary.error = failure.description
  }

  /// Saves the summary; a failure to do so is less important than the error that ended the command.
  fileprivate mutating func keep(_ account: Account) {
    do throws(Failure) {
      try account.close()
      try run?.write(summary)
    } catch  where failure == nil {
      failure = error
      summary.status = .failed
      summary.exitCode = ExitCodes.code(of: error.kind)
      summary.error = error.description
    } catch {}
  }
}

extension Failure {
  /// Whether a resumed run would always be refused again, because part of it is not permitted, or its read time is too old.
  fileprivate var isRefusalOfAll: Bool { isRefusal && (kind == .notPermitted || kind == .unavailable) }

  /// Whether the same might succeed later: not after an error in the command or its input, nor after a refusal by gymmigrate
  /// itself before anything was written.
  fileprivate func mayPass(havingWritten: Bool) -> Bool {
    switch kind {
    case .unavailable, .interrupted: true
    case .cannotWrite where isRefusal: havingWritten
    case .cannotWrite: havingWritten || path.map { !$0.isIdentical(to: StandardOutput.name) } ?? true
    case .tryLater where isOfBound: true
    case .notPermitted where isRefusal: false
    case .tryLater, .notPermitted, .configuration:
      // What the service considers invalid remains invalid.
      havingWritten || service.map { $0.status != .invalidArgument } ?? false
    case .usage, .inputMalformed, .inputMissing, .internal, .rejected: false
    }
  }
}

extension OutputSettings {
  var level: Logger.Level {
    if quiet { return .warning }
    return switch verbose {
    case 0: .info
    case 1: .debug
    default: .trace
    }
  }

  /// Returns a logger for the terminal and, if given, a log file.
  func logger(_ file: LineLogHandler? = nil) -> Logger {
    let terminal = LineLogHandler(format: logFormat, level: level, isColored: Colors.errors)
    return Logger(label: "gymmigrate") { _ in
      guard let file else { return terminal }
      return MultiplexLogHandler([terminal, file])
    }
  }

  /// Reports what the command was billed so far, if no summary does.
  func reportBill() {
    let billed = Invocation.current.traffic.account.billed
    for line in SummaryText.bill(billed.known, billed.uncertain) { logger().info("\(line)") }
  }

  /// The same settings without a summary, and with warnings only.
  var silent: OutputSettings {
    var silent = self
    (silent.json, silent.quiet) = (false, true)
    return silent
  }
}
