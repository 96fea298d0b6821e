import FirestoreModels
import Foundation
import Schema
import TestSupport
import Testing

@testable import Transfer

@Suite("The proof of a masked copy") struct MaskProofTests {
  private static let text = """
    schema: small
    collections:
      people:
        mask: pseudonym
        fields:
          fullName: { type: string, mask: name }
          email: { type: string, mask: email }
          phone: { type: string, mask: digits }
          photo: { type: bytes, mask: "null" }
          friends: { type: map, keys: { mask: pseudonym }, mask: text }
          page: { type: string, mask: url }
          born: { type: timestamp, mask: date(year) }
          role: { type: string, values: [administrator], mask: pseudonym }
          boss: { type: string, mask: reference(people) }
          note: { type: string, mask: keep }
      notes:
        mask: keep
        fields: { text: { type: any, mask: keep } }
    """

  private static let id = "Kq3vT8mZp1XwR5"
  private static let email = "Zoraida.Canedo@Correo.mx"
  private static let photo: [UInt8] = [0xFF, 0, 0xD8, 0x81, 0x90, 0xFE, 7, 9]

  private static let person = document(
    "people/\(id)",
    [
      "fullName": .string("Zoraida Cañedo de Ibarrondo"), "email": .string(email),
      "phone": .string("+52 (55) 5083-1234"), "photo": .bytes(photo),
      "friends": .map(["Lx9-Qw7z": .string("vecinos del barrio sexto")]),
      "page": .string(
        "https://files.example.com/v0/b/bucket/o/people%2FKq3vT8mZp1XwR5%2Fretrato.jpg?alt=media"
      ),
      "born": .timestamp(Timestamp(seconds: 86_400) ?? .now), "role": .string("administrator"),
      "boss": .string("Bq8wZ2kLm4"), "note": .string("dice que es vegetariana"),
    ]
  )

  private static func document(_ path: String, _ fields: FieldMap) -> RawDocument {
    RawDocument(path: DocumentPath(path) ?? DocumentPath(CollectionPath(nil, "none"), "none"), fields: fields)
  }

  private static func note(_ value: Value) -> RawDocument { document("notes/n1", ["text": value]) }

  private static func base64(_ text: String) -> String { Base64.standard(Array(text.utf8)) }

  /// A leak of each kind, and the field whose value it is.
  private static let everyLeak: [(kind: String, field: String, document: RawDocument)] = [
    ("a value", "people: email", note(.string(email))),
    ("a part of a text", "people: email", note(.string("Escribe a <\(email)>, por favor."))),
    ("a name in a text", "people: fullName", note(.string("hoy vino Zoraida Cañedo de Ibarrondo, tarde"))),
    ("an ID", "people: (ids)", document("notes/\(id)", [:])),
    ("a segment of a path", "people: (ids)", document("people/\(id)/notes/n1", [:])),
    ("the key of a map", "people: email", note(.map([email: .integer(1)]))),
    ("the name of a field", "people: (ids)", document("notes/n1", [id: .null])),
    ("a key that was masked", "people: friends (keys)", note(.string("con Lx9-Qw7z"))),
    (
      "a reference", "people: (ids)",
      note(.reference("projects/p/databases/test/documents/people/\(id)"))
    ),
    ("bytes", "people: email", note(.bytes(Array("x \(email) y".utf8)))),
    ("bytes that are no text", "people: photo", note(.bytes(photo))),
    ("Base64 of bytes", "people: photo", note(.string(Base64.standard(photo)))),
    ("Base64", "people: email", note(.string("data:\(base64(email))"))),
    (
      "Base64 in a path", "people: email",
      note(.string("https://x.example/u/\(Base64.urlSafe(Array("yy \(email)".utf8)))/z"))
    ),
    ("another case", "people: email", note(.string(email.uppercased()))),
    ("NFD", "people: fullName", note(.string("Zoraida Can\u{303}edo de Ibarrondo"))),
    ("no accents", "people: fullName", note(.string("zoraida canedo de ibarrondo"))),
    ("an invisible sign", "people: fullName", note(.string("Zorai\u{200B}da Cañedo de Ibarrondo"))),
    ("a URL", "people: (ids)", note(.string("https://x.example/o/people%2F\(id)%2Fretrato.jpg"))),
    ("JSON in a text", "people: fullName", note(.string(#"{"n":"Zoraida\nCa\u00f1edo de Ibarrondo"}"#))),
    ("an element", "people: email", note(.array([.null, .map(["x": .string(email)])]))),
    ("another form of a phone", "people: phone", note(.string("tel. 55.5083.1234 (tarde)"))),
    ("a phone as a number", "people: phone", note(.integer(525_550_831_234))),
    ("a phone as a double", "people: phone", note(.double(525_550_831_234))),
    ("a referred ID", "people: boss", note(.string("Bq8wZ2kLm4"))),
    ("a URL that was masked", "people: page", note(person.fields["page"] ?? .null)),
    ("a text of many words", "people: friends", note(.string("los vecinos del barrio sexto llaman"))),
  ]

  private func prove(_ copy: [RawDocument], files: [String] = []) throws -> MaskProofReport {
    var proof = try MaskProof(by: SchemaReader.schema(parsing: Self.text, path: "s.yaml"))
    try proof.take(Self.person)
    for document in copy { try proof.search(document) }
    for file in files { try proof.search(files: file) { _, _ in } }
    return try proof.report()
  }

  private func found(_ report: MaskProofReport) -> [String] {
    report.fields.filter { $0.found > 0 }.map(\.field)
  }

  @Test("A leak of each kind is found, and nothing else.")
  func leaks() throws {
    for leak in Self.everyLeak { try expectFound(leak.kind, leak.field, in: leak.document) }
  }

  private func expectFound(_ kind: String, _ field: String, in document: RawDocument) throws {
    let report = try prove([document])
    // A URL that leaks holds an ID that does.
    #expect(found(report).contains(field), "\(kind)")
    #expect(Set(found(report)).isSubset(of: [field, "people: (ids)"]), "\(kind)")
    let lines = report.fields.map { $0.row.joined(separator: "\t") }.joined(separator: "\n")
    for value in [Self.id, Self.email, "Zoraida", "Lx9", "5083"] { #expect(!lines.contains(value)) }
  }

  @Test(
    "A name is found whatever the case and the form of its letters.",
    arguments: [
      ("Παπαδόπουλος", "ΠΑΠΑΔΟΠΟΥΛΟΣ"), ("Παπαδόπουλος", "παπαδο\u{301}πουλοσ"),
      ("Weißmüller", "WEISSMÜLLER"),
      ("WEIẞMÜLLER", "weissmuller"), ("ﬁlibertox", "Filibertox"), ("Filibertox", "Ｆｉｌｉｂｅｒｔｏｘ"),
      ("Filibertox", "𝓕𝓲𝓵𝓲𝓫𝓮𝓻𝓽𝓸𝔁"), ("Йованоска", "И\u{306}ОВАНОСКА"),
    ]
  )
  func letters(_ name: String, _ other: String) throws {
    for (name, other) in [(name, other), (other, name)] {
      var proof = try MaskProof(by: SchemaReader.schema(parsing: Self.text, path: "s.yaml"))
      try proof.take(Self.document("people/\(Self.id)", ["fullName": .string(name)]))
      try proof.search(Self.note(.string("con \(other), hoy")))
      #expect(found(try proof.report()) == ["people: fullName"])
    }
  }

  @Test("A masked copy has nothing, also under another key.")
  func masked() throws {
    let schema = try SchemaReader.schema(parsing: Self.text, path: "s.yaml")
    for _ in 0..<2 {
      let mask = Mask(by: schema, key: MaskKey(MaskKey.random()))
      let report = try prove([try mask.masked(Self.person)])
      #expect(found(report).isEmpty && report.isProven)
    }
  }

  @Test("A source that is masked itself is told by its addresses and URLs, whoever is in it besides.")
  func copies() throws {
    let schema = try SchemaReader.schema(parsing: Self.text, path: "s.yaml")
    let mask = Mask(by: schema, key: MaskKey(MaskKey.random()))
    func isOfCopy(_ documents: [RawDocument]) throws -> Bool {
      var proof = MaskProof(by: schema)
      for document in documents { try proof.take(document) }
      return proof.isOfCopy
    }
    let masked = try mask.masked(Self.person)
    let tester = Self.document("people/tester", ["email": .string("tester@example.test")])
    let padded = Self.document("people/padded", ["email": .string(" Ana@Correo.mx\n")])
    #expect(try isOfCopy([masked]) && isOfCopy([masked, tester]) && isOfCopy([mask.masked(padded)]))
    #expect(try !isOfCopy([Self.person]) && !isOfCopy([Self.person, masked]) && !isOfCopy([padded]))
    #expect(try !isOfCopy([tester]) && !isOfCopy([Self.note(masked.fields["email"] ?? .null)]))
    let names = Self.document("people/a", ["fullName": masked.fields["fullName"] ?? .null])
    #expect(try !isOfCopy([names]))
  }

  @Test("A phone that is a number in the source is looked for, whatever its type.")
  func numbers() throws {
    for phone: Value in [.integer(5_550_831_234), .double(5_550_831_234)] {
      var proof = try MaskProof(by: SchemaReader.schema(parsing: Self.text, path: "s.yaml"))
      try proof.take(Self.document("people/\(Self.id)", ["phone": phone]))
      try proof.search(Self.note(.string("55 5083 1234")))
      try proof.search(Self.note(.double(0.5)))
      #expect(found(try proof.report()) == ["people: phone"])
    }
  }

  @Test(
    "A phone is found whatever separates its digits, but letters and what separates times or the cells of files.",
    arguments: [
      ("55\u{2009}5083\u{2009}1234", true), ("55\t5083\t1234", true), ("55\n5083\r\n1234", true),
      ("5 5 5 0 8 3 1 2 3 4", true),
      ("55\u{2013}5083\u{2011}1234", true), ("55\u{B7}5083_1234", true), ("55, 5083; 1234", true),
      ("55\u{200B}50831234", true),
      ("[55,\n5083,\n1234]", true), ("٥٥ ٥٠٨٣ ١٢٣٤", true), ("3\t5550831234\t7", true),
      ("55,5083,1234", false), ("55:5083:1234", false), ("\"55\";\"5083\";\"1234\"", false),
      ("55 y 5083 y 1234", false),
    ]
  )
  func separators(_ text: String, _ isFound: Bool) throws {
    #expect(found(try prove([Self.note(.string(text))])) == (isFound ? ["people: phone"] : []))
  }

  @Test("A phone that stands in the copy as in the source is found, whatever separates its digits.")
  func sameSeparators() throws {
    for separator in ["\u{2009}", "\t", "\n", ",", ":", " y "] {
      let phone = Value.string(["55", "5083", "1234"].joined(separator: separator))
      var proof = try MaskProof(by: SchemaReader.schema(parsing: Self.text, path: "s.yaml"))
      try proof.take(Self.document("people/\(Self.id)", ["phone": phone]))
      try proof.search(Self.note(phone))
      #expect(found(try proof.report()) == ["people: phone"], "\(separator)")
    }
  }

  @Test("A value is found in escapes, however often it is escaped, and whatever the letter.")
  func escapes() async throws {
    // The escapes of RFC 8259: pairs of surrogates for what is beyond U+FFFF.
    let (name, escaped) = ("𠮷田太郎次郎三郎", #"\ud842\udfb7\u7530\u592a\u90ce\u6b21\u90ce\u4e09\u90ce"#)
    try await withTemporaryDirectory { folder in
      let file = folder.appendingPathComponent("x.json")
      var text = "{\"a\":\"\(escaped)\"}"
      for depth in 1...4 {
        try Data(text.utf8).write(to: file)
        var proof = try MaskProof(by: SchemaReader.schema(parsing: Self.text, path: "s.yaml"))
        try proof.take(Self.document("people/\(Self.id)", ["fullName": .string(name)]))
        try proof.search(files: folder.path) { _, _ in }
        #expect(found(try proof.report()) == ["people: fullName"], "\(depth)")
        let inner = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        text = "{\"b\":\"\(inner)\"}"
      }
    }
    #expect(
      EncodedText.unescaped(Array(#"a\ud842\u0041 100% \"#.utf8)).map { String(decoding: $0, as: UTF8.self) }
        == "a A 100% \\"
    )
    #expect(EncodedText.unescaped(Array("100% de C:".utf8)) == nil)
  }

  @Test("The keys of a map that is emptied are looked for, or reported if they may be names of fields.")
  func keysOfEmptiedMaps() throws {
    for field in ["fullName", "note"] {
      for (key, isPlain) in [("Lx9-Qw7z", false), ("vecindario", true)] {
        var proof = try MaskProof(by: SchemaReader.schema(parsing: Self.text, path: "s.yaml"))
        let map = Value.array([.map([key: .boolean(true)])])
        try proof.take(Self.document("people/\(Self.id)", [field: map, "email": .string(Self.email)]))
        try proof.search(Self.note(.string("con \(key)")))
        let row = try proof.report().fields.first { $0.field == "people: \(field)" }
        // A map in a kept field that is no map is emptied like the others.
        #expect(row?.found == (isPlain ? 0 : 1) && row?.common == (isPlain ? 1 : 0), "\(field): \(key)")
      }
    }
  }

  @Test("What was not looked for is said.")
  func said() throws {
    let report = try prove([])
    func field(_ name: String) throws -> ProvenField {
      try #require(report.fields.first { $0.field == "people: \(name)" })
    }
    #expect(try field("email").values == 1)
    #expect(try field("born").others == 1 && field("born").values == 0)
    #expect(try field("role").common == 1 && field("role").values == 0)
    #expect(!report.fields.contains { $0.field == "people: note" })
    var proof = try MaskProof(by: SchemaReader.schema(parsing: Self.text, path: "s.yaml"))
    for number in 0..<30 {
      try proof.take(
        Self.document(
          "people/\(number)",
          ["fullName": .string("Juana Etxeberria"), "email": .string("a@b.c"), "boss": .string("Bq8wZ2kLm4")]
        )
      )
    }
    try proof.search(Self.note(.string("Juana Etxeberria Bq8wZ2kLm4")))
    let common = try proof.report()
    #expect(common.fields.first { $0.field == "people: fullName" }?.common == 30)
    #expect(common.fields.first { $0.field == "people: email" }?.short == 30)
    #expect(common.fields.first { $0.field == "people: (ids)" }?.short == 30)
    // One person's, however many refer to it.
    #expect(common.fields.first { $0.field == "people: boss" }?.found == 1)
  }

  @Test("Files are looked into, with their names, compressed or not, wherever a value stands in them.")
  func files() async throws {
    try await withTemporaryDirectory { folder in
      let below = folder.appendingPathComponent("a")
      try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
      let file = below.appendingPathComponent("x.log")
      for padding in [0, 65_530, (1 << 20) - 10, (1 << 20) + 70_000] {
        try Data((String(repeating: ".", count: padding) + " \(Self.email)\n").utf8).write(to: file)
        let report = try prove([], files: [folder.path])
        #expect(found(report) == ["people: email"], "\(padding)")
        #expect(report.fields.contains { $0.places == [file.path] })
      }
      var output = try OutputFile(file.path + ".gz")
      try output.write(Array(Self.email.utf8))
      _ = try output.finish()
      try FileManager.default.removeItem(at: file)
      #expect(found(try prove([], files: [folder.path])) == ["people: email"])
      try FileManager.default.removeItem(atPath: file.path + ".gz")
      #expect(try prove([], files: [folder.path]).isProven)

      try Data().write(to: below.appendingPathComponent("\(Self.email).txt"))
      let named = try prove([], files: [folder.path])
      #expect(found(named) == ["people: email"])
      #expect(!named.fields.contains { $0.places.contains { $0.contains("Canedo") } })
      #expect(throws: Failure.self) { try prove([], files: [folder.path + "/none"]) }
    }
  }
}
