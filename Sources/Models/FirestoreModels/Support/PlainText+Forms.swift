extension PlainText {
  /// Removes case and accents as ``folded(_:)`` does, also in other scripts, and what else distinguishes forms of a letter:
  /// `ß` is `ss`, `ς` is `σ`, and ligatures, full-width and mathematical letters are plain ones.
  package static func broadlyFolded(_ text: String) -> String {
    // After 0xC3, the only letter that `folded` leaves with its case is ß (0x9F).
    let isPlain = text.withBytes { bytes in bytes.allSatisfy { $0 != 0x9F && ($0 < 0xC2 || $0 == 0xC3) } }
    if isPlain { return folded(text) }
    var out = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.isASCII {
        out.append(scalar)
      } else if let parts = hangul(scalar) {
        out += parts
      } else {
        // Small letters that are written in several ways have the same capitals.
        let capitals = String(plain(scalar)).lowercased().uppercased()
        for capital in capitals.unicodeScalars { out.append(base(of: capital)) }
      }
    }
    return folded(String(out))
  }

  /// The letter or digit that a scalar is another form of.
  private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    let (value, first): (UInt32, Unicode.Scalar)
    switch scalar.value {
    case 0xAA: (value, first) = (0, "a")
    case 0xBA: (value, first) = (0, "o")
    // Circled, full-width, and mathematical.
    case 0x24B6...0x24E9: (value, first) = ((scalar.value - 0x24B6) % 26, "a")
    case 0xFF01...0xFF5E: (value, first) = (scalar.value - 0xFF01, "!")
    case 0x1D400...0x1D6A3: (value, first) = ((scalar.value - 0x1D400) % 26, "a")
    case 0x1D7CE...0x1D7FF: (value, first) = ((scalar.value - 0x1D7CE) % 10, "0")
    default: return scalar
    }
    return Unicode.Scalar(first.value + value) ?? scalar
  }

  private static func base(of scalar: Unicode.Scalar) -> Unicode.Scalar {
    var base = scalar
    while let next = bases[base] { base = next }
    return base
  }

  /// Letters without one of their marks: Greek, Cyrillic, Arabic and Japanese ones; ``LatinLetters`` has the others.
  ///
  /// The standard library has no public normalization, but takes texts for equal that are the same after it.
  private static let bases: [Unicode.Scalar: Unicode.Scalar] = {
    let marks: [Unicode.Scalar] = [
      "\u{300}", "\u{301}", "\u{304}", "\u{306}", "\u{308}", "\u{30B}", "\u{30F}", "\u{313}", "\u{314}",
      "\u{342}", "\u{653}",
      "\u{654}", "\u{655}", "\u{3099}", "\u{309A}",
    ]
    let letters = [0x370...0x52F, 0x620...0x6FF, 0x1F00...0x1FFF, 0x3040...0x30FF as ClosedRange<UInt32>]
      .joined()
      .compactMap(Unicode.Scalar.init).filter(\.properties.isAlphabetic)
    var composed: [String: Unicode.Scalar] = [:]
    for letter in letters {
      for mark in marks { composed[String(String.UnicodeScalarView([letter, mark]))] = letter }
    }
    var bases: [Unicode.Scalar: Unicode.Scalar] = [:]
    for letter in letters { bases[letter] = composed[String(letter)] }
    return bases
  }()

  /// The letters of a Korean syllable; nil for other scalars.
  private static func hangul(_ scalar: Unicode.Scalar) -> [Unicode.Scalar]? {
    guard (0xAC00...0xD7A3).contains(scalar.value) else { return nil }
    let index = scalar.value - 0xAC00
    let end = index % 28
    let parts = [0x1100 + index / 588, 0x1161 + index % 588 / 28] + (end > 0 ? [0x11A7 + end] : [])
    return parts.compactMap(Unicode.Scalar.init)
  }
}
