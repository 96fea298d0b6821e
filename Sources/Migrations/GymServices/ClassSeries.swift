import Files
package import FirestoreModels
import GymModels
import Schema

/// A class that comes again on some days of the week: one document a day.
///
/// The days are those of a calendar, in no zone; a class's `fecha` is the start of its day in the gym's zone, and its
/// hour is the text `horaInicio`. So a change of the clocks moves nothing. IDs follow from the series and the day: the
/// same series over the same days makes the same documents.
package struct ClassSeries: Sendable, Equatable {
  /// A day of the calendar.
  package struct Day: Sendable, Hashable, Comparable {
    /// Days since 1970-01-01.
    package let number: Int

    package init(number: Int) { self.number = number }

    /// A day as it is typed, `2026-01-05`; nil for one that does not exist.
    package init?(_ text: String) {
      guard FieldFormat.date.matches(text) else { return nil }
      let parts = text.split(separator: "-").compactMap { Int($0) }
      number = Civil.days(year: parts[0], month: parts[1], day: parts[2])
    }

    package var date: (year: Int, month: Int, day: Int) { Civil.date(days: number) }

    /// The day of the week, 0 for Monday.
    package var weekday: Int { Int((Int64(number) + 3).flooredRemainder(by: 7)) }

    /// The Monday of its week.
    package var monday: Day { Day(number: number - weekday) }

    /// As `2026-01-05`.
    package var text: String {
      let (year, month, day) = date
      func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
      }
      return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
    }

    package static func < (a: Day, b: Day) -> Bool { a.number < b.number }
  }

  /// The days of the week by their names on the command line.
  package static let weekdayNames = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  /// The most classes of one series, which is ten years of every day.
  package static let maximumClasses = 3660

  /// The name of the class.
  package var name: String
  /// The days of the week, 0 for Monday.
  package var weekdays: Set<Int>
  /// The first and the last day, both included.
  package var days: ClosedRange<Day>
  /// The hour at which it starts, `07:30`.
  package var startTime: String
  package var minutes: Int
  package var capacity: Int
  package var description: String?

  package init(
    name: String,
    weekdays: Set<Int>,
    days: ClosedRange<Day>,
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
    return GroupService.newID(seed: "series\u{0}\(name)\u{0}\(days)\u{0}\(startTime)")
  }

  /// The days of the classes, in order.
  package var dates: [Day] {
    (days.lowerBound.number...days.upperBound.number).lazy.map { Day(number: $0) }.filter {
      weekdays.contains($0.weekday)
    }
  }

  /// The document of a day.
  ///
  /// - Parameter startOfDay: The start of a day in the gym's zone.
  package func document(_ day: Day, startOfDay: Timestamp) -> RawDocument {
    var fields: FieldMap = [
      "nombre": .string(name), "fecha": .timestamp(startOfDay), "horaInicio": .string(startTime),
      "duracionMin": .integer(Int64(minutes)), "capacidadMax": .integer(Int64(capacity)),
      "isActive": .boolean(true),
      "recurrenceGroupId": .string(id),
    ]
    fields["gymId"] = Self.gymID
    if let description { fields["description"] = .string(description) }
    return RawDocument(
      path: DocumentPath(Self.classes, GroupService.newID(seed: "\(id)\u{0}\(day.text)")),
      fields: fields
    )
  }

  package static let classes = CollectionPath(nil, "classes")

  /// The only gym, as the schema has it.
  private static let gymID =
    GymSchema.schema.collection(classes)?.field(FieldPath(field: "gymId"))?.values?.first ?? .null
}
