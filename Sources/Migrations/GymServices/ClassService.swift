package import FirestoreModels
package import FirestoreREST
package import GymModels
import Logging
package import MigrationEngine
package import Runs
package import Schema
package import Tables
import Transfer

/// Classes in series.
package struct ClassService: Sendable {
  /// Values of an IN at most (https://firebase.google.com/docs/firestore/query-data/queries).
  static let valuesOfIn = 30

  private let zone: LocalTimeZone

  /// - Parameter zone: The gym's zone.
  package init(in zone: LocalTimeZone) {
    self.zone = zone
  }

  /// The documents of a series.
  ///
  /// - Throws: `.usage` for a day that the zone does not have.
  package func documents(of series: ClassSeries) throws(Failure) -> [RawDocument] {
    try series.dates.map { day throws(Failure) in
      series.document(day, startOfDay: try zone.start(of: day, for: "make a class"))
    }
  }

  /// Creates the classes of a series; those that are there already as they should be are left.
  ///
  /// Creation and update times come from the service.
  package func create(
    _ series: ClassSeries,
    in context: RunContext,
    limits: BatchLimits,
    pacer: WritePacer
  ) async throws {
    let documents = try documents(of: series)
    let loader = DocumentLoader(
      in: context,
      mode: .create,
      times: .server,
      limits: limits,
      pacer: pacer
    )
    let resumed = context.checkpoints?.resumed?.state.position.flatMap { Int($0) } ?? 0
    context.progress.begin("classes", total: documents.count)
    defer { context.progress.end() }
    try await loader.load { intake in
      func state(_ position: Int) -> Checkpoints.State {
        Checkpoints.State(stage: 0, position: String(position), counters: [:])
      }
      if context.checkpoints?.resumed == nil { try await context.checkpoints?.begin(at: state(0)) }
      for some in documents[resumed...].chunks(of: 100) {
        try Task.checkCancellation()
        try await intake.put(Array(some))
        try await context.checkpoints?.mark(at: state(some.endIndex)) { try await intake.drain() }
        context.progress.advance(by: some.count)
      }
    }
  }

  /// The days of a series on which there is no class yet.
  package func missing(of series: ClassSeries, in client: FirestoreClient) async throws -> [CalendarDay] {
    let classes = zip(series.dates, try documents(of: series).map(\.path))
    var missing: [CalendarDay] = []
    for some in Array(classes).chunks(of: 300) {
      let found = try await client.batchGet(some.map(\.1), mask: [.documentName])
      for (day, path) in some where found[path] == nil { missing.append(day) }
    }
    return missing
  }

  // MARK: Cancelling

  /// The soft deletion of the classes of a series.
  ///
  /// - Parameter moment: Classes before it stay; nil to cancel all.
  package static func cancellation(of series: String, from moment: Timestamp?) -> DeclarativeMigration {
    var filters: [StructuredQuery.Filter] = [
      .field(FieldPath(field: "recurrenceGroupId"), .equal, .string(series))
    ]
    if let moment {
      filters.append(.field(FieldPath(field: "fecha"), .greaterThanOrEqual, .timestamp(moment)))
    }
    return DeclarativeMigration(
      id: "cancel-series",
      summary: "Cancels the classes of a series.",
      scope: DeclarativeMigration.Scope(
        ClassSeries.classes,
        filters: [filters.count == 1 ? filters[0] : .and(filters)]
      ),
      steps: [.softDelete],
      schema: GymSchema.schema
    )
  }

  /// The active bookings of classes, in the order of their names.
  package static func activeBookings(
    of classes: Set<String>,
    in client: FirestoreClient
  ) async throws -> [ClassBooking] {
    let bookings = CollectionPath(nil, "classBookings")
    var found: [ClassBooking] = []
    let ids = classes.sorted { $0.compareUTF8($1) < 0 }
    for some in ids.chunks(of: valuesOfIn) {
      var read = CollectionRead(bookings)
      read.filter = .and([
        .field(FieldPath(field: "classId"), .in, .array(some.map { .string($0) })),
        .field(FieldPath(field: "estado"), .equal, .string("activa")),
      ])
      for try await page in client.pages(of: read) { found += page.map { ClassBooking($0) } }
    }
    return found
  }
}

extension LocalTimeZone {
  /// The start of a day.
  ///
  /// - Throws: `.usage` for a day that the zone does not have.
  func start(of day: CalendarDay, for operation: String) throws(Failure) -> Timestamp {
    let (year, month, number) = day.date
    if let start = startOfDay(year: year, month: month, day: number) { return start }
    throw Failure(.usage, operation, path: day.text, cause: "\(name) has no such day")
  }
}
