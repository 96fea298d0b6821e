import Configuration
import FirestoreREST

/// A database that a command works with.
struct Connection: Sendable {
  let environment: DatabaseEnvironment
  let client: FirestoreClient
  /// Who signs.
  let signer: String
}
