/// Detects unquoted words that look like something other than text.
///
/// Such words are refused rather than guessed: as text they would silently match no document or set the wrong
/// value. docs/filters.md lists the patterns.
package enum BareWord {
  package enum Lookalike: Sendable, Equatable {
    /// `2025-01-01`, `2025-01`, `31/12/2025`, `12:30`, `2025-01-01T10:00:00Z`.
    case time
    /// `now`, `today`, `now-7d`.
    case now
    /// `now()`, `date(2025)`, `REF(users/u1)`.
    case call
    /// A JSON literal in the wrong case: `True`, `NULL`.
    case misspelled(String)
    /// Numbers that JSON does not have: `NaN`, `Infinity`.
    case notANumber
    /// `'admin'`.
    case singleQuoted
    /// `[a, b]`, `{"a": 1}`.
    case collection
    /// White space at an end, which no quotes hold: `true `.
    case spaced
    /// A number out of the range of 64-bit integers and of doubles.
    case unrepresentable(isWhole: Bool)

    /// The correction, as the end of a sentence that begins with the word.
    package func advice(for text: String) -> String {
      let quoted = "\(Self.quote(text)) for text"
      return switch self {
      case .time:
        "looks like a date or a time: write ts(2026-01-31T12:00:00Z) or ts(2026-01-31) for a time, \(quoted)"
      case .now: "looks like a time: write it as ts(2026-01-31T12:00:00Z), or \(quoted)"
      case .call:
        "looks like a call: there are ts(…) for times and ref(…) for references; or write \(quoted)"
      case .misspelled(let name): "looks like \(name): write \(name), or \(quoted)"
      case .notANumber: "looks like a number that JSON does not have: use is-nan, or write \(quoted)"
      case .singleQuoted:
        "is in single quotes: text is in double quotes, \(Self.quote(String(text.dropFirst().dropLast())))"
      case .collection:
        "looks like a list or a map: a migration file can hold one (docs/fix.md); or write \(quoted)"
      case .spaced where PlainText.isBlank(text): "is nothing but white space: write \(quoted)"
      case .spaced: "has white space at an end: write \(PlainText.trimmed(text)), or \(quoted)"
      case .unrepresentable(isWhole: true): "is beyond 64 bits: write \(text).0 for a double, \(quoted)"
      case .unrepresentable(isWhole: false): "is beyond the largest double: write \(quoted)"
      }
    }

    private static func quote(_ text: String) -> String { JSONWriter.text { $0.string(text) } }
  }

  /// What an unquoted word looks like; nil if it is plain text.
  package static func lookalike(of text: String) -> Lookalike? {
    let bytes = Array(text.utf8)
    guard let first = bytes.first, let last = bytes.last else { return nil }
    if PlainText.trimmed(text).utf8.count < bytes.count { return .spaced }
    if isJSONNumber(text) { return .unrepresentable(isWhole: isWhole(text)) }
    if isDateOrTime(text) { return .time }
    let lower = text.lowercased()
    if isMoment(lower) { return .now }
    for name in ["true", "false", "null"] where lower.isIdentical(to: name) { return .misspelled(name) }
    let unsigned = lower.first == "-" || lower.first == "+" ? String(lower.dropFirst()) : lower
    if ["nan", "infinity"].contains(where: unsigned.isIdentical) { return .notANumber }
    if bytes.count >= 2, first == UInt8(ascii: "'"), last == first { return .singleQuoted }
    if first == UInt8(ascii: "["), last == UInt8(ascii: "]") { return .collection }
    if first == UInt8(ascii: "{"), last == UInt8(ascii: "}") { return .collection }
    if last == UInt8(ascii: ")"), isCallHead(bytes) { return .call }
    return nil
  }

  /// Whether a text is a JSON number (RFC 8259, section 6).
  static func isJSONNumber(_ text: String) -> Bool {
    var rest = Array(text.utf8)[...]
    func take(_ any: String) -> Bool {
      guard let byte = rest.first, any.utf8.contains(byte) else { return false }
      rest.removeFirst()
      return true
    }
    func digits() -> Bool {
      let digits = rest.prefix(while: \.isASCIIDigit)
      rest = rest[digits.endIndex...]
      return !digits.isEmpty
    }
    _ = take("-")
    if !take("0"), !digits() { return false }
    if take("."), !digits() { return false }
    if take("eE") {
      _ = take("+-")
      if !digits() { return false }
    }
    return rest.isEmpty
  }

  /// Whether a number has neither fraction nor exponent.
  static func isWhole(_ number: String) -> Bool {
    number.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0.isASCIIDigit }
  }

  /// Whether the text begins with a name and an opening parenthesis.
  static func isCallHead(_ bytes: [UInt8]) -> Bool {
    guard let bracket = bytes.firstIndex(of: UInt8(ascii: "(")), bracket > 0, !bytes[0].isASCIIDigit else {
      return false
    }
    return bytes[..<bracket].allSatisfy { byte in
      byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
    }
  }

  // MARK: Shapes

  /// Whether the text is `now` or similar, with an optional offset: `now-7d`, `today + 1`.
  ///
  /// - Parameter lower: The text in lower case.
  private static func isMoment(_ lower: String) -> Bool {
    guard let first = lower.utf8.first, "nty".utf8.contains(first) else { return false }
    return lower.wholeMatch(of: moment) != nil
  }

  // Stored, because a regex literal is parsed at each evaluation, which takes longer than matching a thousand texts.
  private nonisolated(unsafe) static let moment =
    #/(?:now|today|yesterday|tomorrow)(?:\x20*[+\-]\x20*[0-9].*)?/#
    .dotMatchesNewlines().matchingSemantics(.unicodeScalar)

  private static func isDateOrTime(_ text: String) -> Bool {
    guard text.utf8.first?.isASCIIDigit ?? false else { return false }
    guard let day = text.prefixMatch(of: date) else {
      return isTime(text[...])
    }
    let rest = text[day.range.upperBound...]
    guard let joint = rest.first else { return true }
    guard joint == "T" || joint == "t" || joint == " " else { return false }
    let time = rest.dropFirst().drop { $0 == " " }
    return isTime(time) || (joint != " " && time.utf8.prefix { $0.isASCIIDigit }.count > 2)
  }

  /// Whether the text is a time of day, with or without a zone, an offset, or `am` and `pm`.
  private static func isTime(_ text: Substring) -> Bool {
    text.wholeMatch(of: time) != nil
  }

  /// Year, month and day in either order, or year and month, with the same separator throughout.
  private nonisolated(unsafe) static let date =
    #/
    (?: [0-9]{4} ([\-\/.]) [0-9]{1,2} \1 [0-9]{1,2}
      | [0-9]{1,2} ([\-\/.]) [0-9]{1,2} \2 [0-9]{4}
      | [0-9]{1,2} \/ [0-9]{1,2} \/ [0-9]{2}
      | (?: 19 | 20 | 21 ) [0-9]{2} ([\-\/]) (?: 0[1-9] | 1[0-2] ) (?! \3 )
    ) (?! [0-9] )
    /#
    .matchingSemantics(.unicodeScalar)

  private nonisolated(unsafe) static let time =
    #/
    [0-9]{1,2} : [0-9]{2} (?: : [0-9]{2} (?: [.,] [0-9]+ )? )? \x20*
    (?: [Zz] | [+\-] [0-9]{2} :? [0-9]{0,2} | [aApP] \.? \x20* [mM] \.? )?
    /#
    .matchingSemantics(.unicodeScalar)
}
