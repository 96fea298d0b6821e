/// An exact sum of amounts of money: what is added is a binary number, and only the sum is rounded, to cents.
///
/// Doubles that are added one by one lose cents over a year of payments.
package struct MoneySum: Sendable, Equatable {
  /// Amounts beyond a billion are no money of a gym, and would overflow the sum.
  private static let maximum = 1e9
  /// The sum in units of 2^-60: every double from 2^-7 on is a whole number of them.
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
    // Both factors are powers of two or exact, so that nothing is lost but what is below the unit.
    let whole = amount.rounded(.towardZero)
    units += Int128(whole) << 60 + Int128((amount - whole) * Self.scale)
    return true
  }

  package static func - (a: MoneySum, b: MoneySum) -> MoneySum {
    var difference = a
    difference.units -= b.units
    return difference
  }

  /// The sum in cents, halves rounded away from zero.
  package var cents: Int {
    let (quotient, remainder) = (units * 100).quotientAndRemainder(dividingBy: 1 << 60)
    let isHalf = remainder.magnitude >= 1 << 59
    return Int(clamping: quotient + (isHalf ? (units < 0 ? -1 : 1) : 0))
  }
}
