package import Schema

extension LocalTimeZone {
  package func day(of moment: Timestamp) -> CalendarDay {
    CalendarDay(number: Int(local(moment).flooredDivision(by: 86_400)))
  }

  /// Returns the hour of a moment in the zone, 0 to 23.
  package func hour(of moment: Timestamp) -> Int {
    Int(local(moment).flooredRemainder(by: 86_400) / 3600)
  }

  /// Returns the start of a day.
  ///
  /// - Throws: ``Failure`` of kind `usage` if the zone skips that day.
  package func start(of day: CalendarDay, for operation: String) throws(Failure) -> Timestamp {
    let (year, month, number) = day.date
    if let start = startOfDay(year: year, month: month, day: number) { return start }
    throw Failure(.usage, operation, path: day.text, cause: "\(name) has no such day")
  }

  /// Returns the filter for a field whose time is within the given days.
  ///
  /// - Throws: The errors of ``start(of:for:)``.
  package func filter(
    _ field: String,
    on days: ClosedRange<CalendarDay>,
    for operation: String
  ) throws(Failure) -> StructuredQuery.Filter {
    let path = FieldPath(field: field)
    let first = try start(of: days.lowerBound, for: operation)
    let end = CalendarDay(number: days.upperBound.number + 1)
    let begun = StructuredQuery.Filter.field(path, .greaterThanOrEqual, .timestamp(first))
    // No time is after the year 9999.
    if end.date.year > 9999 { return begun }
    return .and([begun, .field(path, .lessThan, .timestamp(try start(of: end, for: operation)))])
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
