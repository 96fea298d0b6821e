import FirestoreREST
import Runs

/// What the ledger knows of migrations beyond the runs that applied them.
extension MigrationLedger {
  /// Records that a plan of migrations, after they were applied, had nothing to change.
  ///
  /// - Throws: `.usage` where one is not applied; as ``put(_:)``.
  package func recordVerified(_ ids: [String]) async throws {
    let now = try await client.get(Lease.path).readTime ?? .now
    try await update(ids) { $0.verifiedAt = now }
  }

  /// Records that the files of migrations that are applied are right as they are.
  ///
  /// - Throws: As ``recordVerified(_:)``.
  package func accept(_ migrations: [FolderMigration]) async throws {
    for migration in migrations {
      try await update([migration.id]) { $0.accepted = migration.checksum }
    }
  }

  /// Changes what the runs that have applied migrations say of them.
  private func update(_ ids: [String], _ change: (inout LedgerEntry.Applied) -> Void) async throws {
    let known = try await entries()
    if let id = ids.first(where: { !MigrationState(of: $0, in: known).isInForce }) {
      throw Failure(
        .usage,
        "write of it to the ledger",
        path: id,
        cause: "it is not applied in \(client.database)",
        remedy: "Apply it first; 'gymmigrate migrate baseline' records what was done by hand."
      )
    }
    for var entry in known where entry.status == .done || entry.status == .incomplete {
      let former = entry
      for index in entry.migrations.indices
      where ids.contains(where: { $0.isIdentical(to: entry.migrations[index].id) }) {
        change(&entry.migrations[index])
      }
      if entry.undoes == nil, entry != former { _ = try await put(entry) }
    }
  }
}
