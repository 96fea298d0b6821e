import Configuration
package import FirestoreREST
package import Logging
package import Runs
package import Schema

extension Logger {
  /// A logger whose messages go nowhere.
  package static let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension Progress {
  /// Progress that nobody sees.
  package static func silent() -> Progress {
    Progress(terminal: nil, logger: .silent, traffic: TrafficCounter())
  }
}

extension RunContext {
  /// A context whose output goes nowhere.
  package static func silent(
    _ client: FirestoreClient,
    _ folder: RunDirectory,
    schema: DatabaseSchema = .none,
    counts: RunCounts = RunCounts(),
    checkpoints: Checkpoints? = nil
  ) -> RunContext {
    let environment = DatabaseEnvironment(
      name: "test",
      database: client.database,
      endpoint: client.endpoint
    )
    let database = DatabaseContext(
      Connection(environment: environment, client: client),
      schema: schema,
      counts: counts,
      progress: .silent(),
      logger: .silent
    )
    return RunContext(database, folder: folder, checkpoints: checkpoints)
  }
}
