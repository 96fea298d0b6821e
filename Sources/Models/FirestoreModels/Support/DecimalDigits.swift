/// A decimal number as its digits, where a double would round.
package struct DecimalDigits: Equatable, Sendable {
  private static let signs = Array("-+".utf8)

  private var isNegative: Bool
  /// The significant digits, without zeros at either end; empty for zero.
  private var digits: [UInt8] = []
  /// The power of ten of the last digit.
  private var exponent = 0

  /// Parses a JSON number; nil for any other text, and if the exponent is too large to be meaningful.
  package init?(_ utf8: some Collection<UInt8>) {
    isNegative = utf8.first == UInt8(ascii: "-")
    var (isAfterPoint, hasDigit) = (false, false)
    for (index, byte) in utf8.enumerated() {
      if byte == UInt8(ascii: ".") {
        isAfterPoint = true
      } else if byte | 0x20 == UInt8(ascii: "e") {
        let power = Int(String(decoding: utf8.dropFirst(index + 1), as: UTF8.self))
        guard let power, power.magnitude < 1 << 40 else { return nil }
        exponent += power
        break
      } else if byte &- UInt8(ascii: "0") <= 9 {
        if !digits.isEmpty || byte != UInt8(ascii: "0") { digits.append(byte) }
        if isAfterPoint { exponent -= 1 }
        hasDigit = true
      } else if index > 0 || !Self.signs.contains(byte) {
        return nil
      }
    }
    if !hasDigit { return nil }
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    if digits.isEmpty { exponent = 0 }
  }

  /// The number as a 64-bit integer; nil for a fraction or a number out of range.
  package var integer: Int64? {
    guard exponent >= 0, digits.count + exponent <= 19 else { return nil }
    let whole = digits + repeatElement(UInt8(ascii: "0"), count: exponent)
    return whole.isEmpty ? 0 : Int64((isNegative ? "-" : "") + String(decoding: whole, as: UTF8.self))
  }
}

extension Int64 {
  /// Parses a whole number written with a point or an exponent (`12.0`, `1.5e3`) without going through a double.
  ///
  /// As a double, `9007199254740993.0` would lose its last digit, and `0.99999999999999999999` would become 1.
  ///
  /// - Parameter utf8: A JSON number.
  /// - Returns: nil for a fraction, and for a number that does not fit 64 bits.
  package init?(wholeDecimal utf8: some Collection<UInt8>) {
    guard let number = DecimalDigits(utf8)?.integer else { return nil }
    self = number
  }
}

extension Double {
  /// 2 to the power of 53: the smallest whole number that, as a double, may be the rounded form of another whole number.
  package static let firstAmbiguousInteger = 0x1p53

  /// Parses a JSON number for a column of doubles: a fraction or a number with an exponent is rounded as usual, and the digits
  /// of a number from 2 to the power of 53 on, which all precede the decimals, must be kept.
  ///
  /// - Returns: nil for a number whose digits no double has, such as `9007199254740993` or `9007199254740993.0`.
  ///   `1152921504606847000` is accepted, because other programs write the nearest double that way.
  package init?(keepingDigits utf8: some Collection<UInt8>) {
    let text = String(decoding: utf8, as: UTF8.self)
    guard let number = Double(text) else { return nil }
    self = number
    if number.magnitude < Self.firstAmbiguousInteger
      || utf8.contains(where: { $0 | 0x20 == UInt8(ascii: "e") })
    {
      return
    }
    if let exact = Int128(exactly: number), exact == Int128(Self.withoutZeroDecimals(text)) { return }
    guard DecimalDigits(utf8) == DecimalDigits(number.description.utf8) else { return nil }
  }

  /// Returns a number without decimals that are all 0.
  private static func withoutZeroDecimals(_ text: String) -> Substring {
    guard let point = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return text[...] }
    let isZero = text.utf8[point...].dropFirst().allSatisfy { $0 == UInt8(ascii: "0") }
    return isZero ? text[..<point] : text[...]
  }
}
