package import FirestoreModels
package import FirestoreREST
package import Logging

/// Narrows reads down to what was updated since a moment, by the field `updatedAt`.
///
/// The service cannot be asked for documents by their own update time. So documents without an `updatedAt`, or with one
/// that is no timestamp, are in no increment, which is said with their number; and a collection in which no document has
/// one is read whole. Deleted documents are in no increment either.
package struct Increment: Sendable {
  /// The field.
  package static let field = FieldPath(field: "updatedAt")

  private let client: FirestoreClient
  private let logger: Logger

  /// Makes one for a database.
  package init(client: FirestoreClient, logger: Logger) {
    self.client = client
    self.logger = logger
  }

  /// Narrows a read down.
  ///
  /// - Parameters:
  ///   - read: The read of a whole collection.
  ///   - since: The moment; nil where the collection has no mark yet, and is read whole.
  /// - Returns: Whether it was narrowed down.
  /// - Throws: What keeps the collection from being read.
  package func narrow(_ read: inout CollectionRead, since: Timestamp?) async throws -> Bool {
    guard let since else {
      logger.notice("\(read.collection) was not exported here before: everything of it is.")
      return false
    }
    guard let beginning = Timestamp(seconds: Timestamp.minimumSeconds) else { return false }
    var dated = read
    dated.filter = .field(Self.field, .greaterThanOrEqual, .timestamp(beginning))
    // What it is narrowed down by has to be known; how many documents that leaves out is only worth a word.
    if try await client.isEmpty(dated, asFiltered: true) {
      if try await !client.isEmpty(read) {
        logger.notice("No document of \(read.collection) has an updatedAt: everything of it is exported.")
      }
      return false
    }
    let counts = await client.quickCounts(of: [read, dated])
    if let all = counts[0]?.count, let found = counts[1]?.count {
      if found < all {
        logger.warning(
          "\(all - found) documents of \(read.collection) have no updatedAt that is a timestamp: they are in no increment, only in a whole export."
        )
      }
    } else {
      logger.notice(
        "The documents of \(read.collection) could not be counted: those without an updatedAt are in no increment, only in a whole export."
      )
    }
    read.filter = .field(Self.field, .greaterThanOrEqual, .timestamp(since))
    return true
  }
}
