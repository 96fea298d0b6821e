package import Configuration
package import FirestoreREST
package import Logging
package import Schema

/// A database that a command works with.
package struct Connection: Sendable {
  package let environment: DatabaseEnvironment
  package let client: FirestoreClient
  /// Whom the credentials name; empty where nobody asks.
  package let signer: String

  package init(environment: DatabaseEnvironment, client: FirestoreClient, signer: String = "") {
    self.environment = environment
    self.client = client
    self.signer = signer
  }
}

/// A database, with what any work on it counts and reports to.
package struct DatabaseContext: Sendable {
  /// The target of a command with a source and a target.
  package var connection: Connection
  /// What the collections of the database are.
  package let schema: DatabaseSchema
  /// The document counts by collection.
  package let counts: RunCounts
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
