package import FirestoreREST
import Logging
import Schema

/// Restricts reads to documents updated since a time, by the field that the schema names for it.
///
/// The service cannot query update times. So an increment leaves out documents whose field is missing or not a timestamp,
/// and reports their number, where it can count them. A collection is read entirely if no document has the field, or if a run has set its times back
/// (``SetBackTimes``).
package struct Increment: Sendable {
  private let context: DatabaseContext
  private let setBack: SetBackCollections

  /// - Parameter marks: The times since which collections are read.
  /// - Throws: ``Failure`` if it cannot be read in which collections runs have set times back.
  package init(since marks: [Timestamp], in context: DatabaseContext) async throws {
    self.context = context
    setBack = try await SetBackCollections(since: marks, in: context.client)
  }

  /// Restricts a read to the documents updated since a time.
  ///
  /// - Parameters:
  ///   - read: The read of an entire collection.
  ///   - since: The time; nil if no earlier export has the collection, so that it is read entirely.
  /// - Returns: Whether the read was restricted.
  /// - Throws: The failure to read the collection.
  package func narrow(_ read: inout CollectionRead, since: Timestamp?) async throws -> Bool {
    let (client, logger) = (context.client, context.logger)
    guard let since else {
      logger.notice(
        "There is no earlier export of \(read.collection) by this time of last change to add to: all of it is exported."
      )
      return false
    }
    guard let field = context.schema.changeTime(of: read.collection) else {
      logger.notice("\(read.collection) has no update time: all of it is exported.")
      return false
    }
    if let run = setBack.run(in: read.collection, since: since, by: field) {
      logger.notice(
        "Run \(run) wrote earlier times of last change in \(read.collection): all of it is exported."
      )
      return false
    }
    let beginning = Timestamp(microseconds: Timestamp.minimumSeconds * 1_000_000)
    var dated = read
    dated.filter = .field(field, .greaterThanOrEqual, .timestamp(beginning))
    // It has to be known whether the filter applies; how many documents it leaves out only matters for a message.
    if try await client.isEmpty(dated, asFiltered: true) {
      if try await !client.isEmpty(read) {
        logger.notice("No document of \(read.collection) has \(field): all of it is exported.")
      }
      return false
    }
    let counts = await client.quickCounts(of: [read, dated])
    if let all = counts[0]?.count, let dated = counts[1]?.count {
      if dated < all {
        logger.warning(
          "\(read.collection): \(NumberText.counted(all - dated, "document")) without \(field) as a timestamp: what changes in them is in no increment, only in a full export."
        )
      }
    } else {
      logger.warning(
        "\(read.collection): how many documents have no \(field) as a timestamp could not be counted: what changes in such is in no increment, only in a full export."
      )
    }
    read.filter = .field(field, .greaterThanOrEqual, .timestamp(since))
    return true
  }
}
