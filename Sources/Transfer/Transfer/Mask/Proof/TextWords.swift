/// A text as words, which are runs of letters and digits: case, accents, and what stands between them say nothing.
struct TextWords {
  /// The most words that are looked at together.
  static let longest = 8
  /// The fewest letters and digits that are looked for.
  static let shortest = 6

  /// The words with a space in between.
  private var bytes: [UInt8] = []
  private var words: [Range<Int>] = []

  init(_ text: String) {
    var start = 0
    for scalar in PlainText.folded(text).unicodeScalars {
      if Self.isPart(scalar) {
        bytes.append(contentsOf: Character(scalar).utf8)
      } else if !Self.isInvisible(scalar) {
        end(&start)
      }
    }
    end(&start)
  }

  private mutating func end(_ start: inout Int) {
    if start == bytes.count { return }
    words.append(start..<bytes.count)
    bytes.append(UInt8(ascii: " "))
    start = bytes.count
  }

  private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return UInt8(truncatingIfNeeded: scalar.value).isASCIILetterOrDigit }
    return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }

  /// Whether nobody sees it, so that it does not end a word.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.isASCII && scalar.properties.generalCategory == .format
  }

  /// Each word by itself.
  var list: [String] { words.map { String(decoding: bytes[$0], as: UTF8.self) } }

  /// What is looked for of a value: all of it, or where there are more words the first ones; nil where it is too short.
  ///
  /// - Parameter isURL: Whether the last words tell it from others, as those of a URL.
  func trace(isURL: Bool) -> ValueTrace? {
    let some = isURL ? words.suffix(Self.longest) : words.prefix(Self.longest)
    guard let first = some.first, let last = some.last,
      some.reduce(0, { $0 + $1.count }) >= Self.shortest
    else { return nil }
    return ValueTrace(.words, bytes[first.lowerBound..<last.upperBound])
  }

  /// Calls `body` with each run of words that can be what is looked for.
  func forEachPart(_ body: (ValueTrace) -> Void) {
    for start in words.indices {
      for end in words[start..<min(words.count, start + Self.longest)] {
        let part = words[start].lowerBound..<end.upperBound
        if part.count >= Self.shortest { body(ValueTrace(.words, bytes[part])) }
      }
    }
  }
}

/// The digits of a text, as phones have them: the last nine decide, with and without a country.
///
/// Of phones with nine digits, as those of Spain, the tenth is one of the country.
enum PhoneDigits {
  static let shortest = 7
  private static let longest = 9
  /// The most groups that one number is written in.
  private static let groups = 6

  /// What is looked for of a number; nil where it is too short.
  static func trace(_ text: String) -> ValueTrace? {
    let digits = text.unicodeScalars.compactMap { PlainText.decimalDigit($0).map { UInt8(ascii: $0) } }
    return digits.count < shortest ? nil : ValueTrace(.digits, digits.suffix(longest))
  }

  /// Calls `body` with each number in a text, whatever stands between its groups of digits.
  static func forEach(in text: String, _ body: (ValueTrace) -> Void) {
    var groups: [[UInt8]] = []
    var group: [UInt8] = []
    for scalar in text.unicodeScalars {
      if let digit = PlainText.decimalDigit(scalar) {
        group.append(UInt8(ascii: digit))
        continue
      }
      end(&group, &groups, body)
      if !"+-.()/ \u{A0}".unicodeScalars.contains(scalar) { groups.removeAll() }
    }
    end(&group, &groups, body)
  }

  private static func end(_ group: inout [UInt8], _ groups: inout [[UInt8]], _ body: (ValueTrace) -> Void) {
    if group.isEmpty { return }
    groups.append(group)
    if groups.count > Self.groups { groups.removeFirst() }
    group.removeAll()
    var digits: [UInt8] = []
    for earlier in groups.reversed() {
      digits = earlier + digits
      if digits.count >= shortest { body(ValueTrace(.digits, digits.suffix(longest))) }
      if digits.count >= longest { return }
    }
  }
}
