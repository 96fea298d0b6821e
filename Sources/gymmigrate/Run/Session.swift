import Configuration
import Logging
import MigrationEngine
import Schema
import Transfer

/// The context of a command: a database with counts, progress and a logger, and how to work on it.
struct Session: Sendable {
  /// The command, such as `migrate apply fix.yaml`.
  let command: String
  /// The database, its schema, and the recipients of progress.
  var database: DatabaseContext
  /// Makes a writing command resumable; nil for a command that only reads.
  var checkpoints: Checkpoints?
  /// The source of a command with two sides.
  var source: Connection?
  /// The range of a sharded run to work on; nil for everything.
  var part: ShardPart?
  /// How suggested commands reach the database.
  var place = CommandPlace()
  /// As ``CommandContext/unprinted``.
  var unprinted = Locked<Failure?>(nil)
  /// Whether the run holds or has held the lease and its ledger entry.
  let isLeased = Locked(false)

  var environment: DatabaseEnvironment { database.environment }
  var client: FirestoreClient { database.client }
  var schema: DatabaseSchema { database.schema }
  var counts: RunCounts { database.counts }
  var progress: Progress { database.progress }
  var logger: Logger { database.logger }
  /// The number of documents that the run had deleted before it was interrupted.
  var deletedBefore: Int { counts.deletions(of: checkpoints?.journal) }
  var ledger: MigrationLedger { MigrationLedger(client: client, logger: logger, offering: place) }
}

extension Session {
  /// The status of a dry run: that of the actual run, if something would be left for a person.
  var plannedStatus: RunSummary.Status { counts.totals.leavesSomething ? .incomplete : .done }

  func context(_ folder: RunDirectory) -> RunContext {
    let (lists, name) = (FindingLists(folder), String(command.prefix { $0 != " " }))
    return RunContext(database, folder: folder, checkpoints: checkpoints) { path throws(Failure) in
      try lists.add([.changedAfterWrite(path)], of: name, document: nil)
    }
  }

  /// Prints what was done; a failure to print is reported at the end and does not stop the remaining work.
  func report(_ text: TerminalText) {
    do throws(Failure) {
      try StandardOutput.write(text)
    } catch {
      unprinted.withLock { [error] in $0 = $0 ?? error }
    }
  }

  /// Returns the configured prices as they apply to the databases of the command.
  ///
  /// - Parameter place: The connection whose configuration has them.
  func prices(of place: ConnectionSettings) async throws -> PriceList {
    var prices = try EnvironmentResolver(place).prices()
    for connection in [database.connection] + (source.map { [$0] } ?? [])
    where !connection.environment.isEmbedded { prices = await connection.client.prices(prices) }
    return prices
  }

  /// Returns the same session for another database, which is only read.
  func reading(_ connection: Connection) -> Session {
    var other = self
    (other.database.connection, other.checkpoints, other.source) = (connection, nil, nil)
    return other
  }
}
