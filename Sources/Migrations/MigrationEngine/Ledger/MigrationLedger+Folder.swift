import FirestoreREST
import Runs

/// What the ledger records about migrations besides the runs that applied them.
extension MigrationLedger {
  /// The current time, by the service's clock if the response has it.
  package func moment() async throws -> Timestamp {
    try await client.get(Lease.path).readTime ?? .now
  }

  /// Records the result of planning migrations after they were applied.
  ///
  /// - Parameter isVerified: Whether the plan had nothing to change.
  /// - Throws: `.usage` if a verified migration is not applied; as ``put(_:)``.
  package func record(_ ids: [String], isVerified: Bool) async throws {
    if isVerified { return try await recordVerified(ids) }
    // That something is left is known, so the command that applied it need not verify again.
    for id in ids { try await update(id) { ($0.verifiedAt, $0.isDue, $0.hasLeft) = (nil, false, true) } }
  }

  private func recordVerified(_ ids: [String]) async throws {
    let now = try await moment()
    let known = try await entries()
    if let id = ids.first(where: { !MigrationState(of: $0, in: known).isStanding }) {
      throw Failure(
        .usage,
        "record as verified",
        path: id,
        cause: "it is not applied in \(client.database)",
        remedy: "Apply it first; 'gymmigrate migrate baseline' records what was done by hand."
      )
    }
    for id in ids { try await update(id) { ($0.verifiedAt, $0.isDue, $0.hasLeft) = (now, false, false) } }
  }

  /// Records that the present files of migrations are accepted, although different ones were applied.
  ///
  /// - Throws: As ``put(_:)``.
  package func accept(_ migrations: [FolderMigration]) async throws {
    for migration in migrations { try await update(migration.id) { $0.accepted = migration.checksum } }
  }

  /// Updates a migration in the entries of its runs that are not undone.
  ///
  /// The entry of a run that may be alive is the fence of its commits, and is not touched.
  private func update(_ id: String, _ change: (inout LedgerEntry.Applied) -> Void) async throws {
    for var entry in try await entries() where entry.undoes == nil {
      guard entry.status != .running, entry.status != .undone,
        let index = entry.migrations.firstIndex(where: { $0.id.isIdentical(to: id) })
      else { continue }
      let former = entry.migrations[index]
      change(&entry.migrations[index])
      if entry.migrations[index] != former { _ = try await put(entry) }
    }
  }
}
