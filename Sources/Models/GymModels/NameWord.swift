/// Classifies single words of a full name.
package enum NameWord {
  /// Whether the word is not plainly part of a name, so that a person must review it.
  ///
  /// Such a word is a title or a single letter, or contains anything but letters of any script with their marks, and hyphens or
  /// apostrophes between letters.
  package static func isUnusual(_ word: String) -> Bool {
    guard let letters = letterCount(of: word) else { return true }
    // A single Hangul syllable may be several letters.
    return letters < 2 || word.index(after: word.startIndex) == word.endIndex
      || (letters <= longestTitle && titles.contains(UTF8Key(PlainText.folded(word))))
  }

  /// Whether the text contains a letter.
  package static func hasLetter(_ text: String) -> Bool { text.unicodeScalars.contains(where: isLetter) }

  /// Whether the word is one of the sixty most common given names, compared without case and accents.
  package static func isGivenName(_ word: String) -> Bool {
    givenNames.contains(UTF8Key(PlainText.folded(word)))
  }

  // MARK: Letters

  /// The number of letters; nil if there is a scalar that is not plainly part of a name.
  private static func letterCount(of word: String) -> Int? {
    var letters = 0
    var isBehindLetter = false
    for scalar in word.unicodeScalars {
      if joiners.contains(scalar) {
        guard isBehindLetter else { return nil }
        isBehindLetter = false
      } else if isLetter(scalar) {
        letters += 1
        isBehindLetter = true
      } else if !isBehindLetter || !isMark(scalar) {
        return nil
      }
    }
    return isBehindLetter ? letters : nil
  }

  /// Hyphen-minus, apostrophe, right single quotation mark and modifier letter apostrophe.
  private static let joiners: [Unicode.Scalar] = ["-", "'", "\u{2019}", "\u{2BC}"]

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return ("a"..."z").contains(Unicode.Scalar(UInt8(scalar.value) | 0x20)) }
    switch scalar.properties.generalCategory {
    // The ordinal indicators abbreviate: "Mª" is María.
    case .otherLetter: return scalar != "ª" && scalar != "º"
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter: return true
    default: return false
    }
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  // MARK: Lists, without case and accents

  private static let titles = words(
    "sr sra srta lic ing dr dra prof profa mtro mtra arq cp jr vda hno hna don dona"
  )

  private static let longestTitle = titles.map(\.string.utf8.count).max() ?? 0

  package static let givenNames = words(
    """
    alberto alejandro alfredo andres angel antonio armando arturo carlos daniel david eduardo enrique ernesto felipe
    fernando francisco gerardo guillermo ignacio ivan javier jesus jose juan luis manuel miguel pablo rafael ricardo
    roberto alejandra alicia ana angelica beatriz carmen cecilia cristina elena elizabeth esther eugenia fernanda
    gabriela guadalupe isabel laura leticia lucia luisa maria patricia paola rosa sofia teresa veronica victoria
    """
  )

  private static func words(_ text: String) -> Set<UTF8Key> {
    Set(PlainText.tokens(text).map { UTF8Key($0) })
  }
}
