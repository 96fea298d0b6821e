/// Text for people that cannot steer a terminal.
///
/// What is written out in the source may hold line feeds and tabs; what is interpolated comes from a database, a file or a
/// server, and every character of it that a terminal obeys, or that moves other text, is shown as an escape:
/// `\u{1B}`. Whatever is printed for people goes through this type.
///
///     let text: TerminalText = "\(path)\t\(count)\n"
package struct TerminalText: Sendable, Equatable, ExpressibleByStringInterpolation, CustomStringConvertible {
  /// The text, as it is printed.
  package let description: String

  /// Takes a text of the source as it is.
  package init(stringLiteral text: String) {
    description = text
  }

  /// Puts together what ``StringInterpolation`` gathered.
  package init(stringInterpolation: StringInterpolation) {
    description = stringInterpolation.text
  }

  /// One line, or a part of one, of any text.
  package init(_ text: String) {
    description = Self.escaped(text)
  }

  /// Several lines of a text whose line feeds are the program's own, as those of its help.
  package init(lines text: String) {
    description = text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { Self.escaped(String($0)) }.joined(separator: "\n")
  }

  /// Gathers the parts of a literal.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    /// Starts with nothing.
    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity)
    }

    /// Adds a part of the source.
    package mutating func appendLiteral(_ literal: String) {
      text += literal
    }

    /// Adds what is clean already.
    package mutating func appendInterpolation(_ part: TerminalText) {
      text += part.description
    }

    /// Adds anything else, cleaned.
    package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
      text += TerminalText.escaped(value.description)
    }
  }

  // MARK: What steers a terminal

  /// The text with escapes for what ``steers(_:)``.
  package static func escaped(_ text: String) -> String {
    if !text.unicodeScalars.contains(where: steers) { return text }
    var out = ""
    for scalar in text.unicodeScalars {
      if steers(scalar) {
        out += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        out.unicodeScalars.append(scalar)
      }
    }
    return out
  }

  /// Whether a terminal obeys a character, or text around it changes its place: the controls C0 and C1 with DEL, the ends
  /// of lines and paragraphs, and the marks, embeddings, overrides and isolates of writing from right to left
  /// (https://www.unicode.org/reports/tr9/).
  static func steers(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// JSON with `\u202e` for each character of its texts that ``steers(_:)``, which means the same.
  package static func escaped(json: [UInt8]) -> [UInt8] {
    let text = String(decoding: json, as: UTF8.self)
    if !text.unicodeScalars.contains(where: steers) { return json }
    var out = ""
    for scalar in text.unicodeScalars {
      // Those below are escaped by the writer of JSON, but for what is between its tokens.
      if scalar.value > 0x7E, steers(scalar) {
        let digits = String(scalar.value, radix: 16)
        out += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      } else {
        out.unicodeScalars.append(scalar)
      }
    }
    return Array(out.utf8)
  }
}

extension Sequence<TerminalText> {
  /// All of them in one, with a separator in between.
  package func joined(separator: TerminalText = "") -> TerminalText {
    TerminalText(joining: map(\.description), separator.description)
  }
}

extension TerminalText {
  fileprivate init(joining clean: [String], _ separator: String) {
    description = clean.joined(separator: separator)
  }
}
