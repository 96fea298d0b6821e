import FirestoreModels

package enum YAMLText {
  /// A text in double quotes, as JSON and YAML both read it.
  ///
  /// What JSON may have raw and YAML may not, or reads as the end of a line or as the mark of an encoding, is escaped.
  package static func quoted(_ text: String) -> String {
    let json = JSONWriter.text { $0.string(text) }
    guard json.unicodeScalars.contains(where: isSpecial) else { return json }
    return json.unicodeScalars.reduce(into: "") { quoted, scalar in
      guard isSpecial(scalar) else { return quoted.unicodeScalars.append(scalar) }
      let digits = String(scalar.value, radix: 16)
      quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  private static func isSpecial(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFDD0...0xFDEF, 0xFFFE, 0xFFFF: true
    default: false
    }
  }
}

/// Takes a text past Yams, which loses a U+FEFF at the beginning of a scalar, be it raw or an escape.
///
/// Another character takes its place for so long, one that the text does not have; of an escape only the digits change, letter
/// by letter, so that columns stay, and the same letters where they are no escape come back as they were. Keys in quotes that Yams
/// takes for the same have marks, too, so that they differ.
struct ByteOrderMarks {
  /// The text without marks, but for one that begins it.
  let text: String
  /// Takes the place of U+FEFF; nil where the text has none.
  private let standIn: Unicode.Scalar?

  /// Whether some keys have a mark.
  private(set) var hasMarkedKeys = false

  private static let mark: Unicode.Scalar = "\u{FEFF}"
  /// Of the last private use area, which hardly any text has.
  private static let keyMark: Unicode.Scalar = "\u{10FFFD}"

  init(_ text: String) {
    let lowered = text.utf8.map { $0 | 0x20 }
    let hasEscapes = !Self.digits("feff", in: lowered).isEmpty
    guard hasEscapes || text.unicodeScalars.dropFirst().contains(Self.mark) else {
      (self.text, standIn) = (text, nil)
      return
    }
    let scalars = Set(text.unicodeScalars)
    // Of the private use area, those whose digits are letters and differ as those of the mark do.
    let unused = (0xEAAA...0xEFFF).lazy.compactMap { Unicode.Scalar($0) }.first { scalar in
      let digits = String(scalar.value, radix: 16)
      return digits.utf8.allSatisfy(\.isASCIILetter) && !scalars.contains(scalar)
        && Self.digits(digits, in: lowered).isEmpty
    }
    standIn = unused
    self.text = unused.map { Self.replaced(Self.mark, by: $0, in: text, keepsFirst: true) } ?? text
  }

  /// A part of the text, with its marks.
  func restored(_ part: String) -> String {
    let part = hasMarkedKeys ? String(part.unicodeScalars.drop { $0 == Self.keyMark }) : part
    return standIn.map { Self.replaced($0, by: Self.mark, in: part, keepsFirst: false) } ?? part
  }

  /// Returns the text with a mark in the key that begins at a place; nil where it is in no quotes, or the text has such marks itself.
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
      // The case of a letter is its bit of 0x20, which stays.
      for index in from.indices { bytes[start + index] ^= from[index] ^ to[index] }
    }
    var scalars = String.UnicodeScalarView()
    for (index, scalar) in String(decoding: bytes, as: UTF8.self).unicodeScalars.enumerated() {
      scalars.append(scalar == old && !(keepsFirst && index == 0) ? new : scalar)
    }
    return String(scalars)
  }

  /// Where the four digits stand that an escape has: `\ufeff`, `\U0000feff`.
  ///
  /// - Parameter bytes: With the bit of 0x20 that makes small letters of capitals.
  private static func digits(_ digits: String, in bytes: [UInt8]) -> [Int] {
    let digits = Array(digits.utf8)
    return bytes.indices.dropLast(3).filter { start in
      guard bytes[start] == digits[0], bytes[start..<start + 4].elementsEqual(digits) else { return false }
      let before = bytes[..<start]
      // A backslash with that bit is a vertical bar.
      return before.suffix(2).elementsEqual("|u".utf8) || before.suffix(6).elementsEqual("|u0000".utf8)
    }
  }
}
