import Testing

@testable import Tables

@Suite("Forms of cells")
struct CellFormTests {
  @Test(
    "In a column of booleans there are words of several languages.",
    arguments: [
      ("VERDADEIRO", true), ("sim", true), ("NÃO", false), ("na\u{303}o", false), ("WAHR", true),
      ("Falsch", false), ("ja", true), ("nein", false), ("VRAI", true), ("faux", false), ("sí", true),
      ("jein", nil), ("", nil),
    ] as [(String, Bool?)]
  )
  func words(text: String, expected: Bool?) {
    #expect(text.withBytes { CellValues.boolean($0, words: CellValues.words) } == expected)
  }

  @Test("A number that no double holds is text: it would be infinite, or 0.")
  func numbersThatNoDoubleHolds() {
    let digits = String(repeating: "9", count: 400)
    func form(_ text: String) -> CellForm { Array(text.utf8).withUnsafeBufferPointer { CellForm($0) } }
    for text in ["1e400", "-1E+309", "1e-400", "-0.1e-330", "\(digits).5", "1.5e\(digits)"] {
      #expect(form(text) == .text, "\(text)")
    }
    for text in ["1.7976931348623157e+308", "5e-324", "0e-400", "-0.0e+999", "0.\(digits)"] {
      #expect(form(text) != .text, "\(text)")
    }
  }
}
