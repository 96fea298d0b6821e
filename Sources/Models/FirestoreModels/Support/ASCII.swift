extension UInt8 {
  /// Whether it is a digit of ASCII.
  @inlinable
  package var isASCIIDigit: Bool { self &- 0x30 <= 9 }

  /// Whether it is a letter of ASCII.
  @inlinable
  package var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }

  /// Whether it is a letter or digit of ASCII.
  @inlinable
  package var isASCIILetterOrDigit: Bool { isASCIIDigit || isASCIILetter }

  /// Whether it is a small letter of ASCII.
  @inlinable
  package var isASCIISmallLetter: Bool { self &- 0x61 < 26 }
}
