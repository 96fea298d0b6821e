import Files
import FirestoreModels
import Schema
import TestSupport
import Testing

@testable import Transfer

@Suite("What masks make of values") struct MaskedValuesTests {
  private func text(_ key: String = String(repeating: "k", count: 40)) -> MaskedText {
    MaskedText(key: MaskKey(key))
  }

  /// Why the collection `c` is not masked by a schema; nil where it is.
  private func refusal(_ schema: DatabaseSchema) -> String? {
    let mask = Mask(by: schema, key: MaskKey(String(repeating: "k", count: 40)))
    do throws(Failure) {
      try mask.assertCovers([CollectionPath(nil, "c")])
      return nil
    } catch {
      return error.cause
    }
  }

  private func schema(_ yaml: String) throws -> DatabaseSchema {
    try SchemaReader.schema(parsing: "schema: s\ncollections:\n\(yaml)", path: "s.yaml")
  }

  @Test(
    "A code is that of RFC 4231.",
    arguments: [
      (
        [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
      ),
      (
        Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
      ),
      (
        [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
      ),
    ]
  )
  func code(_ key: [UInt8], _ message: [UInt8], _ code: String) {
    let bytes = MessageCode(key: key).code(of: message)
    #expect(Hexadecimal.text(of: bytes) == code)
  }

  private func masked(_ value: Value, _ field: String) throws -> Value? {
    let schema = try schema("  c:\n    mask: keep\n    fields:\n      f: \(field)\n")
    let mask = Mask(by: schema, key: MaskKey(String(repeating: "k", count: 40)))
    let path = try #require(DocumentPath("c/1"))
    return try mask.masked(RawDocument(path: path, fields: ["f": value])).fields["f"]
  }

  @Test("A day that is a text is masked as a time is; what is no day gets a pseudonym.")
  func days() throws {
    let year = "{ type: string, mask: date(year) }"
    #expect(try masked(.string("1980-05-31"), year) == .string("1980-01-01"))
    let none = try #require(try masked(.string("31/05/1980"), year)?.string)
    #expect(none.count == 20 && !none.contains("1980"))
    #expect(try masked(.string(""), year) == .string(""))
    let moved = try #require(try masked(.string("2024-03-10"), "{ type: string, mask: date(±30) }")?.string)
    let day = try #require(CalendarDay(moved))
    let distance = try abs(day.number - #require(CalendarDay("2024-03-10")).number)
    #expect((1...30).contains(distance))
  }

  @Test("A day or a time at an end of the calendar stays one, in every document.")
  func ends() throws {
    let text = text()
    for (day, limit) in [("9999-12-31", Timestamp.maximumSeconds), ("0001-01-01", Timestamp.minimumSeconds)] {
      let time = try #require(Timestamp(seconds: limit))
      for number in 0..<50 {
        let moved = try #require(text.time(time, days: 30, seed: Array("c/\(number)".utf8)))
        #expect((1...30).contains(abs(moved.seconds - limit) / 86_400))
      }
      let masked = try #require(
        try masked(.string(day), "{ type: string, format: date, mask: date(±30) }")?.string
      )
      #expect(CalendarDay(masked) != nil && masked != day)
    }
  }

  @Test("A number in a field of texts gets other digits; what is no address stays none.")
  func wrongTypes() throws {
    let phone = "{ type: string, mask: digits }"
    let number = try #require(try masked(.integer(7_299_595_662), phone)?.integer)
    #expect(number != 7_299_595_662 && "\(number)".count == 10)
    #expect(try masked(.string("7299595662"), phone) == .string("\(number)"))
    #expect(try masked(.double(5), phone) != .double(5))
    for value in [Int64.max, .min, 0] { #expect(try masked(.integer(value), phone) != .integer(value)) }
    let email = "{ type: string, mask: email }"
    #expect(try masked(.string("sin-arroba.example.com"), email)?.string?.contains("@") == false)
    #expect(try masked(.string(" A@b.example "), email)?.string?.hasSuffix("@example.test ") == true)
  }

  @Test("No name of the list stands for itself.")
  func names() {
    let text = text()
    for name in MaskWords.names { #expect(text.name(name).lowercased() != name.lowercased()) }
  }

  @Test("Bytes are hashed, and a map whose keys nobody declared is empty.")
  func others() throws {
    let bytes = Value.bytes(Array("Ana".utf8))
    let masked = try masked(bytes, "{ type: bytes, mask: hash }")
    guard case .bytes(let hashed)? = masked else { return #expect(masked == .bytes([])) }
    #expect(masked != bytes && hashed.count == 64)
    let map = Value.map(["Ana": .string("x")])
    #expect(try self.masked(map, "{ type: map, mask: hash }") == .map([:]))
  }

  @Test("A page is masked in its order; the first document that the schema is not about ends it.")
  func pages() async throws {
    let schema = try schema("  c:\n    mask: keep\n    fields:\n      f: { type: string, mask: keep }\n")
    let few = try self.schema(
      "  c:\n    documents: [d1, d2]\n    mask: keep\n    fields:\n      f: { type: string, mask: keep }\n"
    )
    let key = MaskKey(MaskKey.random())
    let page = (1...300).map { number in
      RawDocument(
        path: DocumentPath(CollectionPath(nil, "c"), "d\(number)"),
        fields: ["f": .string("\(number)")]
      )
    }
    let masked = try await Mask(by: schema, key: key).masked(page)
    #expect(masked.map(\.path) == page.map(\.path))
    #expect(try await Mask(by: few, key: key).masked(Array(page.prefix(2))).count == 2)
    await #expect(throws: Failure.self) { try await Mask(by: few, key: key).masked(page) }
  }

  @Test("A constant stands for texts, of an array for each; a value of another type keeps its type.")
  func constants() throws {
    func masked(_ value: Value) throws -> Value? {
      try self.masked(value, "{ type: any, mask: constant(x) }")
    }
    #expect(try masked(.string("Ana")) == .string("x"))
    #expect(try masked(.array([.string("Ana"), .integer(7)])) == .array([.string("x"), .integer(0)]))
    #expect(try masked(.map(["Ana": .string("x")])) == .map([:]))
    #expect(try masked(.double(7)) == .double(0) && masked(.null) == .null)
  }

  @Test("The rule of an array is that of its elements, unless they have their own.")
  func arrays() throws {
    let tags = Value.array([.string("a"), .string("b")])
    #expect(try masked(tags, "{ type: array, elements: string, mask: keep }") == tags)
    let own = "{ type: array, mask: keep, elements: { type: string, mask: constant(x) } }"
    #expect(try masked(tags, own) == .array([.string("x"), .string("x")]))
    let maps = Value.array([.map(["n": .string("a"), "m": .string("b")])])
    let mixed = """
      { type: array, mask: keep, elements: { type: map, fields: { n: string, m: { type: string, mask: constant(x) } } } }
      """
    #expect(try masked(maps, mixed) == .array([.map(["n": .string("a"), "m": .string("x")])]))
  }

  @Test(
    "A number that equals one of the closed values is kept, whatever its type, and no other number is.",
    arguments: [
      ("type: double, values: [1, 2]", .double(1), true), ("type: double, values: [1.0]", .integer(1), true),
      ("type: [integer, double], values: [1, 2]", .double(2), true),
      ("type: double, values: [0.0, 2.5]", .double(-0.0), true),
      ("type: array, elements: { type: double, values: [1] }", .array([.double(1), .integer(1)]), true),
      ("type: double, values: [1, 2]", .double(7), false), ("type: integer, values: [1]", .double(1), false),
    ] as [(String, Value, Bool)]
  )
  func closedNumbers(_ field: String, _ value: Value, _ isKept: Bool) throws {
    #expect((try masked(value, "{ \(field), mask: keep }") == value) == isKept)
  }

  @Test(
    "A rule that leaves nothing of what the schema wants ends a masked run before it reads.",
    arguments: [
      ("integer, mask: text", true), ("geopoint, mask: name", false), ("timestamp, mask: email", false),
      ("string, mask: number(±5%)", false), ("string, required: true, mask: drop", false),
      ("string, required: true, mask: \"null\"", false), ("boolean, mask: pseudonym", false),
      ("string, mask: date(year)", true), ("string, mask: drop", true),
      ("[integer, string], mask: text", true),
      ("integer, mask: number(±5%)", true), ("bytes, mask: hash", true), ("array, mask: text", true),
      ("double, mask: constant(X)", false), ("map, mask: constant(X)", true),
      ("[double, string], mask: constant(X)", true),
    ]
  )
  func fit(_ field: String, _ isTaken: Bool) throws {
    let schema = try schema("  c:\n    mask: keep\n    fields:\n      f: { type: \(field) }\n")
    let cause = refusal(schema)
    #expect((cause == nil) == isTaken)
    #expect(cause?.contains("leaves nothing of") ?? true)
  }

  @Test(
    "A rule that does not give a field's closed values or format ends a masked run before it reads.",
    arguments: [
      ("values: [van, truck], mask: pseudonym", "values"), ("values: [van, truck], mask: text", "values"),
      ("values: [van, truck], mask: constant(x)", "values"), ("values: [van], mask: constant(van)", nil),
      ("values: [van, truck], mask: \"pseudonym(van, truck)\"", nil), ("values: [van], mask: keep", nil),
      ("values: [van], mask: drop", nil), ("format: { pattern: \"A-[0-9]{3}\" }, mask: pseudonym", "format"),
      ("format: { pattern: \"A-[0-9]{3}\" }, mask: hash", "format"),
      ("format: { pattern: \"A-[0-9]{3}\" }, mask: constant(A-1)", "format"),
      ("format: { pattern: \"A-[0-9]{3}\" }, mask: constant(A-123)", nil),
      ("format: { pattern: \"[0-9]{3}-[0-9]{4}\" }, mask: digits", nil),
      ("format: { pattern: \"[0-9A-Za-z]{20}\" }, mask: pseudonym", nil),
      ("format: email, mask: pseudonym", "format"), ("format: email, mask: email", nil),
      ("format: phone, mask: name", "format"), ("format: uuid, mask: pseudonym", nil),
      ("format: date, mask: date(±9)", nil), ("format: url, mask: url", nil),
      ("format: date, mask: digits", "format"),
      ("format: time, mask: digits", "format"), ("format: uuid, mask: digits", "format"),
      ("format: url, mask: digits", "format"),
      ("format: phone, mask: digits", nil), ("format: digits, mask: digits", nil),
      ("format: phone, mask: date(year)", "format"),
      ("format: email, mask: date(±9)", "format"), ("format: date, mask: url(c)", "format"),
      ("format: url, mask: url(c)", nil),
      ("format: { pattern: \"https://.+\" }, mask: url(c)", nil),
      ("format: email, mask: pseudonym(a@b.mx)", "format"),
      ("values: [a@b.mx], format: email, mask: pseudonym(a@b.mx)", nil),
      ("format: email, mask: reference(o)", "format"), ("format: uuid, mask: reference(o)", nil),
      ("format: email, mask: reference(e)", nil), ("format: email, reference: o", "format"),
      ("values: [aa, bb], mask: reference(o)", "values"), ("values: [aa, bb], mask: reference(c)", nil),
    ]
  )
  func fitForms(_ field: String, _ loss: String?) throws {
    let others = "  o: { mask: pseudonym, fields: {} }\n  e: { mask: email, fields: {} }\n"
    let schema = try schema(
      "\(others)  c:\n    mask: keep\n    fields:\n      f: { type: string, \(field) }\n"
    )
    let cause = refusal(schema)
    #expect((cause == nil) == (loss == nil))
    #expect(cause?.contains("does not give its \(loss == "values" ? "closed values" : "format")") ?? true)
  }

  @Test(
    "A number is no ID, so a rule for references does not give closed numbers, even of IDs that are kept."
  )
  func closedNumbers() throws {
    let field = "f: { type: integer, values: [1, 2], mask: reference(c) }"
    #expect(
      refusal(try schema("  c:\n    mask: keep\n    fields:\n      \(field)\n"))?.contains("closed values")
        == true
    )
  }

  @Test(
    "A rule of IDs that gives none of the form that the schema wants ends a masked run before it reads.",
    arguments: [
      ("document-id: { pattern: \"p[0-9]{5}\" }", "pseudonym", false),
      ("document-id: { pattern: \"p[0-9]{5}\" }", "hash", false),
      ("document-id: { pattern: \"p[0-9]{5}\" }", "keep", true),
      ("document-id: { pattern: \"[0-9a-f-]{36}\" }", "pseudonym", true),
      ("document-id: { pattern: \"[0-9A-Za-z]{20,28}\" }", "pseudonym", true),
      ("document-id: { pattern: \"self|admin:[A-Za-z0-9]+\" }", "pseudonym(self, admin:*)", true),
      ("document-id: { pattern: \"[0-9a-f]{64}\" }", "hash", true),
      ("document-id: email", "pseudonym", false), ("document-id: email", "email(a.mx)", true),
      ("document-id: uuid", "pseudonym", true),
    ]
  )
  func fitIDs(_ form: String, _ rule: String, _ isTaken: Bool) throws {
    let schema = try schema(
      "  c:\n    mask: \(rule)\n    \(form)\n    fields:\n      f: { type: string, mask: drop }\n"
    )
    let cause = refusal(schema)
    #expect((cause == nil) == isTaken)
    #expect(cause?.contains("the IDs of c (its document-id takes nothing that '\(rule)' gives)") ?? true)
  }

  @Test("An ID keeps its form: 28 letters, 20, or a UUID of version 4, in its case.")
  func ids() throws {
    let text = text()
    let letters = text.pseudonym(String(repeating: "a", count: 28))
    #expect(letters.count == 28 && text.pseudonym("u1").count == 20 && text.pseudonym(letters) != letters)
    for number in 0..<50 {
      let id = "00000000-0000-4000-8000-0000000000\(10 + number)"
      let masked = text.pseudonym(id)
      #expect(
        try /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/.wholeMatch(in: masked)
          != nil
      )
      #expect(
        text.pseudonym(id.replacing("0000-4", with: "000A-4"))
          == text.pseudonym(id.replacing("0000-4", with: "000A-4")).uppercased()
      )
    }
  }

  @Test("A number moves by its percent at most, and by more than half of that somewhere.")
  func percent() {
    let moved = (0..<200).map { text().number(100, percent: 10, seed: Array("d\($0)".utf8)) }
    #expect(moved.allSatisfy { (90...110).contains($0) })
    #expect(moved.contains { $0 < 95 } && moved.contains { $0 > 105 })
  }

  @Test("Every number of a small form stands for one other.")
  func permutation() {
    let key = MaskKey(String(repeating: "k", count: 40))
    for count in 1...3 {
      let numbers = (0..<[10, 100, 1000][count - 1]).map { number in
        Array(String(repeating: "0", count: count - String(number).count).utf8) + Array(String(number).utf8)
      }
      let masked = numbers.map { DigitPermutation.masked($0, under: key) }
      #expect(Set(masked) == Set(numbers))
      #expect(!zip(masked, numbers).contains { $0 == $1 })
    }
  }

  @Test("A unique field takes no rule that makes the same of several.")
  func unique() throws {
    let users = CollectionPath(nil, "users")
    func failure(_ rule: String, _ type: String = "string") throws -> Failure? {
      let schema = try schema(
        """
          users:
            mask: pseudonym
            unique: [[code, kind]]
            fields: { code: { type: \(type), mask: "\(rule)" }, kind: { type: string, mask: keep } }
        """
      )
      do throws(Failure) {
        try Mask(by: schema, key: MaskKey(MaskKey.random())).assertCovers([users])
        return nil
      } catch {
        return error
      }
    }
    for rule in [
      "name", "text", "constant(x)", "number(±5%)", "date(±3)", "date(year)", "digits", "url(users)",
    ] {
      let failure = try failure(rule)
      #expect(failure?.kind == .configuration && failure?.cause.contains("code of users, unique") == true)
      #expect(failure?.remedy?.contains("code: { mask: pseudonym }") == true)
    }
    for rule in ["keep", "hash", "pseudonym", "email", "url", "drop", "null"] {
      #expect(try failure(rule) == nil, "\(rule)")
    }
    func pattern(_ text: String) -> String { "string, format: { pattern: \"\(text)\" }" }
    for type in ["integer", "string, format: phone", "string, format: digits", pattern("[0-9]{3}-[0-9]{4}")] {
      #expect(try failure("digits", type) == nil, "\(type)")
    }
    for type in ["any", "[integer, string]", pattern("[A-Z]-[0-9]{2}")] {
      #expect(try failure("digits", type)?.cause.contains("code of users, unique") == true, "\(type)")
    }
  }

  @Test("An email has the domain of its rule, as an ID and as a field.")
  func domains() throws {
    let schema = try schema(
      """
        mails:
          mask: email(mail.example)
          fields: { email: { type: string, mask: email(mail.example) }, old: { type: string, mask: email } }
      """
    )
    let mask = Mask(by: schema, key: MaskKey(MaskKey.random()))
    let path = try #require(DocumentPath("mails/ana@x.mx"))
    let fields: FieldMap = ["email": .string(" Ana@X.mx"), "old": .string("ana@x.mx")]
    let masked = try mask.masked(RawDocument(path: path, fields: fields))
    #expect(masked.path.id.hasSuffix("@mail.example"))
    #expect(masked.fields["email"] == .string(" \(masked.path.id)"))
    #expect(masked.fields["old"]?.string?.hasSuffix("@example.test") == true)
    for domain in ["", "a..b", "a b", "A.mx", "x@y"] {
      #expect(throws: Failure.self, "\(domain)") { try self.schema("  m: { mask: \"email(\(domain))\" }") }
    }
  }

  @Test("The IDs in a URL follow those of their collection.")
  func urls() throws {
    let schema = try schema(
      """
        users:
          mask: pseudonym
          fields: { photo: { type: string, mask: url(users) } }
      """
    )
    let mask = Mask(by: schema, key: MaskKey(MaskKey.random()))
    func masked(_ url: String) throws -> (id: String, url: String) {
      let path = try #require(DocumentPath("users/UIDcanary"))
      let masked = try mask.masked(RawDocument(path: path, fields: ["photo": .string(url)]))
      return (masked.path.id, try #require(masked.fields["photo"]?.string))
    }
    for url in [
      "https://img.example.com/users/UIDcanary/canary.jpg?u=UIDcanary&t=canary#canary",
      "https://files.example.com/v0/b/canary.appspot.com/o/users%2FUIDcanary%2Fcanary.jpg?alt=media",
    ] {
      let (id, masked) = try masked(url)
      #expect(
        masked.hasPrefix("https://example.test/") && masked.contains("/\(id)/")
          || masked.contains("%2F\(id)%2F")
      )
      #expect(masked.contains("users") && !masked.contains("canary"))
      #expect(FieldFormat.url.matches(masked))
    }
    #expect(try !masked("UIDcanary").url.contains("canary"))
    let gaps = try self.schema("  a: { mask: pseudonym, fields: { p: { type: string, mask: url(b) } } }")
    #expect(throws: Failure.self) {
      try Mask(by: gaps, key: MaskKey(MaskKey.random())).assertCovers([CollectionPath(nil, "a")])
    }
  }
}
