import MigrationEngine
import Platform

/// A run with its ledger entry and its lease on the database.
struct LedgerRun: Sendable {
  private let session: Session
  private let run: RunDirectory
  private var entry: LedgerEntry
  private let takingBack: TakenBack?

  /// - Parameters:
  ///   - undoes: The run that it undoes.
  ///   - takingBack: What it reverts without being an undo; nil for nothing.
  ///   - rewritten: The migrations to whose collections it writes without being one of them.
  ///   - job: What the ledger records besides the migrations; nil for nothing.
  init(
    _ session: Session,
    _ run: RunDirectory,
    sources: [ChangeSource],
    undoes: String? = nil,
    takingBack: TakenBack? = nil,
    rewriting rewritten: [String] = [],
    of job: ApplyJob? = nil
  ) {
    self.session = session
    (self.run, self.takingBack) = (run, takingBack)
    entry = LedgerEntry(run.id, of: session.command, sources.flatMap(\.applied), undoes: undoes)
    entry.rewrites = rewritten
    (entry.override, entry.planned) = (job?.override, job?.planned ?? [])
    for index in entry.migrations.indices { entry.migrations[index].isDue = job?.isStep ?? false }
  }

  /// Runs `body` with the lease held and the run recorded in the ledger.
  func perform(_ body: @escaping @Sendable () async throws -> Void) async throws {
    // The lease and the entry are those of the entire run, and the worker of the task holds them.
    if session.part != nil { return try await body() }
    session.isLeased.withLock { $0 = true }
    let (journal, gate, isResumed) = (session.checkpoints?.journal, session.client.gate, run.isResumed)
    let ledger = session.ledger
    do {
      try await ledger.perform(
        entry,
        isResumed: run.isResumed,
        takingBack: takingBack,
        // If nothing was sent, a change without a result is one that the journal failed to take.
        isEmpty: { journal?.hasWrite != true || (!isResumed && !gate.hasSent) },
        counts: session.counts,
        body
      )
    } catch let failure as Failure where run.isResumed && failure.kind == .usage {
      try await record(as: ledger)
      throw failure
    }
  }

  /// Applies the run's only change source, with the lease held.
  ///
  /// - Returns: The report; nil if everything was done before the run was resumed.
  func apply(_ source: ChangeSource, by runner: MigrationRunner) async throws -> MigrationReport? {
    let report = Locked<MigrationReport?>(nil)
    try await perform {
      if session.checkpoints?.isPast(0) == true { return }
      let applied = try await runner.apply(source)
      report.withLock { $0 = applied }
    }
    return report.withLock { $0 }
  }

  /// Records in the run's folder that it was undone or cleared if only the ledger knows, because this was done on another
  /// machine, or by a process that was killed before recording it.
  private func record(as ledger: MigrationLedger) async throws {
    let own = try await ledger.entries().first { $0.run.isIdentical(to: run.id) }
    guard let own, own.status == .undone || own.status == .cleared else { return }
    try RunHistory.resolve(run, as: own.status.rawValue, by: own.undoneBy, left: own.leftToUndo)
  }

  /// The user running this, as `user@host`.
  static var holder: String {
    let user = getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) } ?? "uid-\(geteuid())"
    return "\(user)@\(SystemCall.hostName ?? "a machine")"
  }
}

extension LedgerEntry {
  /// An entry of this process.
  init(_ run: String, of command: String, _ migrations: [Applied] = [], undoes: String? = nil) {
    self.init(
      run: run,
      command: command,
      migrations: migrations,
      holder: LedgerRun.holder,
      undoes: undoes
    )
  }
}

extension MigrationRunner {
  /// Creates a runner that writes as the command line's options specify; without options, it can only plan.
  init(in session: Session, _ run: RunDirectory, writing options: WriteSettings? = nil) {
    self.init(in: session.context(run))
    reviewColumns = Invocation.current.application(of: session.schema)?.reviewColumns ?? []
    guard let options else { return }
    limits = options.limits
    pacer = options.pacer(in: session)
  }
}
