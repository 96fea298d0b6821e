// swift-format-ignore-file
// As the page has it.
import Foundation

func makeDecoder() -> JSONDecoder {
  // ISO8601 Date Formatter for Firestore's TimestampValue
  let dateFormatter = DateFormatter()
  dateFormatter.calendar = Calendar(identifier: .iso8601)
  dateFormatter.locale = Locale(identifier: "en_US_POSIX")
  dateFormatter.timeZone = TimeZone(secondsFromGMT: 0)
  dateFormatter.dateFormat = "yyyy-MM-dd'T'HH:mm:ss.SSSXXXXX"

  let decoder = JSONDecoder()
  decoder.dateDecodingStrategy = .formatted(dateFormatter)
  return decoder
}
