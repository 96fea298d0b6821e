public import Logging
public import Models

/// Narrows reads down to what was updated since a moment, by the field `updatedAt`.
///
/// The service cannot be asked for documents by their own update time. So documents without an `updatedAt`, or with one
/// that is no timestamp, are in no increment, which is said with their number; and a collection in which no document has
/// one is read whole. Deleted documents are in no increment either.
public struct Increment: Sendable {
  /// The field.
  public static let field = FieldPath(field: "updatedAt")

  private let client: FirestoreClient
  private let logger: Logger

  /// Makes one for a database.
  public init(client: FirestoreClient, logger: Logger) {
    self.client = client
    self.logger = logger
  }

  /// Narrows a read down.
  ///
  /// - Parameters:
  ///   - read: The read of a whole collection.
  ///   - since: The moment; nil where the collection has no mark yet, and is read whole.
  /// - Returns: Whether it was narrowed down.
  /// - Throws: What keeps the documents from being counted.
  public func narrow(_ read: inout CollectionRead, since: Timestamp?) async throws(Failure) -> Bool {
    guard let since else {
      logger.notice("\(read.collection) was not exported here before: everything of it is.")
      return false
    }
    let all = try await client.count(read).count
    guard let beginning = Timestamp(seconds: Timestamp.minimumSeconds) else { return false }
    var dated = read
    dated.filter = .field(Self.field, .greaterThanOrEqual, .timestamp(beginning))
    let found = try await client.count(dated).count
    if found == 0 {
      if all > 0 {
        logger.notice("No document of \(read.collection) has an updatedAt: everything of it is exported.")
      }
      return false
    }
    if found < all {
      logger.warning(
        "\(all - found) documents of \(read.collection) have no updatedAt that is a timestamp: they are in no increment, only in a whole export."
      )
    }
    read.filter = .field(Self.field, .greaterThanOrEqual, .timestamp(since))
    return true
  }
}
