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
}
