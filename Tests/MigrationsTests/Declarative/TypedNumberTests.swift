import FirestoreModels
import Schema
import Testing

@testable import MigrationEngine

@Suite("The types of numbers that a step sets")
struct TypedNumberTests {
  @Test("Whole numbers in a map or an array that is set become doubles where the schema says so.")
  func typed() throws {
    func declared(_ path: FieldPath, _ types: [FieldType], elements: [FieldSchema] = []) -> FieldSchema {
      var field = FieldSchema(path, types)
      field.elements = elements
      return field
    }
    let (m, l) = (FieldPath(field: "m"), FieldPath(field: "l"))
    let element = FieldPath(field: FieldSchema.elementName)
    let price = m.appending("price")
    let schema = DatabaseSchema(
      name: "x",
      collections: [
        CollectionSchema(
          CollectionPath(nil, "c"),
          fields: [
            declared(m, [.map]), declared(price, [.double]), declared(m.appending("n"), [.integer]),
            declared(l, [.array], elements: [FieldSchema(element, [.double])]),
            declared(FieldPath(field: "t"), [.double]),
          ]
        )
      ]
    )
    func after(_ step: MigrationStep, _ fields: FieldMap) throws -> FieldMap? {
      let scope = DeclarativeMigration.Scope(CollectionPath(nil, "c"))
      let migration = DeclarativeMigration(
        id: "x",
        summary: "X.",
        scope: scope,
        steps: [step],
        schema: schema
      )
      return migration.outcome(
        for: RawDocument(path: DocumentPath(CollectionPath(nil, "c"), "a"), fields: fields)
      ).change?.after
    }
    let map = Value.map(["n": .integer(1), "price": .integer(20)])
    let typed = Value.map(["n": .integer(1), "price": .double(20)])
    #expect(try after(.set(m, map), [:])?["m"] == typed)
    #expect(try after(.setIfMissing(m, map), [:])?["m"] == typed)
    #expect(try after(.set(l, .array([.integer(20), .null])), [:])?["l"] == .array([.double(20), .null]))
    let replacing = MigrationStep.map(
      FieldPath(field: "t"),
      [.init(.string("a"), .integer(1))],
      unknown: .reject
    )
    #expect(try after(replacing, ["t": .string("a")])?["t"] == .double(1))
    // Without a type in the schema, a member stays of the type that it had.
    let other = try after(.set(FieldPath(field: "o"), map), ["o": .map(["price": .double(5)])])
    #expect(other?["o"] == typed)
  }
}
