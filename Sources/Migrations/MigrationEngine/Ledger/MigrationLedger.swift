package import Configuration
package import FirestoreREST
package import Logging
package import Runs

/// The record of the runs that changed a database (`_gymmigrate_runs`), and the lock of the run that may change it now
/// (`_gymmigrate/lock`).
///
///     let ledger = MigrationLedger(client: client, logger: logger)
///     for entry in try await ledger.entries() where entry.status == .running {
///       print(entry.run, entry.startedAt)
///     }
package struct MigrationLedger: Sendable {
  let client: FirestoreClient
  /// The gate of a run's commits.
  private let gate: CommitGate
  private let clock: RunClock
  private let logger: Logger
  /// The options with which commands suggested in errors reach the database.
  let place: CommandPlace

  package init(
    client: FirestoreClient,
    clock: RunClock = .system,
    logger: Logger,
    offering place: CommandPlace = CommandPlace()
  ) {
    self.place = place
    // The lease and the entries are written even if the gate stops the run's own writes.
    self.client = client.ungated
    gate = client.gate
    self.clock = clock
    self.logger = logger
  }

  // MARK: Queries

  /// Returns the runs in the ledger, the latest last.
  package func entries() async throws -> [LedgerEntry] {
    try await entries(of: CollectionRead(LedgerEntry.collection))
  }

  private func entries(of read: CollectionRead) async throws -> [LedgerEntry] {
    var entries: [LedgerEntry] = []
    for try await page in client.pages(of: read) {
      entries += page.map { LedgerEntry($0) }
    }
    // Times that the service sets in fields have milliseconds; those of documents are finer.
    return entries.sorted { a, b in
      for time in [\LedgerEntry.startedAt, \.createTime] {
        guard let first = a[keyPath: time], let second = b[keyPath: time], first != second else { continue }
        return first < second
      }
      return a.run.compareUTF8(b.run) < 0
    }
  }

  /// Returns the run that holds the lease; nil if there is none.
  package func holder() async throws -> (run: String, holder: String, isExpired: Bool)? {
    let (document, now) = try await client.get(Lease.path)
    switch Lease.state(of: document, now: now ?? .now, for: []) {
    case .free, .own: return nil
    case .expired(let lease): return (lease.run, lease.holder, true)
    case .held(let lease, _): return (lease.run, lease.holder, false)
    }
  }

  package func entry(of run: String) async throws -> LedgerEntry? {
    try await client.get(LedgerEntry.path(of: run)).document.map { LedgerEntry($0) }
  }

  // MARK: Clearing

  /// Deletes the lease of any run; a running one notices at its next renewal and stops.
  ///
  /// - Returns: The run that held the lease; nil if none did.
  /// - Throws: ``Failure``; `.tryLater` if the lease keeps changing.
  package func unlock() async throws -> (run: String, holder: String)? {
    // One renewal may intervene; more are unlikely.
    for _ in 0..<3 {
      guard let document = try await client.get(Lease.path).document else { return nil }
      guard case .written = try await client.perform(Lease.removal(of: document)) else { continue }
      let lease = Lease(document)
      return (lease.run, lease.holder)
    }
    throw Failure(
      .tryLater,
      "take the lease away",
      path: Lease.path.string,
      cause: "it changes all the time",
      remedy: "See who holds the lock with '\(place.status)', and try again."
    )
  }

  /// Records that a run that stopped early stays as it is, so that others may begin.
  ///
  /// - Parameters:
  ///   - isDead: Whether its process is known to have ended, so that its lease may be deleted at once.
  ///   - isUnrecorded: Whether a command may have cleared it without recording that in the run's folder.
  ///   - willClear: Called before the first write, once every check has passed.
  /// - Throws: `.inputMissing` if the ledger does not know the run, `.usage` if it did not stop early, `.tryLater` if it may
  ///   still be running.
  package func clear(
    _ run: String,
    isDead: Bool,
    isUnrecorded: Bool = false,
    willClear: () throws -> Void = {}
  ) async throws {
    func refusal(_ kind: Failure.Kind, _ cause: String, _ remedy: String? = nil) -> Failure {
      Failure(kind, "clear the run", path: run, cause: cause, remedy: remedy)
    }
    guard var entry = try await entry(of: run) else {
      throw refusal(
        .inputMissing,
        "the ledger of \(client.database) does not know it",
        "'\(place.status)' shows what it knows."
      )
    }
    if isUnrecorded, entry.status == .cleared { return try willClear() }
    guard entry.blocks else {
      throw refusal(.usage, "it is \(entry.status.rawValue): nothing waits for it")
    }
    let (document, now) = try await client.get(Lease.path)
    if let document, Lease(document).run.isIdentical(to: run) {
      if !isDead, case .held(let lease, let seconds) = Lease.state(of: document, now: now ?? .now, for: []) {
        throw refusal(
          .tryLater,
          "\(lease.holder) may still be running",
          "Should it be dead, its lease runs out in \(Int(seconds.rounded(.up))) s; '\(place.unlock())' takes it away."
        )
      }
      try willClear()
      _ = try await client.perform(Lease.removal(of: document))
    } else {
      try willClear()
    }
    (entry.status, entry.endsNow) = (.cleared, true)
    _ = try await put(entry)
  }

  // MARK: A run

  /// Runs `body` as the only run that may change the database.
  ///
  /// The lease is held and renewed meanwhile. The entry is in the ledger before the first write, and records the end afterwards.
  ///
  /// - Parameters:
  ///   - isResumed: Whether the run is resumed, so that it may take over its own lease and entry.
  ///   - takingBack: What the run reverts without being an undo; nil for nothing.
  ///   - isEmpty: Whether nothing has been written; called at the end of a failed run.
  ///   - counts: Returns the run's counts, for the entry.
  /// - Throws: `.tryLater` if another run holds the lease or stopped early, or if the lease is lost; `.notPermitted` if a
  ///   migration's file is not the one that was applied under its ID; errors of `body`.
  package func perform(
    _ entry: LedgerEntry,
    isResumed: Bool,
    takingBack: TakenBack? = nil,
    isEmpty: @escaping @Sendable () -> Bool,
    counts: RunCounts,
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let keeper = LeaseKeeper(client, of: entry, offering: place)
    try await taking(keeper, for: entry) {
      let began = try await begin(entry, isResumed: isResumed, takingBack: takingBack, with: keeper)
      try await settle(began, isEmpty: isEmpty, counts: counts) {
        try await renewing(keeper, began, body)
      }
      await giveBack(keeper)
    }
  }

  /// Takes the lease for a run, and releases it if `body` fails.
  func taking(_ keeper: LeaseKeeper, for entry: LedgerEntry, _ body: () async throws -> Void) async throws {
    let account = client.caller.traffic.account
    account.keep(Self.end)
    defer { account.keep(Cost()) }
    // A lease that could not be released would lock the database until it expires.
    try account.requireRoom(for: Self.beginning)
    try await keeper.take(overFrom: [entry.run] + (entry.undoes.map { [$0] } ?? []))
    do {
      try await body()
    } catch {
      await giveBack(keeper)
      throw error
    }
  }

  /// The first writes of a run: its lease and its entry.
  private static let beginning = Cost(writes: 2)

  /// The cost of a run's end: its entry and its lease are read and written, and again after lost responses.
  package static let end = Cost(reads: 8, writes: 2, deletes: 2)

  private func giveBack(_ keeper: LeaseKeeper) async {
    do {
      try await clock.finishing { try await keeper.giveBack() }
    } catch {
      logger.warning(
        "The lease could not be given back; it runs out in a minute.",
        metadata: ["reason": "\(error)"]
      )
    }
  }

  /// Returns the entries that decide whether a run may begin: those that block others, its own, and the one it undoes; or all
  /// entries, if it depends on what was applied.
  private func needed(by entry: LedgerEntry, _ takingBack: TakenBack?) async throws -> [LedgerEntry] {
    if takingBack != nil || entry.undoes == nil && entry.migrations.contains(where: { $0.checksum != nil }) {
      return try await entries()
    }
    var read = CollectionRead(LedgerEntry.collection)
    read.filter = LedgerEntry.blocking
    var found = try await entries(of: read)
    for run in [entry.run] + (entry.undoes.map { [$0] } ?? [])
    where !found.contains(where: { $0.run.isIdentical(to: run) }) {
      if let other = try await self.entry(of: run) { found.append(other) }
    }
    return found
  }

  /// Checks that the run may begin, and records it while holding the lease.
  ///
  /// Its entry is the fence of its commits. Anything that an earlier process of the run, a run that it undoes, or one that
  /// stopped before that, has not committed by then can no longer be applied, because its fence has changed.
  func begin(
    _ entry: LedgerEntry,
    isResumed: Bool,
    takingBack: TakenBack? = nil,
    with keeper: LeaseKeeper
  ) async throws -> LedgerEntry {
    let known = try await needed(by: entry, takingBack)
    try LedgerRules.assertMayBegin(entry, isResumed: isResumed, known: known, offering: place)
    var entry = entry
    let former = known.first { $0.run.isIdentical(to: entry.run) }
    (entry.startedAt, entry.updateTime) = (former?.startedAt, former?.updateTime)
    if let takingBack {
      (entry.takenBack, entry.rewrites) =
        former.map { ($0.takenBack, $0.rewrites) } ?? takingBack.found(in: known)
      for line in TakenBack.lines(entry) { logger.notice("\(line)") }
    }
    let undone = entry.undoes.flatMap { id in known.first { $0.run.isIdentical(to: id) } }
    let written = [entry] + (undone.map { [$0] } ?? []) + LedgerRules.passed(by: entry, in: known)
    let (_, end) = try await client.runTransaction(on: entry.path, willCommit: { _ in }) { transaction in
      try await keeper.confirm(in: transaction)
      let current = try await transaction.documents(written.map(\.path))
      for entry in written where current[entry.path]?.updateTime != entry.updateTime {
        throw conflict(entry)
      }
      return .commit(written.map(\.write), ())
    }
    switch end {
    case .committed(let times): entry.updateTime = times.first ?? nil
    case .refused(let error): throw Self.refusal(entry, error)
    case .left, .contended: throw conflict(entry)
    }
    return entry
  }

  /// Runs `body` and records how it ended.
  private func settle(
    _ entry: LedgerEntry,
    isEmpty: @Sendable () -> Bool,
    counts: RunCounts,
    _ body: () async throws -> Void
  ) async throws {
    var entry = entry
    func record(_ status: LedgerEntry.Status) async throws {
      (entry.status, entry.endsNow) = (status, true)
      entry.totals = counts.totals
      entry.hasChanged = !isEmpty()
      let entry = entry
      _ = try await clock.finishing { try await putEnd(entry) }
    }
    do {
      try await body()
    } catch {
      let isInterrupted = error is CancellationError || (error as? Failure)?.kind == .interrupted
      do {
        try await record(isInterrupted ? .interrupted : .failed)
      } catch {
        logger.warning("The ledger does not record the end of the run.", metadata: ["reason": "\(error)"])
      }
      throw error
    }
    try await record(counts.totals.leavesSomething ? .incomplete : .done)
    if let undone = entry.undoes, counts.totals.hasUndone, var original = try await self.entry(of: undone) {
      original.endsNow = original.endedAt == nil
      (original.status, original.undoneBy) = (.undone, entry.run)
      original.leftToUndo = counts.totals.refused
      _ = try await put(original)
    }
  }

  /// Runs `body` while renewing the lease, with each commit checking the lease and fenced by the entry.
  func renewing(
    _ keeper: LeaseKeeper,
    _ entry: LedgerEntry,
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let fence = entry.updateTime.map { CommitGate.Fence(entry.path, at: $0, lost: keeper.lost) }
    try await clock.renewing(every: Lease.renewal, { try await keeper.renew() }) { [gate] in
      try await gate.hold({ try await keeper.check($0) }, fence: fence, body)
    }
  }

  /// Records a run that holds no lease and blocks no other; it may have been recorded before it was resumed.
  ///
  /// - Throws: ``Failure``.
  package func note(_ entry: LedgerEntry) async throws {
    let former = try await client.get(entry.path).document.map { LedgerEntry($0) }
    if former?.status == .undone { return }
    var entry = entry
    (entry.startedAt, entry.updateTime) = (former?.startedAt ?? entry.startedAt, former?.updateTime)
    entry.endsNow = entry.status != .running
    _ = try await put(entry)
  }

  /// Writes the end of a run; if it was cleared meanwhile, only its counts.
  private func putEnd(_ entry: LedgerEntry) async throws {
    do {
      _ = try await put(entry)
    } catch let failure as Failure where failure.kind == .tryLater {
      guard var cleared = try await self.entry(of: entry.run), cleared.status == .cleared else {
        throw failure
      }
      (cleared.totals, cleared.hasChanged, cleared.endsNow) = (entry.totals, entry.hasChanged, true)
      _ = try await put(cleared)
      throw failure
    }
  }

  /// Writes an entry over the document that was read.
  ///
  /// - Returns: The entry with its new update time.
  /// - Throws: `.tryLater` if another process wrote the entry meanwhile, by resuming or clearing the run.
  func put(_ entry: LedgerEntry) async throws -> LedgerEntry {
    switch try await client.perform(entry.write) {
    case .written(let updateTime):
      var entry = entry
      entry.updateTime = updateTime
      return entry
    case .rejected(let error): throw Self.refusal(entry, error)
    case .conflicted, .unchanged, .skipped: throw conflict(entry)
    }
  }

  private static func refusal(_ entry: LedgerEntry, _ error: FirestoreError) -> Failure {
    Failure(.internal, "write the ledger", path: entry.path.string, cause: error.message, service: error)
  }

  private func conflict(_ entry: LedgerEntry) -> Failure {
    Failure(
      .tryLater,
      "write the ledger",
      path: entry.path.string,
      cause: "somebody else wrote it meanwhile",
      remedy: "See how it is with '\(place.status)'."
    )
  }
}
