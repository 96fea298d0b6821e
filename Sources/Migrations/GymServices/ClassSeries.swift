import Files
package import Schema

/// A class that recurs on certain days of the week, with one document per day.
///
/// The days are calendar days without a time zone; a class's `fecha` is the start of its day in the gym's time zone, and its hour
/// is the text `horaInicio`, so that daylight saving time shifts nothing. IDs are derived from the series and the day: the same
/// series over the same days yields the same documents.
package struct ClassSeries: Sendable, Equatable {
  /// The names of weekdays on the command line.
  package static let weekdayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  /// The Spanish names of weekdays.
  package static let spanishNames = ["lun", "mar", "mié", "jue", "vie", "sáb", "dom"]

  /// Returns the weekday, 0 for Monday, for an English or Spanish name, short or full, with or without accents; nil for any other
  /// text.
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

  /// The maximum number of classes in one series, which is ten years of every day.
  package static let maximumClasses = 3660

  package var name: String
  /// The weekdays, 0 for Monday.
  package var weekdays: Set<Int>
  /// The first and the last day, inclusive.
  package var days: ClosedRange<CalendarDay>
  /// The starting hour, such as `07:30`.
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

  /// The ID of the series, derived from name, weekdays and hour, so that a longer range continues the same series.
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

  /// Returns the document for a day.
  ///
  /// - Parameter startOfDay: The start of the day in the gym's time zone.
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

  /// The ID of the only gym, according to the schema.
  private static let gymID =
    GymSchema.schema.collection(GymCollection.classes)?.field(FieldPath(field: "gymId"))?.values?.first?
    .string ?? ""
}
