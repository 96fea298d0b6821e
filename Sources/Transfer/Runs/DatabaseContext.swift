package import Configuration
package import FirestoreREST
package import Logging
package import Schema

/// A connection to a database that a command works with.
package struct Connection: Sendable {
  package let environment: DatabaseEnvironment
  package let client: FirestoreClient
  /// The account that the credentials name; empty if the command does not need it.
  package let signer: String

  package init(environment: DatabaseEnvironment, client: FirestoreClient, signer: String = "") {
    self.environment = environment
    self.client = client
    self.signer = signer
  }
}

/// A database, together with the counts and output for any work on it.
package struct DatabaseContext: Sendable {
  /// The connection; to the target, for a command with a source and a target.
  package var connection: Connection
  /// The declared collections of the database.
  package let schema: DatabaseSchema
  /// The document counts by collection.
  package var counts: RunCounts
  package let progress: Progress
  package let logger: Logger

  package init(
    _ connection: Connection,
    schema: DatabaseSchema,
    counts: RunCounts,
    progress: Progress,
    logger: Logger
  ) {
    self.connection = connection
    self.schema = schema
    self.counts = counts
    self.progress = progress
    self.logger = logger
  }

  package var environment: DatabaseEnvironment { connection.environment }
  package var client: FirestoreClient { connection.client }
}
