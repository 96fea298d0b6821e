import Configuration
import Files
import FirestoreModels
import FirestoreREST
import Logging
import Runs
import Schema
import Transfer

/// What a command works with: an environment, a client for it, counts, progress and logger.
struct Session: Sendable {
  /// The command, as `migrate apply fix.yaml`.
  let command: String
  let environment: DatabaseEnvironment
  let client: FirestoreClient
  /// What the collections are.
  let schema: DatabaseSchema
  let logger: Logger
  let progress: Progress
  let counts: RunCounts
  /// What makes a writing command resumable; nil for one that only reads.
  let checkpoints: Checkpoints?
  /// Who signs.
  var signer = ""
  /// Where a command that has two sides reads.
  var source: Connection?
  /// The range of a sharded run that is worked on; nil for all of it.
  var part: ShardPart?
  /// Whether the run has the lease and its entry of the ledger, now or before.
  let isLeased = Locked(false)
}

extension Session {
  /// What the work of a run needs.
  func context(_ folder: RunDirectory) -> RunContext {
    RunContext(
      environment: environment,
      client: client,
      schema: schema,
      folder: folder,
      counts: counts,
      checkpoints: checkpoints,
      progress: progress,
      logger: logger
    )
  }

  /// The prices of a configuration, as they hold for the databases of the command.
  func prices(_ configured: PriceList) async -> PriceList {
    var prices = configured
    for (client, environment) in [(client, environment)]
      + (source.map { [($0.client, $0.environment)] } ?? [])
    where !environment.isEmbedded { prices = await client.prices(prices) }
    return prices
  }

  /// The same with another database.
  func reading(_ connection: Connection) -> Session {
    Session(
      command: command,
      environment: connection.environment,
      client: connection.client,
      schema: schema,
      logger: logger,
      progress: progress,
      counts: counts,
      checkpoints: nil,
      signer: connection.signer,
      part: part
    )
  }
}
