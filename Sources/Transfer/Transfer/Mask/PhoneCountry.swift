/// Recognizes a phone number's country code: by ITU-T E.164, one to three digits after `+` or `00`.
enum PhoneCountry {
  private static let ofTwoDigits: Set<Int> = [
    20, 27, 30, 31, 32, 33, 34, 36, 39, 40, 41, 43, 44, 45, 46, 47, 48, 49, 51, 52, 53, 54, 55, 56, 57, 58,
    60, 61, 62, 63, 64, 65, 66, 81, 82, 84, 86, 90, 91, 92, 93, 94, 95, 98,
  ]

  /// How many digits a phone number with its country code may have, without the zeros in front of that.
  static let lengths = 7...13

  /// Returns how many of a phone number's digits form its country code, including leading zeros; 0 if it has none.
  ///
  /// No country code begins with a zero, so a padded number such as 000012345 has none.
  ///
  /// - Parameter text: The phone number, with nothing before its `+` but spaces and brackets.
  static func digitCount(of text: some Sequence<UInt8>) -> Int {
    let bytes = Array(text)
    let digits = bytes.filter(\.isASCIIDigit).map { Int($0) - 0x30 }
    let zeros = digits.starts(with: [0, 0]) ? 2 : 0
    let sign = bytes.first { !" (".utf8.contains($0) }
    guard zeros > 0 || sign == UInt8(ascii: "+"), lengths.contains(digits.count - zeros), digits[zeros] > 0
    else { return 0 }
    let first = digits[zeros]
    if first == 1 || first == 7 { return zeros + 1 }
    return zeros + (ofTwoDigits.contains(first * 10 + digits[zeros + 1]) ? 2 : 3)
  }
}
