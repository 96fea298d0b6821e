extension FixedWidthInteger {
  /// The sum, saturated at the bounds of the type; for untrusted numbers.
  package func addingClamped(_ other: Self) -> Self {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  /// The difference, saturated at the bounds of the type; for untrusted numbers.
  package func subtractingClamped(_ other: Self) -> Self {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  /// The product, saturated at the bounds of the type; for untrusted numbers.
  package func multipliedClamped(by other: Self) -> Self {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}

extension Int {
  /// The largest count accepted from outside: 2^53, beyond which JSON numbers are not exact.
  ///
  /// A thousand such counts can be added without an overflow check.
  package static let maximumCount = 1 << 53

  /// Parses a count in decimal digits, 0 to ``maximumCount``; nil for any other text.
  package init?(count text: some StringProtocol) {
    guard text.utf8.allSatisfy({ $0 &- UInt8(ascii: "0") <= 9 }), let number = Int(text),
      number <= Self.maximumCount
    else { return nil }
    self = number
  }

  /// Truncates the fraction and saturates at the bounds; NaN becomes 0.
  package init(clamping number: Double) {
    if let exact = Int(exactly: number.rounded(.towardZero)) {
      self = exact
    } else {
      self = number > 0 ? .max : number < 0 ? .min : 0
    }
  }
}
