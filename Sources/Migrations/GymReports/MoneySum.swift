/// An exact sum of amounts of money: the amounts are binary numbers, and only the sum is rounded, to cents.
///
/// Adding doubles one by one would lose cents over a year of payments.
package struct MoneySum: Sendable, Equatable {
  /// Amounts beyond a billion are implausible for a gym, and would overflow the sum; `gym-views.sql` leaves them out, too.
  private static let maximum = 1e9
  /// The sum is in units of 2^-60, of which every double from 2^-7 on is a whole number.
  private static let scale = 0x1p60

  private var units: Int128 = 0

  package init() {}

  /// Adds an integer or a double.
  ///
  /// - Returns: Whether it is an amount; any other value is not added.
  package mutating func add(_ value: Value?) -> Bool {
    let amount: Double
    switch value {
    case .integer(let number): amount = Double(number)
    case .double(let number): amount = number
    default: return false
    }
    guard amount.isFinite, amount.magnitude <= Self.maximum else { return false }
    // Both factors are powers of two or exact, so that only what is below the unit is lost.
    let whole = amount.rounded(.towardZero)
    units += Int128(whole) << 60 + Int128((amount - whole) * Self.scale)
    return true
  }

  package static func - (a: MoneySum, b: MoneySum) -> MoneySum {
    var difference = a
    difference.units -= b.units
    return difference
  }

  /// The sum in cents, with halves rounded away from zero.
  package var cents: Int {
    let (quotient, remainder) = (units * 100).quotientAndRemainder(dividingBy: 1 << 60)
    let isHalf = remainder.magnitude >= 1 << 59
    return Int(clamping: quotient + (isHalf ? (units < 0 ? -1 : 1) : 0))
  }
}
