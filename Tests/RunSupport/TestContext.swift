import Configuration
package import FirestoreREST
import Logging
package import Runs
package import Schema

extension RunContext {
  /// A context whose output goes nowhere.
  package static func silent(
    _ client: FirestoreClient,
    _ folder: RunDirectory,
    schema: DatabaseSchema = .none,
    counts: RunCounts = RunCounts(),
    checkpoints: Checkpoints? = nil
  ) -> RunContext {
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let environment = DatabaseEnvironment(
      name: "test",
      database: client.database,
      endpoint: client.endpoint
    )
    let database = DatabaseContext(
      Connection(environment: environment, client: client),
      schema: schema,
      counts: counts,
      progress: Progress(terminal: nil, logger: logger, traffic: TrafficCounter()),
      logger: logger
    )
    return RunContext(database, folder: folder, checkpoints: checkpoints)
  }
}
