public import Models

/// What the batch writer asks and tells while it works.
///
/// Calls for different commits may overlap; those for one document come one after another, in the order in
/// which its writes were submitted.
public protocol BatchDelegate: Sendable {
  /// Called before a commit is sent with what it holds; a journal is written and synced here.
  func willCommit(_ writes: [Write]) async throws(Failure)
  /// Called once for each write that is settled for good.
  func didSettle(_ write: Write, _ result: WriteResult) async throws(Failure)
  /// What to do about a write whose document is not what it expects (as it is now, nil where there is none).
  func resolve(_ write: Write, current: RawDocument?) async -> ConflictResolution
}

/// What became of a write for good.
public enum WriteResult: Sendable, Equatable {
  /// The service confirmed it; the update time that the document has by it, nil after a delete.
  case written(updateTime: Timestamp?)
  /// The service refuses it.
  case rejected(FirestoreError)
  /// The document kept changing, or is not what the write expects.
  case conflicted
  /// Planning the document again showed that nothing is left to do.
  case unchanged
  /// Planning it again showed that it is to be left alone.
  case skipped
}

/// What to do about a write whose document has changed.
public enum ConflictResolution: Sendable {
  /// Send this instead.
  case write(Write)
  /// Give it up, with this result.
  case settle(WriteResult)
}

/// Sends writes in commits, several in flight, and settles each of them: what the ``CommitScheduler`` decides, this
/// performs.
public actor BatchWriter {
  private let client: FirestoreClient
  private let delegate: any BatchDelegate
  private let limits: BatchLimits
  private var scheduler: CommitScheduler
  private var failure: Failure?
  /// When the loop is woken next.
  private var timer = Double.infinity
  /// The loop, where it waits for an event.
  private var sleeper: CheckedContinuation<Void, Never>?
  /// Whether an event came while the loop was not waiting.
  private var wasWoken = false
  private var submitters: [CheckedContinuation<Void, Never>] = []
  /// Answers whose writes are being settled: the delegate may yet plan some of them again.
  private var settling = 0

  private init(
    client: FirestoreClient,
    limits: BatchLimits,
    pacer: WritePacer,
    delegate: any BatchDelegate
  ) {
    self.client = client
    self.delegate = delegate
    self.limits = limits
    scheduler = CommitScheduler(limits: limits, policy: client.caller.policy, pacer: pacer)
  }

  /// Runs `body` with a writer and returns when every write that it submitted is settled.
  ///
  /// Where `body` throws, or the task is cancelled, what is in flight is still settled: an answer that is lost, by
  /// reading back. What was not sent, or was sent and is known not to be applied, is dropped.
  ///
  /// - Throws: The failure that ended the writing, else what `body` throws, else `.interrupted` where writes were
  ///   dropped.
  public static func run(
    _ client: FirestoreClient,
    limits: BatchLimits,
    pacer: WritePacer,
    delegate: any BatchDelegate,
    _ body: (BatchWriter) async throws -> Void
  ) async throws {
    let writer = BatchWriter(client: client, limits: limits, pacer: pacer, delegate: delegate)
    // Commits in flight are settled even where the task around them is cancelled, so the loop is no child of it.
    let loop = Task { await writer.work() }
    do {
      try await body(writer)
    } catch {
      await writer.drop()
      await loop.value
      if let failure = await writer.failure, failure.kind != .interrupted { throw failure }
      throw error
    }
    await writer.end()
    await withTaskCancellationHandler {
      await loop.value
    } onCancel: {
      Task { await writer.drop() }
    }
    if let failure = await writer.failure { throw failure }
    if await writer.scheduler.droppedCount > 0 { throw Self.interrupted }
  }

  /// Takes a write; waits while enough of them are on their way.
  ///
  /// - Throws: The failure that ended the writing, or `.interrupted` where the task was cancelled.
  public func submit(_ write: Write) async throws(Failure) {
    if write.isUnsafeToRepeat { throw Self.unsafe(write) }
    while failure == nil,
      scheduler.waitingCount >= limits.maximumWrites * 2 || scheduler.bytesWaiting > 16 << 20
    {
      if Task.isCancelled { break }
      await withTaskCancellationHandler {
        await withCheckedContinuation { submitters.append($0) }
      } onCancel: {
        Task { await self.wake() }
      }
    }
    if let failure { throw failure }
    if Task.isCancelled { throw Self.interrupted }
    scheduler.add(PendingWrite(write, in: client.database))
    wake()
  }

  private func end() {
    scheduler.endInput()
    wake()
  }

  private static let interrupted = Failure(.interrupted, "write", cause: "it was cancelled")

  private static func unsafe(_ write: Write) -> Failure {
    Failure(
      .internal,
      "submit the write of",
      path: write.path.string,
      cause: "a transform that must not be applied twice has no updateTime precondition"
    )
  }

  private func drop() {
    scheduler.stop()
    wake()
  }

  // MARK: The loop

  private func work() async {
    await withDiscardingTaskGroup { group in
      while true {
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
              await self.rang(until)
            }
          }
          await sleep()
        case .finished:
          if settling > 0 {
            await sleep()
          } else {
            group.cancelAll()
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

  /// A timer is over.
  ///
  /// The loop sets the next one by its clock, whose view of the time may differ a little.
  private func rang(_ time: Double) {
    if timer == time { timer = .infinity }
    wake()
  }

  private func wake() {
    wasWoken = true
    sleeper?.resume()
    sleeper = nil
    let waiters = submitters
    submitters = []
    for waiter in waiters { waiter.resume() }
  }

  private func commit(_ chunk: CommitScheduler.Chunk) async {
    settling += 1
    defer { settled() }
    let clock = client.caller.clock
    if scheduler.isStopping {
      scheduler.forget(chunk.id)
      return
    }
    do throws(Failure) {
      try await delegate.willCommit(chunk.writes.map(\.write))
    } catch {
      fail(error)
      scheduler.forget(chunk.id)
      return
    }
    let sent = clock.now()
    let budget = client.caller.policy.budget - (sent - (chunk.firstSent ?? sent))
    do throws(CallFailure) {
      let answer = try await client.commitOnce(chunk.writes.map(\.json), timeout: min(75, max(1, budget)))
      await settle(scheduler.committed(chunk.id, answer, took: clock.now() - sent))
    } catch {
      if CommitFailure(error).isRetried {
        client.caller.note(
          RetryNotice(rpc: .commit, attempt: chunk.attempts + 1, delay: 0, reason: error.reason)
        )
      }
      do throws(Failure) {
        await settle(try scheduler.failed(chunk.id, error, now: clock.now(), random: clock.random()))
      } catch {
        fail(error)
      }
    }
  }

  private func readBack(_ chunk: CommitScheduler.Chunk) async {
    settling += 1
    defer { settled() }
    do throws(Failure) {
      let documents = try await client.batchGet(chunk.writes.map(\.write.path))
      await settle(scheduler.readBack(chunk.id, documents, now: client.caller.clock.now()))
    } catch {
      scheduler.readBackFailed(chunk.id)
      fail(error)
    }
  }

  private func settled() {
    settling -= 1
    wake()
  }

  private func settle(_ settled: [CommitScheduler.Settled]) async {
    for (pending, settlement) in settled {
      switch settlement {
      case .written(let updateTime): await finish(pending, .written(updateTime: updateTime))
      case .rejected(let error): await finish(pending, .rejected(error))
      case .conflict(let current): await resolve(pending, current)
      }
    }
  }

  private func resolve(_ pending: PendingWrite, _ current: RawDocument?) async {
    if pending.mustNotRepeat || pending.replans >= limits.maximumReplans || scheduler.isStopping {
      await finish(pending, .conflicted)
      return
    }
    switch await delegate.resolve(pending.write, current: current) {
    case .settle(let result): await finish(pending, result)
    case .write(let write):
      if write.path != pending.write.path || write.isUnsafeToRepeat {
        fail(Self.unsafe(write))
        scheduler.done(with: pending)
      } else if scheduler.isStopping {
        await finish(pending, .conflicted)
      } else {
        scheduler.replan(pending, as: PendingWrite(write, in: client.database, replans: pending.replans + 1))
      }
    }
  }

  private func finish(_ pending: PendingWrite, _ result: WriteResult) async {
    do throws(Failure) {
      try await delegate.didSettle(pending.write, result)
    } catch {
      fail(error)
    }
    scheduler.done(with: pending)
  }

  /// Keeps the first failure and sends nothing new after it.
  private func fail(_ failure: Failure) {
    if self.failure == nil { self.failure = failure }
    scheduler.stop()
    wake()
  }
}
