import Files
package import FirestoreREST
package import Schema
package import Tables
package import TypedDocuments

/// Changes groups and their members.
package struct GroupsJob: Job {
  package enum Action: String, Codable, Sendable {
    case create, add, remove, delete, promote, demote
  }

  package static let kind = "groups"

  package var action: Action
  /// The IDs of groups, or of a group followed by users.
  package var ids: [String]
  /// The name of a new group.
  package var groupName = ""
  /// The owner's name in a new group.
  package var displayName: String?
  /// A file with groups and members.
  package var file: String?
  package var isAdmin = false
  /// Whether the group becomes the current group of those who join it.
  package var setsCurrent = false
  package var maximumDeletes: Int?
  package var isDryRun: Bool

  package init(_ action: Action, _ ids: [String], isDryRun: Bool) {
    self.action = action
    self.ids = ids
    self.isDryRun = isDryRun
  }

  package var name: String { "groups \(action.rawValue)" }
  package var writes: Bool { !isDryRun }
  package var deletesForGood: Bool { action == .delete }

  package func validate() throws(WireError) {
    if ids.isEmpty, file == nil { throw WireError("it names no group") }
  }

  /// Returns the operations of the job.
  ///
  /// - Parameters:
  ///   - run: The run, from whose ID a new group's ID is derived.
  ///   - warn: Called with messages about the file.
  /// - Throws: As ``GroupMemberFile/operations(in:warn:)``.
  package func operations(of run: String, warn: (String) -> Void = { _ in }) throws -> [GroupOperation] {
    if let file { return try GroupMemberFile.operations(in: file, warn: warn) }
    return switch action {
    case .create:
      [
        .create(
          id: DerivedID.auto(run),
          name: groupName,
          owner: GroupService.NewMember(userID: ids[0], displayName: displayName, setsCurrent: setsCurrent)
        )
      ]
    case .add:
      ids.dropFirst().map {
        .add(GroupService.NewMember(userID: $0, isAdmin: isAdmin, setsCurrent: setsCurrent), to: ids[0])
      }
    case .promote, .demote:
      ids.dropFirst().map { .assign(isAdmin: action == .promote, userID: $0, in: ids[0]) }
    case .remove: ids.dropFirst().map { .remove(userID: $0, from: ids[0]) }
    case .delete: ids.map { .delete(id: $0) }
    }
  }
}

/// Creates a class on certain days of the week.
package struct SeriesJob: Job {
  package static let kind = "series"

  package var title: String
  /// The weekdays, 0 for Monday.
  package var weekdays: [Int]
  @Text package var from: CalendarDay
  @Text package var to: CalendarDay
  package var start: String
  package var minutes: Int
  package var capacity: Int
  package var description: String?
  package var isDryRun: Bool

  package init(_ series: ClassSeries, isDryRun: Bool) {
    title = series.name
    weekdays = series.weekdays.sorted()
    from = series.days.lowerBound
    to = series.days.upperBound
    start = series.startTime
    (minutes, capacity, description) = (series.minutes, series.capacity, series.description)
    self.isDryRun = isDryRun
  }

  package var name: String { "classes generate" }
  package var writes: Bool { !isDryRun }

  package func validate() throws(WireError) {
    guard weekdays.allSatisfy(ClassSeries.weekdayNames.indices.contains), from <= to,
      series.dates.count <= ClassSeries.maximumClasses
    else { throw WireError("its days are none of a series") }
  }

  package var series: ClassSeries {
    ClassSeries(
      name: title,
      weekdays: Set(weekdays),
      days: from...max(from, to),
      startTime: start,
      minutes: minutes,
      capacity: capacity,
      description: description
    )
  }
}

/// Cancels the classes of a series.
package struct CancelSeriesJob: Job {
  package static let kind = "cancel-series"

  package var series: String
  /// The first day on which a class is cancelled.
  @Text package var from: CalendarDay
  package var failIfEmpty = false
  package var plan: PlanSettings

  package init(_ series: String, from day: CalendarDay, _ plan: PlanSettings) {
    self.series = series
    self.plan = plan
    from = day
  }

  package var name: String { "classes cancel-series \(series)" }
  package var writes: Bool { !plan.isDryRun }
}

/// Cancels classes together with their active bookings.
package struct CancelClassesJob: Job {
  package static let kind = "cancel-classes"

  private var classID: String?
  private var series: String?
  /// The day of the classes; for a series, the first day.
  @Text private var day: CalendarDay
  package var failIfEmpty = false
  package var plan: PlanSettings

  /// - Parameter from: The first day of a series.
  package init(_ classes: ClassReports.Booked, from: CalendarDay, _ plan: PlanSettings) {
    self.plan = plan
    switch classes {
    case .ofClass(let id): (classID, day) = (id, from)
    case .ofSeries(let id): (series, day) = (id, from)
    case .onDay(let day): self.day = day
    }
  }

  package var name: String { "classes cancel" }
  package var writes: Bool { !plan.isDryRun }

  /// Returns what is left of a series; nil if other classes are cancelled.
  ///
  /// - Throws: As ``SeriesRemainder/init(of:before:_:in:)``.
  package func remainder(in client: FirestoreClient, _ zone: LocalTimeZone) async throws -> SeriesRemainder? {
    guard let series else { return nil }
    return try await SeriesRemainder(of: series, before: day, zone, in: client)
  }

  /// Returns the migration that cancels the classes.
  ///
  /// - Throws: `.inputMissing` if there is no such class; `.usage` for a day that does not exist in the time zone.
  package func migration(in client: FirestoreClient, _ zone: LocalTimeZone) async throws -> ClassCancellation
  {
    let scope: DeclarativeMigration.Scope
    if let classID {
      try await ClassReports(client, in: zone).assertExists(classID, in: GymCollection.classes, to: "cancel")
      scope = DeclarativeMigration.Scope(GymCollection.classes, ids: [classID], in: client.database)
    } else if let series {
      return ClassCancellation(
        of: ClassService.cancellation(of: series, from: try zone.start(of: day, for: "cancel the series"))
      )
    } else {
      let held = try zone.filter("fecha", on: day...day, for: "cancel the classes")
      scope = DeclarativeMigration.Scope(GymCollection.classes, filters: [held])
    }
    return ClassCancellation(of: ClassService.cancellation(scope))
  }
}

/// Sets the first admin, once.
package struct SetupJob: Job {
  package static let kind = "setup"

  package var user: String
  package var isDryRun: Bool

  package init(admin user: String, isDryRun: Bool) {
    self.user = user
    self.isDryRun = isDryRun
  }

  package var name: String { "setup set" }
  package var writes: Bool { !isDryRun }
}

/// Registers an address for a user.
package struct EmailJob: Job {
  package static let kind = "email"

  package var address: String
  package var user: String
  package var isDryRun: Bool

  package init(_ address: String, of user: String, isDryRun: Bool) {
    self.address = address
    self.user = user
    self.isDryRun = isDryRun
  }

  package var name: String { "email register" }
  package var writes: Bool { !isDryRun }
}
