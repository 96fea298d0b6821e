import Configuration
import Logging
import MigrationEngine

/// What is pending in an environment, each as a run of its own.
struct UpRun {
  /// How each is applied; of no migration yet.
  let job: ApplyJob
  var run: JobRun
  /// The last that is meant; nil for all.
  var last: String?
  /// Whether files that changed after they were applied are right as they are.
  var acceptsChanges = false
  /// How many changes are shown of each migration.
  var examples = 3
  /// What was typed, where that was another command line than this one.
  var arguments: CompletedArguments?
  /// The bound of the bill of all runs, as it was given.
  var given: BillBound?

  /// - Parameter validate: Refuses settings that do not go with the migrations.
  func perform(_ validate: (MigrationChoice) throws -> Void) async throws {
    let resolver = EnvironmentResolver(run.connection)
    let (environment, name) = (try resolver.environment(), try resolver.knownName())
    let folder = try MigrationFolder.of(run.connection)
    try Guard.assertNoMirror(environment)
    var up = self
    if !job.isDryRun {
      try Guard.confirm(environment, with: run.confirmation)
      // It may have been typed: it holds for each of the runs.
      if environment.isProtected { up.run.confirmation.confirm = environment.name }
    }
    if acceptsChanges { try await up.accept(folder, in: name) }
    let entries = try await run.connection.ledger(for: "migrate up", run.output)
    let pending = try folder.pending(upTo: last, in: name, entries)
    if !job.isDryRun { try await up.verifyDue(of: folder, in: name, entries) }
    folder.reportUnverified(in: name, entries)
    try assertFit(validate, pending, of: folder)
    if pending.isEmpty {
      Terminal.standardError.line("Nothing is pending in \(name).")
      return try await up.printNothing()
    }
    remark(on: pending, of: folder, in: name, entries)
    let gate = try await gate(of: name, entries)
    if job.override == nil, !job.isDryRun { try gate?.assertOpen(for: pending) }
    let deletions = try await up.plan(pending)
    if job.isDryRun {
      if job.override == nil { try gate?.assertOpen(for: pending) }
      // Behind a run that stopped half way none begins.
      if !entries.contains(where: \.blocks) { try offer(deletions) }
      return
    }
    try assertAllowed(deletions, by: DeletionBound(maximum: job.maximumDeletes, options: run.confirmation))
    let count = NumberText.counted(pending.count, "migration")
    try Guard.ask("Apply \(count) in \(name)?", with: run.confirmation)
    try await up.apply(pending, deleting: deletions, past: gate)
  }

  /// Refuses settings that go with none of the folder; says of those that go with one which is not pending that they are not used.
  private func assertFit(
    _ validate: (MigrationChoice) throws -> Void,
    _ pending: [FolderMigration],
    of folder: MigrationFolder
  ) throws {
    do {
      try validate(choice(pending))
    } catch let error as ValidationError {
      try validate(choice(folder.migrations))
      run.output.logger().warning("\(error.message) That is not pending, so it is not used.")
    }
  }

  /// Refuses what deletes more than may be before the first migration is applied, and not behind it.
  ///
  /// - Parameter deletions: How many documents each migration deletes that needs a bound.
  private func assertAllowed(_ deletions: [String: Int], by bound: DeletionBound) throws(Failure) {
    if deletions.values.allSatisfy({ $0 == 0 }) { return }
    try bound.assertMayAsk()
    guard let maximum = bound.maximum else { return }
    for (migration, count) in deletions.sorted(by: { $0.key < $1.key }) where count > maximum {
      throw .tooManyDeletions(maximum, by: migration, of: count)
    }
  }

  /// Says which command applies what was planned: the same without what makes it a plan, and with the bound that it needs.
  private func offer(_ deletions: [String: Int]) throws {
    var words = run.wordsOfPlan
    if let most = deletions.values.max(), most > job.maximumDeletes ?? 0 {
      words = words.without("--max-delete") + ["--max-delete", String(most)]
    }
    let command = try run.command(words)
    run.output.logger().notice(
      "'up' plans this again, applies and verifies it: it reads about three times what an apply reads."
    )
    run.output.logger().notice("To apply this: \(command)")
  }

  /// Prints the summary of no run, with --json.
  private func printNothing() async throws {
    guard run.output.json else { return }
    var command = CommandRun(name: "migrate up", connection: run.connection, output: run.output)
    command.countsDocuments = false
    try await command.performWithoutRun { _ in CommandResult() }
  }

  /// What guards an environment; nil for nothing.
  private func gate(of environment: String, _ entries: [LedgerEntry]) async throws -> PromotionGate? {
    let promotions = try EnvironmentResolver(run.connection).configuration().promotions
    let promotion = promotions.first { $0.environment.isIdentical(to: environment) }
    guard let promotion else { return nil }
    var former: [LedgerEntry] = []
    if let after = promotion.after {
      former = try await run.connection.beside(after).ledger(for: "migrate up", run.output)
    }
    let now = promotion.rehearsed == nil ? .now : try await moment()
    let before = promotion.after.map { run.connection.beside($0) } ?? run.connection
    let confirmation = try EnvironmentResolver(before).environment().confirmationWords
    return PromotionGate(
      promotion,
      former,
      own: entries,
      now: now,
      confirmation: CommandLineText.quoted(confirmation),
      isMasked: try EnvironmentResolver(run.connection).environment().leavesMasked
    )
  }

  private func moment() async throws -> Timestamp {
    let moment = Locked(Timestamp.now)
    let command = CommandRun(name: "migrate up", connection: run.connection, output: run.output.silent)
    try await command.performWithoutRun { session in
      let now = try await session.ledger.moment()
      moment.withLock { $0 = now }
      return CommandResult()
    }
    return moment.withLock { $0 }
  }

  private func choice(_ migrations: [FolderMigration]) -> MigrationChoice {
    var choice = job.migrations
    choice.name(migrations)
    return choice
  }

  /// Records that changed files are right as they are.
  private func accept(_ folder: MigrationFolder, in environment: String) async throws {
    if job.isDryRun {
      throw ValidationError("--accept-changed is recorded in the ledger: leave out --dry-run.")
    }
    let command = CommandRun(name: "migrate up", connection: run.connection, output: run.output.silent)
    try await command.performWithoutRun { session in
      let changed = folder.changed(in: environment, try await session.ledger.entries())
      try await session.ledger.accept(changed)
      for migration in changed {
        run.output.logger().notice("\(migration.name) is right as its file is now, as you say.")
      }
      return CommandResult()
    }
  }

  private func remark(
    on pending: [FolderMigration],
    of folder: MigrationFolder,
    in environment: String,
    _ entries: [LedgerEntry]
  ) {
    let logger = run.output.logger()
    for migration in pending {
      if let other = folder.overtaken(by: migration, in: environment, entries) {
        logger.notice("\(migration.name) comes before \(other.name), which is applied already.")
      }
      if let reason = migration.header.irreversible {
        logger.notice("\(migration.name) is irreversible: \(reason)")
      }
    }
  }

  /// - Returns: How many documents each migration deletes, of those that need a bound for it.
  private mutating func plan(_ pending: [FolderMigration]) async throws -> [String: Int] {
    let bounded = try choice(pending).chosen(for: run.connection).filter(\.deletesForGood).map(\.id)
    var plan = PlanJob(choice(pending))
    (plan.html, plan.examples) = (job.html, examples)
    let (planned, deletions) = (plan, Locked<[String: Int]>([:]))
    _ = try await one { run in
      var planning = run
      // 'apply --plan' would ask no gate.
      (planning.job, planning.offersPlan) = (planned, false)
      let found = try await planning.perform().result.deletions
      deletions.withLock { $0 = found }
    }
    return deletions.withLock { $0 }.filter { id, count in
      count > 0 || bounded.contains { $0.isIdentical(to: id) }
    }
  }

  private mutating func apply(
    _ pending: [FolderMigration],
    deleting deletions: [String: Int],
    past gate: PromotionGate?
  ) async throws {
    var isIncomplete = false
    var left: [String] = []
    for (index, migration) in pending.enumerated() {
      var job = job
      job.migrations = choice([migration])
      // Where the gate is open there is nothing to override.
      if gate?.gap(of: migration) == nil { job.override = nil }
      job.planned = pending[(index + 1)...].map(\.id)
      // What was planned without a deletion needs no bound to be asked for, and makes none.
      if job.maximumDeletes == nil, deletions[migration.id] == 0 { job.maximumDeletes = 0 }
      let applied = job
      let isWhole = try await one { run in
        var applying = run
        applying.job = applied
        try await applying.perform()
      }
      if !isWhole { isIncomplete = true }
      // Of one alone, the lists are named a few lines above.
      if pending.count > 1 { left += listsLeft(by: migration) }
      do {
        try await verify(applied.migrations)
      } catch let status as ExitStatus {
        say(left)
        throw status
      }
    }
    say(left)
    if isIncomplete { throw ExitStatus(ExitCodes.incomplete) }
  }

  /// Names the lists that the run which applied a migration leaves for a person.
  private func listsLeft(by migration: FolderMigration) -> [String] {
    let history = RunHistory(in: run.connection.stateDir, warn: { _ in })
    let last = history.entries().map(\.record).last { $0.job?.kind.isIdentical(to: ApplyJob.kind) ?? false }
    guard let last else { return [] }
    let lists = ["review.csv", "rejects.jsonl"].map { history.file($0, of: last.id) }
    return lists.filter { FileCheck.exists($0) }.map { list in
      "\(migration.name): see \(list)\(SummaryText.purpose(of: list))."
    }
  }

  private func say(_ lines: [String]) {
    for line in lines { run.output.logger().notice("\(line)") }
  }

  private mutating func verify(_ choice: MigrationChoice, isUnprinted: Bool = false) async throws {
    _ = try await one { run in
      try await choice.verify(for: run.connection, run.output, isRecorded: true, isUnprinted: isUnprinted)
    }
  }

  /// Verifies what the same command has applied before it was stopped.
  private mutating func verifyDue(
    of folder: MigrationFolder,
    in environment: String,
    _ entries: [LedgerEntry]
  ) async throws {
    for (migration, state) in folder.states(in: environment, entries)
    where state.isInForce && state.applied?.isDue ?? false { try await verify(choice([migration])) }
  }

  /// Resumes one of the runs by itself: it is verified, too, and what was to come after it is named.
  func resume(_ record: RunRecord) async throws {
    var up = self
    let isWhole = try await up.one { _ = try await $0.perform() }
    up.arguments = CompletedArguments(record.arguments)
    var hasLeft = false
    do {
      // A summary of it alone was asked for.
      try await up.verify(job.migrations, isUnprinted: run.output.json)
    } catch let status as ExitStatus where status.rawValue == ExitCodes.differences {
      hasLeft = true
    }
    let entries = try await run.connection.ledger(for: "migrate up", run.output)
    let pending = (job.planned ?? []).filter { !MigrationState(of: $0, in: entries).isInForce }
    if !pending.isEmpty {
      let again = CommandLineText.quoted(["gymmigrate"] + record.arguments)
      run.output.logger().notice(
        "Pending still: \(pending.joined(separator: ", ")). To apply them, too: \(again)"
      )
    }
    if hasLeft { throw ExitStatus(ExitCodes.differences) }
    if !isWhole { throw ExitStatus(ExitCodes.incomplete) }
  }

  /// Makes one of the runs, with requests that are counted for it alone; what is billed is taken off the bound of all.
  ///
  /// - Returns: Whether nothing is left of it for a person.
  private mutating func one(_ body: @Sendable (JobRun) async throws -> Void) async throws -> Bool {
    var invocation = Invocation.current
    invocation.traffic = TrafficCounter()
    given = given ?? self.run.connection.bound
    invocation.bound = given
    invocation.arguments = arguments ?? invocation.arguments
    let run = run
    var isWhole = true
    do {
      try await Invocation.$current.withValue(invocation) { try await body(run) }
    } catch let status as ExitStatus where status.rawValue == ExitCodes.incomplete {
      isWhole = false
    }
    let billed = invocation.traffic.account.billed
    self.run.connection.bound = run.connection.bound?.left(
      after: billed.known + billed.uncertain,
      at: invocation.traffic.account.prices
    )
    return isWhole
  }
}
