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
    /// A JSON literal in other letter case: `True`, `NULL`.
    case misspelled(String)
    /// Numbers that JSON does not have: `NaN`, `Infinity`.
    case notANumber
    /// `'admin'`.
    case singleQuoted
    /// `[a, b]`, `{"a": 1}`.
    case collection
    /// A number out of range of 64-bit integers and doubles.
    case unrepresentable(isWhole: Bool)

    /// The correction, as the end of a sentence that begins with the word.
    func advice(for text: String) -> String {
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
    if isJSONNumber(text) { return .unrepresentable(isWhole: isWhole(text)) }
    if isDateOrTime(bytes) { return .time }
    let lower = text.lowercased()
    if isMoment(Array(lower.utf8)) { return .now }
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
    var scan = Scan(Array(text.utf8))
    _ = scan.take("-")
    if !scan.take("0"), scan.digits() == 0 { return false }
    if scan.take("."), scan.digits() == 0 { return false }
    if scan.take("eE") {
      _ = scan.take("+-")
      if scan.digits() == 0 { return false }
    }
    return scan.isAtEnd
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
  private static func isMoment(_ lower: [UInt8]) -> Bool {
    for word in ["now", "today", "yesterday", "tomorrow"] where lower.starts(with: word.utf8) {
      var scan = Scan(Array(lower.dropFirst(word.utf8.count)))
      if scan.isAtEnd { return true }
      scan.skipSpaces()
      guard scan.take("+-") else { return false }
      scan.skipSpaces()
      return scan.digits() > 0
    }
    return false
  }

  private static func isDateOrTime(_ bytes: [UInt8]) -> Bool {
    guard bytes[0].isASCIIDigit else { return false }
    var scan = Scan(bytes)
    if scan.date() {
      if scan.isAtEnd { return true }
      let isJoined = scan.take("Tt")
      if !isJoined, !scan.take(" ") { return false }
      scan.skipSpaces()
      return scan.clock() ? scan.isZoneOrEnd() : isJoined && scan.digits() > 0
    }
    scan = Scan(bytes)
    return scan.clock() && scan.isZoneOrEnd()
  }

  /// A scanner over the bytes of a text.
  private struct Scan {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { at == bytes.count }

    /// Consumes digits and returns their number.
    mutating func digits(atMost maximum: Int = .max) -> Int {
      let start = at
      while at < bytes.count, bytes[at].isASCIIDigit, at - start < maximum { at += 1 }
      return at - start
    }

    mutating func take(_ any: StaticString) -> Bool {
      guard at < bytes.count else { return false }
      for index in 0..<any.utf8CodeUnitCount where any.utf8Start[index] == bytes[at] {
        at += 1
        return true
      }
      return false
    }

    mutating func skipSpaces() { while take(" ") {} }

    /// Consumes year, month and day in either order, or year and month, with equal separators.
    mutating func date() -> Bool {
      let first = digits(atMost: 4)
      guard at < bytes.count, "-/.".utf8.contains(bytes[at]) else { return false }
      let separator = bytes[at]
      at += 1
      let monthAt = at
      let second = digits(atMost: 2)
      guard second > 0 else { return false }
      guard at < bytes.count, bytes[at] == separator else {
        guard first == 4, second == 2, separator != UInt8(ascii: ".") else { return false }
        let year = String(decoding: bytes[..<4], as: UTF8.self)
        let month = Int(String(decoding: bytes[monthAt..<at], as: UTF8.self)) ?? 0
        return ("1900"..."2199").contains(year) && (1...12).contains(month)
      }
      at += 1
      let third = digits(atMost: 4)
      let isDay = at == bytes.count || !bytes[at].isASCIIDigit
      switch (first, third) {
      case (4, 1...2), (1...2, 4): return isDay
      case (1...2, 2): return isDay && separator == UInt8(ascii: "/")
      default: return false
      }
    }

    /// `h:mm`, `hh:mm:ss`, `hh:mm:ss.fff`.
    mutating func clock() -> Bool {
      guard digits(atMost: 2) > 0, take(":"), digits(atMost: 2) == 2 else { return false }
      if take(":") {
        guard digits(atMost: 2) == 2 else { return false }
        if take(".,"), digits() == 0 { return false }
      }
      return true
    }

    /// Consumes nothing, `Z`, an offset, or `am`/`pm`; false if more text follows.
    mutating func isZoneOrEnd() -> Bool {
      skipSpaces()
      if isAtEnd { return true }
      if take("Zz") { return isAtEnd }
      if take("+-") {
        guard digits(atMost: 2) == 2 else { return false }
        _ = take(":")
        _ = digits(atMost: 2)
        return isAtEnd
      }
      guard take("aApP") else { return false }
      _ = take(".")
      skipSpaces()
      guard take("mM") else { return false }
      _ = take(".")
      return isAtEnd
    }
  }
}
