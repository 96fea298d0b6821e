import FirestoreModels

@testable import Schema

/// A schema's file: it is read or refused, what is read can be written and read again as the same, and any document is
/// compared with it.
func fuzzSchema(_ input: [UInt8]) {
  let text = String(decoding: input, as: UTF8.self)
  let schema: DatabaseSchema
  do throws(Failure) {
    schema = try SchemaReader.schema(parsing: text, path: "s.yaml")
  } catch {
    expect(error.kind == .configuration, "a schema fails with \(error.kind)")
    expect(!error.cause.contains("\n"), "an error of several lines")
    return
  }
  let written = SchemaWriter.yaml(schema)
  guard
    let again = attempt({ () throws(Failure) in try SchemaReader.schema(parsing: written, path: "w.yaml") })
  else {
    fatalError("what was written cannot be read: \(written)")
  }
  expect(SchemaWriter.yaml(again) == written, "written twice, a schema differs")
  for collection in schema.collections {
    var fields = FieldMap()
    for (index, field) in collection.fields.enumerated() where field.path.segments.count == 1 {
      fields[field.path] = [.null, .string("x"), .integer(0), .double(.nan), .map(["a": .null])][index % 5]
    }
    let path = DocumentPath(collection.pattern, "d")
    let document = RawDocument(path: path, fields: fields)
    _ = collection.violations(in: document).map(\.expected)
    _ = collection.hidingFields(in: document)
    var profile = CollectionProfile(collection.pattern)
    profile.add(document)
    expect(profile.schema().violations(in: document).isEmpty, "a document breaks the schema inferred from it")
  }
}
