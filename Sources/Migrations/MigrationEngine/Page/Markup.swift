/// HTML whose literal parts are trusted, and whose interpolated parts are escaped.
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

    /// Appends one of the program's own styles or scripts without escaping.
    package mutating func appendInterpolation(source: String) { bytes += source.utf8 }

    package mutating func appendInterpolation(_ number: Int) { bytes += String(number).utf8 }

    /// Appends a number with thousands separators.
    package mutating func appendInterpolation(grouped number: Int) {
      bytes += NumberText.grouped(number).utf8
    }

    /// Appends text, in an element or in a quoted attribute.
    ///
    /// Invisible characters that change how the rest is read are written out: control characters, and those that control the
    /// writing direction (https://www.unicode.org/reports/tr9/), as in `\u202e`.
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
          appendLiteral("\\u" + String(scalar.value, radix: 16).padded(to: 4))
        default: bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
        }
      }
    }

    /// Appends text; if it is too long, only its beginning and its length.
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
