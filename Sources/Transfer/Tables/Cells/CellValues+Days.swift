import Schema

/// Days and times of day, which are texts.
extension CellValues {
  /// Returns the day or the time of day that a text is in a column of such, in their form; nil for any other text.
  func typedDay(_ utf8: UnsafeBufferPointer<UInt8>, _ index: Int) -> String? {
    if keepsDays { return nil }
    if days.contains(index), let day = day(Self.trimmed(utf8), index) { return day }
    return times.contains(index) ? Self.time(Self.trimmed(utf8)) : nil
  }

  /// Returns a date without a time of day in the form of texts that are days; nil for anything else.
  private func day(_ utf8: UnsafeBufferPointer<UInt8>, _ index: Int) -> String? {
    let order = dateOrders[index] ?? dateOrder
    guard let date = DateText(utf8, order) ?? DateText(compact: utf8), date.seconds == nil else { return nil }
    return CalendarDay(number: date.days).text
  }

  /// Returns a time of day before ten, typed without the leading zero, in the form of texts that are times; nil for
  /// anything else.
  private static func time(_ utf8: UnsafeBufferPointer<UInt8>) -> String? {
    let time = "0\(String(decoding: utf8, as: UTF8.self))"
    return FieldFormat.time.matches(time) ? time : nil
  }
}
