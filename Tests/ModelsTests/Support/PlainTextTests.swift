import FirestoreModels
import Foundation
import Testing

@Suite struct PlainTextTests {
  @Test(
    arguments: [
      ("  Ana   María ", "Ana María"), ("\tAna\r\nLópez\n", "Ana López"),
      ("Ana\u{A0}\u{3000}López", "Ana López"),
      ("", ""), (" \u{2003}\n", ""), ("Ana", "Ana"), ("a\u{200B}b", "a\u{200B}b"),
      ("a \u{301}b", "a \u{301}b"),
    ])
  func tidies(text: String, tidy: String) {
    #expect(PlainText.tidied(text).isIdentical(to: tidy))
    #expect(PlainText.isBlank(text) == tidy.isEmpty)
  }

  @Test(
    arguments: [
      ("Ana López", "ANA LOPEZ", true), ("José", "Jose\u{301}", true), ("Muñoz", "munoz", true),
      (" Ana  López", "Ana López ", true), ("Ngô", "NGO", true), ("Nguyễn", "nguyen", true),
      ("İnan", "inan", true),
      ("Ana López", "Ana Lopes", false), ("Ana López", "AnaLópez", false), ("Ana", "Ana López", false),
      ("Øst", "Ost", false), ("", " ", true),
    ])
  func comparesNames(a: String, b: String, same: Bool) {
    #expect(PlainText.saySame(a, b) == same)
    #expect(PlainText.saySame(b, a) == same)
  }

  /// The oracle for the table of Latin letters is Foundation's decomposition.
  @Test func foldsLatinLettersAsUnicodeDecomposesThem() {
    for code in Array(UInt32(0x80)...0x24F) + Array(0x1E00...0x1EFF) {
      guard let scalar = Unicode.Scalar(code) else { continue }
      let text = String(scalar)
      let base = text.lowercased().decomposedStringWithCanonicalMapping.unicodeScalars.filter {
        $0.properties.generalCategory != .nonspacingMark
      }
      // A letter without an ASCII base keeps its marks; no actual name has one.
      guard base.allSatisfy(\.isASCII) else { continue }
      #expect(PlainText.folded(text).isIdentical(to: String(base)), "U+\(String(code, radix: 16))")
    }
  }

  /// The oracle is Foundation's normalization.
  @Test func foldsEveryFormOfALetterAlike() {
    func expectSame(_ scalar: Unicode.Scalar, _ form: String) {
      let folded = PlainText.broadlyFolded(String(scalar))
      #expect(PlainText.broadlyFolded(form).isIdentical(to: folded), "U+\(String(scalar.value, radix: 16))")
    }
    for scalar in (0x80...0x1FFFF).compactMap(Unicode.Scalar.init) where scalar.properties.isCased {
      expectSame(scalar, String(scalar).lowercased())
      expectSame(scalar, String(scalar).uppercased())
    }
    let composed = [
      0x386...0x52F, 0x620...0x6FF, 0x1F00...0x1FBC, 0x3040...0x30FF, 0xAC00...0xD7A3,
    ]
    for scalar in composed.joined().compactMap(Unicode.Scalar.init) where scalar.properties.isAlphabetic {
      expectSame(scalar, String(scalar).decomposedStringWithCanonicalMapping)
    }
    let others = [
      0xAA...0xAA, 0xBA...0xBA, 0x24B6...0x24E9, 0xFB00...0xFB06, 0xFF01...0xFF5E, 0x1D400...0x1D6A3,
      0x1D7CE...0x1D7FF,
    ]
    for scalar in others.joined().compactMap(Unicode.Scalar.init)
    where scalar.properties.generalCategory != .unassigned {
      expectSame(scalar, String(scalar).decomposedStringWithCompatibilityMapping)
    }
  }

  /// A non-Latin letter at the end switches to Unicode properties without changing the text before it.
  @Test func plainTextsAreReadAsUnicodeHasThem() {
    for code in UInt32(0)...0x3100 {
      guard let scalar = Unicode.Scalar(code) else { continue }
      for text in ["\(scalar)", "Ab\(scalar)Ñ  Éz", " \(scalar) X×ßÿ"] {
        let place = "U+\(String(code, radix: 16)) in \(text.debugDescription)"
        #expect((PlainText.folded(text) + "你").isIdentical(to: PlainText.folded(text + "你")), "\(place)")
        let tokens = text.unicodeScalars.split { $0.properties.isWhitespace }.map { String($0) }
        #expect(PlainText.tokens(text).elementsEqual(tokens) { $0.isIdentical(to: $1) }, "\(place)")
        let tidy = tokens.joined(separator: " ")
        #expect(PlainText.tidied(text).isIdentical(to: tidy), "\(place)")
        #expect(PlainText.tidied(tidy).isIdentical(to: tidy), "\(place)")
      }
    }
  }
}
