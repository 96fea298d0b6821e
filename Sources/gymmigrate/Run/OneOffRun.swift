import MigrationEngine

/// Runs a migration built from flags: `fix` and `delete`.
struct OneOffRun {
  let run: JobRun
  let plan: PlanSettings
  let failIfEmpty: Bool
  /// The limit on documents that are deleted for good.
  var maximumDeletes: Int?
  /// Whether to delete documents that have subcollections.
  var leavesSubcollections = false

  /// What to do in a database once it is connected.
  struct Work {
    var migration: any Migration
    /// What it reads first.
    var reads: [CollectionRead]
    /// What is added to the summary.
    var sections: [any SummarySection] = []
  }

  /// Plans or applies a migration, and prints the results.
  ///
  /// - Parameters:
  ///   - migration: The migration.
  ///   - prepare: Checks preconditions before anything is read.
  func perform(
    _ migration: DeclarativeMigration,
    _ prepare: (Session) async throws -> Void
  ) async throws -> RunEnding {
    try await perform(
      deletesForGood: migration.deletesForGood,
      inputs: migration.program?.files ?? []
    ) { session, folder in
      // For a resumed run, some of the required documents may already be deleted.
      if !folder.isResumed { try await prepare(session) }
      var migration = migration
      try await session.resolve(&migration.scope)
      return Work(migration: migration, reads: migration.sources)
    }
  }

  /// Plans or applies the work returned by `make`, and prints the results.
  ///
  /// - Parameter inputs: Files that the migration is built from, which must be unchanged when it is resumed.
  func perform(
    deletesForGood: Bool = false,
    inputs: [String] = [],
    _ make: (Session, RunDirectory) async throws -> Work
  ) async throws -> RunEnding {
    let deletions = DeletionBound(maximum: maximumDeletes, options: run.confirmation)
    if deletesForGood, !plan.isDryRun { try deletions.assertMayAsk() }
    try FileAccess.local.assertWritable(plan.html)
    var command = CommandRun(run, resumesUnfinished: true)
    try command.take(inputs)
    return try await command.perform { session, folder in
      let work = try await make(session, folder)
      try await session.prepare(work.reads, isAll: false, failIfEmpty: failIfEmpty)
      let report = try await report(work, deletions, in: session, folder)
      if !run.output.json { try plan.write(report, in: session) }
      if session.counts.totals.read == 0 { await session.warnOfEmpty(work.reads) }
      var result = try await plan.conclude(report, of: session, folder, as: run)
      result.sections += work.sections
      return result
    }
  }

  private func report(
    _ work: Work,
    _ deletions: DeletionBound,
    in session: Session,
    _ folder: RunDirectory
  ) async throws -> MigrationReport {
    var runner = MigrationRunner(in: session, folder, writing: run.write)
    runner.examples = plan.examples
    runner.maximumDeletes = maximumDeletes
    for read in work.reads where read.reach != .group { session.counts.open(read.collection) }
    let whole = ChangeSource.migration(work.migration)
    let source = leavesSubcollections ? whole : whole.guarded(by: session.client)
    if plan.isDryRun { return try await runner.plan(source) }
    runner.maximumDeletes = try await deletions.limit(of: whole, as: source, by: runner, in: session)
    let isGroup = (work.migration as? DeclarativeMigration)?.scope.isGroup ?? false
    let rewritten = run.connection.migrations(touchedBy: work.migration.writes, ofGroup: isGroup)
    return try await LedgerRun(session, folder, sources: [source], rewriting: rewritten)
      .apply(source, by: runner) ?? MigrationReport(migration: work.migration.id)
  }
}

extension Session {
  /// Resolves the pattern of root collections in a scope; a resumed run uses those of its beginning.
  ///
  /// - Throws: `.inputMissing` if there is none.
  fileprivate func resolve(_ scope: inout DeclarativeMigration.Scope) async throws {
    let pattern = scope.collection.string
    let selection = CollectionSelection([pattern], isDeep: false)
    guard !scope.isGroup, selection.wantsRoots else { return }
    let begun = checkpoints?.resumed?.collections.compactMap { CollectionPath($0.name) }.filter {
      CollectionSelection.name(pattern, means: $0)
    }
    if let begun, !begun.isEmpty {
      scope.collections = begun
      return
    }
    let roots = try await client.collectionIDs().compactMap { CollectionPath($0) }
    scope.collections = try selection.scopes(roots: roots).map(\.name)
  }
}
