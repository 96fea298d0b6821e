/// The probable encoding of a text, judging by its bytes.
package enum EncodingGuess: Equatable {
  /// UTF-8, perhaps with some damaged characters.
  case utf8
  /// Letters of Western languages, as Windows writes them.
  case windows1252
  /// Bytes that Windows hardly uses, but old Macs use for letters with accents.
  case windowsOrMac
  /// Another 8-bit encoding, such as those of DOS, old Macs and East Asia.
  case other

  /// - Parameter bytes: The beginning of a file; its last character may be incomplete.
  package init(_ bytes: [UInt8]) {
    let high = bytes.indices.filter { bytes[$0] >= 0x80 }
    let whole = (0...3).contains { cut in
      bytes.suffix(cut).allSatisfy { $0 >= 0x80 }
        && String(validating: bytes.dropLast(cut), as: UTF8.self) != nil
    }
    if high.isEmpty || whole || Self.characters(of: bytes) * 2 > high.count {
      self = .utf8
      return
    }
    var (signsInWords, neighbours, letters, rareLetters) = (0, 0, 0, 0)
    for index in high {
      let before = index > 0 ? bytes[index - 1] : 0
      let after = index + 1 < bytes.count ? bytes[index + 1] : 0
      if Self.isASCIILetter(before), Self.isASCIILetter(after), !Self.joins(bytes[index]) {
        signsInWords += 1
      }
      let isBesideAnother = [(before, bytes[index]), (bytes[index], after)].contains { pair in
        pair.0 >= 0x80 && pair.1 >= 0x80 && !Self.isPair(pair.0, pair.1)
      }
      if isBesideAnother { neighbours += 1 }
      if bytes[index] >= 0xC0, Self.joins(bytes[index]) { letters += 1 }
      if Self.isASCIILetter(before), Self.isMacLetter(bytes, index) { rareLetters += 1 }
    }
    // Few words contain two other adjacent letters with accents.
    if signsInWords * 10 > high.count || neighbours * 3 > high.count {
      self = .other
    } else {
      self = rareLetters > letters ? .windowsOrMac : .windows1252
    }
  }

  /// Whether two bytes are adjacent letters of many words in Windows-1252: ção, ções, ß after an umlaut, créée.
  private static func isPair(_ first: UInt8, _ second: UInt8) -> Bool {
    switch (first, second) {
    case (0xE7, 0xE3), (0xE7, 0xF5), (0xC7, 0xC3), (0xC7, 0xD5), (0xE4, 0xDF), (0xF6, 0xDF), (0xFC, 0xDF),
      (0xE9, 0xE9):
      true
    default: false
    }
  }

  /// Whether a byte after a letter is É or a small letter with an accent in old Mac encoding and rare there in
  /// Windows-1252, in which é is Ž and á is a dagger.
  private static func isMacLetter(_ bytes: [UInt8], _ index: Int) -> Bool {
    switch bytes[index] {
    case 0x83, 0x87, 0x8E, 0x96, 0x97, 0x9C, 0x9F: return true
    case 0x92:
      // An apostrophe occurs in it's and in O'Neil; í occurs in the middle of a word.
      let isBehindOne = index < 2 || !isASCIILetter(bytes[index - 2])
      let rest = bytes[(index + 1)...].prefix { isASCIILetter($0) }.prefix(4)
      let isEnding = ["", "s", "t", "d", "m", "re", "ll", "ve"].contains { rest.elementsEqual($0.utf8) }
      return !isBehindOne && !isEnding
    default: return false
    }
  }

  /// Returns the number of valid UTF-8 characters of more than one byte.
  private static func characters(of bytes: [UInt8]) -> Int {
    var (count, index) = (0, 0)
    while index < bytes.count {
      let length = bytes[index] >= 0xF0 ? 4 : bytes[index] >= 0xE0 ? 3 : bytes[index] >= 0xC2 ? 2 : 1
      let end = index + length
      if length > 1, end <= bytes.count, String(validating: bytes[index..<end], as: UTF8.self) != nil {
        count += 1
        index = end
      } else {
        index += 1
      }
    }
    return count
  }

  private static func isASCIILetter(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
  }

  /// Whether a byte may occur between letters in Windows-1252: a letter, an apostrophe, a middle dot or a soft hyphen.
  private static func joins(_ byte: UInt8) -> Bool {
    switch byte {
    case 0xD7, 0xF7: false
    case 0xC0...0xFF, 0x83, 0x8A, 0x8C, 0x8E, 0x9A, 0x9C, 0x9E, 0x9F, 0x91, 0x92, 0xAD, 0xB7: true
    default: false
    }
  }

  /// What to do with a file that is not UTF-8.
  package var remedy: String {
    switch self {
    case .utf8: "Save it as CSV in UTF-8."
    case .windows1252:
      "Save it as CSV in UTF-8; a table of documents that Windows wrote can be imported with --encoding windows-1252."
    case .windowsOrMac:
      "Save it as CSV in UTF-8: by its letters it is of an old Mac (iconv -f MACINTOSH -t UTF-8), or of Windows, which 'import' reads with --encoding windows-1252."
    case .other:
      "Save it as CSV in UTF-8 (iconv -f ENCODING -t UTF-8, which is MACINTOSH of an old Mac, CP850 of DOS): by its letters it was not written by Windows in the West."
    }
  }
}
