/// Recognizes numbers that a spreadsheet saved with only the digits that it displays.
enum RoundedNumber {
  /// How many significant digits a spreadsheet displays of numbers from ``largestShown`` on: `1.23457E+11`.
  private static let shownDigits = 6
  private static let largestShown = 1e11
  /// The fewest decimals that a rounded number loses; people who correct a number drop fewer.
  private static let lostDecimals = 3

  /// Whether a number is another one with fewer digits: only its first six if it is large, otherwise fewer decimals.
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

  /// Whether two numbers agree when rounded to a unit, with some tolerance because doubles are inexact.
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

  /// The number of digits from the first to the last that is not zero.
  private static func digits(of number: Double) -> Int {
    let digits = number.magnitude.description.prefix { $0 != "e" }.filter { $0 != "." }.drop { $0 == "0" }
    return digits.reversed().drop { $0 == "0" }.count
  }

  /// The number of decimals; nil for a number that is written with an exponent.
  private static func decimals(of number: Double) -> Int? {
    let parts = number.description.split(separator: ".")
    guard parts.count == 2, !parts[1].contains("e") else { return nil }
    return parts[1] == "0" ? 0 : parts[1].count
  }
}
