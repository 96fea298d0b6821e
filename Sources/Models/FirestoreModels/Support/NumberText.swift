/// Numbers formatted for people.
package enum NumberText {
  /// Groups the digits by thousands: `1,234,567`.
  package static func grouped(_ number: Int) -> String {
    var digits = Array(String(number.magnitude))
    var at = digits.count - 3
    while at > 0 {
      digits.insert(",", at: at)
      at -= 3
    }
    return (number < 0 ? "-" : "") + String(digits)
  }

  /// A count with its noun: `1 document`, `2,000 documents`.
  ///
  /// - Parameters:
  ///   - noun: The noun in the singular.
  ///   - plural: The plural; nil to append an s.
  package static func counted(_ number: Int, _ noun: String, plural: String? = nil) -> String {
    "\(grouped(number)) \(number == 1 ? noun : plural ?? "\(noun)s")"
  }
}

extension String {
  /// Digits with zeros before them, so that there are at least `width`.
  package func padded(to width: Int) -> String {
    String(repeating: "0", count: max(0, width - utf8.count)) + self
  }
}
