public import Models

/// What the batch writer asks and tells while it works.
///
/// It is called on the writer's actor, one call at a time.
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
  /// Where `body` throws or is cancelled, what is in flight is still settled, and what was not sent is dropped.
  ///
  /// - Throws: The failure that ended the writing, else what `body` throws.
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
    await loop.value
    if let failure = await writer.failure { throw failure }
  }

  /// Takes a write; waits while enough of them are on their way.
  ///
  /// - Throws: The failure that ended the writing, or `.interrupted` where the task was cancelled.
  public func submit(_ write: Write) async throws(Failure) {
    if write.needsUpdateTime {
      throw Failure(
        .internal,
        "submit the write of",
        path: write.path.string,
        cause: "a transform that must not be applied twice has no updateTime precondition"
      )
    }
    while failure == nil,
      scheduler.waitingCount >= limits.maximumWrites * 2 || scheduler.bytesWaiting > 16 << 20
    {
      if Task.isCancelled { break }
      await withCheckedContinuation { submitters.append($0) }
    }
    if let failure { throw failure }
    if Task.isCancelled { throw Failure(.interrupted, "write", cause: "it was cancelled") }
    scheduler.add(PendingWrite(write, in: client.database))
    wake()
  }

  private func end() {
    scheduler.endInput()
    wake()
  }

  private func drop() {
    _ = scheduler.stop()
    wake()
  }

  // MARK: The loop

  private func work() async {
    await withDiscardingTaskGroup { group in
      var timer = Double.infinity
      while true {
        let now = client.caller.clock.now()
        switch scheduler.next(now: now) {
        case .commit(let chunk):
          group.addTask { await self.commit(chunk) }
        case .readBack(let chunk):
          group.addTask { await self.readBack(chunk) }
        case .wait(let until):
          if let until, until < timer || timer <= now {
            timer = until
            let clock = client.caller.clock
            group.addTask {
              try? await clock.sleep(until - now)
              await self.wake()
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
      client.caller.note(
        RetryNotice(rpc: .commit, attempt: chunk.attempts + 1, delay: 0, reason: error.reason)
      )
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
      do throws(Failure) {
        try scheduler.readBackFailed(chunk.id, error)
      } catch {
        fail(error)
      }
    }
  }

  private func settled() {
    settling -= 1
    wake()
  }

  private func settle(_ settled: [CommitScheduler.Settled]) async {
    for (pending, settlement) in settled {
      switch settlement {
      case .written(let updateTime): await finish(pending.write, .written(updateTime: updateTime))
      case .rejected(let error): await finish(pending.write, .rejected(error))
      case .conflict(let current):
        if pending.replans >= limits.maximumReplans || failure != nil {
          await finish(pending.write, .conflicted)
          continue
        }
        switch await delegate.resolve(pending.write, current: current) {
        case .write(let write):
          scheduler.addFirst(PendingWrite(write, in: client.database, replans: pending.replans + 1))
        case .settle(let result): await finish(pending.write, result)
        }
      }
    }
  }

  private func finish(_ write: Write, _ result: WriteResult) async {
    do throws(Failure) {
      try await delegate.didSettle(write, result)
    } catch {
      fail(error)
    }
  }

  /// Keeps the first failure and sends nothing new after it.
  private func fail(_ failure: Failure) {
    if self.failure == nil { self.failure = failure }
    _ = scheduler.stop()
    wake()
  }
}

extension Write {
  /// Whether applying it twice differs from applying it once and nothing would stop the second time.
  fileprivate var needsUpdateTime: Bool {
    guard transforms.contains(where: { if case .increment = $0.operation { true } else { false } }) else {
      return false
    }
    switch precondition {
    case .updateTime, .exists(false): return false
    case .exists(true), nil: return true
    }
  }
}
