/// Dates of HTTP headers (RFC 9110, 5.6.7), in the only form that may still be sent.
package enum HTTPDate {
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Returns the seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`; nil for any other text.
  package static func seconds(_ text: String) -> Int64? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int(words[1]), let year = Int(words[3]),
      let month = months.firstIndex(of: String(words[2]))
    else { return nil }
    let time = words[4].split(separator: ":").compactMap { Int64($0) }
    guard time.count == 3, (1...31).contains(day), (1970...9999).contains(year) else { return nil }
    let days = Int64(Civil.days(year: year, month: month + 1, day: day))
    return days * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
  }
}
