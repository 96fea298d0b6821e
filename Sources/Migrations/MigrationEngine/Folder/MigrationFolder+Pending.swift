package import Configuration

extension MigrationFolder {
  /// Returns the states of the migrations that apply to an environment, in order.
  package func states(
    in environment: DatabaseNames,
    _ entries: [LedgerEntry]
  ) -> [(migration: FolderMigration, state: MigrationState)] {
    migrations.filter { $0.isFor(environment) }.map { ($0, MigrationState(of: $0, in: entries)) }
  }

  /// Returns the migrations whose files differ from those that were applied in an environment.
  package func changed(in environment: DatabaseNames, _ entries: [LedgerEntry]) -> [FolderMigration] {
    states(in: environment, entries).filter { $0.state.change != nil }.map(\.migration)
  }

  /// Returns the migrations that are still to be applied in an environment, in order.
  ///
  /// - Parameters:
  ///   - word: The last migration to include; nil for all.
  ///   - entries: The ledger, the latest entry last.
  ///   - isOrdered: Whether to enforce `after`.
  /// - Throws: `.usage` if the word names no migration; `.notPermitted` if a file changed after it was applied, or if a migration
  ///   must follow another that is neither applied nor included.
  package func pending(
    upTo word: String? = nil,
    in environment: DatabaseNames,
    _ entries: [LedgerEntry],
    obeying isOrdered: Bool = true
  ) throws(Failure) -> [FolderMigration] {
    func refusal(_ migration: String, _ cause: String, _ remedy: String) -> Failure {
      Failure(.notPermitted, "apply", path: migration, cause: cause, remedy: remedy)
    }
    let states = states(in: environment, entries)
    for case (let migration, let state) in states {
      guard let change = state.change else { continue }
      let isAlone = migration.programs.isEmpty
      let what = isAlone ? "its file" : "it, or its program (\(migration.programs.joined(separator: ", "))),"
      let files = isAlone ? "the file" : "the files"
      let run = state.entry?.run ?? "?"
      if state.kind == .running || state.kind == .failed {
        throw refusal(
          migration.choice,
          "\(what) changed after run \(run) began to apply it in \(environment), which has not come to its end",
          "Take that run back with 'gymmigrate migrate undo \(run)', and apply it again; or restore \(files), and give 'gymmigrate runs resume \(run)'."
        )
      }
      throw refusal(
        migration.choice,
        "\(what) changed after run \(run) applied it in \(environment): SHA-256 \(change.applied) then, \(change.present) now",
        "Restore \(files) and write a new migration, or give 'migrate up --accept-changed' if it is right as it is; it is not applied again."
      )
    }
    let meant = try migrations(upTo: word)
    let pending = states.filter { !$0.state.isInForce && meant.contains($0.migration) }.map(\.migration)
    let missing = migrations.filter {
      !MigrationState(of: $0, in: entries).isInForce && !pending.contains($0)
    }
    for migration in isOrdered ? pending : [] {
      // The run itself would be refused, too, but only after those before it.
      if let checksum = migration.checksum {
        try LedgerRules.assertSame(migration.id, checksum, in: entries)
      }
      for other in missing where migration.header.after.contains(where: other.isCalled) {
        throw refusal(
          migration.name,
          "it comes after \(other.name), which is not applied in \(environment)",
          "Apply that first, or record with 'gymmigrate migrate baseline' that it was done by hand."
        )
      }
    }
    return pending
  }

  /// Returns the applied migration that a pending one precedes by name; nil if there is none.
  package func overtaken(
    by migration: FolderMigration,
    in environment: DatabaseNames,
    _ entries: [LedgerEntry]
  ) -> FolderMigration? {
    let states = states(in: environment, entries)
    let place = states.firstIndex { $0.migration == migration } ?? states.endIndex
    return states[place...].last { $0.state.isInForce }?.migration
  }

  /// Returns the migration that was applied last in an environment, and its run: the last run that wrote and is not undone, or
  /// else the one that found nothing to change; nil if there is none.
  package func last(
    in environment: DatabaseNames,
    _ entries: [LedgerEntry]
  ) -> (migration: FolderMigration, entry: LedgerEntry)? {
    let standing = states(in: environment, entries).map { migration, state in
      (migration: migration, run: state.writer ?? (state.isInForce ? state.entry : nil))
    }
    return entries.lazy.reversed().compactMap { entry in
      standing.last { $0.run?.run.isIdentical(to: entry.run) ?? false }.map { ($0.migration, entry) }
    }.first
  }
}
