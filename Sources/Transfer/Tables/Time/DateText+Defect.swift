import Schema

extension DateText {
  /// Returns why a text that looks like a date is not one, for an error; empty if unknown.
  static func defect(of utf8: UnsafeBufferPointer<UInt8>, _ order: DateOrder) -> String {
    if utf8.count > 40 { return "" }
    var parts = String(decoding: utf8, as: UTF8.self)
      .split(maxSplits: 2, omittingEmptySubsequences: false) { "/-.".contains($0) }.map(String.init)
    guard parts.count == 3 else { return "" }
    if digits(of: parts[2]) == 2, digits(of: parts[0]) < 3 {
      parts[2] = "20" + parts[2]
      return isDate(parts, order) ? "; a year has four digits" : ""
    }
    let isNamed = digits(of: parts[1]) == 0
    let day = digits(of: parts[0]) == 4 ? 2 : order == .monthFirst && !isNamed ? 1 : 0
    parts[day] = "01" + parts[day].dropFirst(digits(of: parts[day]))
    return isDate(parts, order) ? "; there is no such day" : ""
  }

  /// Returns the number of digits at the beginning of a text.
  private static func digits(of text: String) -> Int { text.utf8.prefix(while: \.isASCIIDigit).count }

  private static func isDate(_ parts: [String], _ order: DateOrder) -> Bool {
    parts.joined(separator: "-").withBytes { DateText($0, order) != nil }
  }
}
