/// The format of a text.
package enum FieldFormat: Sendable, Equatable {
  /// An address with one `@`, without white space.
  case email
  /// A phone number: digits, optionally with a leading `+` and with spaces, hyphens, dots and brackets in between.
  case phone
  /// Only digits.
  case digits
  /// A time of day: `07:30`, 24 hours.
  case time
  /// A calendar date: `2026-01-31`.
  case date
  /// An address with a scheme: `https://…`, `gs://…`.
  case url
  case uuid
  /// Text that a regular expression matches entirely.
  case pattern(TextPattern)

  /// The formats that have a name in schema files.
  package static let named: [(name: String, value: FieldFormat)] = [
    ("email", .email), ("phone", .phone), ("digits", .digits), ("time", .time), ("date", .date),
    ("url", .url), ("uuid", .uuid),
  ]

  /// The name in a schema file; for a pattern, the expression.
  package var name: String {
    if case .pattern(let pattern) = self { return pattern.text }
    return Self.named.first { $0.value == self }?.name ?? ""
  }

  /// A description of the expected text, for messages.
  package var description: String {
    switch self {
    case .email: "an email address"
    case .phone: "a phone number"
    case .digits: "digits alone"
    case .time: "a time of day as 07:30"
    case .date: "a date of the calendar as 2026-01-31"
    case .url: "a URL"
    case .uuid: "a UUID"
    case .pattern(let pattern): "a text that matches \(pattern.text)"
    }
  }

  /// Whether a text has the format.
  package func matches(_ text: String) -> Bool { text.withBytes { matches($0) } }

  package func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    switch self {
    case .email: return Self.isEmail(bytes)
    case .phone: return Self.isPhone(bytes)
    case .digits: return !bytes.isEmpty && bytes.allSatisfy(\.isASCIIDigit)
    case .time: return Self.isTime(bytes)
    case .date: return Civil.date(bytes) != nil
    case .url: return Self.isURL(bytes)
    case .uuid: return bytes.isUUID
    case .pattern(let pattern): return pattern.matches(bytes)
    }
  }

  private static func isEmail(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
    return parts.count == 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0 > 0x20 && $0 != 0x7F } }
  }

  private static func isPhone(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let digits = bytes.count(where: \.isASCIIDigit)
    return (5...20).contains(digits)
      && bytes.enumerated().allSatisfy { index, byte in
        byte.isASCIIDigit || " -.()".utf8.contains(byte) || (byte == UInt8(ascii: "+") && index == 0)
      }
  }

  private static func isTime(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"), let hour = number(bytes[0..<2]),
      let minute = number(bytes[3..<5])
    else { return false }
    return hour < 24 && minute < 60
  }

  private static func isURL(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
    let scheme = bytes[..<colon]
    let rest = bytes[(colon + 1)...]
    return scheme[0].isASCIILetter
      && scheme.allSatisfy { $0.isASCIILetterOrDigit || "+-.".utf8.contains($0) }
      && rest.starts(with: "//".utf8) && rest.count > 2 && rest.allSatisfy { $0 > 0x20 && $0 != 0x7F }
  }

  private static func number(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    bytes.allSatisfy(\.isASCIIDigit) ? bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) } : nil
  }
}
