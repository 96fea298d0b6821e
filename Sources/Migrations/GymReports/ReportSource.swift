package import FirestoreREST
import GymModels
package import Logging
package import Tables

extension OwnerReport {
  /// Reads the data of the report, each collection once and only with the required fields.
  ///
  /// - Parameters:
  ///   - readTime: The time to read at; nil for the present.
  ///   - onRead: Called with the number of documents read from a collection.
  /// - Throws: ``Failure``.
  package static func read(
    _ builder: ReportBuilder,
    of days: ClosedRange<CalendarDay>,
    from client: FirestoreClient,
    in zone: LocalTimeZone,
    readTime: Timestamp? = nil,
    logger: Logger,
    onRead: (CollectionPath, Int) -> Void
  ) async throws -> OwnerReport {
    var builder = builder
    for var read in try reads(of: days, in: zone) {
      read.readTime = readTime
      for try await page in client.pages(of: read) {
        try Task.checkCancellation()
        onRead(read.collection, page.count)
        for document in page { builder.add(document) }
      }
    }
    do {
      builder.addUndatedCheckIns(try await undatedCheckIns(in: client, readTime))
    } catch {
      builder.addUndatedCheckIns(nil)
      logger.warning("How many check-ins have no time is not known: the service did not count them.")
    }
    return builder.report
  }

  /// Returns how many check-ins have no time, which no query finds: the number of all minus those with a time, counted by the
  /// service.
  ///
  /// The report is complete without it, so it must not take long, and does not fall back to reading names.
  private static func undatedCheckIns(
    in client: FirestoreClient,
    _ readTime: Timestamp?
  ) async throws(Failure) -> Int {
    var read = CollectionRead(GymCollection.checkIns)
    read.readTime = readTime
    let all = try await client.quickly.count(read).count
    if all == 0 { return 0 }
    // A comparison only finds values of its own type.
    let first = Timestamp(microseconds: Timestamp.minimumSeconds * 1_000_000)
    read.filter = .field(FieldPath(field: "checkInDate"), .greaterThanOrEqual, .timestamp(first))
    let timed = try await client.quickly.count(read).count
    return max(0, all - timed)
  }

  /// Returns the reads, in the order that ``ReportBuilder`` requires.
  ///
  /// Payments are filtered only by their status: one without `completedAt` counts by its `createdAt`, which no filter can
  /// express.
  static func reads(
    of days: ClosedRange<CalendarDay>,
    in zone: LocalTimeZone
  ) throws(Failure) -> [CollectionRead] {
    func read(
      _ collection: CollectionPath,
      _ fields: [String],
      _ filter: StructuredQuery.Filter? = nil
    ) -> CollectionRead {
      var read = CollectionRead(collection, mask: fields.map { FieldPath(field: $0) })
      read.filter = filter
      return read
    }
    let completed = StructuredQuery.Filter.field(FieldPath(field: "status"), .equal, .string("completed"))
    return [
      read(
        GymCollection.payments,
        ["status", "completedAt", "createdAt", "amount", "currency", "type", "method"],
        completed
      ),
      read(GymCollection.expenses, ["isActive", "date", "amount", "currency", "category"]),
      read(
        GymCollection.checkIns,
        ["checkInDate", "memberId"],
        try zone.filter("checkInDate", on: days, for: "report on")
      ),
      read(
        GymCollection.members,
        [
          "firstName", "paternalLastName", "maternalLastName", "isActive", "membershipStatus",
          "membershipEndDate",
        ]
      ),
      read(GymCollection.products, ["isActive", "name", "stock"]),
    ]
  }
}
