import Configuration
import MigrationEngine
import Schema

/// The values that a shell offers, from the configuration, the schema and the runs of the current folder.
enum CompletionValues {
  static let environments = values { try EnvironmentResolver($0).configuration().environments.map(\.name) }

  /// The declared collections, without patterns, which a shell would expand.
  static let collections = values { connection in
    let schema = try EnvironmentResolver(connection).schema()
    return schema.collections.map(\.pattern.string).filter { !$0.utf8.contains(UInt8(ascii: "*")) }
  }

  /// The built-in migrations, and those of the folder.
  static let migrations = values { connection in
    let application = Invocation.current.application(of: try EnvironmentResolver(connection).schema())
    let known = try application?.comingAlong().map(\.id) ?? []
    let folder = try MigrationFolder.find(for: connection.settings)
    return known + (folder?.path == nil ? [] : folder?.migrations.map(\.name) ?? [])
  }

  static let runs = selectedRuns(where: { _ in true })

  static let resumableRuns = selectedRuns(where: { $0.isResumable })

  static let changingRuns = selectedRuns(where: { $0.record.writes && !$0.isUndone })

  /// The latest runs that satisfy a condition, the newest first.
  private static func selectedRuns(
    where isMeant: @escaping @Sendable (RunHistory.Entry) -> Bool
  ) -> CompletionKind {
    values { connection in
      let shown = connection.state.history.entries().filter(isMeant).suffix(20)
      return shown.isEmpty ? [] : ["last"] + shown.reversed().map(\.record.id)
    }
  }

  /// The options of a command line that determine where names come from.
  private static let sources = ["-e", "--env", "--config", "--schema", "--state-dir"]

  private static func values(
    _ names: @escaping @Sendable (ConnectionOptions) throws -> [String]
  ) -> CompletionKind {
    .custom { words, _, _ in
      let pairs = zip(words, words.dropFirst()).filter { sources.contains($0.0) }
      // Errors are reported when the command is run.
      guard let connection = try? ConnectionOptions.parse(pairs.flatMap { [$0, $1] }) else { return [] }
      return (try? names(connection)) ?? []
    }
  }
}

extension TypedValue {
  /// The name of an environment.
  static let environment = ValueReader(name: "env", completion: CompletionValues.environments) { $0 }
}
