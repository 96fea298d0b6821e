import Configuration
import MigrationEngine

extension MigrationFolder {
  /// Returns the folder of migrations for a database: the configured one, or else `migrations` here, or else the built-in
  /// migrations.
  ///
  /// - Throws: `.inputMissing` if there is none; an error in one of its files.
  static func of(_ connection: ConnectionSettings) throws(Failure) -> MigrationFolder {
    if let folder = try find(for: connection) { return folder }
    throw Failure(
      .inputMissing,
      "read the migrations in",
      path: try path(for: connection),
      cause: "there is no such folder",
      remedy: "'gymmigrate migrate new NAME' makes it; 'migrations:' in gymmigrate.yaml names another."
    )
  }

  /// Returns the same folder; nil if there is none.
  static func find(for connection: ConnectionSettings) throws(Failure) -> MigrationFolder? {
    let resolver = EnvironmentResolver(connection)
    let (configuration, schema) = (try resolver.configuration(), try resolver.schema())
    let application = Invocation.current.application(of: schema)
    let path = try path(for: connection)
    // What cannot be looked at may be a folder.
    if FileCheck.isFolder(path) || !FileCheck.exists(path) && !FileCheck.isMissing(path) {
      try FileCheck.assertReadable(path)
      // A folder does not depend on the database that references point to.
      let context = try LiteralContext(nil, schema, in: nil)
      return try MigrationFolder(
        path,
        in: context,
        known: try application?.comingAlong() ?? [],
        schema: schema,
        environments: configuration.environments.map(\.name)
      )
    }
    if configuration.migrations != nil { return nil }
    return application.map { MigrationFolder(comingAlong: $0.folder) }
  }

  /// Reports which applied migrations no longer count as verified, and what to do.
  func reportUnverified(in environment: DatabaseNames, _ entries: [LedgerEntry]) {
    for (migration, state) in states(in: environment, entries) where state.kind == .applied {
      let place = "\(migration.name) -e \(environment)"
      if let run = state.rewriter, run.status == .running {
        Terminal.standardError.line(
          "\(migration.name) is not verified while '\(run.command)' (run \(run.run)) is unfinished. To see how to finish it: gymmigrate migrate status -e \(environment)"
        )
      } else if let run = state.rewriter {
        Terminal.standardError.line(
          "\(migration.name) was verified before '\(run.command)' (run \(run.run)) wrote to its collections. To verify it again: gymmigrate migrate verify --record \(place)"
        )
      } else if state.applied?.hasLeft ?? false {
        Terminal.standardError.line(
          "\(migration.name) is applied, and a plan since found changes. To apply them: gymmigrate migrate apply \(place)"
        )
      }
    }
  }

  /// Returns where the folder is or would be.
  static func path(for connection: ConnectionSettings) throws(Failure) -> String {
    try EnvironmentResolver(connection).configuration().migrations ?? "migrations"
  }
}

extension Migration {
  /// Whether the migration may write documents of one of some collections, which may be patterns.
  func mayWrite(in collections: [CollectionPath]) -> Bool { meets(collections, ofGroup: false, with: writes) }

  /// Whether the migration reads or may write documents of one of some collections, which may be patterns.
  ///
  /// - Parameter isGroup: Whether the collections are named by their IDs, wherever they are.
  func isTouched(by collections: [CollectionPath], ofGroup isGroup: Bool = false) -> Bool {
    meets(collections, ofGroup: isGroup, with: reads + writes)
  }

  private func meets(_ others: [CollectionPath], ofGroup isGroup: Bool, with own: [CollectionPath]) -> Bool {
    let isOfIDs = isGroup || (self as? DeclarativeMigration)?.scope.isGroup ?? false
    return own.contains { own in
      others.contains { other in
        // A group has its collections at the root, too, where names may be patterns.
        let (own, other) =
          isOfIDs ? (CollectionPath(nil, own.id), CollectionPath(nil, other.id)) : (own, other)
        return own.pattern == other.pattern || CollectionSelection.name(own.string, means: other)
          || CollectionSelection.name(other.string, means: own)
      }
    }
  }
}

extension PlannedChanges {
  /// Returns what applying the plan means for migrations that it is not a plan of: what it takes back, and the IDs of those that
  /// are no longer verified.
  func effects(for connection: ConnectionSettings) throws(Failure) -> (TakenBack?, rewriting: [String]) {
    if let restored { return (restored.takenBack(for: connection), []) }
    let schema = try EnvironmentResolver(connection).schema()
    let builtIn = try Invocation.current.application(of: schema)?.comingAlong().map(\.id) ?? []
    // What another command brings may predate a migration.
    let isOther = applied.contains { one in
      one.isOneOff || one.checksum == nil && !builtIn.contains { $0.isIdentical(to: one.id) }
    }
    return (nil, isOther ? connection.migrations(touchedBy: Array(changed)) : [])
  }
}

extension RestoredCollections {
  fileprivate func takenBack(for connection: ConnectionSettings) -> TakenBack {
    let paths = collections.compactMap { CollectionPath($0) }
    @Sendable func isFound(_ id: String, isMet: (any Migration, [CollectionPath]) -> Bool) -> Bool {
      var choice = MigrationChoice()
      choice.migrations = [id]
      // For a migration that is no longer known here, it is unknown what it writes.
      guard let migrations = try? choice.chosen(for: connection) else { return isAll }
      return migrations.contains { isMet($0, paths) }
    }
    return TakenBack(
      since: moment,
      readAt: readTime,
      covers: { id in isFound(id) { $0.mayWrite(in: $1) } },
      touches: { id in isFound(id) { $0.isTouched(by: $1) } }
    )
  }
}

extension ConnectionSettings {
  /// Returns the ledger IDs of the folder's migrations that read or write documents of some collections.
  ///
  /// A migration that cannot be read is included, because it might write anywhere.
  ///
  /// - Parameters:
  ///   - collections: The collections, which may be patterns; nil if they are not known.
  ///   - isGroup: Whether the collections are named by their IDs, wherever they are.
  func migrations(touchedBy collections: [CollectionPath]?, ofGroup isGroup: Bool = false) -> [String] {
    if let collections, collections.isEmpty { return [] }
    guard let folder = try? MigrationFolder.find(for: self) else { return [] }
    let found = folder.migrations.filter { migration in
      var choice = MigrationChoice()
      choice.name([migration])
      guard let collections, let chosen = try? choice.chosen(for: self) else { return true }
      return chosen.contains { $0.isTouched(by: collections, ofGroup: isGroup) }
    }
    return found.map(\.id)
  }

  /// Returns the ledger of the database, the latest run last.
  ///
  /// - Parameter command: The command that needs it.
  func ledger(for command: String, _ output: OutputSettings) async throws -> [LedgerEntry] {
    try await withSession(of: command, output) { session in try await session.ledger.entries() }
  }
}
