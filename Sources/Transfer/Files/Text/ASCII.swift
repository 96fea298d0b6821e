extension UInt8 {
  /// Whether it is a letter or digit of ASCII.
  package var isASCIILetterOrDigit: Bool {
    switch self {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
    default: false
    }
  }
}
