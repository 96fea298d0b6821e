import Files
package import Schema

/// A class that comes again on some days of the week: one document a day.
///
/// The days are those of a calendar, in no zone; a class's `fecha` is the start of its day in the gym's zone, and its
/// hour is the text `horaInicio`. So a change of the clocks moves nothing. IDs follow from the series and the day: the
/// same series over the same days makes the same documents.
package struct ClassSeries: Sendable, Equatable {
  /// The days of the week by their names on the command line.
  package static let weekdayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  /// The same in Spanish.
  package static let spanishNames = ["lun", "mar", "mié", "jue", "vie", "sáb", "dom"]

  /// The day of the week, 0 for Monday, of a name in English or Spanish, short or whole, with or without accents; nil for none.
  package static func weekday(named name: String) -> Int? {
    let name = plain(name)
    let whole = [
      ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"],
      ["lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo"],
    ]
    let names = [weekdayNames, spanishNames.map(plain)] + whole
    return names.lazy.compactMap { $0.firstIndex { $0.isIdentical(to: name) } }.first
  }

  private static func plain(_ name: String) -> String {
    name.lowercased().replacing("é", with: "e").replacing("á", with: "a")
  }

  /// The most classes of one series, which is ten years of every day.
  package static let maximumClasses = 3660

  package var name: String
  /// The days of the week, 0 for Monday.
  package var weekdays: Set<Int>
  /// The first and the last day, both included.
  package var days: ClosedRange<CalendarDay>
  /// The hour at which it starts, `07:30`.
  package var startTime: String
  package var minutes: Int
  package var capacity: Int
  package var description: String?

  package init(
    name: String,
    weekdays: Set<Int>,
    days: ClosedRange<CalendarDay>,
    startTime: String,
    minutes: Int,
    capacity: Int,
    description: String? = nil
  ) {
    self.name = name
    self.weekdays = weekdays
    self.days = days
    self.startTime = startTime
    self.minutes = minutes
    self.capacity = capacity
    self.description = description
  }

  /// The series: the same for the same name, days of the week and hour, so that a longer range continues it.
  package var id: String {
    let days = weekdays.sorted().map { Self.weekdayNames[$0] }.joined(separator: ",")
    return DerivedID.auto("series\u{0}\(name)\u{0}\(days)\u{0}\(startTime)")
  }

  /// The days of the classes, in order.
  package var dates: [CalendarDay] {
    (days.lowerBound.number...days.upperBound.number).lazy.map { CalendarDay(number: $0) }.filter {
      weekdays.contains($0.weekday)
    }
  }

  /// The document of a day.
  ///
  /// - Parameter startOfDay: The start of a day in the gym's zone.
  package func document(_ day: CalendarDay, startOfDay: Timestamp) -> RawDocument {
    let id = DerivedID.auto("\(self.id)\u{0}\(day.text)")
    let gymClass = GymClass(
      id: id,
      name: name,
      date: startOfDay,
      startTime: startTime,
      durationMinutes: minutes,
      maxCapacity: capacity,
      gymId: Self.gymID,
      description: description,
      recurrenceGroupId: self.id
    )
    return RawDocument(path: DocumentPath(GymCollection.classes, id), fields: gymClass.fields)
  }

  /// The only gym, as the schema has it.
  private static let gymID =
    GymSchema.schema.collection(GymCollection.classes)?.field(FieldPath(field: "gymId"))?.values?.first?
    .string ?? ""
}
