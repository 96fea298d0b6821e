package import FirestoreModels
package import Schema

extension LocalTimeZone {
  package func day(of moment: Timestamp) -> CalendarDay {
    CalendarDay(number: Int(local(moment).flooredDivision(by: 86_400)))
  }

  /// The hour of a moment in the zone, 0 to 23.
  package func hour(of moment: Timestamp) -> Int {
    Int(local(moment).flooredRemainder(by: 86_400) / 3600)
  }

  /// Returns the local time of a moment in seconds since 1970, if it determines the moment.
  ///
  /// It is nil in the second pass of a repeated hour, because a local time means the first pass.
  func unambiguousTime(of moment: Timestamp) -> Int64? {
    let offset = offset(at: moment.seconds)
    let local = moment.seconds + Int64(offset)
    let before = self.offset(at: local - 86_400)
    if before != offset, self.offset(at: local - Int64(before)) == before, before > offset { return nil }
    return local
  }

  private func local(_ moment: Timestamp) -> Int64 { moment.seconds + Int64(offset(at: moment.seconds)) }
}
