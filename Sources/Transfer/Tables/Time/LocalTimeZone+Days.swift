package import FirestoreModels
package import Schema

extension LocalTimeZone {
  /// The day of a moment in the zone.
  package func day(of moment: Timestamp) -> CalendarDay {
    CalendarDay(number: Int(local(moment).flooredDivision(by: 86_400)))
  }

  /// The hour of a moment in the zone, 0 to 23.
  package func hour(of moment: Timestamp) -> Int {
    Int(local(moment).flooredRemainder(by: 86_400) / 3600)
  }

  private func local(_ moment: Timestamp) -> Int64 { moment.seconds + Int64(offset(at: moment.seconds)) }
}
