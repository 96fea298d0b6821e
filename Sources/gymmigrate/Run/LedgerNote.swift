import Logging
import MigrationEngine

extension Session {
  /// Runs `body`, and afterwards records in the ledger that it wrote without a lease, so that the ledger lists every run that
  /// wrote.
  ///
  /// The record is not essential, so it takes at most a few seconds, and its failure is ignored.
  func noted(
    as run: RunDirectory?,
    in connection: ConnectionSettings,
    _ body: () async throws -> CommandResult
  ) async throws -> CommandResult {
    guard let run, let journal = checkpoints?.journal, part == nil else {
      return try await body()
    }
    do {
      let result = try await body()
      await note(run, journal, in: connection, as: counts.totals.leavesSomething ? .incomplete : .done)
      return result
    } catch {
      // No other run waits for this one, so others may begin.
      if (error as? Failure)?.kind != .unavailable { await note(run, journal, in: connection, as: .cleared) }
      throw error
    }
  }

  private func note(
    _ run: RunDirectory,
    _ journal: Journal,
    in connection: ConnectionSettings,
    as status: LedgerEntry.Status
  ) async {
    if isLeased.withLock({ $0 }) || counts.totals.written + counts.totals.deleted == 0 { return }
    var entry = LedgerEntry(run.id, of: command)
    (entry.status, entry.totals, entry.startedAt) = (status, counts.totals, journal.serverTime)
    entry.rewrites = connection.migrations(touchedBy: counts.collections.written)
    let (noted, ledger) = (entry, MigrationLedger(client: client.quickly, logger: logger))
    do {
      try await RunClock.system.finishing { try await ledger.note(noted) }
    } catch {
      logger.debug("The ledger does not record the run.", metadata: ["reason": "\(error)"])
    }
  }
}

extension [RunSummary.Collection] {
  /// The collections where something was written or deleted.
  var written: [CollectionPath] {
    filter { $0.counts.written + $0.counts.deleted > 0 }.compactMap { CollectionPath($0.name) }
  }
}
