import Configuration
import Logging
import MigrationEngine

/// Applies the pending migrations of an environment, each in its own run.
struct UpRun {
  /// The settings for applying each migration, without the migration.
  let job: ApplyJob
  var run: JobRun
  /// The last migration to apply; nil for all.
  var last: String?
  /// Whether to accept files that changed after they were applied.
  var acceptsChanges = false
  /// The number of changes to show of each migration.
  var examples = 3
  /// The typed command line, if it differs from this one.
  var arguments: CompletedArguments?
  /// The cost limit of all runs, as given.
  var given: BillBound?
  /// Counts the requests of the next run, and those before it, such as for the ledger, which are a part of its bill.
  private var traffic = Invocation.current.traffic

  init(job: ApplyJob, run: JobRun) { (self.job, self.run) = (job, run) }

  /// - Parameter validate: Refuses settings that are incompatible with the migrations.
  func perform(_ validate: (MigrationChoice) throws -> Void) async throws {
    let resolver = EnvironmentResolver(run.connection)
    let (environment, name) = (try resolver.environment(), try resolver.names())
    let folder = try MigrationFolder.of(run.connection)
    try Guard.assertNoMirror(environment)
    var up = self
    if !job.isDryRun {
      try Guard.confirm(environment, with: run.confirmation)
      // The name may have been typed; it applies to each of the runs.
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
    let gates = try await up.gates(of: name, entries)
    func assertOpen() throws(Failure) {
      if job.override == nil { for gate in gates { try gate.assertOpen(for: pending) } }
    }
    if !job.isDryRun { try assertOpen() }
    let deletions = try await up.plan(pending)
    if job.isDryRun {
      try assertOpen()
      // No run may begin after one that stopped early.
      if !entries.contains(where: \.blocks) { try offer(deletions) }
      return
    }
    try assertAllowed(deletions, by: DeletionBound(maximum: job.maximumDeletes, options: run.confirmation))
    let count = NumberText.counted(pending.count, "migration")
    try Guard.ask("Apply \(count) in \(name)?", with: run.confirmation)
    try await up.apply(pending, deleting: deletions, past: gates)
  }

  /// Refuses settings that apply to no migration of the folder; reports those that only apply to one that is not pending.
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

  /// Refuses excessive deletions before the first migration is applied rather than in between.
  ///
  /// - Parameter deletions: The number of documents deleted by each migration that needs a limit.
  private func assertAllowed(_ deletions: [String: Int], by bound: DeletionBound) throws(Failure) {
    if deletions.values.allSatisfy({ $0 == 0 }) { return }
    try bound.assertMayAsk()
    guard let maximum = bound.maximum else { return }
    for (migration, count) in deletions.sorted(by: { $0.key < $1.key }) where count > maximum {
      throw .tooManyDeletions(maximum, by: migration, of: count)
    }
  }

  /// Suggests the command that applies what was planned: the same without the words that make it a plan, and with the limit that
  /// it needs.
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

  /// Prints a summary without a run.
  private func printNothing() async throws {
    try await counted { run in
      var command = CommandRun(name: "migrate up", connection: run.connection, output: run.output)
      command.countsDocuments = false
      try await command.performWithoutRun { _ in CommandResult() }
    }
  }

  /// Returns the gates of all environments with the database, and of the one that was asked for.
  private func gates(of names: DatabaseNames, _ entries: [LedgerEntry]) async throws -> [PromotionGate] {
    let asked = run.connection.environment ?? names.shown
    var gates: [PromotionGate] = []
    for promotion in try EnvironmentResolver(run.connection).configuration().promotions
    where names.contains(promotion.environment) || promotion.environment.isIdentical(to: asked) {
      gates.append(try await gate(promotion, entries))
    }
    return gates
  }

  private func gate(_ promotion: Promotion, _ entries: [LedgerEntry]) async throws -> PromotionGate {
    var former: [LedgerEntry] = []
    if let after = promotion.after {
      former = try await ledger(of: after)
    }
    let now = promotion.rehearsed == nil ? .now : try await moment()
    let before = EnvironmentResolver(promotion.after.map { run.connection.beside($0) } ?? run.connection)
    let confirmation = try before.environment().confirmationWords
    return PromotionGate(
      promotion,
      former,
      after: promotion.after == nil ? nil : try before.names(),
      own: entries,
      now: now,
      confirmation: CommandLineText.quoted(confirmation),
      isMasked: try EnvironmentResolver(run.connection).environment().leavesMasked
    )
  }

  /// Returns the ledger of another environment.
  ///
  /// Its limits do not apply to the next run, so the requests are counted separately, and added to the bill of that run.
  private func ledger(of environment: String) async throws -> [LedgerEntry] {
    var invocation = Invocation.current
    (invocation.traffic, invocation.notifier) = (TrafficCounter(), nil)
    invocation.bound = given ?? run.connection.bound
    var other = run.connection.beside(environment)
    other.bound = left
    let (connection, output) = (other, run.output)
    let entries = try await Invocation.$current.withValue(invocation) {
      try await connection.ledger(for: "migrate up", output)
    }
    let billed = invocation.traffic.account.billed
    traffic.account.carry(
      known: billed.known,
      uncertain: billed.uncertain,
      recorded: billed.known + billed.uncertain
    )
    return entries
  }

  private func moment() async throws -> Timestamp {
    try await counted { run in
      try await run.connection.withSession(of: "migrate up", run.output) { try await $0.ledger.moment() }
    }
  }

  private func choice(_ migrations: [FolderMigration]) -> MigrationChoice {
    var choice = job.migrations
    choice.name(migrations)
    return choice
  }

  /// Records that changed files are accepted.
  private func accept(_ folder: MigrationFolder, in environment: DatabaseNames) async throws {
    if job.isDryRun {
      throw ValidationError("--accept-changed is recorded in the ledger: leave out --dry-run.")
    }
    try await run.connection.withSession(of: "migrate up", run.output) { session in
      let changed = folder.changed(in: environment, try await session.ledger.entries())
      try await session.ledger.accept(changed)
      for migration in changed {
        run.output.logger().notice("\(migration.name) is right as its file is now, as you say.")
      }
    }
  }

  private func remark(
    on pending: [FolderMigration],
    of folder: MigrationFolder,
    in environment: DatabaseNames,
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

  /// - Returns: The number of documents deleted by each migration that needs a limit for it.
  private mutating func plan(_ pending: [FolderMigration]) async throws -> [String: Int] {
    let bounded = try choice(pending).chosen(for: run.connection).filter(\.deletesForGood).map(\.id)
    var plan = PlanJob(choice(pending))
    (plan.html, plan.examples) = (job.html, examples)
    var deletions: [String: Int] = [:]
    _ = try await one { run in
      var planning = run
      // 'apply --plan' would bypass the gate.
      (planning.job, planning.offersPlan) = (plan, false)
      deletions = try await planning.perform().result.deletions
    }
    return deletions.filter { id, count in
      count > 0 || bounded.contains { $0.isIdentical(to: id) }
    }
  }

  private mutating func apply(
    _ pending: [FolderMigration],
    deleting deletions: [String: Int],
    past gates: [PromotionGate]
  ) async throws {
    var isIncomplete = false
    var left: [String] = []
    for (index, migration) in pending.enumerated() {
      var job = job
      job.migrations = choice([migration])
      // Open gates need not be overridden.
      if gates.allSatisfy({ $0.gap(of: migration) == nil }) { job.override = nil }
      job.planned = pending[(index + 1)...].map(\.id)
      // A migration planned without deletions needs no limit from a person, and must not delete anything.
      if job.maximumDeletes == nil, deletions[migration.id] == 0 { job.maximumDeletes = 0 }
      let isWhole = try await one { run in
        var applying = run
        applying.job = job
        try await applying.perform()
      }
      if !isWhole { isIncomplete = true }
      // For a single migration, the lists are already named a few lines above.
      if pending.count > 1 { left += listsLeft(by: migration) }
      do {
        try await verify(job.migrations)
      } catch let status as ExitStatus {
        say(left)
        throw status
      }
    }
    say(left)
    if isIncomplete { throw ExitStatus(ExitCodes.incomplete) }
  }

  /// Returns the lists that the run that applied a migration left for a person.
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

  /// Verifies what the same command applied before it was stopped.
  private mutating func verifyDue(
    of folder: MigrationFolder,
    in environment: DatabaseNames,
    _ entries: [LedgerEntry]
  ) async throws {
    for (migration, state) in folder.states(in: environment, entries)
    where state.isInForce && state.applied?.isDue ?? false { try await verify(choice([migration])) }
  }

  /// Resumes one of the runs on its own: it is also verified, and the remaining migrations are named.
  func resume(_ record: RunRecord) async throws {
    var up = self
    let isWhole = try await up.one { _ = try await $0.perform() }
    up.arguments = CompletedArguments(record.arguments)
    let entries = try await up.counted { try await $0.connection.ledger(for: "migrate up", $0.output) }
    var hasLeft = false
    do {
      // Only its own summary was requested.
      try await up.verify(job.migrations, isUnprinted: run.output.json)
    } catch let status as ExitStatus where status.rawValue == ExitCodes.differences {
      hasLeft = true
    }
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

  /// Performs one of the runs, and deducts its bill from the overall limit.
  ///
  /// - Returns: Whether it left nothing for a person.
  private mutating func one(_ body: (JobRun) async throws -> Void) async throws -> Bool {
    var isWhole = true
    do {
      try await counted(body)
    } catch let status as ExitStatus where status.rawValue == ExitCodes.incomplete {
      isWhole = false
    }
    given = given ?? run.connection.bound
    run.connection.bound = left
    traffic = TrafficCounter()
    return isWhole
  }

  /// Runs `body` as the next run or a part of it, within the rest of the overall limit.
  private func counted<Result>(
    _ body: (JobRun) async throws -> Result
  ) async throws -> Result {
    var invocation = Invocation.current
    (invocation.traffic, invocation.bound) = (traffic, given ?? run.connection.bound)
    invocation.arguments = arguments ?? invocation.arguments
    let run = run
    return try await Invocation.$current.withValue(invocation) { try await body(run) }
  }

  /// The rest of the overall limit after the requests so far.
  private var left: BillBound? {
    let billed = traffic.account.billed
    return run.connection.bound?.left(
      after: billed.known + billed.uncertain,
      at: traffic.account.prices
    )
  }
}
