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

  /// The value of an ASCII character as a hexadecimal digit; nil if it is not one.
  package var hexadecimalDigit: Int? { Character(UnicodeScalar(self)).hexDigitValue }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether the text is a UUID, in either case.
  package var isUUID: Bool {
    count == 36
      && enumerated().allSatisfy { index, byte in
        [8, 13, 18, 23].contains(index)
          ? byte == UInt8(ascii: "-") : byte.isASCIIDigit || (0x61...0x66).contains(byte | 0x20)
      }
  }
}
