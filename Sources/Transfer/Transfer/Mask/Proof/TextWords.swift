/// A text as words, which are runs of letters and digits; case, accents and separators are ignored.
struct TextWords {
  /// The maximum number of words that are searched for together.
  static let longest = 8
  /// The minimum number of letters and digits that are searched for.
  static let shortest = 6

  /// The words, separated by spaces.
  private var bytes: [UInt8] = []
  private var words: [Range<Int>] = []

  init(_ text: String) {
    var start = 0
    for scalar in PlainText.broadlyFolded(text).unicodeScalars {
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

  fileprivate static func isPart(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return UInt8(truncatingIfNeeded: scalar.value).isASCIILetterOrDigit }
    return scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }

  /// Whether a character is invisible, so that it does not end a word.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    !scalar.isASCII && scalar.properties.generalCategory == .format
  }

  /// Each word by itself.
  var list: [String] { words.map { String(decoding: bytes[$0], as: UTF8.self) } }

  /// Returns what to search for: all words, or the first ones if there are more; nil if the text is too short.
  ///
  /// - Parameter isURL: Whether the last words are used instead, which distinguish URLs.
  func trace(isURL: Bool) -> ValueTrace? {
    let some = isURL ? words.suffix(Self.longest) : words.prefix(Self.longest)
    guard let first = some.first, let last = some.last,
      some.reduce(0, { $0 + $1.count }) >= Self.shortest
    else { return nil }
    return ValueTrace(.words, bytes[first.lowerBound..<last.upperBound])
  }

  /// Calls `body` with each run of words that could be searched for.
  func forEachPart(_ body: (ValueTrace) -> Void) {
    for start in words.indices {
      for end in words[start..<min(words.count, start + Self.longest)] {
        let part = words[start].lowerBound..<end.upperBound
        if part.count >= Self.shortest { body(ValueTrace(.words, bytes[part])) }
      }
    }
  }
}

/// The digits of a text as in phone numbers: the last nine decide, with or without a country code.
///
/// In countries with nine-digit numbers, such as Spain, the tenth digit belongs to the country code.
enum PhoneDigits {
  static let shortest = 7
  private static let longest = 9

  /// Returns what to search for; nil if the number is too short.
  static func trace(_ text: String) -> ValueTrace? {
    let digits = text.unicodeScalars.compactMap { PlainText.decimalDigit($0).map { UInt8(ascii: $0) } }
    return digits.count < shortest ? nil : ValueTrace(.digits, digits.suffix(longest))
  }

  /// Calls `body` with each number in a text, whatever but letters stands between its digits.
  ///
  /// What separates times and the cells of files (`12:30`, `5,60`) ends a number, unless there is white space as well.
  static func forEach(in text: String, _ body: (ValueTrace) -> Void) {
    var groups: [[UInt8]] = []
    var group: [UInt8] = []
    var (isSeparated, isSpaced) = (false, false)
    for scalar in text.unicodeScalars {
      if let digit = PlainText.decimalDigit(scalar) {
        if isSeparated, !isSpaced { groups.removeAll() }
        (isSeparated, isSpaced) = (false, false)
        group.append(UInt8(ascii: digit))
        continue
      }
      end(&group, &groups, body)
      if groups.isEmpty { continue }
      if TextWords.isPart(scalar) { groups.removeAll() }
      if ",;:|\"".unicodeScalars.contains(scalar) { isSeparated = true }
      if PlainText.isWhiteSpace(scalar) { isSpaced = true }
    }
    end(&group, &groups, body)
  }

  private static func end(_ group: inout [UInt8], _ groups: inout [[UInt8]], _ body: (ValueTrace) -> Void) {
    if group.isEmpty { return }
    groups.append(group)
    // Each has a digit at least.
    if groups.count > longest { groups.removeFirst() }
    group.removeAll()
    var digits: [UInt8] = []
    for earlier in groups.reversed() {
      digits = earlier + digits
      if digits.count >= shortest { body(ValueTrace(.digits, digits.suffix(longest))) }
      if digits.count >= longest { return }
    }
  }
}
