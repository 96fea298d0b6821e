import FirestoreREST
import Logging
package import Runs

/// A run that works in several processes, as the ledger and the lease of its database know it.
///
/// ``open()`` records it, ``join(_:)`` works for it, ``close(_:isEmpty:as:)`` records its end. Between these calls the
/// lease may be free; the entry keeps other runs from beginning all the same.
package struct SharedRun: Sendable {
  private let ledger: MigrationLedger
  private let entry: LedgerEntry

  package init(_ entry: LedgerEntry, of ledger: MigrationLedger) {
    self.entry = entry
    self.ledger = ledger
  }

  private var keeper: LeaseKeeper {
    LeaseKeeper(
      ledger.client,
      Lease(run: entry.run, holder: entry.holder, command: entry.command),
      isShared: true,
      offering: ledger.place
    )
  }

  /// Takes the lease and records the run.
  ///
  /// - Throws: `.tryLater` where another run holds the lease or stopped before it was done; `.notPermitted` where a migration's file
  ///   is not the one that was applied under its id.
  package func open() async throws {
    let keeper = keeper
    try await keeper.take(overFrom: [entry.run])
    do {
      _ = try await ledger.begin(entry, isResumed: false, with: keeper)
    } catch {
      await ledger.giveBack(keeper)
      throw error
    }
  }

  /// Runs `body` with the lease held and renewed, together with other processes of the run.
  ///
  /// - Throws: `.usage` where the run was ended; `.tryLater` where another run holds the lease, now or meanwhile; what
  ///   `body` throws.
  package func join(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let own = try await assertStatus([.running])
    let keeper = keeper
    try await keeper.takeTogether()
    try await ledger.renewing(keeper, own, body)
  }

  /// Checks that the run is running, or ended by itself.
  ///
  /// - Throws: `.usage` where it was undone or cleared.
  package func assertNotEnded() async throws {
    _ = try await assertStatus([.running, .done, .incomplete])
  }

  private func assertStatus(_ allowed: [LedgerEntry.Status]) async throws -> LedgerEntry {
    let own = try await ledger.entry(of: entry.run)
    if let own, allowed.contains(own.status) { return own }
    let cause =
      switch own?.status {
      case .undone?: "it was undone by run \(own?.undoneBy ?? "?")"
      case .cleared?: "it was cleared"
      case let status?: "it is \(status.rawValue) already"
      case nil: "the ledger of \(ledger.client.database) does not know it"
      }
    throw Failure(.usage, "work for the run", path: entry.run, cause: cause, remedy: "Plan a new one.")
  }

  /// Records the end of the run, and releases the lease.
  ///
  /// A run that has ended already stays as it is.
  ///
  /// - Parameter rewritten: The migrations to whose collections it wrote without being one of them.
  /// - Throws: ``Failure``; `.usage` where it was undone or cleared.
  package func close(
    _ totals: DocumentCounts,
    isEmpty: Bool,
    rewriting rewritten: [String] = [],
    as status: LedgerEntry.Status? = nil
  ) async throws {
    if status == nil { try await assertNotEnded() }
    let keeper = keeper
    if var own = try await ledger.entry(of: entry.run), own.status == .running {
      try await keeper.takeTogether()
      own.status = status ?? (totals.leavesSomething ? .incomplete : .done)
      own.totals = totals
      own.hasChanged = !isEmpty
      own.rewrites = rewritten
      _ = try await ledger.put(own)
    }
    try await keeper.giveBackTogether()
  }
}
