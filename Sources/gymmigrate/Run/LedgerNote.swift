import FirestoreREST
import Logging
import MigrationEngine

extension Session {
  /// Runs `body`, and records afterwards that it wrote where it had no lease: the ledger knows every run that did.
  ///
  /// That is only nice to have, so it takes seconds at most, and its failure ends nothing.
  func noted(
    as run: RunDirectory?,
    _ body: () async throws -> CommandResult
  ) async throws -> CommandResult {
    guard let run, let journal = checkpoints?.journal, part == nil else {
      return try await body()
    }
    do {
      let result = try await body()
      await note(run, journal, as: counts.totals.leavesSomething ? .incomplete : .done)
      return result
    } catch {
      // Nothing waits for it: others may begin.
      if (error as? Failure)?.kind != .unavailable { await note(run, journal, as: .cleared) }
      throw error
    }
  }

  private func note(_ run: RunDirectory, _ journal: Journal, as status: LedgerEntry.Status) async {
    if isLeased.withLock({ $0 }) || counts.totals.written + counts.totals.deleted == 0 { return }
    var entry = LedgerEntry(run: run.id, command: command, migrations: [], holder: LedgerRun.holder)
    (entry.status, entry.totals, entry.startedAt) = (status, counts.totals, journal.serverTime)
    let (noted, ledger) = (entry, MigrationLedger(client: client.quickly, logger: logger))
    do {
      try await RunClock.system.finishing { try await ledger.note(noted) }
    } catch {
      logger.debug("The ledger does not record the run.", metadata: ["reason": "\(error)"])
    }
  }
}
