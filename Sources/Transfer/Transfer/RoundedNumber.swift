/// Numbers of which a spreadsheet has saved the digits that it shows.
enum RoundedNumber {
  /// The digits that one shows of a number from ``largestShown`` on: `1.23457E+11`.
  private static let shownDigits = 6
  private static let largestShown = 1e11
  /// How many decimals a number loses at least; people who correct one drop fewer.
  private static let lostDecimals = 3

  /// Whether a number is another one with fewer digits: its first six if it is large, else fewer decimals.
  static func isRounded(_ old: Double, to new: Double) -> Bool {
    guard old.isFinite, new.isFinite, old != new else { return false }
    if old.magnitude >= largestShown, digits(of: new) <= shownDigits {
      return isNear(old, new, to: power(exponent(of: new) - shownDigits + 1))
    }
    guard let before = decimals(of: old), let after = decimals(of: new), before >= after + lostDecimals else {
      return false
    }
    return isNear(old, new, to: power(-after))
  }

  /// Whether a number is another one in units of the last digit that it has; with some room, for no double is exact.
  private static func isNear(_ old: Double, _ new: Double, to unit: Double) -> Bool {
    (old - new).magnitude <= unit / 2 * 1.000_001
  }

  private static func power(_ exponent: Int) -> Double { Double("1e\(exponent)") ?? 0 }

  /// The power of ten of the first digit.
  private static func exponent(of number: Double) -> Int {
    var rest = number.magnitude
    var exponent = 0
    while rest >= 10 { (rest, exponent) = (rest / 10, exponent + 1) }
    return exponent
  }

  /// The number of digits between the first and the last that are not 0.
  private static func digits(of number: Double) -> Int {
    let digits = number.magnitude.description.prefix { $0 != "e" }.filter { $0 != "." }.drop { $0 == "0" }
    return digits.reversed().drop { $0 == "0" }.count
  }

  /// The number of digits behind the point; nil of a number that is written with an exponent.
  private static func decimals(of number: Double) -> Int? {
    let parts = number.description.split(separator: ".")
    guard parts.count == 2, !parts[1].contains("e") else { return nil }
    return parts[1] == "0" ? 0 : parts[1].count
  }
}
