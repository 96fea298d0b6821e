extension FixedWidthInteger {
  /// The sum, or the bound of the type that it passes: for numbers that came from outside.
  package func addingClamped(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, or the bound of the type that it passes: for numbers that came from outside.
  package func subtractingClamped(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  /// The product, or the bound of the type that it passes: for numbers that came from outside.
  package func multipliedClamped(by other: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}

extension Int {
  /// The largest count that is taken from outside: 2^53, beyond which JSON's numbers are not exact.
  ///
  /// A thousand of them can be added without a check.
  package static let maximumCount = 1 << 53

  /// A whole number from 0 to ``maximumCount`` in decimal digits; nil for any other text.
  package init?(count text: some StringProtocol) {
    guard text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") <= 9 }), let number = Int(text),
      number <= Self.maximumCount
    else { return nil }
    self = number
  }

  /// The number without its fraction, or the bound that it passes; 0 where it is not a number.
  package init(clamping number: Double) {
    if let exact = Int(exactly: number.rounded(.towardZero)) {
      self = exact
    } else {
      self = number > 0 ? .max : number < 0 ? .min : 0
    }
  }
}
