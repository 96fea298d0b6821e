import FirestoreModels

/// A phone number reduced to what it dials, for comparing only.
///
/// People write one number in many ways: `729 123 4567`, `(729) 123-4567`, `+52 1 729 123 4567`. Two texts are the
/// same number where this value is the same; a text that leaves a doubt is none.
package struct PhoneNumber: Hashable, Sendable {
  /// The ten digits of a number in Mexico; `+` and all digits of one elsewhere.
  package let digits: String

  /// Reads a number; nil where the text leaves a doubt.
  ///
  /// White space and `( ) - .` are passed over. A Mexican number is ten digits, alone or behind `52`, `521` (with or
  /// without `+`; mobiles wore the 1 until 2019), or the trunk prefixes of that time, `01`, `044` and `045`. Any other
  /// country's wants its `+` and has 8 to 15 digits (E.164). Everything else is a doubt: letters, two numbers in one
  /// text, another count of digits, ten equal digits.
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
      default: if !GymText.isWhiteSpace(scalar) { return nil }
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

  /// Whether both are the same.
  package static func == (a: PhoneNumber, b: PhoneNumber) -> Bool { a.digits.isIdentical(to: b.digits) }

  /// Feeds the bytes that equality compares.
  package func hash(into hasher: inout Hasher) { UTF8Key(digits).hash(into: &hasher) }

  /// Whether two texts are the same number, or the same text but for white space.
  package static func saySame(_ a: String, _ b: String) -> Bool {
    if GymText.tidied(a).isIdentical(to: GymText.tidied(b)) { return true }
    guard let first = PhoneNumber(a), let second = PhoneNumber(b) else { return false }
    return first == second
  }

  private static func mexican(_ digits: [UInt8], isInternational: Bool) -> ArraySlice<UInt8>? {
    let prefixes = isInternational ? ["52", "521"] : ["", "52", "521", "01", "044", "045"]
    let isKnown = prefixes.contains { digits.count == $0.utf8.count + 10 && digits.starts(with: $0.utf8) }
    return isKnown ? digits.suffix(10) : nil
  }
}
