import Foundation
import Models
import Testing

@Suite struct GymTextTests {
  @Test(
    arguments: [
      ("  Ana   María ", "Ana María"), ("\tAna\r\nLópez\n", "Ana López"),
      ("Ana\u{A0}\u{3000}López", "Ana López"),
      ("", ""), (" \u{2003}\n", ""), ("Ana", "Ana"), ("a\u{200B}b", "a\u{200B}b"),
      ("a \u{301}b", "a \u{301}b"),
    ])
  func tidies(text: String, tidy: String) {
    #expect(GymText.tidied(text).isIdentical(to: tidy))
    #expect(GymText.isBlank(text) == tidy.isEmpty)
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
    #expect(GymText.saySame(a, b) == same)
    #expect(GymText.saySame(b, a) == same)
  }

  /// Foundation's decomposition is the judge of the table of Latin letters.
  @Test func foldsLatinLettersAsUnicodeDecomposesThem() {
    for code in Array(UInt32(0x80)...0x24F) + Array(0x1E00...0x1EFF) {
      guard let scalar = Unicode.Scalar(code) else { continue }
      let text = String(scalar)
      let base = text.lowercased().decomposedStringWithCanonicalMapping.unicodeScalars.filter {
        $0.properties.generalCategory != .nonspacingMark
      }
      // A letter whose base is not ASCII keeps its marks; no name in use has one.
      guard base.allSatisfy(\.isASCII) else { continue }
      #expect(GymText.folded(text).isIdentical(to: String(base)), "U+\(String(code, radix: 16))")
    }
  }
}
