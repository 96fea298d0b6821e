import FirestoreModels

// What becomes of writes whose result is known.

extension BatchWriter {
  func settle(_ settled: [CommitScheduler.Settled]) async {
    var written: [(pending: PendingWrite, updateTime: Timestamp?)] = []
    for (pending, settlement) in settled {
      if case .written(let updateTime) = settlement { written.append((pending, updateTime)) }
    }
    if !written.isEmpty { await finish(written) }
    for (pending, settlement) in settled {
      switch settlement {
      case .written: break
      case .rejected(let error): await finish(pending, .rejected(error))
      case .conflict(let current): await resolve(pending, current)
      }
    }
  }

  private func resolve(_ pending: PendingWrite, _ current: RawDocument?) async {
    do throws(Failure) {
      // A commit from before the interruption was applied after the document had been read again.
      if let journal, journal.hasTail, pending.leavesUnchanged(current),
        try journal.claimsWrite(of: pending.write.path, current: current)
      {
        await finish(pending, .written(updateTime: current?.updateTime))
        return
      }
    } catch {
      fail(error)
    }
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
        do throws(Failure) {
          try settleInJournal(pending, .conflicted)
        } catch {
          fail(error)
        }
        scheduler.replan(
          pending,
          as: PendingWrite(write, in: client.database, before: current, replans: pending.replans + 1)
        )
      }
    }
  }

  /// Finishes writes that the service confirmed together.
  private func finish(_ written: [(pending: PendingWrite, updateTime: Timestamp?)]) async {
    if let journal {
      do throws(Failure) {
        let recorded = written.filter(\.pending.isJournaled)
        if !recorded.isEmpty {
          try journal.settle(recorded.map { ($0.pending.write.path, .written(updateTime: $0.updateTime)) })
        }
      } catch {
        fail(error)
      }
    }
    // The service's results are counted even if they could not be recorded.
    do throws(Failure) {
      try await delegate.didWrite(written.map { ($0.pending.write, $0.updateTime) })
    } catch {
      fail(error)
    }
    for (pending, _) in written { scheduler.done(with: pending) }
  }

  private func finish(_ pending: PendingWrite, _ result: WriteResult) async {
    do throws(Failure) {
      try settleInJournal(pending, result)
    } catch {
      fail(error)
    }
    // The service's result is counted even if it could not be recorded.
    do throws(Failure) {
      try await delegate.didSettle(pending.write, result)
    } catch {
      fail(error)
    }
    scheduler.done(with: pending)
  }

  private func settleInJournal(_ pending: PendingWrite, _ result: WriteResult) throws(Failure) {
    if let journal, pending.isJournaled { try journal.settle(pending.write.path, result) }
  }
}
