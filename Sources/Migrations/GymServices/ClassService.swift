package import FirestoreREST
package import Schema
package import Tables
package import Transfer

/// Creates and cancels series of classes.
package struct ClassService: Sendable {
  /// The maximum number of values of an IN (https://firebase.google.com/docs/firestore/query-data/queries).
  static let valuesOfIn = 30

  private let zone: LocalTimeZone

  /// - Parameter zone: The gym's time zone.
  package init(in zone: LocalTimeZone) {
    self.zone = zone
  }

  /// Returns the documents of a series.
  ///
  /// - Throws: `.usage` for a day that does not exist in the time zone.
  package func documents(of series: ClassSeries) throws(Failure) -> [RawDocument] {
    try series.dates.map { day throws(Failure) in
      series.document(day, startOfDay: try zone.start(of: day, for: "make a class"))
    }
  }

  /// Creates the classes of a series; existing ones that are already correct are left alone.
  ///
  /// Creation and update times are set by the service.
  package func create(_ series: ClassSeries, in context: RunContext, by loader: DocumentLoader) async throws {
    let documents = try documents(of: series)
    let resumed = try context.checkpoints?.resumed?.position(as: Checkpoint.Done.self)?.done ?? 0
    context.progress.begin("classes", total: documents.count)
    defer { context.progress.end() }
    try await loader.load { intake in
      func state(_ done: Int) -> Checkpoint.State { Checkpoint.State(at: Checkpoint.Done(done)) }
      if context.checkpoints?.resumed == nil { try await context.checkpoints?.begin(at: state(0)) }
      for some in documents.dropFirst(resumed).chunks(of: 100) {
        try Task.checkCancellation()
        try await intake.put(Array(some))
        try await context.checkpoints?.mark(at: state(some.endIndex)) { try await intake.drain() }
        context.progress.advance(by: some.count)
      }
    }
  }

  /// Returns a loader that writes classes, or only decides on them.
  package static func loader(
    in context: RunContext,
    limits: BatchLimits,
    pacer: WritePacer
  ) -> DocumentLoader {
    DocumentLoader(in: context, mode: .create, times: .server, limits: limits, pacer: pacer)
  }

  /// Counts and lists what ``create(_:in:by:)`` would do, without writing.
  ///
  /// - Returns: The days on which a class would be created, which are counted as skipped.
  package func preview(
    _ series: ClassSeries,
    in context: RunContext,
    by loader: DocumentLoader
  ) async throws -> [CalendarDay] {
    let classes = zip(series.dates, try documents(of: series)).map { $0 }
    var days: [CalendarDay] = []
    for some in classes.chunks(of: 300) {
      let decisions = try await loader.decisions(on: some.map { .decoded($0.1) })
      for ((day, document), decision) in zip(some, decisions) {
        context.counts.update(GymCollection.classes) { $0.read += 1 }
        switch decision {
        case .change:
          days.append(day)
          context.counts.update(GymCollection.classes) { $0.skipped += 1 }
        case .unchanged: context.counts.update(GymCollection.classes) { $0.unchanged += 1 }
        case .rejected(let error, _):
          context.counts.update(GymCollection.classes) { $0.rejected += 1 }
          try context.rejects.add(
            document.path,
            code: error.status.name,
            message: error.message,
            document: document
          )
        }
        try context.counts.assertBudget()
      }
    }
    return days
  }

  // MARK: Cancelling

  /// Returns the migration that soft-deletes the classes of a series.
  ///
  /// - Parameter moment: Classes before this time are kept; nil to cancel all.
  package static func cancellation(of series: String, from moment: Timestamp?) -> DeclarativeMigration {
    var filters: [StructuredQuery.Filter] = [
      .field(FieldPath(field: "recurrenceGroupId"), .equal, .string(series))
    ]
    if let moment {
      filters.append(.field(FieldPath(field: "fecha"), .greaterThanOrEqual, .timestamp(moment)))
    }
    return cancellation(
      DeclarativeMigration.Scope(
        GymCollection.classes,
        filters: [filters.count == 1 ? filters[0] : .and(filters)]
      )
    )
  }

  static func cancellation(_ scope: DeclarativeMigration.Scope) -> DeclarativeMigration {
    DeclarativeMigration(
      id: "cancel-series",
      summary: "Cancels the classes of a series.",
      scope: scope,
      steps: [.softDelete],
      schema: GymSchema.schema
    )
  }

  /// Checks that a series has a class on any day.
  ///
  /// - Throws: `.inputMissing` if it has none.
  package static func assertSeries(
    _ series: String,
    in client: FirestoreClient,
    to operation: String = "cancel the series"
  ) async throws {
    let any = cancellation(of: series, from: nil)
    for var read in any.sources {
      (read.pageSize, read.readsAhead) = (1, false)
      for try await page in client.pages(of: read) where !page.isEmpty { return }
    }
    throw Failure(
      .inputMissing,
      operation,
      path: series,
      cause: "no class has this recurrenceGroupId",
      remedy: "'gymmigrate classes generate' prints it; 'gymmigrate get classes/ID' shows that of a class."
    )
  }

  /// Returns the active bookings of classes, ordered by name.
  package static func activeBookings(
    of classes: Set<UTF8Key>,
    in client: FirestoreClient
  ) async throws -> [ClassBooking] {
    var found: [ClassBooking] = []
    for read in readsOfActiveBookings(of: classes) {
      for try await page in client.pages(of: read) { found += page.map { ClassBooking($0) } }
    }
    return found
  }

  static func readsOfActiveBookings(of classes: Set<UTF8Key>) -> [CollectionRead] {
    classes.sorted().chunks(of: valuesOfIn).map { some in
      var read = CollectionRead(GymCollection.bookings)
      read.filter = .and([
        .field(FieldPath(field: "classId"), .in, .array(some.map { .string($0.string) })),
        .field(FieldPath(field: "estado"), .equal, .string("activa")),
      ])
      return read
    }
  }
}
