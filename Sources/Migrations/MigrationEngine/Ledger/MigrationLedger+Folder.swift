import FirestoreREST
import Runs

/// What the ledger knows of migrations beyond the runs that applied them.
extension MigrationLedger {
  /// The present, by the service's clock where it tells.
  package func moment() async throws -> Timestamp {
    try await client.get(Lease.path).readTime ?? .now
  }

  /// Records what a plan of migrations said after they were applied.
  ///
  /// - Parameter isVerified: Whether it had nothing to change.
  /// - Throws: `.usage` where one is verified that is not applied; as ``put(_:)``.
  package func record(_ ids: [String], isVerified: Bool) async throws {
    if isVerified { return try await recordVerified(ids) }
    // What is left is known, so the command that applied it need not ask again.
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

  /// Records that the files of migrations are right as they are, though others were applied.
  ///
  /// - Throws: As ``put(_:)``.
  package func accept(_ migrations: [FolderMigration]) async throws {
    for migration in migrations { try await update(migration.id) { $0.accepted = migration.checksum } }
  }

  /// Changes what the runs of a migration say of it, but for those that were undone.
  ///
  /// The entry of a run that may be alive is the fence of its commits, and is left.
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
