import FirestoreModels

/// Markup appended to a buffer of bytes: markup comes from the program alone, everything else through ``text(_:)``.
package struct HTMLWriter {
  /// What has been written.
  package private(set) var bytes: [UInt8] = []

  package init() {}

  /// Forgets what has been written and keeps the room.
  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Markup of the program's own.
  package mutating func markup(_ markup: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: markup.utf8Start, count: markup.utf8CodeUnitCount))
  }

  /// A source of the program's own, as it is.
  package mutating func source(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// A number with a comma between thousands.
  package mutating func number(_ number: Int) { bytes.append(contentsOf: NumberText.grouped(number).utf8) }

  /// Text, in an element or in an attribute between quotes, whatever it holds.
  ///
  /// What nobody sees but what changes how the rest is read (control characters, overrides of the direction of
  /// writing) is written out: `\u202e`.
  package mutating func text(_ text: some StringProtocol) {
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": markup("&amp;")
      case "<": markup("&lt;")
      case ">": markup("&gt;")
      case "\"": markup("&quot;")
      case "'": markup("&#39;")
      case "\n", "\t": bytes.append(UInt8(scalar.value))
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}"..."\u{202E}", "\u{2066}"..."\u{2069}":
        let digits = String(scalar.value, radix: 16)
        bytes.append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8)
      default: bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }

  /// Text of which only the beginning is shown where it is long, with a word on how long it is.
  package mutating func shortText(_ text: String, maximum: Int) {
    let scalars = text.unicodeScalars
    guard text.utf8.count > maximum,
      let end = scalars.index(scalars.startIndex, offsetBy: maximum, limitedBy: scalars.endIndex),
      end != scalars.endIndex
    else {
      self.text(text)
      return
    }
    self.text(String(scalars[..<end]))
    markup("<span class=\"cut\">… (")
    number(scalars.count)
    markup(" characters)</span>")
  }
}
