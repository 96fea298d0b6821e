import FirestoreModels
import Integrity
import Schema
import Testing

@Suite struct SchemaDriftTests {
  /// Three names that Swift takes for the same text.
  private static let names = ["\u{1E69}", "s\u{323}\u{307}", "s\u{307}\u{323}"]

  @Test("Names that differ in composition alone are inferred, written, read and compared as several.")
  func composition() throws {
    let inner = FieldMap(Self.names.map { .init(name: $0, value: .boolean(true)) })
    let fields: FieldMap = [
      Self.names[0]: .integer(1), Self.names[1]: .map(inner), Self.names[2]: .string("x"),
    ]
    let documents = Self.names.map {
      RawDocument(path: DocumentPath(CollectionPath(nil, $0), "d"), fields: fields)
    }
    let profiles = documents.map { document in
      var profile = CollectionProfile(document.path.collection)
      profile.add(document)
      return profile
    }
    let inferred = DatabaseSchema(name: "variants", collections: profiles.map { $0.schema() })
    let read = try SchemaReader.schema(parsing: SchemaWriter.yaml(inferred), path: "variants.yaml")
    #expect(read.collections.map(\.pattern) == profiles.map(\.pattern))
    #expect(read.collections.allSatisfy { $0.fields.count == 6 && !$0.expectsUnknownFields })
    var drift = SchemaDrift(from: read)
    for document in documents { drift.add(document) }
    #expect(drift.differences(from: profiles) { _ in true } == [])
  }

  @Test("A name that is there twice is refused, whatever others differ from it in composition alone.")
  func twice() {
    let fields = [Self.names[1], Self.names[0], Self.names[1]].map { "      \($0): string\n" }.joined()
    let yaml = "schema: s\ncollections:\n  c:\n    fields:\n\(fields)"
    let failure = #expect(throws: Failure.self) { try SchemaReader.schema(parsing: yaml, path: "s.yaml") }
    #expect(failure?.cause.contains("is given twice") == true, "\(failure?.cause ?? "")")
  }
}
