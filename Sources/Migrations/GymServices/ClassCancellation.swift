package import FirestoreREST

/// Cancels classes together with their active bookings, as one plan.
///
/// The bookings are found while it runs, by the classes that it reads, including classes that were cancelled earlier. A class that
/// is left alone keeps its bookings.
package struct ClassCancellation: Migration {
  package let id = "cancel-classes"
  package let summary = "Cancels classes and their bookings."
  package let reads = [GymCollection.classes, GymCollection.bookings]

  private let classes: DeclarativeMigration
  private let bookings = DeclarativeMigration(
    id: "cancel-bookings",
    summary: "Cancels bookings.",
    scope: DeclarativeMigration.Scope(GymCollection.bookings),
    steps: [.set(FieldPath(field: "estado"), .string("cancelada"))],
    schema: GymSchema.schema
  )

  init(of classes: DeclarativeMigration) { self.classes = classes }

  /// The reads of the classes.
  package var sources: [CollectionRead] { classes.sources }

  package var strategy: MigrationStrategy {
    .streaming { source, sink in
      var ids: Set<UTF8Key> = []
      for read in classes.sources {
        try await source.forEachPage(matching: read) { page in
          let outcomes = page.map { classes.outcome(for: $0) }
          ids.formUnion(Self.cancelled(page, by: outcomes))
          try await sink.record(outcomes, of: page)
        }
      }
      for read in ClassService.readsOfActiveBookings(of: ids) {
        try await source.forEachPage(matching: read) { page in
          try await sink.record(page.map { bookings.outcome(for: $0) }, of: page)
        }
      }
    }
  }

  package func replan(_ current: RawDocument) -> Outcome? {
    (current.path.collection == GymCollection.bookings ? bookings : classes).outcome(for: current)
  }

  /// Returns the IDs of the classes that are cancelled then, by this or earlier; a class that is left alone is not.
  package static func cancelled(_ classes: [RawDocument], by outcomes: [Outcome]) -> [UTF8Key] {
    zip(classes, outcomes).compactMap { document, outcome in
      switch outcome.action {
      case .unchanged, .change: UTF8Key(document.path.id)
      case .skip, .conflict: nil
      }
    }
  }
}
