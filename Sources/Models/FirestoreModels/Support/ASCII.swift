extension UInt8 {
  /// Whether the byte is an ASCII digit.
  @inlinable
  package var isASCIIDigit: Bool { self &- 0x30 <= 9 }

  /// Whether the byte is an ASCII letter.
  @inlinable
  package var isASCIILetter: Bool { (self | 0x20) &- 0x61 < 26 }

  /// Whether the byte is an ASCII letter or digit.
  @inlinable
  package var isASCIILetterOrDigit: Bool { isASCIIDigit || isASCIILetter }

  /// Whether the byte is a lower-case ASCII letter.
  @inlinable
  package var isASCIISmallLetter: Bool { self &- 0x61 < 26 }
}
