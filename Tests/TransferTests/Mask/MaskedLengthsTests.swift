import FirestoreModels
import Schema
import Testing

@testable import Transfer

@Suite("Lengths of masked texts") struct MaskedLengthsTests {
  private func mask(_ field: String) throws -> Mask {
    let yaml =
      "schema: s\ncollections:\n  c:\n    mask: keep\n    fields: { f: { type: string, \(field) } }\n"
    let schema = try SchemaReader.schema(parsing: yaml, path: "s.yaml")
    return Mask(by: schema, key: MaskKey(String(repeating: "k", count: 40)))
  }

  @Test(
    "A rule that gives no text within its field's bounds ends a masked run before it reads.",
    arguments: [
      ("range: { min: 3, max: 15 }, mask: pseudonym", false), ("range: { max: 20 }, mask: pseudonym", true),
      ("range: { min: 28 }, mask: pseudonym", true), ("range: { max: 30 }, mask: hash", false),
      ("range: { max: 25 }, mask: email", false), ("range: { max: 25 }, mask: email(a.mx)", true),
      ("format: email, range: { max: 25 }, mask: email", false), ("range: { max: 25 }, mask: url", false),
      ("range: { max: 20 }, mask: url(c)", false), ("range: { max: 21 }, mask: url(c)", true),
      ("range: { min: 3 }, mask: constant(X)", false), ("range: { min: 3 }, mask: constant(XYZ)", true),
      ("range: { max: 9 }, mask: date(year)", false), ("range: { max: 15 }, mask: name", true),
      ("range: { max: 5 }, mask: text", true), ("range: { max: 5 }, mask: digits", true),
    ]
  )
  func refused(_ field: String, _ isTaken: Bool) throws {
    let mask = try mask(field)
    do throws(Failure) {
      try mask.assertCovers([CollectionPath(nil, "c")])
      #expect(isTaken)
    } catch {
      #expect(!isTaken && error.cause.contains("does not give a length within its range"), "\(error)")
    }
  }

  @Test("A text is within its field's bounds if it was before, and else beyond the same one.")
  func bounds() throws {
    let rules = [
      "pseudonym", "\"pseudonym(admin:*)\"", "hash", "digits", "email", "email(a.mx)", "name", "text", "url",
      "date(±9)",
    ]
    let texts = [
      "é", "Ana", "admin:x1", "555-1234", "2024-01-31", "ana@b.mx", " ana@b.mx \n",
      "Ana de la Cruz Ibarrondo",
    ]
    for rule in rules {
      for (least, most) in [(2, 24), (5, 30), (9, 41), (21, 64), (2, 200)] {
        for format in ["", "format: email, ", "format: phone, ", "format: url, "] {
          let mask = try mask("\(format)range: { min: \(least), max: \(most) }, mask: \(rule)")
          for text in texts + [24, 25, 30, 31, 64, 65].map({ String(repeating: "ab", count: $0 / 2) }) {
            let path = DocumentPath(CollectionPath(nil, "c"), "1")
            let document = RawDocument(path: path, fields: ["f": .string(text)])
            let masked = try #require(try mask.masked(document).fields["f"]?.string)
            let (before, after) = (text.unicodeScalars.count, masked.unicodeScalars.count)
            #expect(
              (before < least) == (after < least) && (before > most) == (after > most),
              "\(rule) \(masked)"
            )
            #expect(masked != text)
          }
        }
      }
    }
  }

  @Test("An address that is cut or lengthened keeps its domain.")
  func addresses() throws {
    for text in ["  ana@b.mx", String(repeating: "a", count: 40) + "@b.mx"] {
      let document = RawDocument(
        path: DocumentPath(CollectionPath(nil, "c"), "1"),
        fields: ["f": .string(text)]
      )
      let masked = try mask("range: { max: 31 }, mask: email").masked(document).fields["f"]?.string
      #expect(
        masked?.hasSuffix("@example.test") == true
          && masked?.unicodeScalars.count == (text.utf8.count < 32 ? 31 : 32)
      )
    }
  }
}
