import Schema
import Testing
import YAML

@testable import FirestoreModels

@Suite("What is written as YAML is read back, byte by byte")
struct YAMLTextTests {
  /// Every control character, what YAML reads as something else, and neighbours that it reads as they are.
  private static let scalars: [Unicode.Scalar] =
    ([0...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0xA1, 0x2027...0x202A, 0xD7FF...0xD7FF, 0xE000...0xE000]
    + [0xEAAA...0xEAAC, 0xFDCF...0xFDF0, 0xFEFE...0xFF00, 0xFFFC...0x1_0000, 0x1_FFFE...0x1_FFFF]
    + [0x10_FFFE...0x10_FFFF]).flatMap { $0.compactMap { Unicode.Scalar(UInt32($0)) } }

  private static func texts(_ part: String) -> [String] {
    [part, "\(part)ab", "a\(part)b", "ab\(part)", "\(part)\(part)"]
  }

  private func read(_ yaml: String) throws -> [(key: String, value: String)] {
    let file = YAMLFile("t.yaml", kind: .configuration, operation: "read")
    return try file.members(try file.parse(yaml, allowsAliases: false), "it", known: nil).map { member in
      (member.name, try #require(member.value.text))
    }
  }

  @Test func keysAndValues() throws {
    for scalar in Self.scalars {
      for text in Self.texts(String(Character(scalar))) {
        let found = try read("\(SchemaWriter.key(text)): \(YAMLText.quoted(text))\n")
        let comment: Comment = "U+\(String(scalar.value, radix: 16))"
        #expect(found.map { Array($0.key.utf8) } == [Array(text.utf8)], comment)
        #expect(found.map { Array($0.value.utf8) } == [Array(text.utf8)], comment)
        #expect(try ValueLiteral.quoted(YAMLText.quoted(text)).isIdentical(to: text), comment)
      }
    }
  }

  @Test(
    "Characters that are invisible, or change the direction of text, are escapes.",
    arguments: [
      0xAD, 0x34F, 0x61C, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x202D,
      0x202E, 0x2060, 0x2066, 0x2067, 0x2068, 0x2069, 0x3164, 0xFE0F, 0xFEFF, 0x1D173, 0xE0001, 0xE0041,
    ] as [UInt32]
  )
  func invisible(_ number: UInt32) throws {
    let scalar = try #require(Unicode.Scalar(number))
    for text in Self.texts(String(Character(scalar))) + ["é\(scalar)é"] {
      let written = "\(SchemaWriter.key(text)): \(YAMLText.quoted(text))\n"
      #expect(!written.unicodeScalars.contains(scalar))
      let found = try read(written)
      #expect(found.map { Array($0.key.utf8) } == [Array(text.utf8)])
      #expect(found.map { Array($0.value.utf8) } == [Array(text.utf8)])
    }
  }

  @Test("What looks like an anchor and its alias in texts and comments is none, and what is one is refused.")
  func anchors() throws {
    let texts = [
      "a: 'R&D'\nb: '2*D'", "a: x # R&D\nb: y # 2*D", "a: '&a'\nb: '*a'", "'[&z]': '[*z]'", "a: R&D 2*D",
    ]
    for text in texts { #expect(try !read(text).isEmpty, "\(text)") }
    let many = (0..<50).map { "k\($0): v&x*x" }.joined(separator: "\n")
    #expect(try read(many).count == 50)
    let values = (0..<10).map { _ in "*x" }.joined(separator: ", ")
    for text in ["a: &x 1\nb: *x", "a: {b: &x 1, c: *x}", "a: &x 1", "a: &x [1]\nb: [\(values)]"] {
      let failure = #expect(throws: Failure.self, "\(text)") { try read(text) }
      #expect(failure?.cause.contains("anchors and aliases") ?? false, "\(text)")
    }
  }

  @Test(
    "Names that are longer than YAML takes as a plain key are read back.",
    arguments: ["F", "é", "\u{7F}"]
  )
  func longNames(_ letter: String) throws {
    let long = String(repeating: letter, count: 1500 / letter.utf8.count)
    let key = YAMLText.quoted(long)
    let yaml = """
      schema: s
      collections:
        ? \(String(repeating: "c", count: 1500))
        :
          fields:
            ? \(key)
            : { type: map, fields: { ? \(key) : integer, z: integer } }
            lines: { type: array, elements: { type: map, fields: { ? \(key) : string, z: string } } }
      """
    let schema = try SchemaReader.schema(parsing: yaml, path: "s.yaml")
    let written = SchemaWriter.yaml(schema)
    let again = try SchemaReader.schema(parsing: written, path: "again.yaml")
    #expect(SchemaWriter.yaml(again) == written)
    let (fields, others) = (schema.collections.first?.fields ?? [], again.collections.first?.fields ?? [])
    #expect(fields.map(\.path) == others.map(\.path) && fields.count == 4)
    #expect(fields.last?.elements.map(\.path) == others.last?.elements.map(\.path))
    #expect(fields[0].path.segments.map { Array($0.utf8) } == [Array(long.utf8)])
  }

  @Test func schema() throws {
    let names = [
      "\u{FEFF}nombre", "nombre", "a\u{2028}b", "\u{7F}", "x\u{85}", "\u{FFFE}y", "\u{FEFF}\u{FEFF}z",
      "f\u{202E}g", "n\u{200F}m", "é\u{FE0F}", "u\u{E0041}",
    ]
    let fields = names.map { name in
      var field = FieldSchema(FieldPath(field: name), [.string])
      field.values = [.string("\u{FEFF}abc"), .string("\u{FFFF}"), .string("abc"), .string("x\u{2066}y")]
      return field
    }
    let path = try #require(CollectionPath("c"))
    let written = SchemaWriter.yaml(
      DatabaseSchema(name: "inferred", collections: [CollectionSchema(path, fields: fields)])
    )
    for scalar in ["\u{202E}", "\u{200F}", "\u{FE0F}", "\u{E0041}", "\u{2066}"] as [Unicode.Scalar] {
      #expect(!written.unicodeScalars.contains(scalar))
    }
    let read = try SchemaReader.schema(parsing: written, path: "s.yaml")
    let collection = try #require(read.collection(path))
    #expect(
      Set(collection.fields.flatMap(\.path.segments).map { UTF8Key($0) }) == Set(names.map { UTF8Key($0) })
    )
    for field in collection.fields { #expect(field.values == fields[0].values) }
  }

  @Test(
    "A mark at the beginning of a scalar is a part of it, at the beginning of the file none.",
    arguments: [
      ("k: \"\\ufeffAna\"", "\u{FEFF}Ana"), ("k: \"\\uFEFF\"", "\u{FEFF}"),
      ("k: \"\\U0000FeFfa\"", "\u{FEFF}a"),
      ("k: \"\u{FEFF}Ana\"", "\u{FEFF}Ana"), ("k: '\u{FEFF}Ana'", "\u{FEFF}Ana"),
      ("k: \u{FEFF}Ana", "\u{FEFF}Ana"),
      ("k: |-\n  \u{FEFF}Ana", "\u{FEFF}Ana"), ("k: '^\\uFeffa'", "^\\uFeffa"),
      ("k: \"\\\\ufeff\"", "\\ufeff"),
      ("k: \\ufeff", "\\ufeff"), ("k: \"a\\ufeffb\"", "a\u{FEFF}b"), ("\u{FEFF}k: a", "a"),
      ("\u{FEFF}k: \"\\ufeff\u{EAAB}\\ueaac\"", "\u{FEFF}\u{EAAB}\u{EAAC}"),
    ]
  )
  func marks(yaml: String, value: String) throws {
    let found = try read(yaml)
    #expect(found.map(\.key) == ["k"])
    #expect(found.map { Array($0.value.utf8) } == [Array(value.utf8)])
  }

  @Test func keysThatDifferInTheMark() throws {
    #expect(try read("\"\\ufeffa\": 1\na: 2\n").map(\.value) == ["1", "2"])
    #expect(throws: Failure.self) { try read("\"\\ufeffa\": 1\n\"\u{FEFF}a\": 2\n") }
  }

  @Test(
    "Keys that differ in composition alone are several, however they are written; one that is there twice is refused.",
    arguments: [
      (#"{"\u00e9": 1, "e\u0301": 2}"#, ["\u{E9}", "e\u{301}"]),
      ("{'\u{E9}': 1, \"e\u{301}\": 2, \u{E8}: 3}", ["\u{E9}", "e\u{301}", "\u{E8}"]),
      ("'\u{E9}': 1\n'e\u{301}': 2\n", ["\u{E9}", "e\u{301}"]),
      ("{\u{E9}: 1, e\u{301}: 2}", ["\u{E9}", "e\u{301}"]),
      ("{'\u{E9}': 1, '\u{E9}': 2}", nil), ("{'\u{E9}': 1, 'e\u{301}': 2, 'e\u{301}': 3}", nil),
      ("{'a': 1, 'a': 2}", nil),
    ] as [(String, [String]?)]
  )
  func composition(_ text: String, _ keys: [String]?) throws {
    guard let keys else {
      let failure = #expect(throws: Failure.self) { try read(text) }
      #expect(failure?.cause.hasSuffix("is given twice") == true, "\(String(describing: failure))")
      return
    }
    #expect(try read(text).map { UTF8Key($0.key) } == keys.map { UTF8Key($0) })
  }
}
