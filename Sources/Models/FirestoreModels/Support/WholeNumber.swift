extension Int64 {
  /// Parses a whole number that is written with a point or an exponent (`12.0`, `1.5e3`), digit by digit.
  ///
  /// By way of a double, `9007199254740993.0` would lose its last digit, and `0.99999999999999999999` would be 1.
  ///
  /// - Parameter utf8: A number of JSON's grammar.
  /// - Returns: nil for a fraction, and for what 64 bits do not hold.
  package init?(wholeDecimal utf8: some Collection<UInt8>) {
    let isNegative = utf8.first == UInt8(ascii: "-")
    var digits: [UInt8] = []
    var (exponent, isAfterPoint) = (0, false)
    for (index, byte) in utf8.dropFirst(isNegative ? 1 : 0).enumerated() {
      if byte == UInt8(ascii: ".") {
        isAfterPoint = true
      } else if byte | 0x20 == UInt8(ascii: "e") {
        let rest = utf8.dropFirst(index + (isNegative ? 2 : 1))
        guard let power = Int(String(decoding: rest, as: UTF8.self)), power.magnitude < 1 << 40 else {
          return nil
        }
        exponent += power
        break
      } else {
        digits.append(byte)
        if isAfterPoint { exponent -= 1 }
      }
    }
    while digits.last == UInt8(ascii: "0") {
      digits.removeLast()
      exponent += 1
    }
    let significant = digits.drop { $0 == UInt8(ascii: "0") }
    if significant.isEmpty {
      self = 0
      return
    }
    guard exponent >= 0, significant.count + exponent <= 19 else { return nil }
    let whole = significant + repeatElement(UInt8(ascii: "0"), count: exponent)
    self.init((isNegative ? "-" : "") + String(decoding: whole, as: UTF8.self))
  }
}

extension Double {
  /// The least whole number beside which doubles have another one that is not theirs: 2 to the power of 53.
  ///
  /// A number from there on, read as a double, may have been another one.
  package static let firstAmbiguousInteger = 0x1p53
}
