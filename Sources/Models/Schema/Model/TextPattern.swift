/// A regular expression that must match an entire text.
package struct TextPattern: Sendable, Equatable {
  /// The expression as written.
  package let text: String

  /// The compiled expression.
  ///
  /// `Regex` is not `Sendable` because it may hold closures; one parsed from text holds none. The class keeps copies of a schema
  /// cheap, because the size of a `Regex` is known only at run time.
  private final class Compiled: @unchecked Sendable {
    let regex: Regex<AnyRegexOutput>

    init(_ regex: Regex<AnyRegexOutput>) { self.regex = regex }
  }

  private let compiled: Compiled
  /// The equivalent plain choices, if the expression consists only of these.
  private let choices: [PlainChoice]?

  /// Compiles an expression; nil if it is not valid.
  package init?(_ text: String) {
    guard let regex = try? Regex(text) else { return nil }
    self.text = text
    compiled = Compiled(regex.matchingSemantics(.unicodeScalar))
    choices = PlainChoice.all(of: text)
  }

  package func matches(_ text: String) -> Bool { text.withBytes { matches($0) } }

  func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if let choices { return choices.contains { $0.matches(bytes) } }
    return (try? compiled.regex.wholeMatch(in: String(decoding: bytes, as: UTF8.self))) != nil
  }

  package static func == (a: TextPattern, b: TextPattern) -> Bool { a.text.isIdentical(to: b.text) }
}

/// An alternative of an expression that can be matched byte by byte: `self`, or `admin:[^/]+`.
///
/// Such expressions are common in schemas, and the regex engine takes some ten thousand instructions to match one.
private struct PlainChoice {
  /// The entire text, or its prefix.
  private var head: [UInt8]
  /// The character that the rest, which must not be empty, excludes; nil if there is no rest.
  private var excluded: UInt8?

  /// Returns the choices of an expression; nil if it has anything else.
  static func all(of text: String) -> [PlainChoice]? {
    let parts = text.utf8.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
    let choices = parts.compactMap { PlainChoice(Array($0)) }
    return choices.count == parts.count ? choices : nil
  }

  private init?(_ part: [UInt8]) {
    head = part
    if part.count >= 5, part.suffix(2).elementsEqual("]+".utf8),
      part.suffix(5).prefix(2).elementsEqual("[^".utf8)
    {
      head.removeLast(5)
      excluded = part[part.count - 3]
    }
    let isPlain = (head + (excluded.map { [$0] } ?? [])).allSatisfy {
      $0.isASCIILetterOrDigit || ":/@_".utf8.contains($0)
    }
    if !isPlain { return nil }
  }

  func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard bytes.starts(with: head) else { return false }
    guard let excluded else { return bytes.count == head.count }
    return bytes.count > head.count && !bytes[head.count...].contains(excluded)
  }
}
