/// HTML: literal parts are the program's own, interpolated parts are escaped, whatever they hold.
///
///     page += "<li><b>\(grouped: count)</b> \(name)</li>\n"
package struct Markup: ExpressibleByStringInterpolation {
  package private(set) var bytes: [UInt8]

  package init(stringLiteral markup: String) {
    bytes = Array(markup.utf8)
  }

  package init(stringInterpolation: StringInterpolation) {
    bytes = stringInterpolation.bytes
  }

  package static func += (markup: inout Markup, more: Markup) { markup.bytes += more.bytes }

  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var bytes: [UInt8] = []

    package init(literalCapacity: Int, interpolationCount: Int) {
      bytes.reserveCapacity(literalCapacity)
    }

    package mutating func appendLiteral(_ literal: String) { bytes += literal.utf8 }

    package mutating func appendInterpolation(_ part: Markup) { bytes += part.bytes }

    package mutating func appendInterpolation(_ part: Markup, if isShown: Bool) {
      if isShown { bytes += part.bytes }
    }

    package mutating func appendInterpolation(_ parts: [Markup]) {
      for part in parts { bytes += part.bytes }
    }

    /// Appends a style or a script of the program's own, as it is.
    package mutating func appendInterpolation(source: String) { bytes += source.utf8 }

    package mutating func appendInterpolation(_ number: Int) { bytes += String(number).utf8 }

    /// Appends a number with a comma between thousands.
    package mutating func appendInterpolation(grouped number: Int) {
      bytes += NumberText.grouped(number).utf8
    }

    /// Appends text, in an element or in an attribute between quotes.
    ///
    /// Invisible characters that change how the rest is read, control characters and those that control the
    /// direction of writing (https://www.unicode.org/reports/tr9/), are written out: `\u202e`.
    package mutating func appendInterpolation(_ text: some StringProtocol) {
      for scalar in text.unicodeScalars {
        switch scalar {
        case "&": appendLiteral("&amp;")
        case "<": appendLiteral("&lt;")
        case ">": appendLiteral("&gt;")
        case "\"": appendLiteral("&quot;")
        case "'": appendLiteral("&#39;")
        case "\n", "\t": bytes.append(UInt8(scalar.value))
        case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{61C}", "\u{200E}"..."\u{200F}",
          "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
          let digits = String(scalar.value, radix: 16)
          appendLiteral("\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)")
        default: bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        }
      }
    }

    /// Appends text of which only the beginning is shown where it is long, with its length.
    package mutating func appendInterpolation(_ text: String, maximum: Int) {
      let scalars = text.unicodeScalars
      guard text.utf8.count > maximum,
        let end = scalars.index(scalars.startIndex, offsetBy: maximum, limitedBy: scalars.endIndex),
        end != scalars.endIndex
      else { return appendInterpolation(text) }
      appendInterpolation(String(scalars[..<end]))
      appendLiteral("<span class=\"cut\">… (\(NumberText.grouped(scalars.count)) characters)</span>")
    }
  }
}
