import Configuration
import MigrationEngine

extension RehearsalRun {
  /// Records the filters for which the source has no index.
  ///
  /// The service itself reports missing indexes; for any other server, which has none, Firestore's rules decide.
  func judgeIndexes(of migrations: [FolderMigration], _ rehearsal: inout Rehearsal) async throws {
    let isService = try EnvironmentResolver(source).environment().isRealService
    for case let migration as DeclarativeMigration in try named(migrations).chosen(for: source)
    where !migration.scope.filters.isEmpty {
      let refusal = try await refusal(of: migration.sources)
      let rule = isService ? nil : MigrationLint.index(for: migration.scope)
      if let message = refusal ?? rule { rehearsal.judgeIndex(of: migration.id, message) }
    }
  }

  /// Returns the source's error about reads without an index, querying one document of each.
  private func refusal(of reads: [CollectionRead]) async throws -> String? {
    try await source.withSession(of: "migrate test", output) { session in
      var refusal: String?
      for read in reads {
        var read = read
        read.pageSize = 1
        do {
          for try await _ in session.client.pages(of: read) { break }
        } catch let failure as Failure where failure.service?.status == .failedPrecondition {
          refusal = failure.service?.shownMessage
        }
      }
      return refusal
    }
  }
}
