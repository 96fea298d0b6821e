import FirestoreModels

package enum YAMLText {
  /// A text in double quotes that JSON and YAML read alike, except for escapes beyond U+FFFF, which JSON does not have.
  ///
  /// Characters are escaped that JSON permits raw but YAML does not, that YAML reads as a line break or a byte order mark, and
  /// that are invisible or change the direction of the text around them.
  package static func quoted(_ text: String) -> String {
    let json = JSONWriter.text { $0.string(text) }
    guard json.unicodeScalars.contains(where: isSpecial) else { return json }
    return json.unicodeScalars.reduce(into: "") { quoted, scalar in
      guard isSpecial(scalar) else { return quoted.unicodeScalars.append(scalar) }
      let digits = String(scalar.value, radix: 16)
      quoted += digits.utf8.count <= 4 ? "\\u" + digits.padded(to: 4) : "\\U" + digits.padded(to: 8)
    }
  }

  /// A scalar as the key of a mapping: YAML takes no key of more than 1,024 characters without a question mark.
  ///
  /// - Parameter indent: The indentation of the mapping; nil for one in braces.
  package static func key(_ scalar: String, indent: String? = nil) -> String {
    if scalar.unicodeScalars.count <= 1000 { return scalar }
    return "? \(scalar)" + (indent.map { "\n\($0)" } ?? " ")
  }

  /// Whether a character is written as an escape.
  package static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x7F: false
    case 0x7F...0x9F, 0x2028, 0x2029, 0xFDD0...0xFDEF, 0xFFFE, 0xFFFF: true
    default: PlainText.isInvisible(scalar)
    }
  }
}

/// Protects U+FEFF from Yams, which drops it at the beginning of a scalar, whether raw or escaped.
///
/// While Yams parses, another character that does not occur in the text replaces it. In an escape only the digits change, one for
/// one, so that columns stay the same, and digits that are not an escape are restored afterwards. Quoted keys that Yams treats as
/// duplicates also get marks, to make them different.
struct ByteOrderMarks {
  /// The text with all marks replaced, except for one at the beginning.
  let text: String
  /// The replacement for U+FEFF; nil if the text has none.
  private let standIn: Unicode.Scalar?

  /// Whether some keys have a mark.
  private(set) var hasMarkedKeys = false

  private static let mark: Unicode.Scalar = "\u{FEFF}"
  /// From the last private use area, which hardly any text uses.
  private static let keyMark: Unicode.Scalar = "\u{10FFFD}"

  init(_ text: String) {
    let lowered = text.utf8.map { $0 | 0x20 }
    let hasEscapes = !Self.digits("feff", in: lowered).isEmpty
    guard hasEscapes || text.unicodeScalars.dropFirst().contains(Self.mark) else {
      (self.text, standIn) = (text, nil)
      return
    }
    let scalars = Set(text.unicodeScalars)
    // From the private use area, a scalar whose hex digits are all letters, so that their case survives, and that the text does
    // not have.
    let unused = (0xEAAA...0xEFFF).lazy.compactMap { Unicode.Scalar($0) }.first { scalar in
      let digits = String(scalar.value, radix: 16)
      return digits.utf8.allSatisfy(\.isASCIILetter) && !scalars.contains(scalar)
        && Self.digits(digits, in: lowered).isEmpty
    }
    standIn = unused
    self.text = unused.map { Self.replaced(Self.mark, by: $0, in: text, keepsFirst: true) } ?? text
  }

  /// Returns a part of the text with its U+FEFF restored.
  func restored(_ part: String) -> String {
    let part = hasMarkedKeys ? String(part.unicodeScalars.drop { $0 == Self.keyMark }) : part
    return standIn.map { Self.replaced($0, by: Self.mark, in: part, keepsFirst: false) } ?? part
  }

  /// Returns the text with a mark in the key at a position; nil if the key is not quoted, or if the text already contains such
  /// marks.
  mutating func marking(_ text: String, line: Int, column: Int) -> String? {
    if !hasMarkedKeys, text.unicodeScalars.contains(Self.keyMark) { return nil }
    var lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
    guard lines.indices.contains(line - 1), lines[line - 1].indices.contains(column - 1),
      ["\"", "'"].contains(lines[line - 1][column - 1])
    else { return nil }
    hasMarkedKeys = true
    lines[line - 1].insert(Self.keyMark, at: column)
    var marked = String.UnicodeScalarView()
    marked.append(contentsOf: lines.joined(separator: ["\n"]))
    return String(marked)
  }

  private static func replaced(
    _ old: Unicode.Scalar,
    by new: Unicode.Scalar,
    in text: String,
    keepsFirst: Bool
  ) -> String {
    var bytes = Array(text.utf8)
    let (from, to) = (Array(String(old.value, radix: 16).utf8), Array(String(new.value, radix: 16).utf8))
    for start in digits(String(old.value, radix: 16), in: bytes.map({ $0 | 0x20 })) {
      // The case of a letter is its 0x20 bit, which is preserved.
      for index in from.indices { bytes[start + index] ^= from[index] ^ to[index] }
    }
    var scalars = String.UnicodeScalarView()
    for (index, scalar) in String(decoding: bytes, as: UTF8.self).unicodeScalars.enumerated() {
      scalars.append(scalar == old && !(keepsFirst && index == 0) ? new : scalar)
    }
    return String(scalars)
  }

  /// Returns the positions of the four digits of escapes: `\ufeff`, `\U0000feff`.
  ///
  /// - Parameter bytes: The text with the 0x20 bit set in every byte, which lower-cases letters.
  private static func digits(_ digits: String, in bytes: [UInt8]) -> [Int] {
    let digits = Array(digits.utf8)
    return bytes.indices.dropLast(3).filter { start in
      guard bytes[start] == digits[0], bytes[start..<start + 4].elementsEqual(digits) else { return false }
      let before = bytes[..<start]
      // A backslash with the 0x20 bit set is a vertical bar.
      return before.suffix(2).elementsEqual("|u".utf8) || before.suffix(6).elementsEqual("|u0000".utf8)
    }
  }
}
