/// A phone number reduced to the digits it dials, for comparison only.
///
/// People write one number in many ways: `729 123 4567`, `(729) 123-4567`, `+52 1 729 123 4567`. Ambiguous
/// text has no value of this type.
package struct PhoneNumber: Hashable, Sendable {
  /// The ten digits of a Mexican number; `+` and all digits of any other.
  package let digits: String

  /// Parses a number; nil if the text is ambiguous.
  ///
  /// White space and `( ) - .` are ignored. A Mexican number has ten digits, alone or after `52`, `521` (with
  /// or without `+`; mobile numbers had the 1 until 2019), or the trunk prefixes of that time, `01`, `044`
  /// and `045`. A number of any other country must have its `+` and 8 to 15 digits (E.164). Everything else
  /// is ambiguous: letters, two numbers, other digit counts, ten equal digits.
  package init?(_ text: String) {
    var digits: [UInt8] = []
    var isInternational = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "0"..."9": digits.append(UInt8(ascii: scalar))
      case "+":
        if isInternational || !digits.isEmpty { return nil }
        isInternational = true
      case "(", ")", "-", ".": break
      default: if !PlainText.isWhiteSpace(scalar) { return nil }
      }
    }
    guard let national = Self.mexican(digits, isInternational: isInternational) else {
      guard isInternational, (8...15).contains(digits.count), !digits.starts(with: "52".utf8) else {
        return nil
      }
      self.digits = "+" + String(decoding: digits, as: UTF8.self)
      return
    }
    if national.allSatisfy({ $0 == national.first }) { return nil }
    self.digits = String(decoding: national, as: UTF8.self)
  }

  package static func == (a: PhoneNumber, b: PhoneNumber) -> Bool { a.digits.isIdentical(to: b.digits) }

  package func hash(into hasher: inout Hasher) { UTF8Key(digits).hash(into: &hasher) }

  /// Whether two texts are the same number, or equal apart from white space.
  package static func saySame(_ a: String, _ b: String) -> Bool {
    if PlainText.tidied(a).isIdentical(to: PlainText.tidied(b)) { return true }
    guard let first = PhoneNumber(a), let second = PhoneNumber(b) else { return false }
    return first == second
  }

  private static func mexican(_ digits: [UInt8], isInternational: Bool) -> ArraySlice<UInt8>? {
    let prefixes = isInternational ? ["52", "521"] : ["", "52", "521", "01", "044", "045"]
    let isKnown = prefixes.contains { digits.count == $0.utf8.count + 10 && digits.starts(with: $0.utf8) }
    return isKnown ? digits.suffix(10) : nil
  }
}
