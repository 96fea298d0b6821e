import FirestoreModels
import Schema
import Testing

@testable import Transfer

/// What `--defaults` fills.
@Suite struct SchemaDefaultsTests {
  private static let vector = Value.map([
    "__type__": .string("__vector__"), "value": .array([.double(1)]),
  ])

  @Test(
    arguments: [
      ("a", [:], ["tier": .string("new")]),
      ("a", ["tier": .null], ["tier": .null]),
      ("a", ["address": .map([:])], ["address": .map(["city": .string("León")]), "tier": .string("new")]),
      ("a", ["address": .null, "tier": .null], ["address": .null, "tier": .null]),
      ("a", ["address": vector, "tier": .null], ["address": vector, "tier": .null]),
      // Of other documents the schema says nothing.
      ("b", [:], [:]),
    ] as [(String, FieldMap, FieldMap)]
  )
  func fills(id: String, fields: FieldMap, expected: FieldMap) {
    var tier = FieldSchema(FieldPath(field: "tier"), [.string])
    tier.defaultValue = .string("new")
    var fieldSchemas = [FieldSchema(FieldPath(field: "address"), [.map]), tier]
    if let path = FieldPath(segments: ["address", "city"]) {
      var city = FieldSchema(path, [.string])
      city.defaultValue = .string("León")
      fieldSchemas.append(city)
    }
    let collection = CollectionPath(nil, "customers")
    var schema = CollectionSchema(collection, fields: fieldSchemas)
    schema.documents = ["a"]
    var rules = SchemaRules()
    rules.fillsDefaults = true
    let document = RawDocument(path: DocumentPath(collection, id), fields: fields)
    #expect(rules.filled(document, schema).fields == expected)
    // Of a document that is there, fields to change are these alone.
    rules.isPartial = true
    #expect(rules.filled(document, schema).fields == fields)
    #expect(rules.filled(document, schema, isNew: true).fields == expected)
  }
}
