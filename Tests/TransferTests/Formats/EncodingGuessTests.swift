import Testing

@testable import Tables

@Suite("What the encoding of a text is")
struct EncodingGuessTests {
  @Test(
    "Letters of the West are Windows', other bytes of 8 bits are not, and a damaged character makes no other encoding.",
    arguments: [
      ([], .utf8), (Array("población, año, niño".utf8), .utf8),
      // The last character is cut.
      (Array("Le\u{F3}n, Mérida, Ñuñ".utf8).dropLast(), .utf8),
      (Array("Mérida, León, Ñuñoa, Cancún".utf8) + [0xE9], .utf8),
      (Array("Jos".utf8) + [0xE9, 0x2C, 0x41], .windows1252),
      (Array("a".utf8) + [0xF1, 0x6F, 0x20, 0x80, 0x35], .windows1252),
      // Ação, LIÇÕES, Grüße, créée.
      (Array("A".utf8) + [0xE7, 0xE3, 0x6F], .windows1252),
      (Array("LI".utf8) + [0xC7, 0xD5, 0x45, 0x53], .windows1252),
      (Array("Gr".utf8) + [0xFC, 0xDF, 0x65], .windows1252),
      (Array("cr".utf8) + [0xE9, 0xE9, 0x65], .windows1252),
      // Núñez, Ibáñez, Ñáñez, ¿Él?, alone in a file.
      (Array("N".utf8) + [0xFA, 0xF1] + Array("ez".utf8), .windows1252),
      (Array("Ib".utf8) + [0xE1, 0xF1] + Array("ez".utf8), .windows1252),
      ([0xD1, 0xE1, 0xF1] + Array("ez".utf8), .windows1252),
      ([0xBF, 0xC9] + Array("l?".utf8), .windows1252),
      // Núñez of DOS and of a Mac, and Юрий.
      (Array("N".utf8) + [0xA3, 0xA4] + Array("ez".utf8), .other),
      (Array("N".utf8) + [0x9C, 0x96] + Array("ez".utf8), .other),
      ([0xDE, 0xF0, 0xE8, 0xE9], .other),
      // Of DOS, of a Mac, and of Korea.
      (Array("poblaci".utf8) + [0xA2] + Array("n".utf8), .other),
      (Array("Le".utf8) + [0x97] + Array("n".utf8), .other),
      ([0xBD, 0xC3, 0xC1, 0xA1, 0x2C, 0x31], .other),
    ] as [([UInt8], EncodingGuess)]
  )
  func guesses(_ bytes: [UInt8], _ guess: EncodingGuess) {
    #expect(EncodingGuess(bytes) == guess)
  }

  @Test(
    "What may be the é, á, í or ó of a Mac is not taken for Windows' letters, unless others of these are beside it.",
    arguments: [
      ("Jos\u{8E},A", .windowsOrMac), ("P\u{8E}rez", .windowsOrMac), ("camin\u{97}\n", .windowsOrMac),
      ("Garc\u{92}a,Bogot\u{87}", .windowsOrMac), ("it\u{92}s, O\u{92}Neil", .windows1252),
      ("\u{93}VIP\u{94} \u{96} \u{80}5", .windows1252), ("c\u{9C}ur, caf\u{E9}", .windows1252),
    ] as [(String, EncodingGuess)]
  )
  func macs(_ text: String, _ guess: EncodingGuess) {
    #expect(EncodingGuess(text.unicodeScalars.map { UInt8($0.value) }) == guess)
  }

  @Test("What may be of a Mac or of Windows is said as such, and each says to save it in UTF-8.")
  func remedies() {
    let doubtful = EncodingGuess.windowsOrMac.remedy
    #expect(doubtful.contains("-f MACINTOSH") && doubtful.contains("--encoding windows-1252"))
    for guess in [EncodingGuess.utf8, .windows1252, .windowsOrMac, .other] {
      #expect(guess.remedy.hasPrefix("Save it as CSV in UTF-8"), "\(guess)")
    }
  }
}
