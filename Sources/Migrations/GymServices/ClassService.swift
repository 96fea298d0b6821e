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
      let (year, month, number) = day.date
      guard let start = zone.startOfDay(year: year, month: month, day: number) else {
        throw Failure(.usage, "make a class", path: day.text, cause: "\(zone.name) has no such day")
      }
      return series.document(day, startOfDay: start)
    }
  }

  /// Creates the classes of a series; those that are there already as they should be are left.
  ///
  /// Creation and update times come from the service.
  ///
  /// - Throws: ``Failure``.
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
      timesOf: GymSchema.schema,
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
      for start in stride(from: resumed, to: documents.count, by: 100) {
        try Task.checkCancellation()
        let some = documents[start..<min(start + 100, documents.count)]
        try await intake.put(Array(some))
        try await context.checkpoints?.mark(at: state(some.endIndex)) { try await intake.drain() }
        context.progress.advance(by: some.count)
      }
    }
  }

  /// The days of a series on which there is no class yet.
  ///
  /// - Throws: ``Failure``.
  package func missing(of series: ClassSeries, in client: FirestoreClient) async throws -> [CalendarDay] {
    let documents = try documents(of: series)
    let days = series.dates
    var missing: [CalendarDay] = []
    for start in stride(from: 0, to: documents.count, by: 300) {
      let paths = documents[start..<min(start + 300, documents.count)].map(\.path)
      let found = try await client.batchGet(paths, mask: [.documentName])
      for (offset, path) in paths.enumerated() where found[path] == nil {
        missing.append(days[start + offset])
      }
    }
    return missing
  }

  // MARK: Cancelling

  /// The soft deletion of the classes of a series.
  ///
  /// - Parameter moment: Classes before it are spared; nil for none.
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
  ///
  /// - Throws: ``Failure``.
  package static func activeBookings(
    of classes: Set<String>,
    in client: FirestoreClient
  ) async throws -> [ClassBooking] {
    let bookings = CollectionPath(nil, "classBookings")
    var found: [ClassBooking] = []
    let ids = classes.sorted { $0.compareUTF8($1) < 0 }
    for start in stride(from: 0, to: ids.count, by: valuesOfIn) {
      var read = CollectionRead(bookings)
      let some = ids[start..<min(start + valuesOfIn, ids.count)].map { Value.string($0) }
      read.filter = .and([
        .field(FieldPath(field: "classId"), .in, .array(Array(some))),
        .field(FieldPath(field: "estado"), .equal, .string("activa")),
      ])
      for try await page in client.pages(of: read) { found += page.map { ClassBooking($0) } }
    }
    return found
  }
}
