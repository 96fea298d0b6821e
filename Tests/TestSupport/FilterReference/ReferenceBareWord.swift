/// Which words may stand bare, as far as that is beyond doubt.
enum ReferenceBareWord {
  /// Whether a bare word is a text: it holds nothing that parts or quotes words, begins with a letter, `_` or
  /// an emoji or is digits that no number begins with, and is none of the words that mean something.
  static func isText(_ word: String) -> Bool {
    guard let first = word.unicodeScalars.first, isPath(word) else {
      return false
    }
    if word.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      return word.hasPrefix("0") && (2...10).contains(word.utf8.count)
    }
    let lowercase = asciiLowercased(word)
    return (first == "_" || isLetter(first)) && !reserved.contains(lowercase)
      && !moments.contains { lowercase.hasPrefix($0 + "-") || lowercase.hasPrefix($0 + "+") }
  }

  /// Whether the characters are such as may stand bare in a path, or in `ref(…)`.
  static func isPath(_ word: String) -> Bool {
    !word.isEmpty
      && word.unicodeScalars.allSatisfy { scalar in
        isLetter(scalar) || (0x30...0x39).contains(scalar.value) || symbols.contains(scalar)
      }
  }

  /// What stands for a moment in some other language.
  static let moments = ["now", "today", "yesterday", "tomorrow"]

  /// Letters, the accents that follow them, emoji and characters of private use.
  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x41...0x5A, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x24F, 0x300...0x36F: true
    case 0x391...0x3A9, 0x3B1...0x3C9, 0xE000...0xF8FF, 0x1F300...0x1F6FF: true
    default: false
    }
  }

  private static let symbols: Set<Unicode.Scalar> = [
    "_", "-", ".", "/", "@", "#", "%", "&", "*", "+", ":", ";", "$", "~", "^", "|", "?",
  ]

  private static let reserved: Set<String> = [
    "true", "false", "null", "nan", "infinity", "inf", "nil", "none", "now", "today", "yesterday", "tomorrow",
    "and", "or", "not", "in", "not-in", "array-contains", "array-contains-any", "is-null", "is-not-null",
    "is-nan", "is-not-nan", "ts", "ref",
  ]

  private static func asciiLowercased(_ word: String) -> String {
    String(decoding: word.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }, as: UTF8.self)
  }
}
