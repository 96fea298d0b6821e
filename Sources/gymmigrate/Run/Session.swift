import Configuration
import Logging
import MigrationEngine
import Schema
import Transfer

/// What a command works with: a database with counts, progress and a logger, and how it is worked on.
struct Session: Sendable {
  /// The command, as `migrate apply fix.yaml`.
  let command: String
  /// The database, the schema, and what the work reports to.
  var database: DatabaseContext
  /// What makes a writing command resumable; nil for one that only reads.
  var checkpoints: Checkpoints?
  /// Where a command that has two sides reads.
  var source: Connection?
  /// The range of a sharded run that is worked on; nil for all of it.
  var part: ShardPart?
  /// How commands that are offered reach the database.
  var place = CommandPlace()
  /// As ``CommandContext/unprinted``.
  var unprinted = Locked<Failure?>(nil)
  /// Whether the run has the lease and its entry of the ledger, now or before.
  let isLeased = Locked(false)

  var environment: DatabaseEnvironment { database.environment }
  var client: FirestoreClient { database.client }
  var schema: DatabaseSchema { database.schema }
  var counts: RunCounts { database.counts }
  var progress: Progress { database.progress }
  var logger: Logger { database.logger }
  /// The ledger of the database.
  var ledger: MigrationLedger { MigrationLedger(client: client, logger: logger, offering: place) }
}

extension Session {
  /// How a dry run ends: as the run would, where something is left for a person.
  var plannedStatus: RunSummary.Status { counts.totals.leavesSomething ? .incomplete : .done }

  /// What the work of a run needs.
  func context(_ folder: RunDirectory) -> RunContext {
    RunContext(database, folder: folder, checkpoints: checkpoints)
  }

  /// Prints what was done; that it cannot be printed is said at the end, and ends nothing that is still to be done.
  func report(_ text: TerminalText) {
    do throws(Failure) {
      try StandardOutput.write(text)
    } catch {
      unprinted.withLock { [error] in $0 = $0 ?? error }
    }
  }

  /// The prices of a configuration, as they hold for the databases of the command.
  func prices(_ configured: PriceList) async -> PriceList {
    var prices = configured
    for connection in [database.connection] + (source.map { [$0] } ?? [])
    where !connection.environment.isEmbedded { prices = await connection.client.prices(prices) }
    return prices
  }

  /// The same with another database, which is only read.
  func reading(_ connection: Connection) -> Session {
    var other = self
    (other.database.connection, other.checkpoints, other.source) = (connection, nil, nil)
    return other
  }
}
