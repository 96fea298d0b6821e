import FirestoreModels
import TestSupport
import Testing

@Suite("Field paths")
struct FieldPathTests {
  // Vectors of google-cloud-firestore 2.34.1, render_field_path.
  @Test(arguments: [
    (["a"], "a"), (["_"], "_"), (["1a"], "`1a`"), (["a.b"], "`a.b`"), (["é"], "`é`"), (["a-b"], "`a-b`"),
    (["*"], "`*`"), (["[x]"], "`[x]`"), (["a/b"], "`a/b`"), (["a b"], "`a b`"), (["a`b"], "`a\\`b`"),
    (["a\\b"], "`a\\\\b`"), (["m", "x.y", "z"], "m.`x.y`.z"), (["__name__"], "__name__"),
    (["a1", "B_2"], "a1.B_2"),
    (["`", "\\"], "`\\``.`\\\\`"), (["e\u{301}"], "`e\u{301}`"), (["\u{301}"], "`\u{301}`"), (["😀"], "`😀`"),
  ])
  func writtenAndRead(segments: [String], text: String) throws {
    let path = try #require(FieldPath(segments: segments))
    #expect(path.description.isIdentical(to: text))
    #expect(try FieldPath(parsing: text) == path)
  }

  @Test(arguments: [
    ("`a`.b", ["a", "b"]), ("`\\a`", ["a"]), ("`a.b`.`c.d`", ["a.b", "c.d"]),
  ])
  func readOnly(text: String, segments: [String]) throws {
    #expect(try FieldPath(parsing: text) == FieldPath(segments: segments))
  }

  @Test(arguments: [
    ("", 0), (".", 0), ("a.", 2), (".a", 0), ("a..b", 2), ("1a", 0), ("a-b", 1), ("a b", 1), ("é", 0),
    ("``", 1),
    ("`a", 2), ("`a`b", 3), ("`a\\", 3), ("a`b`", 1), ("a.*", 2), ("*", 0), ("a[0]", 1),
  ])
  func malformed(text: String, offset: Int) {
    let error = #expect(throws: FieldPathError.self) { try FieldPath(parsing: text) }
    #expect(error?.offset == offset)
    #expect(error?.text == text)
  }

  @Test(
    "What lacks back-quotes is shown with them, unless it may be meant as anything else.",
    arguments: [
      ("Teléfono", "`Teléfono`"), ("a.Fecha alta", "a.`Fecha alta`"), ("a-b", "`a-b`"), ("2024", "`2024`"),
      ("a[0]", nil), ("*", nil), ("a`b`", nil), (".", nil), ("a..b", nil),
    ] as [(String, String?)]
  )
  func unquoted(text: String, quoted: String?) {
    let error = #expect(throws: FieldPathError.self) { try FieldPath(parsing: text) }
    #expect(error?.reason.hasSuffix("back-quotes\(quoted.map { ": \($0)" } ?? "")") == true)
  }

  @Test func emptyPathsAreNone() {
    #expect(FieldPath(segments: []) == nil)
    #expect(FieldPath(segments: ["a", ""]) == nil)
  }

  @Test func prefixes() throws {
    let a = FieldPath(field: "a")
    #expect(a.isPrefix(of: a))
    #expect(a.isPrefix(of: a.appending("b")))
    #expect(!a.appending("b").isPrefix(of: a))
    #expect(!FieldPath(field: "é").isPrefix(of: FieldPath(field: "e\u{301}")))
    #expect(FieldPath(field: "a.b") != a.appending("b"))
    #expect(Set([a, FieldPath(field: "é"), FieldPath(field: "e\u{301}"), FieldPath(field: "a")]).count == 3)
  }

  @Test func anyNamesComeBack() throws {
    for seed in UInt64(1)...20 {
      var random = RandomDocuments(seed: seed)
      for _ in 0..<100 {
        let names = (0..<3).map { _ in random.text() }.filter { !$0.isEmpty }
        guard let path = FieldPath(segments: names) else { continue }
        #expect(try FieldPath(parsing: path.description) == path, "seed \(seed)")
      }
    }
  }
}
