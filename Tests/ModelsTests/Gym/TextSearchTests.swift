import FirestoreModels
import GymModels
import Schema
import Testing

/// A search text, a document, and the matching fields.
struct SearchCase: Sendable, CustomTestStringConvertible {
  var text: String
  var path: String
  var fields: FieldMap
  var found: [String]

  init(_ text: String, _ path: String, _ fields: FieldMap, _ found: [String]) {
    (self.text, self.path, self.fields, self.found) = (text, path, fields, found)
  }

  var testDescription: String { "\(text) in \(path): \(found)" }
}

@Suite struct TextSearchTests {
  private static let ana: FieldMap = [
    "firstName": .string("Ana Sofía"), "paternalLastName": .string("Núñez"), "phone": .string("729 959-5662"),
    "email": .string("ANA@Example.com"), "otherNotes": .string("ana"), "role": .string("ana"),
  ]

  static let cases: [SearchCase] = [
    SearchCase("ana", "users/u", ana, ["email", "firstName"]),
    SearchCase("  SOFIA  nunez ", "users/u", ana, ["firstName", "paternalLastName"]),
    SearchCase("Sofi\u{301}a", "members/m", ana, ["firstName"]),
    // A word processor writes another apostrophe than a keyboard, and other quotes and hyphens.
    SearchCase("O\u{2019}Brien", "members/m", ["firstName": .string("Ana O'Brien")], ["firstName"]),
    SearchCase("o'brien", "members/m", ["firstName": .string("Ana O\u{2019}Brien")], ["firstName"]),
    SearchCase("d`angelo", "members/m", ["firstName": .string("D\u{B4}Ángelo")], ["firstName"]),
    SearchCase("ana-luz", "members/m", ["firstName": .string("Ana\u{2011}Luz")], ["firstName"]),
    SearchCase("\"luz\"", "members/m", ["firstName": .string("Ana \u{201C}Luz\u{201D}")], ["firstName"]),
    SearchCase("STRASSER", "members/m", ["firstName": .string("Ana Straßer")], ["firstName"]),
    SearchCase("ΑΓΓΕΛΟΣ", "members/m", ["firstName": .string("Άγγελος")], ["firstName"]),
    // Every word must match somewhere.
    SearchCase("ana lopez", "users/u", ana, []),
    SearchCase("9595", "users/u", ana, ["phone"]),
    SearchCase("(729) 959", "users/u", ana, ["phone"]),
    SearchCase("+52 729", "users/u", ana, []),
    // A country code, a mobile's 1 and a trunk prefix may not be stored.
    SearchCase("+52 1 729 959 5662", "users/u", ana, ["phone"]),
    SearchCase("+52 (729) 959-5662", "users/u", ana, ["phone"]),
    SearchCase("044 729 959 5662", "users/u", ana, ["phone"]),
    SearchCase("+52 1 729 959 5663", "users/u", ana, []),
    SearchCase("+52 729 959 5662", "users/u", ["phone": .string("+52 1 729 959 5662")], ["phone"]),
    SearchCase("95", "users/u", ana, []),
    SearchCase("729", "users/u", ["telefono": .integer(7_299_595_662)], ["telefono"]),
    SearchCase("7299595662", "users/u", ["telefono": .double(7_299_595_662)], ["telefono"]),
    SearchCase("729", "users/u", ["telefono": .double(.nan)], []),
    SearchCase("729", "users/u", ["telefono": .double(7.29)], []),
    SearchCase("729", "users/u", ["telefono": .null], []),
    SearchCase("proteina", "products/p", ["name": .string("Proteína 1 kg"), "sku": .integer(1)], ["name"]),
    SearchCase(
      "ana",
      "groups/g/members/m",
      ["displayName": .string("Ana"), "role": .string("ana")],
      ["displayName"]
    ),
    SearchCase(
      "box",
      "classes/c",
      ["gymId": .string("sajarubox"), "recurrenceGroupId": .string("box")],
      []
    ),
    SearchCase(
      "box",
      "classes/c",
      ["gymId": .string("sajarubox"), "nombre": .string("Box"), "description": .string("Boxeo")],
      ["description", "nombre"]
    ),
    // Without searched fields all texts are searched but for IDs and constants, and nothing as a phone number.
    SearchCase(
      "a",
      "classBookings/b",
      [
        "classId": .string("a"), "userId": .string("a"), "gymId": .string("sajarubox"),
        "estado": .string("activa"),
        "nota": .string("a"),
      ],
      ["nota"]
    ),
    SearchCase(
      "729",
      "things/t",
      ["name": .string("729"), "phone": .string("1"), "id": .string("729")],
      ["id", "name"]
    ),
    SearchCase("ana", "daily_routines/d", ["id": .string("ana"), "note": .string("Ana")], ["note"]),
    SearchCase(
      "ana",
      "things/t",
      [
        "name": .map(["given": .string("Ana"), "family": .string("Pi")]),
        "tags": .array([.string("x"), .string("Ana María"), .map(["a b": .string("ana")])]),
      ],
      ["name.given", "tags", "tags.`a b`"]
    ),
    SearchCase("日本", "users/u", ["fullName": .string("山田 日本")], ["fullName"]),
  ]

  @Test(arguments: cases) func finds(_ example: SearchCase) throws {
    let path = try #require(DocumentPath(example.path))
    let search = try #require(TextSearch(example.text))
    let found = search.matches(
      in: RawDocument(path: path, fields: example.fields),
      of: GymSchema.schema.collection(path.collection)
    )
    #expect(found.map(\.field) == example.found)
  }

  @Test("What ids, references and closed values are in maps and arrays is not searched.")
  func declaredWithin() throws {
    let text = """
      schema: s
      collections:
        things:
          fields:
            tags: { type: array, elements: string }
            owners: { type: array, elements: { type: string, reference: things } }
            parts: { type: array, elements: { type: map, fields: { kind: { type: string, values: [ana] }, note: string } } }
            home: { type: map, fields: { page: { type: string, format: url }, town: string } }
      """
    let path = try #require(DocumentPath("things/t"))
    let schema = try SchemaReader.schema(parsing: text, path: "s.yaml")
    let part = FieldMap([
      .init(name: "kind", value: .string("ana")), .init(name: "note", value: .string("Ana")),
    ])
    let fields: FieldMap = [
      "tags": .array([.string("ana")]), "owners": .array([.string("ana")]), "parts": .array([.map(part)]),
      "home": .map(["page": .string("https://ana.example"), "town": .string("Santa Ana")]),
    ]
    let search = try #require(TextSearch("ana"))
    let found = search.matches(
      in: RawDocument(path: path, fields: fields),
      of: schema.collection(path.collection)
    )
    #expect(found.map(\.field) == ["home.town", "parts.note", "tags"])
  }

  @Test(
    "Fields with the format of a phone are compared by digits, unless the schema says what to search.",
    arguments: [
      ("", "9595662", ["phone"]), ("", "+52 729 959 5662", ["phone"]), ("", "95", []),
      ("search: { phones: [other] }", "9595662", ["other"]), ("search: { texts: [other] }", "9595662", []),
    ]
  )
  func phones(rule: String, text: String, found: [String]) throws {
    let schema = """
      schema: s
      collections:
        leads:
          fields: { phone: { type: string, format: phone }, other: any }
          \(rule)
      """
    let leads = try SchemaReader.schema(parsing: schema, path: "s.yaml").collections.first
    let path = try #require(DocumentPath("leads/l"))
    let search = try #require(TextSearch(text))
    for phone in [Value.integer(7_299_595_662), .string("+52 1 729-959 5662")] {
      // A number, because words are looked for in texts.
      let fields: FieldMap = ["phone": phone, "other": .integer(7_299_595_662)]
      #expect(search.matches(in: RawDocument(path: path, fields: fields), of: leads).map(\.field) == found)
    }
  }

  /// Every collection that people search says in which fields, all of which it declares as texts that are no constants.
  @Test func theGymSaysWhatIsSearched() throws {
    let silent = ["app_config", "classAttendance", "classBookings", "daily_routines"]
    for collection in GymSchema.schema.collections {
      let name = collection.pattern.string
      #expect((collection.searchedTexts == nil) == silent.contains(name), "\(name)")
      for text in collection.searchedTexts ?? [] {
        let field = try #require(collection.field(text), "\(name): \(text)")
        #expect(field.types == [.string] && collection.isSearchedByDefault(text), "\(name): \(text)")
      }
    }
    #expect(GymSchema.schema.searchable.map(\.string) == ["users", "members"])
  }

  @Test(arguments: ["", " \t\n", "\u{00A0}"]) func nothingIsNoSearch(_ text: String) {
    #expect(TextSearch(text) == nil)
  }
}
