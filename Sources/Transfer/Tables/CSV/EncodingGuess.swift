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
    var (signsInWords, crowded, letters, rareLetters) = (0, 0, 0, 0)
    for run in Self.runs(of: high) {
      if Self.isASCIILetter(bytes, run.lowerBound - 1), Self.isASCIILetter(bytes, run.upperBound) {
        signsInWords += bytes[run].count { !Self.joins($0) }
      }
      // Núñez has two letters with accents in a row, Ñáñez three; no word of the West has four.
      if run.count > 3 { crowded += run.count }
    }
    for index in high {
      if bytes[index] >= 0xC0, Self.joins(bytes[index]) { letters += 1 }
      if Self.isASCIILetter(bytes, index - 1), Self.isMacLetter(bytes, index) { rareLetters += 1 }
    }
    if signsInWords * 10 > high.count || crowded * 3 > high.count {
      self = .other
    } else {
      self = rareLetters > letters ? .windowsOrMac : .windows1252
    }
  }

  /// Returns the ranges of adjacent bytes beyond ASCII.
  private static func runs(of high: [Int]) -> [Range<Int>] {
    var runs: [Range<Int>] = []
    for index in high {
      if let last = runs.last, last.upperBound == index {
        runs[runs.count - 1] = last.lowerBound..<index + 1
      } else {
        runs.append(index..<index + 1)
      }
    }
    return runs
  }

  /// Whether a byte after a letter is É or a small letter with an accent in old Mac encoding and rare there in
  /// Windows-1252, in which é is Ž and á is a dagger.
  private static func isMacLetter(_ bytes: [UInt8], _ index: Int) -> Bool {
    switch bytes[index] {
    case 0x83, 0x87, 0x8E, 0x96, 0x97, 0x9C, 0x9F: return true
    case 0x92:
      // An apostrophe occurs in it's and in O'Neil; í occurs in the middle of a word.
      let isBehindOne = !isASCIILetter(bytes, index - 2)
      let rest = bytes[(index + 1)...].prefix(while: \.isASCIILetter).prefix(4)
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

  private static func isASCIILetter(_ bytes: [UInt8], _ index: Int) -> Bool {
    bytes.indices.contains(index) && bytes[index].isASCIILetter
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
