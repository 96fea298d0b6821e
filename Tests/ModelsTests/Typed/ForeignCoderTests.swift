import FirestoreModels
import Foundation
import Testing
import TypedDocuments

@Suite("Documents through Foundation's coders", .bothParsers)
struct ForeignCoderTests {
  private struct Fields: Codable, Equatable {
    var displayName: StringValue
    var iconURL: URLValue?
    var tags: MapValue<[UTF8Key: Value]>
  }

  private static let fields =
    #""displayName":{"stringValue":"a"},"tags":{"mapValue":{"fields":{"a_b":{"integerValue":"1"}}}}"#
  private static let document = """
    {"name":"projects/p/databases/d/documents/c/x","fields":{\(fields)},
    "createTime":"2026-01-02T03:04:05Z","updateTime":"2026-01-02T03:04:05.000001Z"}
    """

  /// Judges the names alone.
  private func object(_ json: some DataProtocol) throws -> NSDictionary {
    try #require(try JSONSerialization.jsonObject(with: Data(json)) as? NSDictionary)
  }

  @Test("No strategy for keys changes the names of a document and of its fields.")
  func keyStrategies() throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let data = Data(Self.document.utf8)
    let typed = try decoder.decode(Document<Fields>.self, from: data)
    #expect(typed.displayName == "a")
    #expect(try object(encoder.encode(typed)) == object(data))
    let untyped = try decoder.decode(Document<FieldMap>.self, from: data)
    #expect(untyped.fields["tags"] == .map(["a_b": .integer(1)]))
    #expect(try object(encoder.encode(untyped)) == object(data))
    let alone = try encoder.encode(FieldsOnlyDocument(typed))
    #expect(try object(alone) == object(Data(#"{"fields":{\#(Self.fields)}}"#.utf8)))

    // In a type of one's own the strategy names that type's members, and nothing in their values.
    struct Own: Codable { var lastPlace: GeoPointValue }
    let own = #"{"last_place":{"geoPointValue":{"latitude":1.5,"longitude":2.5}}}"#
    let read = try decoder.decode(Own.self, from: Data(own.utf8))
    #expect(read.lastPlace == GeoPointValue(latitude: 1.5, longitude: 2.5))
    #expect(try object(encoder.encode(read)) == object(Data(own.utf8)))
  }

  @Test func emptyDocument() throws {
    struct Empty: Codable {}
    let document = try JSONDecoder().decode(FieldsOnlyDocument<Empty>.self, from: Data("{}".utf8))
    #expect(String(decoding: try JSONEncoder().encode(document), as: UTF8.self) == "{}")
  }

  @Test(
    "An object that is no document is not an empty one.",
    arguments: [
      #"{"error":{"code":404,"message":"m","status":"NOT_FOUND"}}"#, #"{"error":"x"}"#,
      #"{"message":"login required"}"#, #"{"documents":[]}"#,
    ]
  )
  func noDocument(_ json: String) {
    let data = Data(json.utf8)
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(FieldsOnlyDocument<FieldMap>.self, from: data)
    }
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Document<FieldMap>.self, from: data) }
  }
}
