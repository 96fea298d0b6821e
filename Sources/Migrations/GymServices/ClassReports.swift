import Files
package import FirestoreREST
package import Schema
package import Tables

/// A class in a week, with the number of its active bookings.
package struct ScheduledClass: Sendable, Equatable {
  package var day: CalendarDay
  /// The hour, such as `07:00`.
  package var start: String
  package var id: String
  package var name: String
  /// The duration in minutes; nil if the document does not have it.
  package var minutes: Int?
  /// The number of active bookings.
  package var booked: Int
  /// The maximum number of bookings; nil if the document does not have it.
  package var capacity: Int?
}

/// A record of attendance with the names it refers to.
package struct AttendanceRecord: Sendable, Equatable {
  package var id: String
  package var classID: String
  /// The name of the class; nil if there is none.
  package var className: String?
  /// The day of the class; nil if the class does not exist.
  package var day: CalendarDay?
  package var start: String?
  /// The ID of the member, or else of the user; nil if the record has neither.
  package var personID: String?
  /// The name of the person; nil if no document has it.
  package var personName: String?
  /// The same for all records of a person: an ID of the member, the user or the record.
  package var identity: String
  package var attended: Bool
  /// Whether the record says that the person attended or did not; if it says neither, it counts as an absence.
  package var isRecorded: Bool
}

/// Reads reports on classes.
package struct ClassReports: Sendable {
  /// Whose attendance to report.
  package enum Selection: Sendable, Equatable {
    case ofClass(String)
    /// A member, identified by its own ID or by those of linked users.
    case ofMember(String)
    /// Everybody who attended the classes of some days.
    case all

    /// The member to whom all records of users belong; nil if they belong to several people.
    fileprivate var member: String? { if case .ofMember(let id) = self { id } else { nil } }
  }

  let client: FirestoreClient
  private let zone: LocalTimeZone
  private let seen = Locked<Set<DocumentPath>>([])
  /// Called with the number of documents read from a collection.
  let onRead: @Sendable (CollectionPath, Int) -> Void

  /// - Parameter zone: The gym's time zone.
  package init(
    _ client: FirestoreClient,
    in zone: LocalTimeZone,
    onRead: @escaping @Sendable (CollectionPath, Int) -> Void = { _, _ in }
  ) {
    self.client = client
    self.zone = zone
    self.onRead = onRead
  }

  /// Returns the day of a point in time in the gym's time zone.
  package func day(of moment: Timestamp) -> CalendarDay { zone.day(of: moment) }

  // MARK: Week

  /// Returns the active classes of the week (Monday to Sunday) that contains a day, ordered by day, hour, name and ID.
  package func week(of day: CalendarDay) async throws -> [ScheduledClass] {
    let monday = day.monday
    let classes = try await classes(on: monday...CalendarDay(number: monday.number + 6))
      .filter(\.isActive)
    let bookings = try await ClassService.activeBookings(of: Set(classes.map { UTF8Key($0.id) }), in: client)
    onRead(GymCollection.bookings, bookings.count)
    let booked = bookings.reduce(into: [:]) { $0[UTF8Key($1.classId), default: 0] += 1 }
    return classes.compactMap { found in
      found.date.map { date in
        ScheduledClass(
          day: self.day(of: date),
          start: found.startTime,
          id: found.id,
          name: found.name,
          minutes: found.durationMinutes,
          booked: booked[UTF8Key(found.id)] ?? 0,
          capacity: found.maxCapacity
        )
      }
    }
    .sorted { Self.precedes($0.order, $1.order) }
  }

  func classes(on days: ClosedRange<CalendarDay>) async throws -> [GymClass] {
    var found: [GymClass] = []
    let held = try zone.filter("fecha", on: days, for: "report on")
    try await forEach(in: GymCollection.classes, held) { found.append(GymClass($0)) }
    return found
  }

  // MARK: Attendance

  /// Returns the attendance records, ordered by day, hour, class, name and ID; those without a class or a name come last.
  ///
  /// - Parameter days: The days of the classes; nil for all, which is only permitted for a class or a member. A record whose
  ///   class no longer exists or has no day belongs to the day on which it was written.
  /// - Throws: ``Failure``; `.inputMissing` if the class or the member does not exist.
  package func attendance(
    _ selection: Selection,
    on days: ClosedRange<CalendarDay>?
  ) async throws -> [AttendanceRecord] {
    var records = try await records(selection, on: days)
    let classes = try await documents(records.map { ($0.classId, GymCollection.classes) }).mapValues {
      GymClass($0)
    }
    if let days {
      records.removeAll { record in
        let held = Self.path(record.classId, in: GymCollection.classes).flatMap { classes[$0]?.date }
        return !((held ?? record.timestamp).map { days.contains(day(of: $0)) } ?? false)
      }
    }
    let people = try await Attendants(of: records, by: self)
    return records.map { record in
      let ids = [record.memberId, record.userId]
      let own = Self.path(record.classId, in: GymCollection.classes).flatMap { classes[$0] }
      return AttendanceRecord(
        id: record.id,
        classID: record.classId,
        className: own.flatMap { $0.name.isEmpty ? nil : $0.name },
        day: own?.date.map(day(of:)),
        start: own.flatMap { $0.startTime.isEmpty ? nil : $0.startTime },
        personID: ids.compactMap(\.self).first { !$0.isEmpty },
        personName: people.name(record),
        identity: people.identity(record, ofUser: selection.member) ?? record.id,
        attended: record.attended,
        isRecorded: record.isRecorded
      )
    }
    .sorted { Self.precedes($0.order, $1.order) }
  }

  private func records(
    _ selection: Selection,
    on days: ClosedRange<CalendarDay>?
  ) async throws -> [ClassAttendance] {
    switch selection {
    case .ofClass(let id):
      try await assertExists(id, in: GymCollection.classes, to: Self.operation)
      return try await records("classId", [id])
    case .ofMember(let id):
      let member = try await assertExists(id, in: GymCollection.members, to: Self.operation)
      var users = [id]
      if let linked = member.fields["linkedUserId"]?.string, !linked.isEmpty { users.append(linked) }
      try await forEach(in: GymCollection.users, "linkedMemberId", of: [id]) { users.append($0.path.id) }
      var seen: Set<UTF8Key> = []
      let own = try await records("memberId", [id])
      let ofUser = try await records("userId", Set(users.map(UTF8Key.init)).sorted().map(\.string))
      return (own + ofUser).filter { seen.insert(UTF8Key($0.id)).inserted }
    case .all:
      guard let days else { return [] }
      let classes = try await classes(on: days).map(\.id)
      var late: [ClassAttendance] = []
      let written = try zone.filter("timestamp", on: days, for: "report on")
      try await forEach(in: GymCollection.attendance, written) { late.append(ClassAttendance($0)) }
      let existing = try await documents(late.map { ($0.classId, GymCollection.classes) })
      late.removeAll { record in
        let found = Self.path(record.classId, in: GymCollection.classes).flatMap { existing[$0] }
        return found.map { GymClass($0).date != nil } ?? false
      }
      return try await records("classId", classes) + late
    }
  }

  private func records(_ field: String, _ values: [String]) async throws -> [ClassAttendance] {
    var found: [ClassAttendance] = []
    try await forEach(in: GymCollection.attendance, field, of: values) { found.append(ClassAttendance($0)) }
    return found
  }

  /// An hour as a sort key: `7:00` becomes `07:00`.
  static func hour(_ start: String) -> String {
    let bytes = start.utf8.prefix(2)
    return bytes.first?.isASCIIDigit == true && bytes.last == UInt8(ascii: ":") ? "0" + start : start
  }

  /// Whether texts sort before others by the bytes of the first that differ; a missing text sorts last.
  static func precedes(_ a: [String?], _ b: [String?]) -> Bool {
    for (one, other) in zip(a, b) where one != nil || other != nil {
      guard let one, let other else { return one != nil }
      let order = one.compareUTF8(other)
      if order != 0 { return order < 0 }
    }
    return false
  }

  // MARK: Reading

  /// Returns the path of an ID that was read from a field; nil if no document can have it.
  static func path(_ id: String, in collection: CollectionPath) -> DocumentPath? {
    PathLimits.violation(ofID: id, isDocument: true) == nil ? DocumentPath(collection, id) : nil
  }

  private static let operation = "report the attendance of"

  @discardableResult
  func assertExists(
    _ id: String,
    in collection: CollectionPath,
    to operation: String
  ) async throws -> RawDocument {
    if let path = Self.path(id, in: collection), let found = try await documents([(id, collection)])[path] {
      return found
    }
    throw Failure(
      .inputMissing,
      operation,
      path: "\(collection)/\(id)",
      cause: "there is no such document",
      remedy: collection == GymCollection.classes
        ? "'gymmigrate classes week --of DAY' lists classes with their ids."
        : "'gymmigrate find' looks people up."
    )
  }

  func documents(
    _ ids: [(id: String, collection: CollectionPath)]
  ) async throws -> [DocumentPath: RawDocument] {
    var found: [DocumentPath: RawDocument] = [:]
    let paths = Set(ids.compactMap { Self.path($0.id, in: $0.collection) }).sorted()
    for some in paths.chunks(of: 300) { found.merge(try await client.batchGet(Array(some))) { $1 } }
    for (collection, paths) in Dictionary(grouping: found.keys, by: \.collection) {
      count(paths, of: collection)
    }
    return found
  }

  /// Counts documents that were read, each once however often a report reads it.
  private func count(_ paths: [DocumentPath], of collection: CollectionPath) {
    onRead(collection, seen.withLock { seen in paths.count(where: { seen.insert($0).inserted }) })
  }

  /// Calls `body` with the documents in which a field has one of some values.
  private func forEach(
    in collection: CollectionPath,
    _ field: String,
    of values: [String],
    _ body: (RawDocument) -> Void
  ) async throws {
    for some in values.chunks(of: ClassService.valuesOfIn) {
      let filter: Value = .array(some.map { .string($0) })
      try await forEach(in: collection, .field(FieldPath(field: field), .in, filter), body)
    }
  }

  func forEach(
    in collection: CollectionPath,
    _ filter: StructuredQuery.Filter,
    _ body: (RawDocument) -> Void
  ) async throws {
    var read = CollectionRead(collection)
    read.filter = filter
    for try await page in client.pages(of: read) {
      count(page.map(\.path), of: collection)
      for document in page { body(document) }
    }
  }

}

// MARK: Tables

extension ClassReports {
  /// The schema of the tables, with the labels of their columns.
  package static let schema: DatabaseSchema = {
    let text = """
      schema: class-reports
      collections:
        class_week:
          fields:
            day: { type: string, width: 12, label: { en: Day, es: Día } }
            start: { type: string, width: 8, label: { en: Hour, es: Hora } }
            name: { type: string, width: 24, label: { en: Class, es: Clase } }
            booked: { type: integer, label: { en: Booked, es: Reservados } }
            capacity: { type: integer, label: { en: Capacity, es: Cupo } }
            minutes: { type: integer, label: { en: Minutes, es: Minutos } }
        class_bookings:
          fields:
            day: { type: string, width: 12, label: { en: Day, es: Día } }
            start: { type: string, width: 8, label: { en: Hour, es: Hora } }
            class: { type: string, width: 24, label: { en: Class, es: Clase } }
            classId: { type: string, label: { en: Class ID, es: Id de clase } }
            name: { type: string, width: 30, label: { en: Name, es: Nombre } }
            phone: { type: string, width: 16, label: { en: Phone, es: Teléfono } }
            email: { type: string, width: 30, label: { en: Email, es: Correo } }
            userId: { type: string, label: { en: User ID, es: Id de usuario } }
        class_attendance:
          fields:
            day: { type: string, width: 12, label: { en: Day, es: Día } }
            start: { type: string, width: 8, label: { en: Hour, es: Hora } }
            class: { type: string, width: 24, label: { en: Class, es: Clase } }
            classId: { type: string, label: { en: Class ID, es: Id de clase } }
            name: { type: string, width: 30, label: { en: Name, es: Nombre } }
            personId: { type: string, label: { en: Person ID, es: Id de persona } }
            attendance: { type: string, width: 12, label: { en: Attendance, es: Asistencia } }
      """
    return (try? SchemaReader.schema(parsing: text, path: "class-reports")) ?? .none
  }()
}

extension ScheduledClass {
  package static let table = CollectionPath(nil, "class_week")

  /// The sort key: day, hour, name, ID.
  fileprivate var order: [String?] { [day.text, ClassReports.hour(start), name, id] }

  package var row: RawDocument {
    var fields: FieldMap = [
      "day": .string(day.text), "start": .string(start), "name": .string(name),
      "booked": .integer(Int64(booked)),
    ]
    if let capacity { fields["capacity"] = .integer(Int64(capacity)) }
    if let minutes { fields["minutes"] = .integer(Int64(minutes)) }
    return RawDocument(path: DocumentPath(Self.table, id), fields: fields)
  }
}

extension AttendanceRecord {
  package static let table = CollectionPath(nil, "class_attendance")

  /// The sort key: day, hour, class, name, ID.
  fileprivate var order: [String?] { [day?.text, start.map(ClassReports.hour), classID, personName, id] }

  /// Whether the person attended, as a word.
  package var attendance: String { attended ? "asistió" : "falta" }

  package var row: RawDocument {
    var fields: FieldMap = [
      "classId": .string(classID), "attendance": .string(attendance),
    ]
    if let day { fields["day"] = .string(day.text) }
    if let start { fields["start"] = .string(start) }
    if let className { fields["class"] = .string(className) }
    if let personID { fields["personId"] = .string(personID) }
    if let personName { fields["name"] = .string(personName) }
    return RawDocument(path: DocumentPath(Self.table, id), fields: fields)
  }
}
