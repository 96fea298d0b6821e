// What happens to writes whose result is known.

extension BatchWriter {
  func settle(_ settled: [CommitScheduler.Settled]) async {
    let bytes = settled.reduce(0) { $0 + $1.write.bytes }
    scheduler.settlingBytes += bytes
    defer { scheduler.settlingBytes -= bytes }
    var written: [(pending: PendingWrite, updateTime: Timestamp?)] = []
    for (pending, settlement) in settled {
      if case .written(let updateTime) = settlement { written.append((pending, updateTime)) }
    }
    if !written.isEmpty { await finish(written) }
    let hasConflict = settled.contains { if case .conflict = $0.settlement { true } else { false } }
    if hasConflict, !scheduler.isStopping {
      // A run that may no longer write does not replan conflicts.
      await failing { () throws(Failure) in try await client.gate.pass(.conflict) }
    }
    for (pending, settlement) in settled {
      switch settlement {
      case .written: break
      case .rejected(let error): await finish(pending, .rejected(error))
      case .contended: await finish(pending, .conflicted)
      case .conflict(let current): await resolve(pending, current)
      }
    }
  }

  /// Calls `body`; a failure of it ends the writing.
  private func failing(_ body: () async throws(Failure) -> Void) async {
    do throws(Failure) {
      try await body()
    } catch {
      fail(error)
    }
  }

  private func resolve(_ pending: PendingWrite, _ current: RawDocument?) async {
    // A commit from before the interruption may have been applied after the document had been read again.
    var isClaimed = false
    if let journal, journal.hasTail, pending.isApplied(in: current) {
      await failing { () throws(Failure) in
        isClaimed = try journal.claimsWrite(of: pending.write.path, current: current)
      }
    }
    if isClaimed {
      let time = pending.updateTime(in: current, committedAt: nil)
      await finish(pending, .written(updateTime: time))
      return
    }
    if pending.mustNotRepeat || pending.replans >= limits.maximumReplans || scheduler.isStopping {
      await finish(pending, .conflicted)
      return
    }
    switch await delegate.resolve(pending.write, current: current) {
    case .settle(let result): await finish(pending, result)
    case .change(let change):
      if scheduler.isStopping {
        await finish(pending, .conflicted)
      } else {
        await settleInJournal([(pending, .conflicted)])
        scheduler.replan(
          pending,
          as: PendingWrite(change, in: client.database, replans: pending.replans + 1)
        )
      }
    }
  }

  /// Finishes writes that the service confirmed together.
  private func finish(_ written: [(pending: PendingWrite, updateTime: Timestamp?)]) async {
    await settleInJournal(written.map { ($0.pending, .written(updateTime: $0.updateTime)) })
    // The service's results are counted even if they could not be recorded.
    await failing { () throws(Failure) in
      try await delegate.didWrite(written.map { ($0.pending.write, $0.updateTime) })
    }
    for (pending, _) in written { scheduler.done(with: pending) }
  }

  private func finish(_ pending: PendingWrite, _ result: WriteResult) async {
    await settleInJournal([(pending, result)])
    // The service's result is counted even if it could not be recorded.
    await failing { () throws(Failure) in try await delegate.didSettle(pending.write, result) }
    scheduler.done(with: pending)
  }

  /// Records that writes were dropped before they were sent.
  ///
  /// Otherwise it would not be known of their documents whether the run wrote them, once somebody else does.
  func recordUnmade() async {
    guard let journal, !scheduler.unmade.isEmpty else { return }
    await failing { () throws(Failure) in try journal.settle(scheduler.unmade.map { ($0, .skipped) }) }
  }

  private func settleInJournal(_ results: [(pending: PendingWrite, result: WriteResult)]) async {
    guard let journal else { return }
    let recorded = results.filter(\.pending.isJournaled)
    if recorded.isEmpty { return }
    await failing { () throws(Failure) in
      try journal.settle(recorded.map { ($0.pending.write.path, $0.result) })
    }
  }
}
