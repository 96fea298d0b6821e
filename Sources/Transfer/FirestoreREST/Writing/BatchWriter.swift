/// Sends writes in concurrent commits and settles each of them.
///
///     let limits = BatchLimits(maximumWrites: 500)
///     let pacer = WritePacer(ramp: true)
///     try await BatchWriter.run(client, limits: limits, pacer: pacer, delegate: delegate) { writer in
///       for change in changes { try await writer.submit(change) }
///     }
///
/// The ``CommitScheduler`` decides, and this actor carries it out. With a ``WriteJournal``, a commit is sent only after its
/// changes are in the journal and synced.
package actor BatchWriter {
  let client: FirestoreClient
  let delegate: any BatchDelegate
  let journal: (any WriteJournal)?
  let limits: BatchLimits
  var scheduler: CommitScheduler
  private var failure: Failure?
  /// The time at which the loop wakes next.
  private var timer = Double.infinity
  /// The loop, while it waits for an event.
  private var sleeper: CheckedContinuation<Void, Never>?
  /// Whether an event arrived while the loop was not waiting.
  private var wasWoken = false
  private var submitters: [CheckedContinuation<Void, Never>] = []
  /// The number of commits being settled; the delegate may still replan some of their writes.
  var settling = 0
  /// The request for the service's time before the first commit.
  var asking: Task<Result<Timestamp?, Failure>, Never>?
  /// The delegate's preparations of commits, which are cancelled when nothing more is sent.
  var preparations: [Int: Task<Result<Void, Failure>, Never>] = [:]
  /// The number of seconds for commits in flight to settle after a stop; nil before.
  private var grace: Double?
  /// The grace period that a timer runs for.
  private var timedGrace: Double?
  private var isGraceOver = false

  private init(
    client: FirestoreClient,
    limits: BatchLimits,
    pacer: WritePacer,
    journal: (any WriteJournal)?,
    delegate: any BatchDelegate
  ) {
    self.client = client
    self.journal = journal
    self.delegate = delegate
    self.limits = limits
    scheduler = CommitScheduler(
      limits: limits,
      policy: client.caller.policy,
      pacer: pacer,
      // A resumed journal has the time of the first attempt, which is too early.
      serverTime: journal.flatMap { $0.isEmpty ? $0.serverTime : nil }
    )
  }

  /// Calls `body` with a writer, and returns when all submitted writes are settled.
  ///
  /// If `body` throws or the task is cancelled, commits in flight are still settled, by reading back if a response is lost.
  /// Writes that were not sent, or certainly not applied, are dropped. A cancelled task allows
  /// ``BatchLimits/interruptionGrace`` for this, a failure the time of one request.
  ///
  /// - Throws: The failure that ended the writing, or else the error of `body`, or else `.interrupted` if writes were
  ///   dropped. The cause includes the number of writes with an unknown result and, except for `.interrupted`, of those
  ///   that were not made.
  package static func run(
    _ client: FirestoreClient,
    limits: BatchLimits,
    pacer: WritePacer,
    journal: (any WriteJournal)? = nil,
    delegate: any BatchDelegate,
    _ body: (BatchWriter) async throws -> Void
  ) async throws {
    let writer = BatchWriter(
      client: client,
      limits: limits,
      pacer: pacer,
      journal: journal,
      delegate: delegate
    )
    // Commits in flight are settled even if this task is cancelled, so the loop is not its child.
    let loop = Task { await writer.work() }
    var thrown: (any Error)?
    do {
      try await body(writer)
      await writer.end()
    } catch {
      thrown = error
      await writer.drop(within: client.caller.policy.requestGrace)
    }
    await withTaskCancellationHandler {
      await loop.value
    } onCancel: {
      Task { await writer.drop(within: limits.interruptionGrace) }
    }
    if let failure = await writer.failure, failure.kind != .interrupted || thrown == nil {
      throw await writer.annotated(failure)
    }
    if let thrown {
      if thrown is CancellationError { throw await writer.annotated(Self.interrupted) }
      if let failure = thrown as? Failure { throw await writer.annotated(failure) }
      throw thrown
    }
    if await writer.scheduler.leavesSomething { throw await writer.annotated(Self.interrupted) }
  }

  /// Submits a change; waits while too many are pending.
  ///
  /// - Throws: The failure that ended the writing, or `.interrupted` if the task was cancelled.
  package func submit(_ change: Change) async throws(Failure) { try await submit([change]) }

  /// Submits changes in order; waits while too many are pending.
  ///
  /// - Throws: The errors of ``submit(_:)``.
  package nonisolated func submit(_ changes: [Change]) async throws(Failure) {
    // Encoding happens outside of the actor, which is busy with commits.
    try await add(changes.map { PendingWrite($0, in: client.database) })
  }

  /// Submits a write that was not derived from a document and is in no journal; waits while too many are pending.
  ///
  /// - Throws: The errors of ``submit(_:)``; `.internal` for a write that could be applied twice with a different result.
  package func submit(_ write: Write) async throws(Failure) {
    if write.isUnsafeToRepeat {
      throw Failure(
        .internal,
        "submit the write of",
        path: write.path.string,
        cause: "a transform that must not be applied twice has no updateTime precondition"
      )
    }
    try await add([PendingWrite(write, in: client.database)])
  }

  private func add(_ writes: [PendingWrite]) async throws(Failure) {
    var isNew = false
    for write in writes {
      while failure == nil,
        scheduler.waitingCount >= limits.maximumWrites * 2 || scheduler.waitingBytes >= ByteBudget.writes
      {
        if Task.isCancelled { break }
        if isNew { wake() }
        isNew = false
        await waitForEvent()
      }
      if let failure { throw failure }
      if Task.isCancelled {
        if isNew { wake() }
        throw Self.interrupted
      }
      scheduler.add(write)
      isNew = true
    }
    if isNew { wake() }
  }

  /// Waits until all submitted writes are settled.
  ///
  /// - Throws: The errors of ``submit(_:)``.
  package func drain() async throws(Failure) {
    scheduler.flush(true)
    defer { scheduler.flush(false) }
    wake()
    while failure == nil, !Task.isCancelled, !scheduler.isIdle || settling > 0 { await waitForEvent() }
    if let failure { throw failure }
    if Task.isCancelled { throw Self.interrupted }
  }

  /// Waits for the next event.
  private func waitForEvent() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { submitters.append($0) }
    } onCancel: {
      Task { await self.wake() }
    }
  }

  private func end() {
    scheduler.endInput()
    wake()
  }

  private static let interrupted = Failure(.interrupted, "finish writing", cause: "it was stopped")

  /// Stops sending, and allows a number of seconds for commits in flight.
  private func drop(within seconds: Double) {
    scheduler.stop()
    asking?.cancel()
    for preparation in preparations.values { preparation.cancel() }
    grace = min(grace ?? seconds, seconds)
    wake()
  }

  /// Returns the failure with the number of open writes.
  private func annotated(_ failure: Failure) -> Failure {
    var parts: [String] = []
    let (dropped, unknown) = (scheduler.droppedCount, scheduler.unknownCount)
    // If the run is interrupted or reaches its bound, this would count what was read ahead rather than what is left.
    if dropped > 0, failure.kind != .interrupted, !failure.isOfBound {
      parts.append("\(NumberText.counted(dropped, "write")) \(dropped == 1 ? "was" : "were") not made")
    }
    if unknown > 0 {
      let writes = NumberText.counted(unknown, "write")
      parts.append("for \(writes) it is not known whether \(unknown == 1 ? "it was" : "they were") made")
    }
    if parts.isEmpty { return failure }
    var failure = failure
    failure.cause += "; " + parts.joined(separator: ", and ")
    return failure
  }

  // MARK: The loop

  private func work() async {
    await withDiscardingTaskGroup { group in
      while true {
        if let grace, grace < timedGrace ?? .infinity {
          timedGrace = grace
          group.addTask {
            try? await RunClock.system.sleep(grace)
            await self.endGrace()
          }
        }
        if isGraceOver {
          group.cancelAll()
          scheduler.giveUp()
        }
        let now = client.caller.clock.now()
        switch scheduler.next(now: now) {
        case .commit(let chunk):
          group.addTask { await self.commit(chunk) }
        case .readBack(let chunk):
          group.addTask { await self.readBack(chunk) }
        case .wait(let until):
          if let until, until < timer {
            timer = until
            let clock = client.caller.clock
            group.addTask {
              try? await clock.sleep(until - now)
              await self.timerFired(at: until)
            }
          }
          await sleep()
        case .finished:
          if settling > 0 {
            await sleep()
          } else {
            group.cancelAll()
            await recordUnmade()
            return
          }
        }
      }
    }
  }

  private func sleep() async {
    if wasWoken {
      wasWoken = false
      return
    }
    await withCheckedContinuation { sleeper = $0 }
    wasWoken = false
  }

  /// Called when a timer fires.
  ///
  /// The loop sets the next one by its own clock, which may differ slightly.
  private func timerFired(at time: Double) {
    if timer == time { timer = .infinity }
    wake()
  }

  private func endGrace() {
    isGraceOver = true
    wake()
  }

  func wake() {
    wasWoken = true
    sleeper?.resume()
    sleeper = nil
    let waiters = submitters
    submitters = []
    for waiter in waiters { waiter.resume() }
  }

  /// Keeps the first failure and stops sending.
  func fail(_ failure: Failure) {
    if self.failure == nil { self.failure = failure }
    drop(within: client.caller.policy.requestGrace)
  }
}
