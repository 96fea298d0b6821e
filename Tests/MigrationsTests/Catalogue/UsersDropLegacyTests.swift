import FirestoreModels
import MigrationEngine
import Testing

@testable import GymMigrations

/// What a user holds, and what becomes of it: removed fields, or the codes of what is in the way.
struct DropCase: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var fields: FieldMap
  var removes: [String] = []
  var codes: [String] = []
}

@Suite struct UsersDropLegacyTests {
  private static let unified: FieldMap = [
    "fullName": .string("Ana López Ruiz"), "firstName": .string("Ana"), "paternalLastName": .string("López"),
    "maternalLastName": .string("Ruiz"), "phone": .string("7291234567"), "isActive": .boolean(true),
    "telefonoEmergencia": .string("7290000001"),
  ]

  private static func with(_ changes: KeyValuePairs<String, Value?>) -> FieldMap {
    var fields = unified
    for (name, value) in changes { fields[name] = value }
    return fields
  }

  static let cases: [DropCase] = [
    DropCase(
      testDescription: "everything agrees",
      fields: with([
        "nombre": .string("ANA "), "primerApellido": .string("Lopez"), "segundoApellido": .string(" ruíz"),
        "telefono": .string("+52 1 729 123 4567"), "activo": .boolean(true),
      ]),
      removes: ["nombre", "primerApellido", "segundoApellido", "telefono", "activo"]
    ),
    DropCase(testDescription: "no legacy field", fields: with(["isActive": nil])),
    DropCase(
      testDescription: "legacy fields that say nothing",
      fields: with([
        "segundoApellido": .string(" "), "maternalLastName": nil, "activo": .null, "isActive": nil,
      ]),
      removes: ["segundoApellido", "activo"]
    ),
    DropCase(
      testDescription: "fullName lacks the maternal name only",
      fields: with(["fullName": .string("ana lopez"), "segundoApellido": .string("Ruiz")]),
      removes: ["segundoApellido"]
    ),
    DropCase(
      testDescription: "one field disagrees: the document stays as a whole",
      fields: with(["nombre": .string("Ana"), "primerApellido": .string("Pérez")]),
      codes: ["legacy-disagrees"]
    ),
    DropCase(
      testDescription: "surplus word",
      fields: with(["nombre": .string("Ana María")]),
      codes: ["legacy-disagrees"]
    ),
    DropCase(
      testDescription: "the unified part is missing, or blank",
      fields: with([
        "segundoApellido": .string("Ruiz"), "maternalLastName": .string(" "),
        "primerApellido": .string("López"),
        "paternalLastName": nil,
      ]),
      codes: ["unified-missing", "unified-missing"]
    ),
    DropCase(
      testDescription: "another number",
      fields: with(["telefono": .string("7291234568")]),
      codes: ["legacy-disagrees"]
    ),
    DropCase(
      testDescription: "no phone beside telefono",
      fields: with(["telefono": .string("7291234567"), "phone": nil]),
      codes: ["unified-missing"]
    ),
    DropCase(
      testDescription: "isActive and activo",
      fields: with(["activo": .boolean(false)]),
      codes: ["legacy-disagrees"]
    ),
    DropCase(
      testDescription: "no isActive",
      fields: with(["activo": .boolean(true), "isActive": .null]),
      codes: ["unified-missing"]
    ),
    DropCase(
      testDescription: "no fullName beside parts",
      fields: with(["nombre": .string("Ana"), "fullName": nil]),
      codes: ["unified-missing"]
    ),
    DropCase(
      testDescription: "fullName of somebody else",
      fields: with(["nombre": .string("Ana"), "fullName": .string("Ana Pérez")]),
      codes: ["fullname-disagrees"]
    ),
    DropCase(
      testDescription: "fullName matters to names alone",
      fields: with(["telefono": .string("7291234567"), "fullName": nil]),
      removes: ["telefono"]
    ),
    DropCase(
      testDescription: "wrong types, also of the unified side",
      fields: with(["telefono": .integer(7_291_234_567), "isActive": .string("si"), "nombre": .string("Ana")]
      ),
      codes: ["wrong-type", "wrong-type"]
    ),
    DropCase(
      testDescription: "a wrong type that it does not read",
      fields: with(["role": .integer(1), "nombre": .string("Ana")]),
      removes: ["nombre"]
    ),
  ]

  @Test(arguments: cases) func decides(_ one: DropCase) throws {
    let read = try document("users/u", one.fields)
    let outcome = UsersDropLegacy().outcome(for: read)
    #expect(outcome.findings.map(\.code) == one.codes)
    #expect(
      outcome.findings.allSatisfy { ($0.kind == .reject) == ($0.code == "wrong-type") && $0.found != nil }
    )
    guard let change = outcome.change else {
      #expect(one.removes.isEmpty && outcome.action == (one.codes.isEmpty ? .unchanged : .skip))
      return
    }
    var after = one.fields
    for field in one.removes { after[field] = nil }
    #expect(change.after == after)
    #expect(change.reasons == one.removes.map { "\($0)-removed" })
    // The mask names exactly what is removed.
    guard case .update(let written, let mask) = change.write.operation else {
      Issue.record("it is no update")
      return
    }
    #expect(written.isEmpty && Set(mask ?? []) == Set(one.removes.map { FieldPath(field: $0) }))
    #expect(change.write.transforms == [FieldTransform(FieldPath(field: "updatedAt"), .requestTime)])
  }

  @Test func isAppliedByNameOnly() throws {
    #expect(!MigrationCatalogue.all().contains { $0.id == "users-drop-legacy" })
    #expect(MigrationCatalogue.known().contains { $0 is UsersDropLegacy })
  }
}
