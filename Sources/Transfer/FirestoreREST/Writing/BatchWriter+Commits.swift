// How commits are prepared and sent, and read back if their response is lost.

extension BatchWriter {
  /// Prepares and sends a commit, and settles its writes.
  func commit(_ chunk: CommitScheduler.Chunk) async {
    settling += 1
    defer { settled() }
    do throws(Failure) {
      guard let chunk = try await prepared(chunk) else { return scheduler.forget(chunk.id) }
      await send(chunk)
    } catch {
      if !scheduler.isStopping { fail(error) }
      scheduler.forget(chunk.id)
    }
  }

  /// Returns the commit once its changes are in the journal; nil if the writing was stopped before.
  private func prepared(_ chunk: CommitScheduler.Chunk) async throws(Failure) -> CommitScheduler.Chunk? {
    var chunk = chunk
    if !scheduler.isStopping, chunk.needsServerTime {
      let time = try await serverTime(by: chunk)
      chunk = scheduler.learned(time, before: chunk.id, now: client.caller.clock.now()) ?? chunk
    }
    if scheduler.isStopping { return nil }
    try await askDelegate(before: chunk)
    let new = chunk.writes.filter { !$0.isJournaled }
    if let journal, !new.isEmpty {
      try await journal.record(new.compactMap(\.change))
      scheduler.journaled(chunk.id)
    }
    return chunk
  }

  private func send(_ chunk: CommitScheduler.Chunk) async {
    let clock = client.caller.clock
    let sent = clock.now()
    let budget = client.caller.policy.budget - (sent - (chunk.firstSent ?? sent))
    do throws(CallFailure) {
      let answer = try await client.commitOnce(
        chunk.writes.map(\.json),
        deletes: chunk.writes.deletes,
        timeout: min(75, max(1, budget))
      )
      let now = clock.now()
      let settled = scheduler.committed(chunk.id, answer, took: now - sent, now: now)
      // The next commit does not have to wait until these are settled, which may take a request.
      wake()
      await settle(settled)
    } catch {
      await settle(chunk, after: error, sentAt: sent)
    }
  }

  /// Retries the writes of a commit that failed, reads them back, or settles them.
  private func settle(_ chunk: CommitScheduler.Chunk, after error: CallFailure, sentAt sent: Double) async {
    let clock = client.caller.clock
    if CommitFailure(error).isRetried {
      let budget = client.caller.policy.after(error).budget
      client.caller.note(
        RetryNotice(
          rpc: .commit,
          attempt: chunk.attempts + 1,
          delay: 0,
          reason: error.reason,
          remaining: budget - (clock.now() - (chunk.firstSent ?? sent))
        )
      )
    }
    do throws(Failure) {
      await settle(try scheduler.failed(chunk.id, error, now: clock.now(), random: clock.random()))
    } catch {
      // A cancellation at the end of the grace period is not the cause of the end.
      if error.kind != .interrupted || !scheduler.isStopping { fail(error) }
    }
  }

  /// Lets the delegate prepare for a commit.
  private func askDelegate(before chunk: CommitScheduler.Chunk) async throws(Failure) {
    let preparation = Task { [delegate] in
      await Result(awaiting: { () throws(Failure) in
        try await delegate.willCommit(chunk.writes.map(\.write))
      })
    }
    preparations[chunk.id] = preparation
    defer { preparations[chunk.id] = nil }
    try await preparation.value.get()
  }

  /// Requests the service's time before the first commit, once.
  ///
  /// Later commits use the commit times of responses. Credentials without read permission get nil.
  private func serverTime(by chunk: CommitScheduler.Chunk) async throws(Failure) -> Timestamp? {
    guard let path = chunk.writes.first?.write.path else { return nil }
    let task =
      asking
      ?? Task { [client] in
        await Result(awaiting: { () throws(Failure) in try await client.serverTime(reading: path) })
          .flatMapError { $0.kind == .notPermitted ? .success(nil) : .failure($0) }
      }
    asking = task
    return try await task.value.get()
  }

  /// Reads the documents of a commit whose response was lost, and settles its writes.
  func readBack(_ chunk: CommitScheduler.Chunk) async {
    settling += 1
    defer { settled() }
    do throws(Failure) {
      let documents = try await client.batchGet(chunk.writes.map(\.write.path))
      await settle(try scheduler.readBack(chunk.id, documents, now: client.caller.clock.now()))
    } catch {
      scheduler.readBackFailed(chunk.id)
      if error.kind != .interrupted || !scheduler.isStopping { fail(error) }
    }
  }

  private func settled() {
    settling -= 1
    wake()
  }
}
