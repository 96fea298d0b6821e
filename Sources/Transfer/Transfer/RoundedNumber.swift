/// A number by its decimal digits, to recognize one that a program saved with only a part of them.
///
/// Doubles would not do: they have 17 digits at most, and a text may have more.
struct RoundedNumber: Equatable {
  /// How many digits a spreadsheet displays of numbers that are large, as `1.23457E+11`, or small, as `1.23457E-05`.
  private static let shownDigits = 6
  /// The powers of ten of the first digit for which it does so.
  private static func isLong(_ exponent: Int) -> Bool { exponent >= 11 || exponent < -4 }
  /// How many digits a spreadsheet stores; it rounds a number that is entered with more, or fills it up with zeros.
  private static let storedDigits = 15
  /// The fewest decimals that a rounded number loses; people who correct a number drop fewer.
  private static let lostDecimals = 3

  private var isNegative = false
  /// From the first to the last that is not zero; none for zero.
  private var digits: [UInt8] = []
  /// The power of ten of the first digit.
  private var exponent = 0

  /// Reads digits, with a point or decimal comma and an exponent; nil for any other text.
  init?(_ text: String) {
    var rest = Substring(text).utf8
    func skipsSign(_ rest: inout Substring.UTF8View) -> Bool {
      let sign = rest.first
      if sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") { rest.removeFirst() }
      return sign == UInt8(ascii: "-")
    }
    let isBelowZero = skipsSign(&rest)
    let whole = rest.prefix(while: \.isASCIIDigit)
    rest = rest.dropFirst(whole.count)
    var decimals = rest.prefix(0)
    if let point = rest.first, point == UInt8(ascii: ".") || point == UInt8(ascii: ",") {
      decimals = rest.dropFirst().prefix(while: \.isASCIIDigit)
      rest = rest.dropFirst(1 + decimals.count)
    }
    guard !whole.isEmpty || !decimals.isEmpty else { return nil }
    var power = 0
    if let sign = rest.first {
      guard sign | 0x20 == UInt8(ascii: "e") else { return nil }
      rest.removeFirst()
      let isSmall = skipsSign(&rest)
      // More digits are no number of a database or a spreadsheet.
      guard (1...5).contains(rest.count), rest.allSatisfy(\.isASCIIDigit),
        let size = Int(Substring(rest))
      else { return nil }
      power = isSmall ? -size : size
    }
    self.init(isBelowZero, Array(whole) + decimals, exponent: whole.count - 1 + power)
  }

  /// The number that a value is or spells; nil for any other value.
  init?(_ value: Value) {
    switch value {
    case .integer(let number): self.init(String(number))
    case .double(let number): self.init(number.description)
    case .string(let text): self.init(text)
    default: return nil
    }
  }

  private init(_ isNegative: Bool, _ all: [UInt8], exponent: Int) {
    let zero = UInt8(ascii: "0")
    let zeros = all.prefix { $0 == zero }.count
    digits = Array(all.dropFirst(zeros))
    while digits.last == zero { digits.removeLast() }
    if digits.isEmpty { return }
    (self.isNegative, self.exponent) = (isNegative, exponent - zeros)
  }

  /// Whether this is another number with fewer digits: those that a spreadsheet displays or stores of it, those of the nearest
  /// double, or fewer decimals.
  func isRounded(from old: RoundedNumber) -> Bool {
    if self == old || old.digits.isEmpty { return false }
    if Self.isLong(old.exponent), old.rounded(to: Self.shownDigits).contains(self) { return true }
    if old.digits.count > Self.storedDigits {
      let kept = Self.storedDigits
      if old.rounded(to: kept).contains(self) || old.cut(to: kept) == self { return true }
      if old.double == double { return true }
    }
    guard old.decimals >= decimals + Self.lostDecimals else { return false }
    return old.rounded(to: old.exponent + 1 + decimals).contains(self)
  }

  private var decimals: Int { max(0, digits.count - 1 - exponent) }

  private var double: Double? {
    Double("\(isNegative ? "-" : "")0.\(String(decoding: digits, as: UTF8.self))e\(exponent + 1)")
  }

  /// Returns the number with its first digits alone, and zeros for the others.
  private func cut(to count: Int) -> RoundedNumber {
    RoundedNumber(isNegative, Array(digits.prefix(max(0, count))), exponent: exponent)
  }

  /// Returns the number rounded to its first digits; both neighbours if it lies midway, because doubles are inexact there.
  private func rounded(to count: Int) -> [RoundedNumber] {
    let lower = cut(to: count)
    let rest = count < 0 ? [] : digits.dropFirst(count)
    let half = UInt8(ascii: "5")
    guard let first = rest.first, first >= half else { return [lower] }
    var upper = Array(digits.prefix(count))
    var power = exponent
    // A nine becomes a zero, which does not count at the end.
    while upper.last == UInt8(ascii: "9") { upper.removeLast() }
    if let last = upper.popLast() {
      upper.append(last + 1)
    } else {
      (upper, power) = ([UInt8(ascii: "1")], exponent + 1)
    }
    let next = RoundedNumber(isNegative, upper, exponent: power)
    return first == half && rest.count == 1 ? [lower, next] : [next]
  }
}
