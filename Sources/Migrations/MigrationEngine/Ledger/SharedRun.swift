import FirestoreREST
package import Runs

/// A run with several processes, as represented in the ledger and the lease of its database.
///
/// ``open()`` records it, ``join(_:)`` works for it, ``close(_:isEmpty:rewriting:)`` records its end. Between these calls the lease
/// may be free; the entry still keeps other runs from beginning.
package struct SharedRun: Sendable {
  private let ledger: MigrationLedger
  private let entry: LedgerEntry

  package init(_ entry: LedgerEntry, of ledger: MigrationLedger) {
    self.entry = entry
    self.ledger = ledger
  }

  private var keeper: LeaseKeeper {
    LeaseKeeper(ledger.client, of: entry, isShared: true, offering: ledger.place)
  }

  /// Takes the lease and records the run.
  ///
  /// - Throws: `.tryLater` if another run holds the lease or stopped early; `.notPermitted` if a migration's file is not the one
  ///   that was applied under its ID.
  package func open() async throws {
    let keeper = keeper
    try await ledger.taking(keeper, for: entry) {
      _ = try await ledger.begin(entry, isResumed: false, with: keeper)
    }
  }

  /// Runs `body` while holding and renewing the lease, together with other processes of the run.
  ///
  /// - Throws: `.usage` if the run was ended; `.tryLater` if another run holds the lease or takes it meanwhile; errors of `body`.
  package func join(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let own = try await assertStatus([.running])
    let keeper = keeper
    try await keeper.takeTogether()
    try await ledger.renewing(keeper, own, body)
  }

  /// Checks that the run is running, or has finished by itself.
  ///
  /// - Throws: `.usage` if it was undone or cleared.
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

  /// Records the end of the run and releases the lease.
  ///
  /// A run that has already ended is left as it is.
  ///
  /// - Parameter rewritten: The migrations to whose collections it wrote without being one of them.
  /// - Throws: ``Failure``; `.usage` if it was undone or cleared.
  package func close(
    _ totals: DocumentCounts,
    isEmpty: Bool,
    rewriting rewritten: [String] = []
  ) async throws {
    try await assertNotEnded()
    let keeper = keeper
    if var own = try await ledger.entry(of: entry.run), own.status == .running {
      try await keeper.takeTogether()
      own.status = totals.leavesSomething ? .incomplete : .done
      (own.totals, own.endsNow) = (totals, true)
      own.hasChanged = !isEmpty
      own.rewrites = rewritten
      _ = try await ledger.put(own)
    }
    try await keeper.giveBackTogether()
  }
}
