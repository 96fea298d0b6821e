/// White space, case folding and comparison of names and other text that people type.
///
/// White space is Unicode's `White_Space` property. Everything works on scalars, so a combining mark after a
/// space does not hide the space.
package enum PlainText {
  /// Whether the text is empty or only white space; such text counts as missing.
  package static func isBlank(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy(isWhiteSpace)
  }

  /// Trims the text and collapses each inner run of white space to one space.
  package static func tidied(_ text: String) -> String {
    isPlainlyTidy(text) ? text : tokens(text).joined(separator: " ")
  }

  /// Removes leading and trailing scalars, of white space by default.
  package static func trimmed(
    _ text: String,
    where isTrimmed: (Unicode.Scalar) -> Bool = PlainText.isWhiteSpace
  ) -> String {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !isTrimmed($0) }),
      let last = scalars.lastIndex(where: { !isTrimmed($0) })
    else { return "" }
    return String(scalars[first...last])
  }

  /// The digits of a phone number, mapped to ASCII.
  ///
  /// Returns nil if the text has no digits, or holds anything but digits, white space and `+ - . ( )`.
  package static func phoneDigits(_ text: String) -> String? {
    var digits = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if let digit = decimalDigit(scalar) {
        digits.append(digit)
      } else if !isWhiteSpace(scalar), !"+-.()".unicodeScalars.contains(scalar) {
        return nil
      }
    }
    return digits.isEmpty ? nil : String(digits)
  }

  /// Whether the digits after a `+` are a Mexican number: 52, or 521 as mobile numbers used to have, followed by ten digits.
  package static func isMexican(_ digits: String) -> Bool {
    ["52", "521"].contains { digits.utf8.count == $0.utf8.count + 10 && digits.utf8.starts(with: $0.utf8) }
  }

  /// Maps a decimal digit of any script to ASCII; nil for other scalars.
  package static func decimalDigit(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
    if scalar.isASCII { return ("0"..."9").contains(scalar) ? scalar : nil }
    guard scalar.properties.numericType == .decimal, let number = scalar.properties.numericValue else {
      return nil
    }
    return Unicode.Scalar(UInt8(ascii: "0") + UInt8(number))
  }

  /// Splits the text at white space.
  package static func tokens(_ text: String) -> [String] {
    plainTokens(text) ?? text.unicodeScalars.split(whereSeparator: isWhiteSpace).map { String($0) }
  }

  /// Removes case and accents, for comparison only.
  ///
  /// Latin letters lose their diacritics (ñ becomes n) and combining marks are dropped. Letters of other
  /// scripts are unchanged.
  package static func folded(_ text: String) -> String {
    if let folded = plainlyFolded(text) { return folded }
    var out = String.UnicodeScalarView()
    for scalar in text.lowercased().unicodeScalars {
      if scalar.isASCII {
        out.append(scalar)
      } else if let base = LatinLetters.base(of: scalar) {
        out.append(base)
      } else if scalar.properties.generalCategory != .nonspacingMark {
        out.append(scalar)
      }
    }
    return String(out)
  }

  /// Whether two texts are equal apart from case, accents and extra white space.
  package static func saySame(_ a: String, _ b: String) -> Bool {
    if a.isIdentical(to: b) { return true }
    let left = tokens(a)
    let right = tokens(b)
    return left.count == right.count
      && zip(left, right).allSatisfy { folded($0).isIdentical(to: folded($1)) }
  }

  /// Whether a character shows nothing itself, as a byte order mark, a joiner, or a mark that changes the direction of text.
  package static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format
  }

  package static func isWhiteSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII ? scalar == " " || ("\t"..."\r").contains(scalar) : scalar.properties.isWhitespace
  }
}

extension String {
  /// The text, or nil if it is blank.
  package var nilIfBlank: String? { PlainText.isBlank(self) ? nil : self }
}

// Fast paths for text in ASCII and U+00C0 to U+00FF, which can be processed byte by byte. Other text takes
// the path through Unicode properties.
extension PlainText {
  /// Whether a UTF-8 byte can begin non-ASCII white space: U+0085, U+00A0, U+1680, U+2000 to U+205F or
  /// U+3000.
  private static func mayBeginWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0xC2 || (0xE1...0xE3).contains(byte)
  }

  private static func isWhiteSpace(ascii byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
  }

  /// Whether the text is known to be tidy; false is inconclusive.
  private static func isPlainlyTidy(_ text: String) -> Bool {
    text.withBytes { bytes in
      var isBehindSpace = true
      for byte in bytes {
        if byte == UInt8(ascii: " ") {
          if isBehindSpace { return false }
          isBehindSpace = true
        } else if isWhiteSpace(ascii: byte) || mayBeginWhiteSpace(byte) {
          return false
        } else {
          isBehindSpace = false
        }
      }
      return !isBehindSpace
    }
  }

  /// The tokens of text that has only ASCII white space; nil for other text.
  private static func plainTokens(_ text: String) -> [String]? {
    text.withBytes { bytes in
      var tokens: [String] = []
      tokens.reserveCapacity(4)
      var start = 0
      func end(at index: Int) {
        if start < index {
          tokens.append(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<index]), as: UTF8.self))
        }
        start = index + 1
      }
      for (index, byte) in bytes.enumerated() {
        if mayBeginWhiteSpace(byte) { return nil }
        if isWhiteSpace(ascii: byte) { end(at: index) }
      }
      end(at: bytes.count)
      return tokens
    }
  }

  /// ``folded(_:)`` for text up to U+00FF; nil for other text.
  private static func plainlyFolded(_ text: String) -> String? {
    text.withBytes { bytes in
      // U+0080 to U+00BF have a different lead byte, and none of their letters is folded.
      guard bytes.allSatisfy({ $0 <= 0xC3 && $0 != 0xC2 }) else { return nil }
      return String(unsafeUninitializedCapacity: bytes.count) { out in
        var count = 0
        func append(_ byte: UInt8) {
          out[count] = byte
          count += 1
        }
        for byte in bytes {
          switch byte {
          case UInt8(ascii: "A")...UInt8(ascii: "Z"): append(byte | 0x20)
          case 0..<0x80: append(byte)
          case 0x80..<0xC0:
            // After 0xC3: U+00C0 to U+00FF. Lower-case letters are 32 above the capitals, except for ×
            // (U+00D7).
            let small = byte < 0x9F && byte != 0x97 ? byte | 0x20 : byte
            if let base = LatinLetters.base(of: Unicode.Scalar(small + 0x40)) {
              append(UInt8(truncatingIfNeeded: base.value))
            } else {
              append(0xC3)
              append(small)
            }
          default: break
          }
        }
        return count
      }
    }
  }
}

/// Latin letters that Unicode decomposes into an ASCII letter and marks.
///
/// A table, because the standard library has no public normalization and Foundation is too expensive to load.
package enum LatinLetters {
  /// The letter without its marks, in its case; nil if the table has none.
  package static func base(of scalar: Unicode.Scalar) -> Unicode.Scalar? {
    let letter: UInt8
    switch scalar.value {
    case 0xC0...0x24F: letter = toExtendedB[Int(scalar.value - 0xC0)]
    case 0x1E00...0x1EFF: letter = additional[Int(scalar.value - 0x1E00)]
    default: return nil
    }
    return letter == UInt8(ascii: ".") ? nil : Unicode.Scalar(letter)
  }

  /// U+00C0 to U+024F, 80 per line; a full stop where there is no ASCII base letter.
  private static let toExtendedB = Array(
    ("AAAAAA.CEEEEIIII.NOOOOO..UUUUY..aaaaaa.ceeeeiiii.nooooo..uuuuy.yAaAaAaCcCcCcCcDd"
      + "..EeEeEeEeEeGgGgGgGgHh..IiIiIiIiI...JjKk.LlLlLl....NnNnNn...OoOoOo..RrRrRrSsSsSs"
      + "SsTtTt..UuUuUuUuUuUuWwYyYZzZzZz.................................Oo.............U"
      + "u............................AaIiOoUuUuUuUuUu.AaAa....GgKkOoOo..j...Gg..NnAa...."
      + "AaAaEeEeIiIiOoOoRrRrUuUuSsTt..Hh......AaEeOoOoOoOoYy............................").utf8
  )

  /// U+1E00 to U+1EFF.
  private static let additional = Array(
    ("AaBbBbBbCcDdDdDdDdDdEeEeEeEeEeFfGgHhHhHhHhHhIiIiKkKkKkLlLlLlLlMmMmMmNnNnNnNnOoOo"
      + "OoOoPpPpRrRrRrRrSsSsSsSsSsTtTtTtTtUuUuUuUuUuVvVvWwWwWwWwWwXxXxYyZzZzZzhtwy......"
      + "AaAaAaAaAaAaAaAaAaAaAaAaEeEeEeEeEeEeEeEeIiIiOoOoOoOoOoOoOoOoOoOoOoOoUuUuUuUuUuUu"
      + "UuYyYyYyYy......").utf8
  )
}
