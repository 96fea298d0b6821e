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
    if hasConflict, !scheduler.isStopping { await assertMayWrite() }
    for (pending, settlement) in settled {
      switch settlement {
      case .written: break
      case .rejected(let error): await finish(pending, .rejected(error))
      case .contended: await finish(pending, .conflicted)
      case .conflict(let current): await resolve(pending, current)
      }
    }
  }

  /// Ends the writing if the run may no longer write; conflicts are then not replanned.
  private func assertMayWrite() async {
    do throws(Failure) {
      try await client.gate.pass(.conflict)
    } catch {
      fail(error)
    }
  }

  /// Calls `body`; a failure of it ends the writing.
  private func failing(_ body: () throws(Failure) -> Void) {
    do throws(Failure) {
      try body()
    } catch {
      fail(error)
    }
  }

  private func resolve(_ pending: PendingWrite, _ current: RawDocument?) async {
    // A commit from before the interruption may have been applied after the document had been read again.
    var isClaimed = false
    if let journal, journal.hasTail, pending.isApplied(in: current) {
      failing { () throws(Failure) in
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
        settleInJournal([(pending, .conflicted)])
        scheduler.replan(
          pending,
          as: PendingWrite(change, in: client.database, replans: pending.replans + 1)
        )
      }
    }
  }

  /// Finishes writes that the service confirmed together.
  private func finish(_ written: [(pending: PendingWrite, updateTime: Timestamp?)]) async {
    settleInJournal(written.map { ($0.pending, .written(updateTime: $0.updateTime)) })
    // The service's results are counted even if they could not be recorded.
    do throws(Failure) {
      try await delegate.didWrite(written.map { ($0.pending.write, $0.updateTime) })
    } catch {
      fail(error)
    }
    for (pending, _) in written { scheduler.done(with: pending) }
  }

  private func finish(_ pending: PendingWrite, _ result: WriteResult) async {
    settleInJournal([(pending, result)])
    // The service's result is counted even if it could not be recorded.
    do throws(Failure) {
      try await delegate.didSettle(pending.write, result)
    } catch {
      fail(error)
    }
    scheduler.done(with: pending)
  }

  private func settleInJournal(_ results: [(pending: PendingWrite, result: WriteResult)]) {
    guard let journal else { return }
    let recorded = results.filter(\.pending.isJournaled)
    if recorded.isEmpty { return }
    failing { () throws(Failure) in
      try journal.settle(recorded.map { ($0.pending.write.path, $0.result) })
    }
  }
}
