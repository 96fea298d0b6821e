import MigrationEngine

/// Runs a migration that comes from flags: `fix` and `delete`.
struct OneOffRun {
  let run: JobRun
  let plan: PlanSettings
  let failIfEmpty: Bool
  /// The bound of documents that are deleted for good.
  var maximumDeletes: Int?
  /// Whether documents are deleted that have subcollections.
  var leavesSubcollections = false

  /// What is done in the database that is reached.
  struct Work {
    var migration: any Migration
    /// What it reads first.
    var reads: [CollectionRead]
    /// What is added to the summary.
    var sections: [any SummarySection] = []
  }

  /// Plans or applies it, and prints what it found.
  ///
  /// - Parameters:
  ///   - migration: What is done, in the database that is reached.
  ///   - prepare: What has to hold before anything is read; its sections are added to the summary.
  func perform(
    _ migration: DeclarativeMigration,
    _ prepare: @escaping @Sendable (Session) async throws -> [any SummarySection] = { _ in [] }
  ) async throws -> RunEnding {
    try await perform(
      deletesForGood: migration.deletesForGood,
      inputs: migration.program?.files ?? []
    ) { session, folder in
      // Of a run that is resumed, some of what has to be there may be deleted by now.
      let sections = folder.isResumed ? [] : try await prepare(session)
      var migration = migration
      try await session.resolve(&migration.scope)
      return Work(migration: migration, reads: migration.sources, sections: sections)
    }
  }

  /// Plans or applies what `make` returns, and prints what it found.
  ///
  /// - Parameter inputs: Files that it is made of, which have to be the same where it is resumed.
  func perform(
    deletesForGood: Bool = false,
    inputs: [String] = [],
    _ make: @escaping @Sendable (Session, RunDirectory) async throws -> Work
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
    for read in work.reads { session.counts.open(read.collection) }
    let whole = ChangeSource.migration(work.migration)
    let source = leavesSubcollections ? whole : whole.guarded(by: session.client)
    if plan.isDryRun { return try await runner.plan(source) }
    runner.maximumDeletes = try await deletions.limit(of: whole, as: source, by: runner, in: session)
    return try await LedgerRun(session, folder, sources: [source]).apply(source, by: runner)
      ?? MigrationReport(migration: work.migration.id)
  }
}

extension Session {
  /// Names the root collections that the pattern of a scope begins with; of a run that is resumed, those of its
  /// beginning, whatever came to be since.
  ///
  /// - Throws: `.inputMissing` where there is none.
  fileprivate func resolve(_ scope: inout DeclarativeMigration.Scope) async throws {
    let selection = CollectionSelection([scope.collection.string], isDeep: false)
    guard !scope.isGroup, selection.wantsRoots else { return }
    let begun = checkpoints?.resumed?.collections.compactMap { CollectionPath($0.name) }.filter {
      scope.began(at: $0)
    }
    if let begun, !begun.isEmpty {
      scope.collections = begun
      return
    }
    let roots = try await client.collectionIDs().compactMap { CollectionPath($0) }
    scope.collections = try selection.scopes(roots: roots).map(\.name)
  }
}

extension DeclarativeMigration.Scope {
  /// Whether a collection, or a pattern, is one that this pattern was resolved to.
  fileprivate func began(at collection: CollectionPath) -> Bool {
    CollectionSelection.name(self.collection.string, means: collection)
  }
}
