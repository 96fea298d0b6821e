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
    // Every word must match somewhere.
    SearchCase("ana lopez", "users/u", ana, []),
    SearchCase("9595", "users/u", ana, ["phone"]),
    SearchCase("(729) 959", "users/u", ana, ["phone"]),
    SearchCase("+52 729", "users/u", ana, []),
    SearchCase("95", "users/u", ana, []),
    SearchCase("729", "users/u", ["telefono": .integer(7_299_595_662)], ["telefono"]),
    SearchCase("729", "users/u", ["telefono": .null], []),
    // Without searched fields all texts are searched, and nothing as a phone number.
    SearchCase("proteina", "products/p", ["name": .string("Proteína 1 kg"), "sku": .integer(1)], ["name"]),
    SearchCase("729", "products/p", ["name": .string("729"), "phone": .string("1")], ["name"]),
    SearchCase("ana", "groups/g/members/m", ["displayName": .string("Ana")], ["displayName"]),
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

  @Test(arguments: ["", " \t\n", "\u{00A0}"]) func nothingIsNoSearch(_ text: String) {
    #expect(TextSearch(text) == nil)
  }
}
