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
