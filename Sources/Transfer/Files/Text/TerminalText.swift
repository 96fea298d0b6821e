/// Text for display that cannot control a terminal.
///
/// Literal parts may contain line feeds and tabs. Interpolated parts come from databases, files and servers: each character
/// that controls a terminal or reorders text is replaced by an escape such as `\u{1B}`. Everything that is displayed has to
/// be of this type.
///
///     let text: TerminalText = "\(path)\t\(count)\n"
package struct TerminalText: Sendable, Equatable, ExpressibleByStringInterpolation, CustomStringConvertible {
  package let description: String

  package init(stringLiteral text: String) { description = text }

  package init(stringInterpolation: StringInterpolation) { description = stringInterpolation.text }

  /// Creates a single line, or part of one, from any source.
  package init(_ text: String) { description = Self.escaped(text) }

  /// Creates several lines whose line feeds are the program's own, such as help.
  package init(lines text: String) {
    description = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { Self.escaped(String($0)) }.joined(separator: "\n")
  }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity)
    }

    package mutating func appendLiteral(_ literal: String) { text += literal }

    /// Appends text that is already escaped.
    package mutating func appendInterpolation(_ part: TerminalText) { text += part.description }

    /// Appends any other value, escaped.
    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      text += TerminalText.escaped(value.description)
    }
  }

  // MARK: What steers a terminal

  /// Returns the text with escapes for characters that steer a terminal (see ``steers(_:)``).
  package static func escaped(_ text: String) -> String {
    escaped(text) { "\\u{\(String($0.value, radix: 16, uppercase: true))}" }
  }

  private static func escaped(_ text: String, _ escape: (Unicode.Scalar) -> String) -> String {
    if !text.unicodeScalars.contains(where: steers) { return text }
    var out = ""
    for scalar in text.unicodeScalars {
      if steers(scalar) { out += escape(scalar) } else { out.unicodeScalars.append(scalar) }
    }
    return out
  }

  /// Whether a character controls a terminal or reorders text around it.
  ///
  /// These are the C0 and C1 controls, DEL, line and paragraph separators, and the marks, embeddings, overrides and
  /// isolates of bidirectional text (https://www.unicode.org/reports/tr9/).
  static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Returns equivalent JSON with an escape such as `\u202e` for each character that steers a terminal (see
  /// ``steers(_:)``).
  package static func escaped(json: [UInt8]) -> [UInt8] {
    let text = escaped(String(decoding: json, as: UTF8.self)) { scalar in
      // The JSON writer already escapes lower ones, except between tokens.
      scalar.value <= 0x7E ? String(scalar) : "\\u" + String(scalar.value, radix: 16).padded(to: 4)
    }
    return Array(text.utf8)
  }
}

extension Sequence<TerminalText> {
  /// Joins the texts with a separator.
  package func joined(separator: TerminalText = "") -> TerminalText {
    // All parts have been escaped already.
    TerminalText(stringLiteral: map(\.description).joined(separator: separator.description))
  }
}
