package import Schema

/// An active booking with its class and its person.
package struct BookingRecord: Sendable, Equatable {
  package var id: String
  package var classID: String
  /// The name of the class; nil if there is none.
  package var className: String?
  /// The day of the class; nil if the class does not exist or has no day.
  package var day: CalendarDay?
  package var start: String?
  package var userID: String
  /// Name, phone and email as the app reads them; nil if there is no user, or the user has none.
  package var name: String?
  package var phone: String?
  package var email: String?
}

extension ClassReports {
  /// The classes whose bookings are listed.
  package enum Booked: Sendable, Equatable {
    case ofClass(String)
    /// The classes of a day; only bookings of classes that take place are listed.
    case onDay(CalendarDay)
    /// The classes of a series, by their `recurrenceGroupId`.
    case ofSeries(String)
  }

  /// Returns the active bookings of classes, ordered by day, hour, class, name and ID.
  ///
  /// - Returns: The bookings, and how many are omitted because their class on that day is cancelled.
  /// - Throws: ``Failure``; `.inputMissing` if there is no such class, or no class of the series.
  package func bookings(
    _ booked: Booked
  ) async throws -> (records: [BookingRecord], ofCancelledClasses: Int) {
    let classes = Dictionary(try await classes(booked).map { (UTF8Key($0.id), $0) }) { $1 }
    var bookings = try await ClassService.activeBookings(of: Set(classes.keys), in: client)
    let count = bookings.count
    onRead(GymCollection.bookings, count)
    if case .onDay = booked {
      bookings.removeAll { classes[UTF8Key($0.classId)].map { !$0.isActive } ?? false }
    }
    let users = try await documents(bookings.map { ($0.userId, GymCollection.users) })
    let records = bookings.map { booking in
      let user = Self.path(booking.userId, in: GymCollection.users).flatMap { users[$0] }.map { AppUser($0) }
      return record(booking, classes[UTF8Key(booking.classId)], user)
    }
    .sorted { Self.precedes($0.order, $1.order) }
    return (records, count - records.count)
  }

  private func classes(_ booked: Booked) async throws -> [GymClass] {
    switch booked {
    case .ofClass(let id):
      return [GymClass(try await assertExists(id, in: GymCollection.classes, to: "list the bookings of"))]
    case .onDay(let day): return try await classes(on: day...day)
    case .ofSeries(let series):
      try await ClassService.assertSeries(series, in: client, to: "list the bookings of the series")
      var found: [GymClass] = []
      let filter = StructuredQuery.Filter.field(
        FieldPath(field: "recurrenceGroupId"),
        .equal,
        .string(series)
      )
      try await forEach(in: GymCollection.classes, filter) { found.append(GymClass($0)) }
      return found
    }
  }

  private func record(_ booking: ClassBooking, _ own: GymClass?, _ user: AppUser?) -> BookingRecord {
    return BookingRecord(
      id: booking.id,
      classID: booking.classId,
      className: own?.name.nilIfBlank,
      day: own?.date.map(day(of:)),
      start: own?.startTime.nilIfBlank,
      userID: booking.userId,
      name: user?.fullName?.nilIfBlank,
      phone: user?.phone?.nilIfBlank,
      email: user?.email?.nilIfBlank
    )
  }
}

extension BookingRecord {
  /// The sort key: day, hour, class, name, ID.
  fileprivate var order: [String?] { [day?.text, start.map(ClassReports.hour), classID, name, id] }

  package static let table = CollectionPath(nil, "class_bookings")

  package var row: RawDocument {
    let texts = [
      ("day", day?.text), ("start", start), ("class", className), ("classId", classID), ("name", name),
      ("phone", phone), ("email", email), ("userId", userID),
    ]
    var fields: FieldMap = [:]
    for (field, text) in texts { if let text { fields[field] = .string(text) } }
    return RawDocument(path: DocumentPath(Self.table, id), fields: fields)
  }
}
